"""LabelCounts: the labels of a corpus counted portion by portion, until its scheme can be told."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from crowdseq.arrays import IntArray
from crowdseq.core.annotations import Annotations
from crowdseq.core.assembly import count_bigrams, detect_kind, label_counts, renumber, scheme_for
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import PLAIN, LabelScheme, usual_tags
from crowdseq.core.ragged import gather_ranges
from crowdseq.core.spans import convert


@dataclass(frozen=True, eq=False)
class Spelling:
    """How the labels of all portions are written in the shards.

    kind: the one that the files used. source: the scheme in which labels are read, target: the one in which
    they are kept. respelt: labels that the scheme writes otherwise, and how often they occur. usual: labels
    in our spelling, where all were in another one.
    """

    kind: str
    source: LabelScheme
    target: LabelScheme
    numbers: Mapping[str, int]
    respelt: Mapping[str, int]
    usual: Mapping[str, str]

    def apply(self, corpus: Corpus, widened: tuple[str, ...] | None = None) -> Corpus:
        """The corpus of a portion in the numbers of the scheme; widened: labels that it has besides."""
        held = np.array([*(self.numbers.get(tag, -1) for tag in corpus.scheme.tags), -1], np.int16)
        crowd = corpus.annotations
        bounds = np.append(crowd.row_starts, len(crowd.tags))
        tags = self._converted(held[crowd.tags], bounds)
        gold = self._converted(held[corpus.gold_tags], corpus.offsets)
        votes = Annotations(crowd.annotators, crowd.voters, crowd.row_offsets, tags, crowd.lengths)
        made = replace(corpus, scheme=self.target, annotations=votes, gold_tags=gold)
        if widened is None:
            return made
        from crowdseq.formats.conventions.names import widen

        return widen(made, widened)

    def _converted(self, cells: IntArray, bounds: IntArray) -> IntArray:
        return cells if self.source == self.target else convert(cells, bounds, self.source, self.target)


class LabelCounts:
    """How often each label occurs and follows another; votes and gold count alike."""

    def __init__(self) -> None:
        self.names: dict[str, int] = {}
        self._counts: IntArray = np.zeros(0, np.int64)
        self._bigrams: IntArray = np.zeros((1, 1), np.int64)

    def add(self, corpus: Corpus) -> None:
        """The labels of a portion as they were spelt."""
        for tag in corpus.scheme.tags:
            self.names.setdefault(tag, len(self.names))
        size, mine = len(self.names), [self.names[tag] for tag in corpus.scheme.tags]
        counts, bigrams = np.zeros(size, np.int64), np.zeros((size + 1, size + 1), np.int64)
        counts[: len(self._counts)] = self._counts
        old = np.append(np.arange(len(self._counts)), size)  # the last row and column are starts and ends
        bigrams[np.ix_(old, old)] = self._bigrams
        here = np.append(mine, size).astype(np.int64)
        for cells, bounds in _rows(corpus):
            counts[mine] += label_counts(cells, len(mine))
            bigrams[np.ix_(here, here)] += count_bigrams(cells, bounds, len(mine))
        self._counts, self._bigrams = counts, bigrams

    def decide(self, wanted: str | None) -> Spelling:
        """wanted: the kind of scheme, or None to tell it from the labels."""
        labels = list(self.names)
        used = [label for label, count in zip(labels, self._counts, strict=True) if count]
        usual = usual_tags(used) if wanted != PLAIN else {}
        spelt = [usual.get(label, label) for label in labels]
        kind = wanted or detect_kind(spelt, self._bigrams, self._counts)
        target = scheme_for([usual.get(label, label) for label in used], kind)
        source = LabelScheme.of_types(target.types, "IOB1") if kind == "IOB1" else target
        made, respelt = renumber(np.arange(len(labels), dtype=np.int16), spelt, self._counts, source)
        return Spelling(kind, source, target, dict(zip(labels, made.tolist(), strict=True)), respelt, usual)


def _rows(corpus: Corpus) -> list[tuple[IntArray, IntArray]]:
    """Cells and bounds of the rows of annotators, and those of gold."""
    crowd, lengths = corpus.annotations, corpus.text.lengths
    known = np.flatnonzero(corpus.has_gold)
    gold = corpus.gold_tags[gather_ranges(corpus.offsets[known], lengths[known])]
    bounds = np.concatenate([[0], np.cumsum(lengths[known])])
    return [(crowd.tags, np.append(crowd.row_starts, len(crowd.tags))), (gold, bounds)]
