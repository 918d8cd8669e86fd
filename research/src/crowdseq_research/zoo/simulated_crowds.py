"""Crowds simulated out of gold: by the simulator of the package, and by an even one."""

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import numpy as np

from crowdseq.core.building import CorpusBuilder, Record
from crowdseq.core.corpus import Corpus
from crowdseq.errors import FormatError, Problem
from crowdseq.simulation import simulate
from crowdseq.workflows.reading import read
from crowdseq_research.zoo.casts import EVEN, Passage, to_corpus
from crowdseq_research.zoo.casts import read as read_as

Make = Callable[[Path, int], Corpus]
CORPORA = ("conll2003", "bc2gm", "ncbi_disease", "jnlpba")
SENTENCES = 1500
_SEED = 7


@lru_cache(maxsize=4)
def gold_text(data: Path, name: str, part: str = "train", sentences: int = SENTENCES) -> Corpus:
    """The first sentences of a corpus with gold."""
    path = data / name / f"{part}.conll.gz"
    if not path.is_file():
        raise FormatError(Problem("the corpus is not there, say --data FOLDER", str(path)))
    corpus = read(path)
    return corpus.select(np.arange(min(sentences, len(corpus))))


def simulated(name: str, annotators: int, precision: float, *, per_sentence: int | None = None) -> Make:
    """By the package's own simulator."""

    def make(data: Path, draw: int) -> Corpus:
        return simulate(
            gold_text(data, name),
            annotators=annotators,
            precision=precision,
            seed=_SEED + draw,
            per_sentence=per_sentence,
        )

    return make


def evenly(name: str) -> Make:
    """Five who err anywhere, each time anew."""

    def make(data: Path, draw: int) -> Corpus:
        passage = Passage.of(gold_text(data, name))
        people = {
            f"a{number}": read_as(passage, EVEN, np.random.default_rng([47, draw, number]))
            for number in range(5)
        }
        return to_corpus(passage, people)

    return make


def tags(annotators: int, precision: float) -> Make:
    """Parts of speech of news, labelled by a simulated crowd: tags without spans."""

    def make(data: Path, draw: int) -> Corpus:
        return simulate(_speech(data), annotators=annotators, precision=precision, seed=_SEED + draw)

    return make


@lru_cache(maxsize=1)
def _speech(data: Path) -> Corpus:
    """The part-of-speech column of CoNLL-2003 dev as gold."""
    corpus = read(data / "conll2003" / "dev.conll.gz", columns=("token", "gold", "-", "-"), scheme="plain")
    chosen = corpus.select(np.arange(600))
    builder = CorpusBuilder()
    for number, sentence in enumerate(chosen.sentences):
        builder.add(Record(sentence.tokens, sentence.id, sentence.doc, {}, chosen.gold[number]))
    return builder.build(chosen.scheme)
