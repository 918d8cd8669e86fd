"""VoteTable: votes as rows of a small table, folded into token scores and gathered back into counts.

An annotator model says how a vote depends on the truth. Once the votes are known, all it needs is one row
of M numbers for each *kind* of vote it tells apart (annotator and label; with the previous label too; …).
Only kinds that occur get a row, so the tables stay small however many kinds there could be.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.numerics.blocks import Block, run_blocks
from crowdseq.numerics.compiling import kernel, own_labels


def count_votes(
    tokens: IntArray, labels: IntArray, n_tokens: int, n_labels: int, weights: FloatArray | None = None
) -> FloatArray:
    """Votes, with weights (V,) if they do not all count once, to (T, M) counts."""
    cells = np.asarray(tokens, np.int64) * n_labels + labels
    counts = np.bincount(cells, weights, minlength=n_tokens * n_labels)
    return counts.reshape(n_tokens, n_labels).astype(np.float64)


def normalise(counts: FloatArray) -> FloatArray:
    """Rows of counts (along the last axis) to probabilities; a row of zeros becomes uniform."""
    totals = counts.sum(axis=-1, keepdims=True)
    uniform = np.full_like(counts, 1.0 / max(counts.shape[-1], 1))
    return np.asarray(np.divide(counts, totals, out=uniform, where=totals > 0))


def softmax(scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(T, M) log scores to probabilities and (T,) log normalisers; the largest score is taken out first."""
    if scores.shape[1] == 0:
        return scores.copy(), np.zeros(len(scores))
    top = scores.max(axis=1, keepdims=True)
    weights = np.exp(scores - top)
    totals = weights.sum(axis=1, keepdims=True)
    return weights / totals, (np.log(totals) + top)[:, 0]


_ROWS_PER_BLOCK = 8192


@dataclass(frozen=True, eq=False)
class VoteTable:
    """V votes of C kinds on T tokens.

    kinds (V,) stand in the order of tokens, those of token t from token_pointers[t] to token_pointers[t + 1];
    voted_tokens (V,) lists the tokens again in the order of kinds, with kind_pointers (C + 1,). weights (V,)
    say how much each vote counts, in the order of tokens and in that of kinds; None where all count once.
    """

    kinds: IntArray
    token_pointers: IntArray
    voted_tokens: IntArray
    kind_pointers: IntArray
    token_weights: FloatArray | None = None
    kind_weights: FloatArray | None = None

    @classmethod
    def build(
        cls,
        tokens: IntArray,
        kinds: IntArray,
        n_tokens: int,
        n_kinds: int,
        weights: FloatArray | None = None,
    ) -> "VoteTable":
        """From votes sorted by token, with what each counts."""
        order = np.argsort(kinds, kind="stable")
        return cls(
            np.ascontiguousarray(kinds, np.int32),
            _pointers(tokens, n_tokens),
            np.ascontiguousarray(tokens[order], np.int32),
            _pointers(kinds, n_kinds),
            None if weights is None else np.array(weights, np.float64),
            None if weights is None else np.array(weights[order], np.float64),
        )

    @property
    def n_tokens(self) -> int:
        return len(self.token_pointers) - 1

    @property
    def n_kinds(self) -> int:
        return len(self.kind_pointers) - 1

    def fold(self, scores: FloatArray) -> FloatArray:
        """(C, M) scores of the kinds to (T, M): each token gets the sum over its votes."""
        return _sum_rows(scores, self.kinds, self.token_pointers, self.token_weights)

    def gather(self, posteriors: FloatArray) -> FloatArray:
        """(T, M) truths to (C, M): each kind gets the sum over the tokens it was given to."""
        return _sum_rows(posteriors, self.voted_tokens, self.kind_pointers, self.kind_weights)


def _pointers(groups: IntArray, n_groups: int) -> IntArray:
    pointers = np.zeros(n_groups + 1, np.int64)
    np.cumsum(np.bincount(groups, minlength=n_groups), out=pointers[1:])
    return pointers


class _Groups(NamedTuple):
    """Group g sums up rows[chosen[pointers[g]:pointers[g + 1]]]; labels: as `own_labels` makes them."""

    labels: tuple[int, ...]
    rows: FloatArray
    chosen: IntArray
    pointers: IntArray


class _WeightedGroups(NamedTuple):
    """The same with a weight for each chosen row."""

    labels: tuple[int, ...]
    rows: FloatArray
    chosen: IntArray
    pointers: IntArray
    weights: FloatArray


def _sum_rows(
    rows: FloatArray, chosen: IntArray, pointers: IntArray, weights: FloatArray | None = None
) -> FloatArray:
    labels = own_labels(rows.shape[1], len(chosen))
    groups = _Groups(labels, np.require(rows, np.float64, ["C", "W"]), chosen, pointers)
    result = np.zeros((len(pointers) - 1, rows.shape[1]))
    bounds = np.append(np.arange(0, len(result), _ROWS_PER_BLOCK), len(result))
    if weights is None:
        run_blocks(_sum_rows_block, groups, result, bounds)
    else:
        run_blocks(_sum_weighted_rows_block, _WeightedGroups(*groups, weights), result, bounds)
    return result


@kernel
def _sum_rows_block(groups: _Groups, result: FloatArray, block: Block) -> None:
    labels, rows, chosen, pointers = groups
    n_labels = len(labels) if len(labels) > 0 else rows.shape[1]
    for group in range(block.first, block.last):
        for place in range(pointers[group], pointers[group + 1]):
            row = chosen[place]
            for label in range(n_labels):
                result[group, label] += rows[row, label]


@kernel
def _sum_weighted_rows_block(groups: _WeightedGroups, result: FloatArray, block: Block) -> None:
    labels, rows, chosen, pointers, weights = groups
    n_labels = len(labels) if len(labels) > 0 else rows.shape[1]
    for group in range(block.first, block.last):
        for place in range(pointers[group], pointers[group + 1]):
            row, weight = chosen[place], weights[place]
            for label in range(n_labels):
                result[group, label] += weight * rows[row, label]
