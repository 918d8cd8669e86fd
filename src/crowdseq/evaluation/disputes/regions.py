"""Mark, Reading, Dispute: what people hold of a place in a sentence; Disputes, all of them as columns."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.core.consensus import Consensus
from crowdseq.core.spans import SpanTable, paint

KINDS = ("boundary", "type", "missed")
BOUNDARY, TYPE, MISSED = 1, 2, 4  # the bits of a column of kinds
CONSENSUS = -1  # in place of an annotator's number


def distinct(keys: IntArray) -> IntArray:
    """The different keys in order; by sorting, which is far quicker than hashing for so many."""
    ordered = np.sort(keys)
    kept = np.ones(len(ordered), np.bool_)
    kept[1:] = ordered[1:] != ordered[:-1]
    return ordered[kept]


@dataclass(frozen=True, order=True)
class Mark:
    """Tokens begin to end (half-open) of a sentence with a label; of plain tags one token."""

    begin: int
    end: int
    label: str


@dataclass(frozen=True)
class Reading:
    """What some people hold of a place: its marks, none for "nothing here".

    annotators: their numbers in the corpus. probability: of this reading by the consensus, that of its least
    sure token; readings other than the settled one share what that leaves, so that all of a dispute sum to
    one at most.
    """

    marks: tuple[Mark, ...]
    annotators: tuple[int, ...]
    probability: float


@dataclass(frozen=True)
class Dispute:
    """A place on which people differ with each other or with the consensus.

    sentence: its number; begin, end: tokens of it (half-open). readings: the most common first; settled is
    the index of what the consensus says, which is always there, with no annotators if nobody reads it so.
    kinds: `boundary` (spans that overlap and begin or end elsewhere), `type` (another label), `missed`
    (somebody marks nothing there). confidence: of the settled reading. gain: how many wrong places are mended
    by looking here, on average.
    """

    sentence: int
    begin: int
    end: int
    readings: tuple[Reading, ...]
    settled: int
    kinds: frozenset[str]
    confidence: float
    gain: float


@dataclass(frozen=True, eq=False)
class DisputeColumns:
    """D disputes in the order of the text, and the marks on them.

    sentences, begins, ends, kinds (bits), readers (how many people saw it): (D,); begins and ends count from
    the start of the sentence. The marks of dispute d are offsets[d] to offsets[d + 1] of annotators
    (CONSENSUS for what is settled), mark_begins, mark_ends, mark_types, sorted by annotator and place.
    """

    sentences: IntArray
    begins: IntArray
    ends: IntArray
    kinds: IntArray
    readers: IntArray
    offsets: IntArray
    annotators: IntArray
    mark_begins: IntArray
    mark_ends: IntArray
    mark_types: IntArray

    @classmethod
    def joined(cls, parts: Sequence["DisputeColumns"]) -> "DisputeColumns":
        """Parts one after the other."""
        columns = {f.name: [getattr(part, f.name) for part in parts] for f in fields(cls)}
        sizes = np.concatenate([[0], *(np.diff(offsets) for offsets in columns.pop("offsets"))])
        joined = {name: np.concatenate([np.zeros(0, np.int64), *some]) for name, some in columns.items()}
        return cls(offsets=np.cumsum(sizes, dtype=np.int64), **joined)

    @cached_property
    def owners(self) -> IntArray:
        """(marks,) the dispute of each mark."""
        return np.repeat(np.arange(len(self.sentences)), np.diff(self.offsets))


@dataclass(frozen=True, eq=False)
class Disputes(Sequence[Dispute]):
    """All disputes in the order of the text; each is made when asked for, the columns are for counting.

    confidence, gain: (D,), as in `Dispute`.
    """

    consensus: Consensus
    columns: DisputeColumns
    confidence: FloatArray
    gain: FloatArray

    @classmethod
    def of(cls, consensus: Consensus, columns: DisputeColumns) -> "Disputes":
        """With the confidence of what is settled: that of its least sure token."""
        first = consensus.corpus.offsets[columns.sentences]
        bounds = np.stack([first + columns.begins, first + columns.ends], axis=1).ravel()
        padded = np.append(consensus.token_confidence, 1.0)
        sure = np.minimum.reduceat(padded, bounds)[::2] if len(bounds) else np.zeros(0)
        return cls(consensus, columns, sure, 1.0 - sure)

    def __len__(self) -> int:
        return len(self.columns.sentences)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return tuple(self[number] for number in range(*index.indices(len(self))))
        number, columns = range(len(self))[index], self.columns
        begin, end = int(columns.begins[number]), int(columns.ends[number])
        sentence, confidence = int(columns.sentences[number]), float(self.confidence[number])
        readings, settled = self._readings(number, sentence, begin, end)
        bits = int(columns.kinds[number])
        return Dispute(
            sentence,
            begin,
            end,
            _with_probability(readings, settled, confidence, self._shares(sentence, begin, end, readings)),
            settled,
            frozenset(kind for place, kind in enumerate(KINDS) if bits >> place & 1),
            confidence,
            float(self.gain[number]),
        )

    def has_kind(self, kind: str) -> BoolArray:
        """(D,) which disputes are of a kind."""
        found: BoolArray = self.columns.kinds >> KINDS.index(kind) & 1 == 1
        return found

    def by_gain(self) -> IntArray:
        """(D,) their numbers, the greatest gain first; the order of the text breaks ties."""
        return np.argsort(-self.gain, kind="stable")

    def _readings(self, number: int, sentence: int, begin: int, end: int) -> "tuple[list[_Held], int]":
        columns, types = self.columns, self.consensus.corpus.scheme.types
        part = slice(int(columns.offsets[number]), int(columns.offsets[number + 1]))
        arrays = (columns.annotators, columns.mark_begins, columns.mark_ends, columns.mark_types)
        ballot = self.consensus.corpus.annotations.ballots[sentence]
        saw = (ballot.tags[:, begin:end] >= 0).all(axis=1)
        marks: dict[int, list[Mark]] = {CONSENSUS: [], **{who: [] for who in ballot.voters[saw].tolist()}}
        for who, first, last, kind in zip(*(array[part].tolist() for array in arrays), strict=True):
            marks.setdefault(who, []).append(Mark(first, last, types[kind]))
        held: dict[tuple[Mark, ...], list[int]] = {tuple(marks.pop(CONSENSUS)): []}
        settled = next(iter(held))
        for who in sorted(marks):
            held.setdefault(tuple(marks[who]), []).append(who)
        ranked = sorted(held, key=lambda some: (-len(held[some]), some))
        return [(some, tuple(held[some])) for some in ranked], ranked.index(settled)

    def _shares(self, sentence: int, begin: int, end: int, readings: "list[_Held]") -> list[float]:
        """The probability of the least sure token of each reading."""
        first = int(self.consensus.corpus.offsets[sentence])
        rows = self.consensus.probabilities[first + begin : first + end]
        places = np.arange(end - begin)
        return [float(rows[places, self._tags(marks, begin, end)].min()) for marks, _ in readings]

    @cached_property
    def _painted(self) -> dict[Any, IntArray]:
        return {}

    def _tags(self, marks: tuple[Mark, ...], begin: int, end: int) -> IntArray:
        """The tags of a place that say just these marks; few shapes occur, so they are kept."""
        key = (end - begin, *((mark.begin - begin, mark.end - begin, mark.label) for mark in marks))
        if key not in self._painted:
            scheme = self.consensus.corpus.scheme
            kinds = [scheme.types.index(mark.label) for mark in marks]
            if scheme.is_plain:
                found = np.array([scheme.index[mark.label] for mark in marks], np.int64)
            else:
                starts, ends = ([getattr(m, side) - begin for m in marks] for side in ("begin", "end"))
                table = SpanTable(np.array(starts, np.int64), np.array(ends, np.int64), np.array(kinds))
                found = paint(table, end - begin, scheme)
            self._painted[key] = found
        return self._painted[key]


_Held = tuple[tuple[Mark, ...], tuple[int, ...]]  # marks, and who holds them


def _with_probability(
    readings: list[_Held], settled: int, confidence: float, shares: list[float]
) -> tuple[Reading, ...]:
    others = sum(shares) - shares[settled]
    scale = min(1.0, (1.0 - confidence) / others) if others > 0 else 0.0
    return tuple(
        Reading(marks, who, confidence if place == settled else share * scale)
        for place, ((marks, who), share) in enumerate(zip(readings, shares, strict=True))
    )
