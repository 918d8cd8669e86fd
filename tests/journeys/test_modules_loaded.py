"""Learning loads what it needs and little more."""

import gzip
import json
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

MOST_MODULES = 154  # what shards are asked (surveys, judged votes, habits of bounds) are rooms of their own
PROGRAM = """
import json, sys
from crowdseq.cli.main import main
try:
    main()
except SystemExit as leaving:
    assert not leaving.code
print(json.dumps(sorted(name for name in sys.modules if name.split(".")[0] == "crowdseq")))
"""


def _loaded(*arguments: str, folder: Path) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments], cwd=folder, capture_output=True, timeout=300, check=True
    )
    names: list[str] = json.loads(done.stdout.decode().splitlines()[-1])
    return names


def test_learning_from_the_demo_corpus_loads_few_modules(tmp_path: Path) -> None:
    packed = (files("crowdseq") / "data" / "demo.jsonl.gz").read_bytes()
    (tmp_path / "demo.jsonl").write_bytes(gzip.decompress(packed))
    names = _loaded("learn", "demo.jsonl", "-o", "run", "--quiet", folder=tmp_path)
    assert len(names) <= MOST_MODULES, f"{len(names)} modules: {', '.join(names)}"
    # What is known of words is loaded, and compiled, where somebody gives it.
    assert not [name for name in names if "knowing" in name or name.startswith("crowdseq.numerics.words")]


def test_one_method_does_not_load_the_others(tmp_path: Path) -> None:
    packed = (files("crowdseq") / "data" / "demo.jsonl.gz").read_bytes()
    (tmp_path / "demo.jsonl").write_bytes(gzip.decompress(packed))
    chosen = ("-m", "majority-vote", "--no-tagger", "-o", "run", "--quiet")
    names = _loaded("learn", "demo.jsonl", *chosen, folder=tmp_path)
    methods = {name.split(".")[2] for name in names if name.startswith("crowdseq.methods.")}
    assert "sembler" not in methods
    assert "crowdseq.simulation" not in names


def test_help_loads_no_arithmetic(tmp_path: Path) -> None:
    names = _loaded("learn", "--help", folder=tmp_path)
    assert not [name for name in names if name.startswith(("crowdseq.core", "crowdseq.methods"))]
