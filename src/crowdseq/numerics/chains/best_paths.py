"""Best and k best label paths of a sentence; ties go to the label that comes first."""

from typing import NamedTuple

import numpy as np

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.numerics.blocks import Block
from crowdseq.numerics.chains.bundles import Moves, longest_sentence
from crowdseq.numerics.compiling import kernel


class PathInput(NamedTuple):
    """Token scores unary (T, M) of sentences at offsets (N + 1,); labels: as `own_labels` makes them."""

    labels: tuple[int, ...]
    unary: FloatArray
    offsets: IntArray
    moves: Moves


class Paths(NamedTuple):
    """labels (T,) of the best path, -1 without one; scores (N,), minus infinity without one."""

    labels: IntArray
    scores: FloatArray


class _Heads(NamedTuple):
    """Scratch of a block: where each label of each token came from, flat, and scores before and now (M,)."""

    came_from: IntArray
    before: FloatArray
    now: FloatArray


def best_path_block(given: PathInput, found: Paths, block: Block) -> None:
    """Fill the best paths of the block's sentences and their scores."""
    n_labels = given.unary.shape[1]
    came_from = np.empty(longest_sentence(given.offsets, block) * n_labels, np.int32)
    _best_path_block(given, found, _Heads(came_from, np.empty(n_labels), np.empty(n_labels)), block)


@kernel
def _best_path_block(given: PathInput, found: Paths, heads: _Heads, block: Block) -> None:
    labels, unary, offsets, moves = given
    transitions, edges = moves
    path, scores = found
    came_from, before, now = heads
    n_labels = len(labels) if len(labels) > 0 else unary.shape[1]
    for n in range(block.first, block.last):
        start, stop = offsets[n], offsets[n + 1]
        scores[n] = 0.0
        if stop == start:
            continue
        for j in range(n_labels):
            now[j] = unary[start, j] + edges[0, j]
        for t in range(start + 1, stop):
            row = (t - start) * n_labels
            for j in range(n_labels):
                before[j] = now[j]
                now[j] = -np.inf
                came_from[row + j] = 0
            # Labels to come from in the outer loop: the inner one then runs over whole vectors.
            for i in range(n_labels):
                for j in range(n_labels):
                    score = before[i] + transitions[i, j]
                    better = score > now[j]
                    now[j] = score if better else now[j]
                    came_from[row + j] = i if better else came_from[row + j]
            for j in range(n_labels):
                now[j] += unary[t, j]
        best = 0
        for j in range(n_labels):
            now[j] += edges[1, j]
            if now[j] > now[best]:
                best = j
        scores[n] = now[best]
        if not now[best] > -np.inf:
            scores[n] = -np.inf
            for t in range(start, stop):
                path[t] = -1
            continue
        for t in range(stop - 1, start - 1, -1):
            path[t] = best
            best = came_from[(t - start) * n_labels + best]


@kernel
def k_best_sentence(unary: FloatArray, moves: Moves, k: int) -> tuple[IntArray, FloatArray]:
    """(found, T) paths and (found,) scores, best first; found <= k is the number of paths there are."""
    length, n_labels = unary.shape
    transitions, edges = moves
    scores = np.full((length, n_labels, k), -np.inf)
    from_label = np.zeros((length, n_labels, k), dtype=np.int32)
    from_rank = np.zeros((length, n_labels, k), dtype=np.int32)
    next_rank = np.empty(n_labels, dtype=np.int64)
    for j in range(n_labels):
        scores[0, j, 0] = unary[0, j] + edges[0, j]
    for t in range(1, length):
        for j in range(n_labels):
            # Each earlier label holds its paths best first, so k times taking the best head merges them.
            next_rank[:] = 0
            for rank in range(k):
                best = -1
                best_score = -np.inf
                for i in range(n_labels):
                    if next_rank[i] < k:
                        score = scores[t - 1, i, next_rank[i]] + transitions[i, j]
                        if score > best_score:
                            best_score, best = score, i
                if best < 0:
                    break
                scores[t, j, rank] = best_score + unary[t, j]
                from_label[t, j, rank] = best
                from_rank[t, j, rank] = next_rank[best]
                next_rank[best] += 1
    for j in range(n_labels):
        for rank in range(k):
            scores[length - 1, j, rank] += edges[1, j]
    paths = np.empty((k, length), dtype=np.int64)
    totals = np.empty(k)
    next_rank[:] = 0
    found = 0
    for place in range(k):
        best = -1
        best_score = -np.inf
        for j in range(n_labels):
            if next_rank[j] < k and scores[length - 1, j, next_rank[j]] > best_score:
                best_score, best = scores[length - 1, j, next_rank[j]], j
        if best < 0:
            break
        label, rank = best, next_rank[best]
        next_rank[best] += 1
        totals[place] = best_score
        found += 1
        for t in range(length - 1, -1, -1):
            paths[place, t] = label
            label, rank = from_label[t, label, rank], from_rank[t, label, rank]
    return paths[:found], totals[:found]
