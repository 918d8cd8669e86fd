"""Chunks: spans that the CRF marks more finely than the corpus, and the way back to its tags."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.core.labels import OUTSIDE, LabelScheme
from crowdseq.core.spans import convert
from crowdseq.errors import SettingsError

BORDERS = "borders"
CHUNKS = ("BIOES", BORDERS, "own")
AFTER, BEFORE = "O-after", "O-before"  # no tag of a chunk scheme can be called so


@dataclass(frozen=True)
class Chain:
    """The labels that a CRF works with inside.

    spans: all of them, but for two more if `borders`: O-before is O right before a span, O-after is O right
    after one and not before another; O itself then touches no span. So a word can speak for a span beside it.
    """

    spans: LabelScheme
    borders: bool = False

    def __post_init__(self) -> None:
        if self.borders and (self.spans.kind != "BIOES" or self.spans.outside < 0):
            raise SettingsError("only labels of the scheme BIOES, with O, can have borders")

    @classmethod
    def of_scheme(cls, scheme: LabelScheme, chunks: str) -> "Chain":
        """The labels for a corpus under a scheme.

        Only IOB2 has a finer form in which every valid sequence has exactly one counterpart, tag by tag; all
        other schemes, and one that lacks some of its tags, stay as they are.
        """
        whole = set(scheme.tags) == set(LabelScheme.of_types(scheme.types, "IOB2").tags)
        if chunks == "own" or scheme.kind != "IOB2" or not whole:
            return cls(scheme)
        return cls(LabelScheme.of_types(scheme.types, "BIOES"), chunks == BORDERS and bool(scheme.types))

    @property
    def kind(self) -> str:
        return BORDERS if self.borders else self.spans.kind

    @property
    def tags(self) -> tuple[str, ...]:
        return (*self.spans.tags, AFTER, BEFORE) if self.borders else self.spans.tags

    def __len__(self) -> int:
        return len(self.tags)

    @property
    def starts(self) -> BoolArray:
        return np.append(self.spans.starts, [False, True]) if self.borders else self.spans.starts

    @property
    def ends(self) -> BoolArray:
        return np.append(self.spans.ends, [True, False]) if self.borders else self.spans.ends

    @cached_property
    def allowed(self) -> BoolArray:
        """(C, C) which label may follow which."""
        if not self.borders:
            return self.spans.allowed
        outside, after, before = self.spans.outside, len(self) - 2, len(self) - 1
        allowed = np.zeros((len(self), len(self)), np.bool_)
        allowed[:after, :after] = self.spans.allowed
        allowed[[after, before], :] = allowed[outside]
        allowed[:, [after, before]] = allowed[:, [outside]]
        # What is not before a span is followed by an O of some kind, and what is not after one follows one.
        inside = [number for number in range(after) if number != outside]
        allowed[np.ix_([outside, after], inside)] = False
        allowed[inside, outside] = False
        allowed[before, [outside, after, before]] = False
        allowed[[outside, after], after] = False
        return allowed

    def outer(self, scheme: LabelScheme) -> IntArray:
        """(C,) for each label its number in the scheme: E-X is I-X there, S-X is B-X."""
        names = [OUTSIDE if tag in (AFTER, BEFORE) else scheme.kind_of(tag) for tag in self.tags]
        if {*names} != {*scheme.tags}:
            raise SettingsError(
                f"the labels {', '.join(self.tags)} do not stand for {', '.join(scheme.tags)}"
            )
        return scheme.ids(names).astype(np.int64)

    def refine(self, tags: IntArray, offsets: IntArray, scheme: LabelScheme) -> IntArray:
        """(T,) valid tag numbers of a scheme to labels of the chain; unlabelled tokens stay unlabelled."""
        if self.spans != scheme:
            tags = convert(tags, offsets, scheme, self.spans)
        if not self.borders:
            return tags
        outside, in_span = tags == self.spans.outside, (tags >= 0) & (tags != self.spans.outside)
        follows, precedes = _beside(in_span, offsets)
        return np.select([outside & precedes, outside & follows], [len(self) - 1, len(self) - 2], tags)


def _beside(marked: BoolArray, offsets: IntArray) -> tuple[BoolArray, BoolArray]:
    """(T,) whether the token before is marked, and whether the token after is, in the same sentence."""
    heads = offsets[:-1][np.diff(offsets) > 0]
    follows, precedes = np.roll(marked, 1), np.roll(marked, -1)
    follows[heads] = False
    precedes[heads - 1] = False  # the last tokens of the sentences before; of the text, for the first one
    return follows, precedes


def summed(rows: FloatArray, outer: IntArray, n_labels: int) -> FloatArray:
    """(T, C) probabilities of chain labels to (T, M) of the labels that they stand for."""
    if len(outer) == n_labels and (outer == np.arange(n_labels)).all():
        return rows
    return np.asarray(rows @ np.eye(n_labels)[outer])
