"""A consensus in shards, or a sample of it, as one consensus in memory."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from crowdseq.aggregation.stored import StoredConsensus
from crowdseq.core.consensus import Consensus
from crowdseq.core.ragged import gather_ranges
from crowdseq.engines.gathering import InputOrder, joined

# Shards hold documents in the order of a digest, so that the first of them are a sample drawn at random.
SAMPLE_TOKENS = 300_000


def sample_size(consensus: StoredConsensus) -> int:
    """How many shards make a sample."""
    sizes = np.cumsum([shard.tokens for shard in consensus.corpus.shards])
    return min(int(np.searchsorted(sizes, SAMPLE_TOKENS)) + 1, len(sizes))


def sample_of(consensus: StoredConsensus) -> Consensus:
    """The first shards as one consensus; reports and parameters are those of the whole."""
    return _put_together([consensus.part(number) for number in range(sample_size(consensus))])


def _put_together(parts: Sequence[Consensus]) -> Consensus:
    first = parts[0]
    if len(parts) == 1:
        return first
    return Consensus(
        joined([part.corpus for part in parts]),
        np.concatenate([part.tag_ids for part in parts]),
        np.concatenate([part.probabilities for part in parts]),
        first.annotators,
        {**first.parameters, **_by_token(parts)},
        first.history,
    )


def _by_token(parts: Sequence[Consensus]) -> Mapping[str, Any]:
    """Parameters that have a row for each token, of all parts."""
    own = [
        name
        for name, rows in parts[0].parameters.items()
        if name.endswith("tag_ids") and hasattr(rows, "shape")
    ]
    return {name: np.concatenate([part.parameters[name] for part in parts]) for name in own}


class InOrder:
    """A consensus in shards, stretch by stretch in the order in which its crowd was read."""

    def __init__(self, consensus: StoredConsensus) -> None:
        self._consensus, self._order = consensus, InputOrder.of(consensus.corpus)

    def blocks(self, n_tokens: int) -> list[slice]:
        """Stretches of about so many tokens."""
        return list(self._order.blocks(n_tokens))

    @property
    def n_sentences(self) -> int:
        return len(self._order.lengths)

    @property
    def n_annotators(self) -> int:
        return len(self._consensus.annotators)

    @property
    def everything(self) -> slice:
        return slice(0, len(self._order.lengths))

    def take(self, block: slice) -> Consensus:
        """One stretch as a consensus of its own."""
        corpus, order = self._order.take(block), self._order
        tags = np.zeros(corpus.n_tokens, np.int16)
        rows = np.zeros((corpus.n_tokens, len(corpus.scheme)))
        further: dict[str, Any] = {}
        for shard, here in order.split(block):
            part = self._consensus.part(shard)
            lengths = order.lengths[block][here]
            there = gather_ranges(part.corpus.offsets[order.numbers[block][here]], lengths)
            tokens = gather_ranges(corpus.offsets[here], lengths)
            tags[tokens], rows[tokens] = part.tag_ids[there], part.probabilities[there]
            for name, values in _by_token([part]).items():
                further.setdefault(name, np.zeros(corpus.n_tokens, values.dtype))[tokens] = values[there]
        told = {**self._consensus.parameters, **further}
        return Consensus(corpus, tags, rows, self._consensus.annotators, told, self._consensus.history)
