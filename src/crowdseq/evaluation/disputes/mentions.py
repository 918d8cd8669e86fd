"""What disputes are about: the same words, words on which labels do not settle, and pairs of labels."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from crowdseq.arrays import IntArray
from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.core.ragged import gather_ranges, offsets_of
from crowdseq.core.spans import find_spans
from crowdseq.evaluation.disputes.regions import CONSENSUS, DisputeColumns, Disputes, distinct

_LEAST_TIMES = 2  # a label that a word got once may be a slip
_LEAST_DISPUTES = 3
_LEAST_SHARE = 0.2  # of the readings of a word: fewer are single errors, not a custom


@dataclass(frozen=True)
class Mention:
    """Disputes over the same words, upper and lower case kept apart.

    surface: the words. readings: how many times people gave each label there, None for nothing, the most
    frequent first. disputes: their numbers, the greatest gain first. gain: the sum of theirs.
    """

    surface: tuple[str, ...]
    readings: Mapping[str | None, int]
    disputes: tuple[int, ...]
    gain: float


@dataclass(frozen=True)
class AmbiguousWord(Mention):
    """Words that got several labels, or on which people differ again and again.

    settled: in how many places the consensus has each label, disputed or not, None for nothing (disputed
    places only).
    """

    settled: Mapping[str | None, int] = field(default_factory=dict)


def mentions(corpus: Corpus, disputes: Disputes) -> tuple[Mention, ...]:
    """All disputes by their words, those with the greatest gain first."""
    surfaces = _Surfaces(corpus)
    columns = disputes.columns
    numbers = surfaces.numbers(
        corpus.offsets[columns.sentences] + columns.begins, columns.ends - columns.begins
    )
    readings = _people(corpus, disputes, numbers)
    groups: dict[int, list[int]] = {}
    for dispute in disputes.by_gain().tolist():
        groups.setdefault(int(numbers[dispute]), []).append(dispute)
    gains = np.bincount(numbers, disputes.gain, minlength=len(surfaces))
    found = [
        Mention(surfaces.words(number), _ranked(readings[number]), tuple(group), float(gains[number]))
        for number, group in groups.items()
    ]
    return tuple(sorted(found, key=lambda one: (-one.gain, one.surface)))


def ambiguous_words(consensus: Consensus, disputes: Disputes) -> tuple[AmbiguousWord, ...]:
    """Words with several settled labels, or with a dispute that comes back; the most places at stake first.

    Several: two labels in two places or more each. It comes back: three disputes or more, and the second most
    common reading is a fifth of all.
    """
    corpus = consensus.corpus
    settled = _settled_labels(consensus, disputes)
    by_surface = {one.surface: one for one in mentions(corpus, disputes)}
    nothing: Mapping[str | None, int] = {}
    found = []
    for surface, labels in settled.items():
        mention = by_surface.get(surface) or Mention(surface, nothing, (), 0.0)
        if _is_settled_twice(labels) or _is_disputed_again(mention):
            found.append(
                AmbiguousWord(surface, mention.readings, mention.disputes, mention.gain, _ranked(labels))
            )
    return tuple(sorted(found, key=lambda one: (-_at_stake(one), one.surface)))


def _is_settled_twice(labels: Counter[str | None]) -> bool:
    return sum(label is not None and times >= _LEAST_TIMES for label, times in labels.items()) > 1


def _is_disputed_again(mention: Mention) -> bool:
    times = [*mention.readings.values(), 0, 0]
    return len(mention.disputes) >= _LEAST_DISPUTES and times[1] >= _LEAST_SHARE * sum(times)


def _at_stake(word: AmbiguousWord) -> int:
    """Disputes, and places that have another label than most."""
    return len(word.disputes) + sum(word.settled.values()) - max(word.settled.values(), default=0)


def _settled_labels(consensus: Consensus, disputes: Disputes) -> dict[tuple[str, ...], Counter[str | None]]:
    """For every surface its settled labels, counted over disputed places and the undisputed spans."""
    corpus, columns = consensus.corpus, disputes.columns
    size = len(corpus.scheme.types) + 1
    first = corpus.offsets[columns.sentences]
    spans = find_spans(consensus.tag_ids, corpus.offsets, corpus.scheme)
    before = np.searchsorted(first + columns.begins, spans.starts, side="right") - 1
    is_free = (before < 0) | (spans.starts >= np.append(first + columns.ends, 0)[before])
    surfaces = _Surfaces(corpus)
    places = surfaces.numbers(first + columns.begins, columns.ends - columns.begins)
    free = surfaces.numbers(spans.starts[is_free], (spans.ends - spans.starts)[is_free])
    own = columns.annotators == CONSENSUS
    settled = distinct(columns.owners[own] * size + columns.mark_types[own])
    empty = np.flatnonzero(np.bincount(settled // size, minlength=len(places)) == 0)
    keys = [
        free * size + spans.types[is_free],
        places[settled // size] * size + settled % size,
        places[empty] * size + size - 1,
    ]
    counts = _counted(np.concatenate(keys), corpus)
    return {surfaces.words(number): labels for number, labels in counts.items()}


def _counted(keys: IntArray, corpus: Corpus) -> dict[int, Counter[str | None]]:
    """Keys of surface and label, the last of them for nothing, to the labels of each surface."""
    names = [*corpus.scheme.types, None]
    counts: dict[int, Counter[str | None]] = {}
    kept, times = np.unique(keys, return_counts=True)
    for key, number in zip(kept.tolist(), times.tolist(), strict=True):
        surface, label = divmod(key, len(names))
        counts.setdefault(surface, Counter())[names[label]] = number
    return counts


def _people(corpus: Corpus, disputes: Disputes, numbers: IntArray) -> dict[int, Counter[str | None]]:
    """For each surface how many times people gave each label; of several labels in a place each counts."""
    columns = disputes.columns
    people, size = max(len(corpus.annotators), 1), len(corpus.scheme.types) + 1
    given = columns.annotators != CONSENSUS
    voters = columns.owners[given] * people + columns.annotators[given]
    said = distinct(voters * size + columns.mark_types[given])
    silent = columns.readers - np.bincount(distinct(voters) // people, minlength=len(numbers))
    owners = np.concatenate([said // size // people, np.repeat(np.arange(len(numbers)), silent)])
    labels = np.concatenate([said % size, np.full(int(silent.sum()), size - 1)])
    return _counted(numbers[owners] * size + labels, corpus)


def _ranked(counts: Counter[str | None]) -> dict[str | None, int]:
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0] or "")))


class _Surfaces:
    """Runs of words, numbered as they come."""

    def __init__(self, corpus: Corpus) -> None:
        self._text = corpus.text
        self._known: dict[tuple[int, ...], int] = {}
        self._listed: list[tuple[int, ...]] = []

    def __len__(self) -> int:
        return len(self._listed)

    def numbers(self, starts: IntArray, lengths: IntArray) -> IntArray:
        """(n,) equal numbers for equal words."""
        ids = self._text.token_ids.tolist()
        found = []
        for start, size in zip(starts.tolist(), lengths.tolist(), strict=True):
            words = tuple(ids[start : start + size])
            number = self._known.setdefault(words, len(self._listed))
            if number == len(self._listed):
                self._listed.append(words)
            found.append(number)
        return np.array(found, np.int64)

    def words(self, number: int) -> tuple[str, ...]:
        return tuple(self._text.words[word] for word in self._listed[number])


@dataclass(frozen=True)
class LabelPair:
    """Disputes in which some say `first` where others say `second`; None stands for nothing.

    disputes: their numbers, the greatest gain first; gain: the sum of theirs. settled: in how many of them
    the consensus has the first, and in how many the second.
    """

    first: str
    second: str | None
    disputes: tuple[int, ...]
    gain: float
    settled: tuple[int, int]


def label_pairs(disputes: Disputes) -> tuple[LabelPair, ...]:
    """Every pair that is disputed somewhere, the most frequent first; a dispute can be about several."""
    columns, types = disputes.columns, disputes.consensus.corpus.scheme.types
    nothing, size = len(types), len(types) + 1
    keys = distinct(np.concatenate([_overlapping(columns, size), _missed(disputes, nothing)]))
    owners, codes = keys // size**2, keys % size**2
    order = np.lexsort((owners, -disputes.gain[owners], codes))
    owners, codes = owners[order], codes[order]
    settled = _settled(columns, nothing)
    found = []
    for begin, end in pairwise([*np.flatnonzero(np.diff(codes, prepend=-1)).tolist(), len(codes)]):
        mine, first, second = owners[begin:end], *divmod(int(codes[begin]), size)
        found.append(
            LabelPair(
                types[first],
                types[second] if second < nothing else None,
                tuple(mine.tolist()),
                float(disputes.gain[mine].sum()),
                (_among(mine * size + first, settled), _among(mine * size + second, settled)),
            )
        )
    return tuple(sorted(found, key=lambda pair: -len(pair.disputes)))


def _settled(columns: DisputeColumns, nothing: int) -> IntArray:
    """Keys of dispute and settled label, or nothing."""
    chosen = columns.annotators == CONSENSUS
    owners = columns.owners[chosen]
    empty = np.flatnonzero(np.bincount(owners, minlength=len(columns.sentences)) == 0)
    keys = np.concatenate(
        [owners * (nothing + 1) + columns.mark_types[chosen], empty * (nothing + 1) + nothing]
    )
    return distinct(keys)


def _among(keys: IntArray, settled: IntArray) -> int:
    """How many of the keys are among others, which are sorted."""
    places = np.minimum(np.searchsorted(settled, keys), max(len(settled) - 1, 0))
    return int(np.count_nonzero(settled[places] == keys))


def _missed(disputes: Disputes, nothing: int) -> IntArray:
    """Keys of dispute, label and nothing."""
    columns = disputes.columns
    chosen = disputes.has_kind("missed")[columns.owners]
    owners, types = columns.owners[chosen], columns.mark_types[chosen].astype(np.int64)
    return (owners * (nothing + 1) + types) * (nothing + 1) + nothing


def _overlapping(columns: DisputeColumns, size: int) -> IntArray:
    """Keys of dispute and two labels of marks that share a token."""
    # Disputes one after the other, so that all marks lie in one row of tokens; equal marks count once.
    first = offsets_of(columns.ends - columns.begins)[:-1] - columns.begins
    width = int(first[-1] + columns.ends[-1]) + 1 if len(first) else 1
    begins, ends = (first[columns.owners] + side for side in (columns.mark_begins, columns.mark_ends))
    marks = distinct((begins * width + ends) * size + columns.mark_types)
    begins, ends, types = marks // size // width, marks // size % width, marks % size
    n_after = np.searchsorted(begins, ends) - np.arange(len(marks)) - 1
    left = np.repeat(np.arange(len(marks)), n_after)
    right = gather_ranges(np.arange(len(marks)) + 1, n_after)
    low, high = np.minimum(types[left], types[right]), np.maximum(types[left], types[right])
    owners = np.searchsorted(first + columns.begins, begins[left], side="right") - 1
    keys: IntArray = ((owners * size + low) * size + high)[low != high]
    return keys
