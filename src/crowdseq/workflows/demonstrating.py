"""The demo: the corpus that ships with the package, and the whole job on it."""

from importlib.resources import as_file, files

from crowdseq.core.corpus import Corpus
from crowdseq.formats import read
from crowdseq.numerics.em import Progress, quiet
from crowdseq.workflows.learning import learn
from crowdseq.workflows.run import Run


def demo_corpus() -> Corpus:
    """Our own texts with gold and eight simulated annotators of different character."""
    with as_file(files("crowdseq") / "data" / "demo.jsonl.gz") as path:
        return read(str(path)).corpus


def demonstrate(*, progress: Progress = quiet) -> Run:
    """Learn from the demo corpus."""
    return learn(demo_corpus(), progress=progress)
