"""The cut of a corpus into shards that neither names nor the order of documents change."""

from crowdseq.aggregation.canonical import order_of_documents
from crowdseq.core.corpus import Corpus
from crowdseq.engines.shards import Cut, cut_documents


def cut_canonical(corpus: Corpus, shard_tokens: int) -> Cut:
    """Whole documents in canonical order, filled up to `shard_tokens`; a corpus that fits stays as it is."""
    if corpus.n_tokens <= shard_tokens:
        return Cut.whole(corpus)
    return cut_documents(corpus, shard_tokens, order_of_documents(corpus))
