"""The demo: the corpus that ships with the package, and the whole job on it."""

from importlib.resources import as_file, files
from pathlib import Path

from crowdseq.core.corpus import Corpus
from crowdseq.formats import read
from crowdseq.workflows.learning import learn
from crowdseq.workflows.learning.from_files import SavedRun
from crowdseq.workflows.progress import COMPILING
from crowdseq.workflows.reading import SILENT, Listener
from crowdseq.workflows.runs.saving import check_free, run_paths


def demo_corpus() -> Corpus:
    """Our own texts with gold and eight simulated annotators of different character.

    >>> import crowdseq
    >>> crowdseq.demo_corpus().annotators
    ('ana', 'ben', 'cleo', 'dan', 'eva', 'finn', 'gus', 'hal')
    """
    with as_file(files("crowdseq") / "data" / "demo.jsonl.gz") as path:
        return read(str(path)).corpus


def demonstrate(out: Path, *, force: bool = False, listener: Listener = SILENT) -> SavedRun:
    """Learn from the demo corpus and write the run folder."""
    check_free(out, force=force)
    with listener.progress() as progress:

        def told(stage: str, done: int, total: int) -> None:
            if stage != COMPILING:  # whoever listens hears of it from the compiler
                progress(stage, done, total)

        run = learn(demo_corpus(), progress=told)
    run.save(out, force=force)
    return SavedRun(run, run_paths(out))
