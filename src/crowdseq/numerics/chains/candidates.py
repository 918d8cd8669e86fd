"""Which labels a token may have: the paper's VLSE (Eq. 12-14), as a mask that the chain kernels skip by."""

from dataclasses import dataclass

import numpy as np

from crowdseq.arrays import BoolArray, FloatArray, IntArray

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
    widened = 0
    for sentence in np.flatnonzero(_is_dead(mask, offsets, allowed, starts, ends)).tolist():
        own = slice(offsets[sentence], offsets[sentence + 1])
        widened += _open_dead_ends(opened[own], allowed, starts, ends)
    return Candidates(opened, widened)


def _is_dead(
    mask: BoolArray, offsets: IntArray, allowed: BoolArray, starts: BoolArray, ends: BoolArray
) -> BoolArray:
    """(N,) whether no valid path is left; all sentences are walked at once, token by token."""
    lengths = np.diff(offsets)
    order = np.argsort(-lengths, kind="stable")  # so those that have a token at some place come first
    firsts, lasts = offsets[:-1][order], lengths[order] - 1
    steps = allowed.astype(np.float64)
    alive = np.ones(len(lengths), np.bool_)
    reach = np.ones((len(lengths), mask.shape[1]), np.bool_)
    for place in range(int(lengths.max(initial=0))):
        going = int(np.searchsorted(-lasts, -place, side="right"))
        before = reach[:going]
        arriving = starts[None] if place == 0 else before.astype(np.float64) @ steps > 0.0
        reach[:going] = mask[firsts[:going] + place] & arriving
        reach[:going][lasts[:going] == place] &= ends
        alive[:going] = reach[:going].any(axis=1)
        reach[:going][~alive[:going]] = False
    dead = np.zeros(len(lengths), np.bool_)
    dead[order] = ~alive
    return dead


def _open_dead_ends(mask: BoolArray, allowed: BoolArray, starts: BoolArray, ends: BoolArray) -> int:
    """Open one sentence's candidates in place until there is a path; how many tokens were opened."""
    widened, token, reach = 0, 0, starts
    while token < len(mask):
        here = mask[token] & (starts if token == 0 else allowed[reach].any(axis=0))
        if token == len(mask) - 1:
            here &= ends
        if here.any():
            reach = here
            token += 1
            continue
        # The dead end and the token before it are opened, and the sentence is walked again: opening
        # more than is needed costs little, closing off the truth would cost much.
        near = slice(max(0, token - 1), token + 1)
        widened += int((~mask[near]).any(axis=1).sum())
        mask[near] = True
        token = 0
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
