"""How many labels a kernel works with, and how long the sentences of a block are."""

from crowdseq.arrays import IntArray
from crowdseq.numerics.blocks import Block
from crowdseq.numerics.compiling import kernel


@kernel
def padded_width(labels: tuple[int, ...], n_labels: int) -> int:
    """Label count rounded up to whole vectors of four; a constant where the label count is one."""
    if len(labels) > 0:
        return (len(labels) + 3) // 4 * 4
    return (n_labels + 3) // 4 * 4


@kernel
def label_count(labels: tuple[int, ...], n_labels: int) -> int:
    """Label count; a constant where the tuple carries it."""
    if len(labels) > 0:
        return len(labels)
    return n_labels


@kernel
def longest_sentence(offsets: IntArray, block: Block) -> int:
    """Tokens of the longest sentence of the block; at least one."""
    longest = 1
    for n in range(block.first, block.last):
        longest = max(longest, offsets[n + 1] - offsets[n])
    return longest
