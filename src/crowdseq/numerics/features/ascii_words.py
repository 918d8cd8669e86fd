"""Hash tables of kernels: known pieces of ASCII words without making strings, and whole numbers.

A text holds words laid end to end as bytes. What a template shows of a word is looked up at once among the
known pieces ("suffix=ing"), so only numbers come out.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from crowdseq.arrays import IntArray
from crowdseq.numerics.compiling import inlined, kernel
from crowdseq.numerics.features.ascii_looks import ByteArray, show_flags, show_framed, show_whole

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2^64 divided by the golden ratio: neighbours fall far apart


def code_table(codes: IntArray) -> IntArray:
    """The table that `find_codes` takes, of different (P,) codes."""
    table = np.full(1 << max(2 * len(codes), 2).bit_length(), -1, dtype=np.int32)
    _fill(codes, table)
    return table


def find_codes(table: IntArray, codes: IntArray, wanted: IntArray) -> IntArray:
    """(T,) the place of each wanted code among the codes; -1 where there is none."""
    found = np.empty(len(wanted), dtype=np.int64)
    _find(table, codes, wanted, found)
    return found


@inlined
def _slot(code: int, mask: np.uint64) -> np.uint64:
    product = np.uint64(code) * _MULTIPLIER
    return (product >> np.uint64(32)) & mask


@kernel
def _fill(codes: IntArray, table: IntArray) -> None:
    mask = np.uint64(len(table) - 1)
    for place in range(len(codes)):
        slot = _slot(codes[place], mask)
        while table[slot] >= 0:
            slot = (slot + np.uint64(1)) & mask
        table[slot] = place


@kernel
def _find(table: IntArray, codes: IntArray, wanted: IntArray, found: IntArray) -> None:
    mask = np.uint64(len(table) - 1)
    for t in range(len(wanted)):
        slot = _slot(wanted[t], mask)
        while table[slot] >= 0 and codes[table[slot]] != wanted[t]:
            slot = (slot + np.uint64(1)) & mask
        found[t] = table[slot]


# The number of each template for `find_pieces`, and how many pieces it shows of a word at most.
NUMBERS = {
    name: number
    for number, name in enumerate(
        (
            "word",
            "lower",
            "digits",
            "shape",
            "short",
            "prefix",
            "suffix",
            "prefix5",
            "suffix5",
            "trigram",
            "fourgram",
            "flag",
        )
    )
}
MOST = (1, 1, 1, 1, 1, 4, 4, 1, 1, 40, 39, 5)
_SHORT, _PREFIX, _SUFFIX, _LONG_PREFIX, _LONG_SUFFIX, _TRIGRAM, _FOURGRAM = range(4, 11)

Hash: TypeAlias = Any  # np.uint64

_FIRST, _PRIME = np.uint64(14695981039346656037), np.uint64(1099511628211)  # of the FNV-1a hash


@inlined
def _hashed(state: Hash, text: ByteArray, start: int, stop: int) -> Hash:
    for place in range(start, stop):
        state = (state ^ np.uint64(text[place])) * _PRIME
    return state


@inlined
def _mixed_bits(state: Hash) -> Hash:
    """The high bits of this hash are the better ones; the table looks at the low ones."""
    return state ^ (state >> np.uint64(32))


@kernel
def hash_names(names: ByteArray, bounds: IntArray, states: NDArray[np.uint64]) -> None:
    """Fill states with the hash of each name, from which that of a piece goes on."""
    for n in range(len(states)):
        states[n] = _hashed(_FIRST, names, bounds[n], bounds[n + 1])


class Named(NamedTuple):
    """Templates: their NUMBERS, what their pieces begin with ("suffix="), and the hash of that."""

    numbers: IntArray
    names: ByteArray
    bounds: IntArray
    states: NDArray[np.uint64]


class Known(NamedTuple):
    """Known pieces, laid end to end, the template of each or -1, and the table that `fill_table` makes."""

    table: IntArray
    pieces: ByteArray
    bounds: IntArray
    templates: IntArray


class Signs(NamedTuple):
    """What looks need: `character_tables`, (128,) punctuation, names of flags and of Greek letters."""

    tables: ByteArray
    marks: ByteArray
    flags: ByteArray
    flag_bounds: IntArray
    greek: ByteArray
    greek_bounds: IntArray


@kernel
def fill_table(known: Known, named: Named) -> None:
    """Fill the templates of the pieces, and the table, of a power of two entries, with their numbers."""
    mask = np.uint64(len(known.table) - 1)
    known.table[:] = -1
    for piece in range(len(known.templates)):
        template = _template_of(known, named, piece)
        known.templates[piece] = template
        if template >= 0:
            slot = (
                _mixed_bits(_hashed(_FIRST, known.pieces, known.bounds[piece], known.bounds[piece + 1]))
                & mask
            )
            while known.table[slot] >= 0:
                slot = (slot + np.uint64(1)) & mask
            known.table[slot] = piece


@kernel
def _template_of(known: Known, named: Named, piece: int) -> int:
    """The template with whose name the piece begins, or -1."""
    for template in range(len(named.numbers)):
        size = named.bounds[template + 1] - named.bounds[template]
        if size <= known.bounds[piece + 1] - known.bounds[piece]:
            place = 0
            while (
                place < size
                and known.pieces[known.bounds[piece] + place] == named.names[named.bounds[template] + place]
            ):
                place += 1
            if place == size:
                return template
    return -1


@kernel
def look_up(known: Known, named: Named, template: int, text: ByteArray, start: int, stop: int) -> int:
    """The number of the piece that the template makes of text[start:stop], or -1."""
    n_name = named.bounds[template + 1] - named.bounds[template]
    mask = np.uint64(len(known.table) - 1)
    slot = _mixed_bits(_hashed(named.states[template], text, start, stop)) & mask
    while known.table[slot] >= 0:
        piece = known.table[slot]
        begin = known.bounds[piece] + n_name
        if known.templates[piece] == template and known.bounds[piece + 1] - begin == stop - start:
            place = start
            while place < stop and known.pieces[begin + place - start] == text[place]:
                place += 1
            if place == stop:
                return int(piece)
        slot = (slot + np.uint64(1)) & mask
    return -1


@kernel
def _whole(
    known: Known, named: Named, n: int, tables: ByteArray, word: ByteArray, shown: ByteArray, found: IntArray
) -> int:
    """Fill found with the piece of templates that show the word as a whole; how many are known."""
    size = show_whole(named.numbers[n], tables, word, shown)
    if size < 0:
        return 0
    found[0] = look_up(known, named, n, shown, 0, size)
    return 1 if found[0] >= 0 else 0


@kernel
def _affixes(known: Known, named: Named, n: int, word: ByteArray, found: IntArray) -> int:
    """The same for prefixes and suffixes, up to four characters or of five."""
    template, count = named.numbers[n], 0
    low, high = (1, min(4, len(word) - 1)) if template <= _SUFFIX else (5, 5 if len(word) > 5 else 4)
    for size in range(low, high + 1):
        start = 0 if template in (_PREFIX, _LONG_PREFIX) else len(word) - size
        found[count] = look_up(known, named, n, word, start, start + size)
        count += found[count] >= 0
    return count


@kernel
def _grams(known: Known, named: Named, n: int, word: ByteArray, shown: ByteArray, found: IntArray) -> int:
    """The same for three or four neighbouring characters; each piece once."""
    size, count = 3 if named.numbers[n] == _TRIGRAM else 4, 0
    for start in range(show_framed(word, shown) - size + 1):
        number = look_up(known, named, n, shown, start, start + size)
        met = number < 0
        for place in range(count):
            met = met or found[place] == number
        if not met:
            found[count] = number
            count += 1
    return count


@kernel
def _flags(
    known: Known, named: Named, n: int, word: ByteArray, signs: Signs, flags: IntArray, found: IntArray
) -> int:
    """The same for flags."""
    count = 0
    for place in range(show_flags(word, signs.marks, signs.greek, signs.greek_bounds, flags)):
        start, stop = signs.flag_bounds[flags[place]], signs.flag_bounds[flags[place] + 1]
        found[count] = look_up(known, named, n, signs.flags, start, stop)
        count += found[count] >= 0
    return count


@kernel
def find_pieces(
    known: Known,
    named: Named,
    signs: Signs,
    text: ByteArray,
    word_bounds: IntArray,
    found: IntArray,
    found_bounds: IntArray,
) -> None:
    """Fill found with the numbers of the known pieces of every word, template by template as they come.

    Word w is text[word_bounds[w]:word_bounds[w + 1]]; its pieces go to found from found_bounds[w] on.
    """
    longest = 0
    for w in range(len(word_bounds) - 1):
        longest = max(longest, word_bounds[w + 1] - word_bounds[w])
    shown = np.empty(longest + 2, dtype=np.uint8)
    flags = np.empty(len(signs.flag_bounds), dtype=np.int64)
    count = 0
    found_bounds[0] = 0
    for w in range(len(word_bounds) - 1):
        word = text[word_bounds[w] : word_bounds[w + 1]]
        for n in range(len(named.numbers)):
            template, room = named.numbers[n], found[count:]
            if template <= _SHORT:
                count += _whole(known, named, n, signs.tables, word, shown, room)
            elif template <= _LONG_SUFFIX:
                count += _affixes(known, named, n, word, room)
            elif template <= _FOURGRAM:
                count += _grams(known, named, n, word, shown, room)
            else:
                count += _flags(known, named, n, word, signs, flags, room)
        found_bounds[w + 1] = count
