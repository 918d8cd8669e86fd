"""The cut of a corpus into shards that neither names nor the order of documents change."""

from crowdseq.aggregation.canonical import order_of_documents
from crowdseq.aggregation.contract import require
from crowdseq.core.corpus import Corpus
from crowdseq.engines.shards import Cut, cut_documents


def cut_canonical(corpus: Corpus, shard_tokens: int) -> Cut:
    """Whole documents in canonical order, filled up to `shard_tokens`; a corpus that fits stays as it is."""
    if corpus.n_tokens <= shard_tokens:
        return Cut.whole(corpus)
    return cut_documents(corpus, shard_tokens, order_of_documents(corpus))


def require_shard_tokens(shard_tokens: int) -> None:
    """Refuse a size in which no shard could hold a token; used by the methods' `__post_init__`."""
    require(shard_tokens >= 1, f"shard_tokens is {shard_tokens}, it must be at least 1")
