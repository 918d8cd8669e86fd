"""Which labels a token may have: the paper's VLSE (Eq. 12-14), as a mask that the chain kernels skip by."""

from dataclasses import dataclass

import numpy as np

from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.numerics.compiling import kernel

MODES = ("off", "paper", "adaptive")
_FEWEST_TO_FIX = 3  # with one or two votes even full agreement is weak evidence


@dataclass(frozen=True, eq=False)
class Candidates:
    """(T, M) labels that each token may have; widened counts the tokens that were opened to save a path."""

    mask: BoolArray
    widened: int

    @property
    def per_token(self) -> float:
        """The mean number of labels of a token."""
        return float(self.mask.sum() / max(len(self.mask), 1))


def consistency(counts: FloatArray) -> FloatArray:
    """(T, M) vote counts to (T,) LC: the largest count by the number of different labels (Eq. 12)."""
    kinds = np.count_nonzero(counts, axis=1)
    largest = counts.max(axis=1) if counts.shape[1] else np.zeros(len(counts))
    found: FloatArray = np.divide(largest, kinds, out=np.zeros(len(counts)), where=kinds > 0)
    return found


def candidate_mask(counts: FloatArray, mode: str, upper: float, lower: float) -> BoolArray:
    """(T, M) vote counts to candidate labels (Eq. 13).

    `paper`: LC at or above `upper` leaves the top label, at or below `lower` opens all labels, between them
    those that were voted for. `adaptive`: the same on LC by the number of votes, never fixing a label with
    fewer than three. Labels tied for the top all stay; a token without votes is open. `off`: all is open.
    """
    if mode == "off" or counts.shape[1] == 0:
        return np.ones(counts.shape, np.bool_)
    n_votes = counts.sum(axis=1)
    agreed = consistency(counts)
    fixed = agreed >= upper
    if mode == "adaptive":
        agreed = np.divide(agreed, n_votes, out=np.zeros(len(counts)), where=n_votes > 0)
        fixed = (agreed >= upper) & (n_votes >= _FEWEST_TO_FIX)
    mask = np.asarray(counts > 0)
    mask[fixed] = counts[fixed] == counts[fixed].max(axis=1, keepdims=True)
    mask[((agreed <= lower) & ~fixed) | (n_votes == 0)] = True
    return mask


def with_paths(
    mask: BoolArray, offsets: IntArray, allowed: BoolArray, starts: BoolArray, ends: BoolArray
) -> Candidates:
    """The same candidates, opened where a sentence had no valid path left."""
    opened = mask.copy()
    widened = _open_dead_ends(opened, np.asarray(offsets, np.int64), allowed, starts, ends)
    return Candidates(opened, int(widened))


@kernel
def _open_dead_ends(
    mask: BoolArray, offsets: IntArray, allowed: BoolArray, starts: BoolArray, ends: BoolArray
) -> int:
    n_labels = mask.shape[1]
    reach = np.zeros(n_labels, np.bool_)
    after = np.zeros(n_labels, np.bool_)
    widened = 0
    for sentence in range(len(offsets) - 1):
        first, last = offsets[sentence], offsets[sentence + 1]
        token = first
        while token < last:
            alive = False
            for label in range(n_labels):
                after[label] = False
                if mask[token, label]:
                    if token == first:
                        after[label] = starts[label]
                    else:
                        for before in range(n_labels):
                            if reach[before] and allowed[before, label]:
                                after[label] = True
                                break
                if after[label] and token == last - 1 and not ends[label]:
                    after[label] = False
                alive = alive or after[label]
            if alive:
                for label in range(n_labels):  # by hand: copying a slice takes seconds to compile
                    reach[label] = after[label]
                token += 1
                continue
            # The dead end and the token before it are opened, and the sentence is walked again: opening
            # more than is needed costs little, closing off the truth would cost much.
            for place in range(max(first, token - 1), token + 1):
                closed = False
                for label in range(n_labels):
                    closed = closed or not mask[place, label]
                    mask[place, label] = True
                if closed:
                    widened += 1
            token = first
    return widened


def count_sequences(
    mask: BoolArray, allowed: BoolArray, starts: BoolArray, ends: BoolArray
) -> tuple[int, int]:
    """How many label sequences one sentence's candidates leave: without and with the rules of the scheme."""
    free = 1
    paths = [int(mask[0, label] and starts[label]) for label in range(mask.shape[1])] if len(mask) else [1]
    for token in range(len(mask)):
        free *= int(mask[token].sum())
        if token:
            paths = [
                sum(paths[before] for before in np.flatnonzero(allowed[:, label]))
                if mask[token, label]
                else 0
                for label in range(mask.shape[1])
            ]
    if not len(mask):
        return 1, 1
    return free, sum(paths[label] for label in np.flatnonzero(ends))
