"""The crowds and texts of the experiment, and what is known of their words."""

from functools import lru_cache
from pathlib import Path

from crowdseq.core.corpus import Corpus
from crowdseq.errors import FormatError, Problem
from crowdseq.numerics.em import quiet
from crowdseq.tagging.clusters import Clusters
from crowdseq.workflows.knowing.knowledge import Knowledge
from crowdseq.workflows.knowing.word_vectors import (
    AUTO,
    UNLABELLED,
    VECTORS,
    FileOfVectors,
    OwnText,
    coverage,
    wished_vectors,
)
from crowdseq.workflows.reading import read

NEWS = "conll2003"
AMT = "amt-all"
OWN_TEXT = f"{NEWS}/train.conll.gz"  # its labels are not looked at
SIMULATED = ("mid-conll2003", "mid-ncbi_disease", "mid-bc2gm", "mid-jnlpba")
CROWDS = (AMT, "pico", "oei", "wikigold", "laptop", "weak-ncbi", *SIMULATED)
SEEDS = 3


def judging_text(crowd: str) -> str | None:
    """The corpus whose gold judges a tagger that was learned from the crowd."""
    return NEWS if crowd == AMT else crowd.removeprefix("mid-") if crowd in SIMULATED else None


@lru_cache(maxsize=4)
def gold_text(data: Path, corpus: str, part: str) -> Corpus:
    path = data / corpus / f"{part}.conll.gz"
    if not path.is_file():
        raise FormatError(Problem("the corpus is not there, say --data FOLDER", str(path)))
    return read(path)


def knowledge_of(kind: str, crowd: Corpus, data: Path, seed: int) -> Knowledge:
    """Clusters for a crowd with their record, as a run makes them."""
    if kind == VECTORS:
        clusters, record = _installed_clusters(seed)
        return Knowledge((clusters,), {VECTORS: {**record, "coverage": coverage(clusters, crowd)}})
    made, told = OwnText((str(data / OWN_TEXT),), seed).fulfil(crowd, quiet)
    return Knowledge((made,), {UNLABELLED: told | {"files": [OWN_TEXT]}})


@lru_cache(maxsize=2)
def _installed_clusters(seed: int) -> tuple[Clusters, dict[str, object]]:
    wish: FileOfVectors = wished_vectors(AUTO, seed)
    nothing = Corpus.from_records([{"tokens": ["a"], "annotations": {"a": ["O"]}}])
    return wish.fulfil(nothing, quiet)
