"""The looks of ASCII words without making strings: templates as kernels over bytes, found in a hash table.

A text holds words laid end to end as bytes. What a template shows of a word is looked up at once among the
known pieces ("suffix=ing"), so only numbers come out. The templates are those of `tagging.templates`.
"""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from crowdseq.arrays import IntArray
from crowdseq.numerics.compiling import inlined, kernel

# The number of each template for `find_pieces`, and how many pieces it shows of a word at most.
NUMBERS = {
    "word": 0,
    "lower": 1,
    "digits": 2,
    "shape": 3,
    "short": 4,
    "prefix": 5,
    "suffix": 6,
    "prefix5": 7,
    "suffix5": 8,
    "trigram": 9,
    "fourgram": 10,
    "flag": 11,
}
MOST = (1, 1, 1, 1, 1, 4, 4, 1, 1, 40, 39, 5)
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
_LONGEST_GRAMS = 40  # characters of a word that take part in n-grams

ByteArray: TypeAlias = NDArray[np.uint8]
Hash: TypeAlias = Any  # np.uint64

_FIRST, _PRIME = np.uint64(14695981039346656037), np.uint64(1099511628211)  # of the FNV-1a hash


@inlined
def _hashed(state: Hash, text: ByteArray, start: int, stop: int) -> Hash:
    for place in range(start, stop):
        state = (state ^ np.uint64(text[place])) * _PRIME
    return state


@kernel
def fill_table(text: ByteArray, bounds: IntArray, table: IntArray) -> None:
    """Fill table, of a power of two entries, with the numbers of the pieces text[bounds[p]:bounds[p + 1]]."""
    mask = np.uint64(len(table) - 1)
    table[:] = -1
    for piece in range(len(bounds) - 1):
        slot = _mixed_bits(_hashed(_FIRST, text, bounds[piece], bounds[piece + 1])) & mask
        while table[slot] >= 0:
            slot = (slot + np.uint64(1)) & mask
        table[slot] = piece


@inlined
def _mixed_bits(state: Hash) -> Hash:
    """The high bits of this hash are the better ones; the table looks at the low ones."""
    return state ^ (state >> np.uint64(32))


@kernel
def hash_names(names: ByteArray, bounds: IntArray, states: NDArray[np.uint64]) -> None:
    """Fill states with the hash of each name, from which that of a piece goes on."""
    for n in range(len(states)):
        states[n] = _hashed(_FIRST, names, bounds[n], bounds[n + 1])


@kernel
def look_up(
    table: IntArray,
    pieces: ByteArray,
    bounds: IntArray,
    names: ByteArray,
    name_start: int,
    name_stop: int,
    state: Hash,
    text: ByteArray,
    start: int,
    stop: int,
) -> int:
    """The number of the piece names[name_start:name_stop] + text[start:stop], or -1; state: of the name."""
    mask = np.uint64(len(table) - 1)
    n_name, size = name_stop - name_start, name_stop - name_start + stop - start
    slot = _mixed_bits(_hashed(state, text, start, stop)) & mask
    while table[slot] >= 0:
        begin = bounds[table[slot]]
        if bounds[table[slot] + 1] - begin == size:
            place = 0
            while place < n_name and pieces[begin + place] == names[name_start + place]:
                place += 1
            while n_name <= place < size and pieces[begin + place] == text[start + place - n_name]:
                place += 1
            if place == size:
                return int(table[slot])
        slot = (slot + np.uint64(1)) & mask
    return -1


@inlined
def _is_upper(byte: int) -> bool:
    return 65 <= byte <= 90


@inlined
def _is_lower(byte: int) -> bool:
    return 97 <= byte <= 122


@inlined
def _is_digit(byte: int) -> bool:
    return 48 <= byte <= 57


@kernel
def show_whole(template: int, word: ByteArray, shown: ByteArray) -> int:
    """Fill shown with what templates word, lower, digits, shape and short make of a word; its size, or -1."""
    size = 0
    has_digit = False
    for byte in word:
        digit = _is_digit(byte)
        has_digit = has_digit or digit
        if template == 0:
            new = byte
        elif template == 1 or template == 2:
            new = byte + np.uint8(32) if _is_upper(byte) else byte
            if template == 2 and digit:
                new = np.uint8(48)
        else:
            new = byte
            if _is_upper(byte):
                new = np.uint8(88)
            elif _is_lower(byte):
                new = np.uint8(120)
            elif digit:
                new = np.uint8(100)
        if template != 4 or size == 0 or shown[size - 1] != new:
            shown[size] = new
            size += 1
    return -1 if template == 2 and not has_digit else size


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


@kernel
def find_pieces(
    templates: IntArray,
    names: ByteArray,
    name_bounds: IntArray,
    states: NDArray[np.uint64],
    table: IntArray,
    pieces: ByteArray,
    piece_bounds: IntArray,
    marks: ByteArray,
    flag_names: ByteArray,
    flag_bounds: IntArray,
    greek: ByteArray,
    greek_bounds: IntArray,
    text: ByteArray,
    word_bounds: IntArray,
    found: IntArray,
    found_bounds: IntArray,
) -> None:
    """Fill found with the numbers of the known pieces of every word, template by template as they come.

    templates: their NUMBERS; names[name_bounds[n]:name_bounds[n + 1]] is what their pieces begin with, and
    states its hash. Word w is text[word_bounds[w]:word_bounds[w + 1]], its pieces go to
    found[found_bounds[w]:found_bounds[w + 1]].
    """
    longest = 0
    for w in range(len(word_bounds) - 1):
        longest = max(longest, word_bounds[w + 1] - word_bounds[w])
    shown = np.empty(longest + 2, dtype=np.uint8)
    flags = np.empty(len(flag_bounds), dtype=np.int64)
    count = 0
    found_bounds[0] = 0
    for w in range(len(word_bounds) - 1):
        word = text[word_bounds[w] : word_bounds[w + 1]]
        for n in range(len(templates)):
            template, begin, end, state = templates[n], name_bounds[n], name_bounds[n + 1], states[n]
            first = count
            if template <= 4:
                size = show_whole(template, word, shown)
                if size >= 0:
                    found[count] = look_up(
                        table, pieces, piece_bounds, names, begin, end, state, shown, 0, size
                    )
                    count += found[count] >= 0
            elif template <= 8:
                low, high = (1, min(4, len(word) - 1)) if template <= 6 else (5, 5 if len(word) > 5 else 4)
                for size in range(low, high + 1):
                    start = 0 if template == 5 or template == 7 else len(word) - size
                    found[count] = look_up(
                        table, pieces, piece_bounds, names, begin, end, state, word, start, start + size
                    )
                    count += found[count] >= 0
            elif template <= 10:
                size = 3 if template == 9 else 4
                for start in range(show_framed(word, shown) - size + 1):
                    number = look_up(
                        table, pieces, piece_bounds, names, begin, end, state, shown, start, start + size
                    )
                    known = number < 0
                    for place in range(first, count):
                        known = known or found[place] == number
                    if not known:
                        found[count] = number
                        count += 1
            else:
                for place in range(show_flags(word, marks, greek, greek_bounds, flags)):
                    start, stop = flag_bounds[flags[place]], flag_bounds[flags[place] + 1]
                    found[count] = look_up(
                        table, pieces, piece_bounds, names, begin, end, state, flag_names, start, stop
                    )
                    count += found[count] >= 0
        found_bounds[w + 1] = count
