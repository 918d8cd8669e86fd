"""Targets: what a tagger is trained towards, and whether that can be done at all."""

from dataclasses import dataclass

import numpy as np

from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.errors import AnnotationError

_SLACK = 1e-3  # how far a row may miss the sum of one, or hold what may not be
_ROUNDING = 1e-6


def check_rows(unary: FloatArray, offsets: IntArray, sentence_weights: FloatArray) -> None:
    """Every token of a sentence that counts needs a row that sums to one."""
    counted = np.repeat(sentence_weights > 0.0, np.diff(offsets))
    wrong = np.flatnonzero(counted & (np.abs(unary.sum(axis=1) - 1.0) > _SLACK))
    if len(wrong):
        sentence = int(np.searchsorted(offsets, wrong[0], side="right")) - 1
        raise AnnotationError(
            f"sentence {sentence + 1}, token {wrong[0] - offsets[sentence] + 1}: targets sum to "
            f"{unary[wrong[0]].sum():.4g}, not to 1; give the sentence weight 0 if it has no labels"
        )


def check_ends(
    unary: FloatArray, starts: BoolArray, ends: BoolArray, offsets: IntArray, sentence_weights: FloatArray
) -> None:
    """Every sentence that counts must begin and end as the scheme allows, starts and ends (M,)."""
    counted = np.flatnonzero((sentence_weights > 0.0) & (np.diff(offsets) > 0))
    begun = unary[offsets[counted]][:, ~starts].sum(axis=1)
    ended = unary[offsets[counted + 1] - 1][:, ~ends].sum(axis=1)
    wrong = counted[np.maximum(begun, ended) > _SLACK]
    if len(wrong):
        raise AnnotationError(
            f"sentence {wrong[0] + 1} begins or ends with a tag that the scheme does not allow there; "
            "repair them first"
        )


def check_pairs(pairs: FloatArray, allowed: BoolArray) -> None:
    """Mass on a forbidden pair (M, M) would make the likelihood zero whatever the weights."""
    wrong = np.argwhere((pairs > _ROUNDING) & ~allowed)
    if len(wrong):
        before, after = wrong[0]
        raise AnnotationError(
            f"the targets let label {after} follow label {before}, against the scheme; repair them first"
        )


_LOWEST = -1e-9  # probabilities that come out of long sums may miss zero by rounding


@dataclass(frozen=True, eq=False)
class Targets:
    """Wanted label probabilities of T tokens.

    unary: (T, M), rows sum to one. pairwise: expected label pairs of neighbours, either (N, M, M) by sentence
    or (M, M) summed over all sentences, each times its weight if sentences are weighted in training.
    Made by `of_tags`, it holds tags (T,) and offsets (N + 1,) instead of pairwise.
    """

    unary: FloatArray
    pairwise: FloatArray | None = None
    tags: IntArray | None = None
    offsets: IntArray | None = None

    def __post_init__(self) -> None:
        for name, values in (("unary", self.unary), ("pairwise", self.pairwise)):
            if values is not None:
                check_probabilities(name, values)
        shape = None if self.pairwise is None else self.pairwise.shape
        if shape is not None and (shape[-2:] != (self.n_labels, self.n_labels) or len(shape) not in (2, 3)):
            raise AnnotationError(f"pairwise targets of shape {shape} do not fit {self.n_labels} labels")
        if shape is None and (self.tags is None or self.offsets is None):
            raise AnnotationError("targets need label pairs (pairwise) beside the labels of single tokens")

    @classmethod
    def of_tags(cls, tags: IntArray, offsets: IntArray, n_labels: int) -> "Targets":
        """From (T,) label numbers; -1 is an unlabelled token, whose sentence must then have weight zero."""
        check_tags(tags, n_labels)
        unary = np.zeros((len(tags), n_labels))
        known = np.flatnonzero(tags >= 0)
        unary[known, tags[known]] = 1.0
        return cls(unary, tags=tags, offsets=offsets)

    @property
    def n_labels(self) -> int:
        return int(self.unary.shape[1])

    def edges(self, sentence_weights: FloatArray) -> FloatArray:
        """(M, M) expected label pairs, weighted."""
        if self.tags is not None and self.offsets is not None:
            return _weighted_tag_pairs(self.tags, self.offsets, sentence_weights, self.n_labels)
        assert self.pairwise is not None
        if self.pairwise.ndim == 2:
            return self.pairwise
        if len(self.pairwise) != len(sentence_weights):
            raise AnnotationError(
                f"pairwise targets of {len(self.pairwise)} sentences for {len(sentence_weights)} sentences"
            )
        return np.asarray(np.einsum("n,nij->ij", sentence_weights, self.pairwise))

    def labelled(self, offsets: IntArray) -> BoolArray:
        """(N,) whether all tokens of a sentence have targets."""
        return labelled_sentences(self.unary, offsets)


def labelled_sentences(unary: FloatArray, offsets: IntArray) -> BoolArray:
    """(N,) whether all tokens of a sentence have a row of probabilities in (T, M)."""
    blank = np.concatenate([[0], np.cumsum(unary.sum(axis=1) < 0.5)])
    return np.asarray(blank[offsets[1:]] == blank[offsets[:-1]])


def check_probabilities(name: str, values: FloatArray) -> None:
    """Every wanted probability must be a number not below 0."""
    if not (np.isfinite(values) & (values >= _LOWEST)).all():
        raise AnnotationError(f"{name} targets must be probabilities, found a negative, NaN or infinite one")


def check_tags(tags: IntArray, n_labels: int) -> None:
    """Every tag must be a label number, or -1."""
    if len(tags) and (tags.max() >= n_labels or tags.min() < -1):
        unknown = tags.max() if tags.max() >= n_labels else tags.min()
        raise AnnotationError(f"label number {unknown} is not one of the {n_labels} labels")


def _weighted_tag_pairs(
    tags: IntArray, offsets: IntArray, sentence_weights: FloatArray, n_labels: int
) -> FloatArray:
    weight_of = np.repeat(sentence_weights, np.diff(offsets))
    inner = np.ones(len(tags), dtype=np.bool_)
    inner[offsets[:-1][offsets[:-1] < len(tags)]] = False
    inner[1:] &= (tags[1:] >= 0) & (tags[:-1] >= 0)
    places = np.flatnonzero(inner)
    codes = tags[places - 1].astype(np.int64) * n_labels + tags[places]
    counts = np.bincount(codes, weights=weight_of[places], minlength=n_labels**2)
    return np.asarray(counts.reshape(n_labels, n_labels))


def checked_tags(targets: IntArray, corpus: Corpus) -> IntArray:
    """Hard tags that are known to fit the corpus."""
    given = np.asarray(targets)
    if given.ndim != 1 or not np.issubdtype(given.dtype, np.signedinteger):
        raise AnnotationError("give (T,) whole tag numbers, or Targets with unary and pairwise probabilities")
    if len(given) != corpus.n_tokens:
        raise AnnotationError(f"{len(given)} tags for {corpus.n_tokens} tokens")
    check_tags(given, len(corpus.scheme))
    return given
