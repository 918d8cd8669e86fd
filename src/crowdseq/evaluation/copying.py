"""Pairs of annotators whose errors are the same far more often than chance would have it."""

from crowdseq.arrays import IntArray
from crowdseq.core.corpus import Corpus


def find_copies(corpus: Corpus, tag_ids: IntArray) -> list[tuple[int, int, int, float]]:  # noqa: ARG001
    """(first, second, shared wrong votes, expected) of every suspicious pair."""
    return []
