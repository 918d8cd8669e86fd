"""`python -m crowdseq` and the `crowdseq` command."""

from crowdseq.cli.main import main

if __name__ == "__main__":
    main()
