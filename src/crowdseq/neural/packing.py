"""Sentences of one document put together, so that a language model sees what stands around them."""

from collections.abc import Hashable, Sequence


def packed(lengths: Sequence[int], documents: Sequence[Hashable] | None, size: int) -> list[range]:
    """Stretches of neighbouring sentences of one document, of at most `size` pieces together.

    lengths: pieces of each sentence; one that is longer stands alone. Without documents all stand alone.
    """
    found: list[range] = []
    begin = total = 0
    for number, length in enumerate(lengths):
        apart = documents is None or (number > 0 and documents[number] != documents[number - 1])
        if number > begin and (apart or total + length > size):
            found.append(range(begin, number))
            begin, total = number, 0
        total += length
    if begin < len(lengths):
        found.append(range(begin, len(lengths)))
    return found
