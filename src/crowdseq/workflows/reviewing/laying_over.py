"""lay_over: decisions over the labels that a method settled."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from crowdseq.arrays import BoolArray, IntArray
from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import LabelScheme
from crowdseq.core.spans import SpanTable, paint
from crowdseq.store.entries import Entry, Marks
from crowdseq.store.replaying import SentenceState


@dataclass(frozen=True, eq=False)
class LaidOver:
    """tag_ids (T,): the labels with all decisions. is_decided (T,): tokens that a person decided.

    unknown: decisions with a label that the scheme does not have, which could not be laid over.
    """

    tag_ids: IntArray
    is_decided: BoolArray
    unknown: tuple[Entry, ...]


def lay_over(corpus: Corpus, tag_ids: IntArray, states: Mapping[int, SentenceState]) -> LaidOver:
    """Decisions, by the number of their sentence, over the tags of a corpus."""
    tags, is_decided = tag_ids.copy(), np.zeros(len(tag_ids), np.bool_)
    unknown: list[Entry] = []
    types = frozenset(corpus.scheme.types)
    for number, state in states.items():
        first, last = int(corpus.offsets[number]), int(corpus.offsets[number + 1])
        known = [one for one in state.decisions if types.issuperset(label for _, _, label in one.marks)]
        unknown += [one for one in state.decisions if one not in known]
        if known:
            tags[first:last] = tags_after(tags[first:last], corpus.scheme, known)
            for one in known:
                is_decided[first + one.begin : first + one.end] = True
    return LaidOver(tags, is_decided, tuple(unknown))


def tags_after(tags: IntArray, scheme: LabelScheme, decisions: Iterable[Entry]) -> IntArray:
    """The (T,) tags of one sentence with decisions laid over them, the newest last."""
    marks = marks_of(tags, scheme)
    for one in decisions:
        marks = replaced(marks, one.begin, one.end, one.marks)
    return painted(marks, tags, scheme)


def marks_of(tags: IntArray, scheme: LabelScheme) -> Marks:
    """The spans of one sentence, as `find_spans` has them leniently; of plain tags every token is one."""
    # Token by token: for one sentence that is far quicker than arrays, and pages ask for many.
    types, goes_on, is_open = _tables(scheme)
    made: list[tuple[int, int, str]] = []
    before = -1
    for place, tag in enumerate(tags.tolist()):
        label = types[tag]
        if label is not None:
            if goes_on[tag] and types[before] == label and is_open[before]:
                made[-1] = (made[-1][0], place + 1, label)
            else:
                made.append((place, place + 1, label))
        before = tag
    return tuple(made)


@lru_cache(maxsize=8)
def _tables(scheme: LabelScheme) -> tuple[list[str | None], list[bool], list[bool]]:
    """By tag, the last entry for none: its label, whether it goes on with a span, and leaves one open."""
    labels = [scheme.types[kind] if kind >= 0 else None for kind in scheme.type_ids.tolist()]
    prefixes = [chr(code) for code in scheme.prefix_codes.tolist()]
    can_go_on = [not scheme.is_plain and prefix in "IEL" for prefix in prefixes]
    is_open = [scheme.kind in ("IO", "IOB1") or prefix in "BI" for prefix in prefixes]
    return [*labels, None], [*can_go_on, False], [*is_open, False]


def painted(marks: Marks, tags: IntArray, scheme: LabelScheme) -> IntArray:
    """Marks as tags; of plain ones, tokens without a mark keep the tag that they have."""
    columns = np.array([(start, end, scheme.types.index(label)) for start, end, label in marks], np.int64)
    made = paint(SpanTable(*columns.reshape(-1, 3).T), len(tags), scheme)
    return np.where(made < 0, tags, made) if scheme.is_plain else made


def replaced(marks: Marks, begin: int, end: int, new: Marks) -> Marks:
    """Marks of a sentence in which those that touch a range give way to others."""
    return tuple(sorted((*(one for one in marks if one[1] <= begin or one[0] >= end), *new)))


def decided_consensus(
    consensus: Consensus, states: Mapping[int, SentenceState]
) -> tuple[Consensus, LaidOver]:
    """A consensus with decisions laid over it; what a person decided is certain."""
    laid = lay_over(consensus.corpus, consensus.tag_ids, states)
    sure = np.flatnonzero(laid.is_decided)
    probabilities = consensus.probabilities.copy()
    probabilities[sure] = 0.0
    probabilities[sure, laid.tag_ids[sure]] = 1.0
    # A mark that only sticks out of a decided range is gone too: its tokens are what is left of it.
    changed = np.flatnonzero((laid.tag_ids != consensus.tag_ids) & ~laid.is_decided)
    if len(changed):
        probabilities[changed] = 0.0
        probabilities[changed, laid.tag_ids[changed]] = 1.0
    return replace(consensus, tag_ids=laid.tag_ids, probabilities=probabilities), laid


def covered(decisions: Sequence[Entry], begin: int, end: int) -> tuple[Entry, ...]:
    """The decisions on a range if together they cover it, the newest last; none if they do not."""
    touching = tuple(one for one in decisions if one.begin < end and begin < one.end)
    reach = begin
    for one in sorted(touching, key=lambda one: one.begin):
        if one.begin <= reach:
            reach = max(reach, one.end)
    return touching if reach >= end else ()
