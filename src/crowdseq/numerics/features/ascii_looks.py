"""What ASCII words look like under the templates of `tagging.templates`, as kernels over bytes."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from crowdseq.arrays import IntArray
from crowdseq.numerics.compiling import inlined, kernel

ByteArray: TypeAlias = NDArray[np.uint8]

FLAGS = (
    "lower",
    "capital",
    "capitals",
    "title",
    "mixed",
    "alphanumeric",
    "number",
    "hyphen",
    "roman",
    "greek",
    "punctuation",
    "symbol",
)
_LOWER, _CAPITAL, _CAPITALS, _TITLE, _MIXED, _ALPHANUMERIC, _NUMBER, _HYPHEN, _ROMAN, _GREEK, _MARK, _SIGN = (
    range(12)
)
GREEK = (
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "zeta",
    "theta",
    "iota",
    "kappa",
    "lambda",
    "sigma",
    "omega",
    "omicron",
    "upsilon",
)
_DIGITS, _SHORT = 2, 4  # templates that need more than a table
_LONGEST_GRAMS = 40  # characters of a word that take part in n-grams


@inlined
def _is_upper(byte: int) -> bool:
    return 65 <= byte <= 90


@inlined
def _is_lower(byte: int) -> bool:
    return 97 <= byte <= 122


@inlined
def _is_digit(byte: int) -> bool:
    return 48 <= byte <= 57


def character_tables() -> ByteArray:
    """(5, 128) what the templates word, lower, digits, shape and short show for each character."""
    tables = np.tile(np.arange(128, dtype=np.uint8), (5, 1))
    tables[1:3, ord("A") : ord("Z") + 1] += ord("a") - ord("A")
    tables[2, ord("0") : ord("9") + 1] = ord("0")
    tables[3:, ord("A") : ord("Z") + 1] = ord("X")
    tables[3:, ord("a") : ord("z") + 1] = ord("x")
    tables[3:, ord("0") : ord("9") + 1] = ord("d")
    return tables


@kernel
def show_whole(template: int, tables: ByteArray, word: ByteArray, shown: ByteArray) -> int:
    """Fill shown with what templates word, lower, digits, shape and short make of a word; its size, or -1."""
    size = 0
    has_digit = False
    for byte in word:
        new = tables[template, byte]
        if template != _SHORT or size == 0 or shown[size - 1] != new:
            shown[size] = new
            size += 1
        has_digit |= _is_digit(byte)
    return -1 if template == _DIGITS and not has_digit else size


@kernel
def show_framed(word: ByteArray, shown: ByteArray) -> int:
    """Fill shown with the start of the word in lower case between ^ and $; the size."""
    shown[0] = 94
    size = 1
    for byte in word[:_LONGEST_GRAMS]:
        shown[size] = byte + np.uint8(32) if _is_upper(byte) else byte
        size += 1
    shown[size] = 36
    return size + 1


@kernel
def show_flags(
    word: ByteArray, marks: ByteArray, greek: ByteArray, greek_bounds: IntArray, flags: IntArray
) -> int:
    """Fill flags with the numbers in FLAGS of what holds of a word; how many. marks: (128,) punctuation."""
    n_upper = n_lower = n_digit = n_hyphen = 0
    for byte in word:
        n_upper += _is_upper(byte)
        n_lower += _is_lower(byte)
        n_digit += _is_digit(byte)
        n_hyphen += byte == 45
    found = 0
    if n_upper + n_lower > 0:
        if n_upper == 0:
            flags[found] = _LOWER
        elif n_lower == 0:
            flags[found] = _CAPITAL if len(word) == 1 else _CAPITALS
        else:
            flags[found] = _TITLE if _is_upper(word[0]) and n_upper == 1 else _MIXED
        found += 1
    if n_digit > 0:
        flags[found] = _ALPHANUMERIC if n_upper + n_lower > 0 else _NUMBER
        found += 1
    if n_hyphen > 0 and len(word) > 1:
        flags[found] = _HYPHEN
        found += 1
    if n_upper + n_lower > 0:
        if is_roman(word):
            flags[found] = _ROMAN
            found += 1
        if has_greek(word, greek, greek_bounds):
            flags[found] = _GREEK
            found += 1
    elif len(word) > 0 and n_digit == 0:
        flags[found] = _MARK if marks[word[0]] else _SIGN
        found += 1
    return found


@kernel
def is_roman(word: ByteArray) -> bool:
    """Whether the word is a roman numeral up to 3999 in capitals."""
    place = _run(word, 0, 77)  # M
    for one, five, ten in ((67, 68, 77), (88, 76, 67), (73, 86, 88)):  # C D M, X L C, I V X
        if (
            place + 1 < len(word)
            and word[place] == one
            and (word[place + 1] == five or word[place + 1] == ten)
        ):
            place += 2
            continue
        if place < len(word) and word[place] == five:
            place += 1
        place = _run(word, place, one)
    return len(word) > 0 and place == len(word)


@inlined
def _run(word: ByteArray, place: int, letter: int) -> int:
    """Past up to three of the same letter."""
    stop = min(place + 3, len(word))
    while place < stop and word[place] == letter:
        place += 1
    return place


@kernel
def has_greek(word: ByteArray, greek: ByteArray, bounds: IntArray) -> bool:
    """Whether a Greek letter's name stands in the word, whatever the case; all of them end in a or on."""
    for last in range(3, len(word)):
        final = word[last] | 32
        if final != 97 and final != 110:
            continue
        for name in range(len(bounds) - 1):
            size = bounds[name + 1] - bounds[name]
            if size > last + 1:
                continue
            back = 0
            while back < size and word[last - back] | 32 == greek[bounds[name + 1] - 1 - back]:
                back += 1
            if back == size:
                return True
    return False
