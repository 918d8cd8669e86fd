"""Which spans of one tagging are, first token, last token and type, also in another."""

import numpy as np

from crowdseq.arrays import BoolArray, IntArray
from crowdseq.core.spans import SpanTable


def match(wanted: SpanTable, given: SpanTable, length: int) -> BoolArray:
    """(S,) for every given span whether it is wanted; both lie in the same `length` tokens."""
    ends = np.zeros(length, np.int64)  # no span ends at 0, so 0 says that none begins here
    types = np.zeros(length, np.int64)
    ends[wanted.starts], types[wanted.starts] = wanted.ends, wanted.types
    hits: BoolArray = (ends[given.starts] == given.ends) & (types[given.starts] == given.types)
    return hits


def within(table: SpanTable, known: BoolArray) -> BoolArray:
    """(S,) whether all tokens of a span are known; known is (T,)."""
    unknown_before = np.concatenate([[0], np.cumsum(~known)])
    whole: BoolArray = unknown_before[table.ends] == unknown_before[table.starts]
    return whole


def pick(table: SpanTable, chosen: BoolArray | IntArray) -> SpanTable:
    """Only these spans."""
    return SpanTable(table.starts[chosen], table.ends[chosen], table.types[chosen])
