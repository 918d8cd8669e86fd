"""Skip-gram with negative sampling: vectors of words out of the words around them.

One walk through the text from the first word to the last, on one thread: every step changes what the next one
starts from, so the result depends on the text and the seed alone.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crowdseq.arrays import IntArray
from crowdseq.numerics.compiling import summing_kernel
from crowdseq.numerics.words.kmeans import Rows

_STEP, _LAST_STEP = 0.025, 0.0001
_DRAWS = 1 << 20  # places in the table that negative words are drawn from
_FREQUENT = 1e-3  # words with a larger share of the text are skipped now and then
_STRETCH = 1 << 15  # tokens between two reports
_RANDOM_STEP, _RANDOM_ADD = np.uint64(6364136223846793005), np.uint64(1442695040888963407)


@dataclass(frozen=True)
class SkipGram:
    """size: of the vectors. window: words on either side at most; how many is drawn each time.

    negatives: words drawn against each that is there. epochs: walks through a short text; a longer one gets
    fewer, so that about `most_tokens` are walked over.
    """

    size: int = 100
    window: int = 3
    negatives: int = 8
    epochs: int = 15
    most_tokens: int = 30_000_000

    def walks(self, n_tokens: int) -> int:
        return max(1, min(self.epochs, self.most_tokens // max(n_tokens, 1)))


class Walk(NamedTuple):
    """(T,) words of the text, -1 between sentences and for rare ones; (V,) chances to be kept; draws."""

    words: IntArray
    kept: NDArray[np.float64]
    draws: IntArray
    window: int
    negatives: int


class State(NamedTuple):
    """Vectors of words and of what they are seen beside (V, D); a random number (1,); scratch (D,)."""

    vectors: Rows
    beside: Rows
    random: NDArray[np.uint64]
    gradient: Rows


@summing_kernel
def walk_on(walk: Walk, state: State, first: int, last: int, step: float) -> None:
    """One stretch of the text: every word against the words around it, and against drawn ones."""
    size = state.vectors.shape[1]
    random = state.random[0]
    for place in range(first, last):
        word = walk.words[place]
        if word < 0:
            continue
        random = random * _RANDOM_STEP + _RANDOM_ADD
        if (random >> np.uint64(11)) * (1.0 / 9007199254740992.0) > walk.kept[word]:
            continue
        random = random * _RANDOM_STEP + _RANDOM_ADD
        reach = 1 + np.int64((random >> np.uint64(33)) % np.uint64(walk.window))
        for direction in (-1, 1):
            other = place
            for _ in range(reach):
                other += direction
                if other < 0 or other >= len(walk.words) or walk.words[other] == -1:
                    break
                context = walk.words[other]
                if context < 0:
                    continue
                for j in range(size):
                    state.gradient[j] = 0.0
                for draw in range(walk.negatives + 1):
                    target, wanted = word, 1.0
                    if draw > 0:
                        random = random * _RANDOM_STEP + _RANDOM_ADD
                        target = walk.draws[np.int64((random >> np.uint64(33)) % np.uint64(len(walk.draws)))]
                        wanted = 0.0
                        if target == word:
                            continue
                    score = 0.0
                    for j in range(size):
                        score += state.vectors[context, j] * state.beside[target, j]
                    score = min(max(score, -30.0), 30.0)
                    change = np.float32(step * (wanted - 1.0 / (1.0 + np.exp(-score))))
                    for j in range(size):
                        state.gradient[j] += change * state.beside[target, j]
                        state.beside[target, j] += change * state.vectors[context, j]
                for j in range(size):
                    state.vectors[context, j] += state.gradient[j]
    state.random[0] = random


def train(
    words: IntArray, counts: IntArray, settings: SkipGram, seed: int, tell: Callable[[int, int], None]
) -> Rows:
    """(V, D) vectors; words: (T,) numbers of the words of a text, -1 between sentences, -2 for rare ones.

    counts (V,): how often each word stands there. tell: how many tokens of how many were walked over.
    """
    random = np.random.default_rng([len(counts), seed])
    vectors = ((random.random((len(counts), settings.size)) - 0.5) / settings.size).astype(np.float32)
    state = State(
        vectors,
        np.zeros_like(vectors),
        random.integers(0, 1 << 63, 1, dtype=np.uint64),
        np.zeros(settings.size, np.float32),
    )
    walk = Walk(words, _chances(counts), _draws(counts), settings.window, settings.negatives)
    total = settings.walks(len(words)) * len(words)
    done = 0
    while done < total:
        first = done % len(words)
        last = min(first + _STRETCH, len(words))
        step = max(_STEP * (1.0 - done / total), _LAST_STEP)
        walk_on(walk, state, first, last, step)
        done += last - first
        tell(done, total)
    return vectors


def _chances(counts: IntArray) -> NDArray[np.float64]:
    """How likely an occurrence of each word is walked over."""
    ratio = _FREQUENT * counts.sum() / np.maximum(counts, 1)
    return np.asarray(np.minimum(np.sqrt(ratio) + ratio, 1.0))


def _draws(counts: IntArray) -> IntArray:
    """Words by how often they are drawn: as their count to the power of 3/4."""
    shares = np.cumsum(counts.astype(np.float64) ** 0.75)
    places = (np.arange(min(_DRAWS, 64 * len(counts))) + 0.5) / min(_DRAWS, 64 * len(counts)) * shares[-1]
    return np.asarray(np.searchsorted(shares, places), dtype=np.int32)
