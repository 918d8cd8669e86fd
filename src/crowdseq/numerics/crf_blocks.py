"""One training pass over a block of sentences: scores from rows, then expected labels and label pairs."""

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.numerics.chain_blocks import marginal_block
from crowdseq.numerics.compiling import kernel
from crowdseq.numerics.grouped import emit


@kernel
def expect_block(
    labels: tuple[int, ...],
    token_rows: IntArray,
    rows: FloatArray,
    offsets: IntArray,
    transitions: FloatArray,
    edges: FloatArray,
    sentence_weights: FloatArray,
    first: int,
    last: int,
    log_partition: FloatArray,
    expected: FloatArray,
    pairwise: FloatArray,
) -> None:
    """Fill log_partition of sentences first..last, expected (T, M) of their tokens, and pairwise (M, M).

    Expectations are times the sentence's weight; one kernel does it all while the block is in the cache.
    """
    emit(labels, token_rows, rows, offsets[first], offsets[last], expected)
    marginal_block(
        labels,
        expected,
        offsets,
        transitions,
        edges,
        sentence_weights,
        first,
        last,
        log_partition,
        expected,
        pairwise,
    )
    for n in range(first, last):
        if sentence_weights[n] != 1.0:
            expected[offsets[n] : offsets[n + 1]] *= sentence_weights[n]
