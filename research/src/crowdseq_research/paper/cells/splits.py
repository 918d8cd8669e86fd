"""The corpora of the paper in its sizes (table I): training, development and test parts, always the same."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from crowdseq.arrays import IntArray
from crowdseq.core.building import CorpusBuilder, Record
from crowdseq.core.corpus import Corpus
from crowdseq.errors import FormatError, Problem
from crowdseq.workflows.demonstrating import demo_corpus
from crowdseq.workflows.reading import read

PARTS = ("train", "dev", "test")
DEMO = "demo"
_SEED = 2021


@dataclass(frozen=True)
class Dataset:
    """How large the paper's parts are, counted in sentences or in documents."""

    name: str
    title: str
    unit: str
    sizes: tuple[int, int, int]


DATASETS = (
    Dataset("conll2003", "CoNLL 2003", "sentences", (6_000, 2_000, 3_453)),
    Dataset("bc2gm", "BC2GM", "sentences", (8_000, 4_000, 5_038)),
    Dataset("ncbi_disease", "NCBI-disease", "documents", (400, 150, 200)),
    Dataset("jnlpba", "JNLPBA", "documents", (1_000, 500, 500)),
)


@dataclass(frozen=True)
class Split:
    """The parts, and for each how many of its sentences come from another official part."""

    train: Corpus
    dev: Corpus
    test: Corpus
    borrowed: tuple[int, int, int]


def find_dataset(name: str) -> Dataset:
    return next(one for one in DATASETS if one.name == name)


@lru_cache(maxsize=4)
def load_split(data: Path, name: str) -> Split:
    """The parts of a corpus: of the official part where it is large enough, else filled up from the others.

    Whole documents are drawn where documents are known, also where sentences are counted (the last one is cut
    to size), since repeated mentions are what the method is about.
    """
    if name == DEMO:
        return _demo_split()
    dataset = find_dataset(name)
    files = [data / name / f"{part}.conll.gz" for part in PARTS]
    for file in files:
        if not file.is_file():
            raise FormatError(Problem("the corpus is not there, say --data FOLDER", str(file)))
    lengths = [len(read(file)) for file in files]
    pool = read(*files)
    official = np.repeat(np.arange(3), lengths)
    chosen = _choose(pool, official, dataset)
    borrowed = tuple(int((official[chosen[part]] != part).sum()) for part in range(3))
    train, dev, test = (pool.select(np.sort(places)) for places in chosen)
    return Split(train, dev, test, (borrowed[0], borrowed[1], borrowed[2]))


@lru_cache(maxsize=1)
def load_pool(data: Path, name: str) -> Corpus:
    """Training and development parts in one."""
    split = load_split(data, name)
    builder = CorpusBuilder()
    for part in (split.train, split.dev):
        for place, sentence in enumerate(part.sentences):
            builder.add(Record(sentence.tokens, doc=sentence.doc, gold=part.gold[place]))
    return builder.build(split.train.scheme)


def _demo_split() -> Split:
    """The corpus that ships with the package: of four documents two to learn from, one and one to test."""
    corpus = demo_corpus()
    turn = np.asarray(corpus.text.document_of) % 4
    parts = [corpus.select(np.flatnonzero(np.isin(turn, turns))) for turns in ((0, 1), (2,), (3,))]
    return Split(parts[0], parts[1], parts[2], (0, 0, 0))


def _choose(pool: Corpus, official: IntArray, dataset: Dataset) -> list[IntArray]:
    """The sentences of each part; the test part chooses first, so that it is official as far as can be."""
    units = list(_units(pool, official))
    order = np.random.default_rng(_SEED).permutation(len(units))
    free = [units[place] for place in order]
    chosen: dict[int, IntArray] = {}
    for part in (2, 0, 1):
        own = [unit for unit in free if official[unit[0]] == part]
        # Other parts lend their own only when nothing else is left, and the test part never lends.
        others = [unit for unit in free if official[unit[0]] not in (part, 2)]
        taken, count = [], 0
        for unit in own + others:
            if count >= dataset.sizes[part]:
                break
            kept = unit[: dataset.sizes[part] - count] if dataset.unit == "sentences" else unit
            taken.append(kept)
            count += len(kept) if dataset.unit == "sentences" else 1
        used = {int(unit[0]) for unit in taken}
        free = [unit for unit in free if int(unit[0]) not in used]
        chosen[part] = np.concatenate(taken)
    return [chosen[part] for part in range(3)]


def _units(pool: Corpus, official: IntArray) -> Iterator[IntArray]:
    """Documents where they are known, else sentences, as runs of places in the pool."""
    documents = np.asarray(pool.text.document_of)
    breaks = (np.diff(documents) != 0) | (np.diff(official) != 0) | (documents[1:] < 0)
    yield from np.split(np.arange(len(pool)), np.flatnonzero(breaks) + 1)
