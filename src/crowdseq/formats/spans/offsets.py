"""Offsets as tools count them (code points, UTF-16 units, graphemes) to places in a text, with proof."""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

from crowdseq.errors import Advice, AnnotationError
from crowdseq.formats.settings import OFFSET_UNITS

Places: TypeAlias = list[tuple[int, int]]
UNITS = OFFSET_UNITS[1:]
_INSIDE = -1
_BEYOND = re.compile("[\U00010000-\U0010ffff]")  # outside the basic plane: two units of UTF-16 each
_SHOWN = 40
_JOINER = "\u200d"
_FLAGS = range(0x1F1E6, 0x1F200)
_SKIN_TONES = range(0x1F3FB, 0x1F400)
_TAGS = range(0xE0020, 0xE0080)
_JAMO = ((range(0x1100, 0x1160), "L"), (range(0x1160, 0x11A8), "V"), (range(0x11A8, 0x1200), "T"))
_SYLLABLES = range(0xAC00, 0xD7A4)
_MAY_FOLLOW = {"L": ("L", "V", "LV", "LVT"), "LV": ("V", "T"), "V": ("V", "T"), "LVT": ("T",), "T": ("T",)}


class Claim(NamedTuple):
    """Offsets from a file, and the characters that they are said to cover, where the file says so."""

    start: int
    end: int
    covered: str | None = None


class Settled(NamedTuple):
    """Places in the text for each claim, the unit they were read in, and others that fit as well."""

    places: Places
    unit: str
    rivals: tuple[str, ...]


def whole_number(value: Any, what: str) -> int:
    """An offset as a file gives it; nothing but a whole number will do, since a guess could shift a label."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise AnnotationError(f"{what} is {_shown(value)}, a whole number is expected")


def is_basic(text: str) -> bool:
    """Whether no character lies beyond the basic plane, so that code points and UTF-16 units are the same."""
    return text.isascii() or len(text.encode("utf-16-le", "surrogatepass")) == 2 * len(text)


def settle(text: str, claims: Sequence[Claim], usual: str, asked: str = "auto") -> Settled:
    """The places of claims in a text.

    asked: a unit that the user insists on. Otherwise the usual unit of the tool, or the one in which every
    covered text is found where its offsets say.
    """
    unit = usual if asked == "auto" else asked
    if asked != "auto" or (text.isascii() and "\r" not in text):
        return Settled(_proven(text, claims, unit), unit, ())
    if all(claim.covered is None for claim in claims):
        return _unproven(text, claims, unit)
    first_fault: AnnotationError | None = None
    for candidate in (usual, *(other for other in UNITS if other != usual)):
        try:
            places = _proven(text, claims, candidate)
        except AnnotationError as error:
            first_fault = first_fault or error
        else:
            return Settled(places, candidate, _rivals(text, claims, places, candidate))
    raise first_fault or AnnotationError("the offsets fit no unit")


def _rivals(text: str, claims: Sequence[Claim], places: Places, unit: str) -> tuple[str, ...]:
    """Of the two units that tools mix up, the other one, where it fits as well but at other places."""
    other = {"characters": "utf-16", "utf-16": "characters"}.get(unit)
    if other is None or is_basic(text):
        return ()
    try:
        return (other,) if _proven(text, claims, other) != places else ()
    except AnnotationError:
        return ()


def _unproven(text: str, claims: Sequence[Claim], usual: str) -> Settled:
    """The usual unit, unless UTF-16 is plainly the better guess: then only the user can tell."""
    places = _proven(text, claims, usual)
    if is_basic(text):
        return Settled(places, usual, ())
    other = "characters" if usual == "utf-16" else "utf-16"
    try:
        there = _proven(text, claims, other)
    except AnnotationError:
        return Settled(places, usual, ())
    if there == places:
        return Settled(places, usual, ())
    if _cuts_words(text, places) and not _cuts_words(text, there):
        raise AnnotationError(
            f"the spans cut words if offsets count {usual}, and none if they count {other}:",
            Advice("say {offset_unit} (or {0})", usual, offset_unit=other),
        )
    return Settled(places, usual, (other,) if not _cuts_words(text, there) else ())


def _cuts_words(text: str, places: Places) -> bool:
    """Whether some span begins or ends between two letters."""
    edges = {edge for pair in places for edge in pair if 0 < edge < len(text)}
    return any(_is_letter(text[edge - 1]) and _is_letter(text[edge]) for edge in edges)


def _is_letter(character: str) -> bool:
    return character.isalnum() or character == "_"


def _proven(text: str, claims: Sequence[Claim], unit: str) -> Places:
    table = place_table(text, unit)
    if isinstance(table, range) and all(
        0 <= start <= end < len(table) and (covered is None or text[start:end] == covered)
        for start, end, covered in claims
    ):
        return [(start, end) for start, end, _ in claims]
    places = [
        (_place(claim.start, claim, table, text), _place(claim.end, claim, table, text)) for claim in claims
    ]
    for claim, (start, end) in zip(claims, places, strict=True):
        if end < start:
            raise AnnotationError(f"the span {claim.start}-{claim.end} ends before it starts, correct it")
        if claim.covered is not None and not _same(claim.covered, text[start:end]):
            raise AnnotationError(
                f"the span {claim.start}-{claim.end} covers {_shown(text[start:end])} in the text, but "
                f"{_shown(claim.covered)} in the annotation:",
                Advice(
                    "export again, or say {offset_unit} (characters, utf-16 or graphemes)", offset_unit=""
                ),
            )
    return places


@lru_cache(maxsize=4)  # annotators of one text come one after the other
def place_table(text: str, unit: str) -> Sequence[int]:
    """For every offset the index of its code point, -1 for one inside a character."""
    if unit == "graphemes":
        return tuple(cluster_starts(text))
    if unit == "utf-16" and not is_basic(text):
        table: list[int] = []
        place = 0
        for match in _BEYOND.finditer(text):
            table += (*range(place, match.end()), _INSIDE)
            place = match.end()
        return (*table, *range(place, len(text) + 1))
    return range(len(text) + 1)


def _place(offset: int, claim: Claim, table: Sequence[int], text: str) -> int:
    if not 0 <= offset < len(table):
        raise AnnotationError(
            f"the span {claim.start}-{claim.end} lies outside the text, which has {len(text):,} characters"
        )
    if table[offset] == _INSIDE:
        raise AnnotationError(
            f"the span {claim.start}-{claim.end} cuts a character in two",
            Advice("say {offset_unit}", offset_unit=""),
        )
    return table[offset]


def _same(covered: str, there: str) -> bool:
    """Equal but for white space, which tools write in many ways (a line break as a space, or as `\\n`)."""
    if covered == there:
        return True
    return _squeezed(covered) == _squeezed(there)


def _squeezed(text: str) -> str:
    return "".join(text.replace("\\n", "").split())


def _shown(value: Any) -> str:
    text = ascii(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def cluster_starts(text: str) -> list[int]:
    """The index of the first code point of every cluster, and the length of the text at the end.

    The rules are those of Unicode's extended clusters, by general category where Unicode has a table of its
    own: combining marks, joined emoji, flags, skin tones, Hangul syllables, CR with LF.
    """
    starts = []
    n_flags = 0  # letters of flags that stand before this place without a gap: two of them make one
    for place in range(len(text)):
        if place == 0 or not _continues(text, place, n_flags):
            starts.append(place)
        n_flags = n_flags + 1 if ord(text[place]) in _FLAGS else 0
    return [*starts, len(text)]


def _continues(text: str, place: int, n_flags: int) -> bool:
    before, here = text[place - 1], text[place]
    if before == "\r" and here == "\n":
        return True
    if _is_control(before) or _is_control(here):
        return False
    if _extends(here):
        return True
    if before == _JOINER and ord(here) >= 0xA9 and unicodedata.category(here) == "So":
        return _joins_emoji(text, place - 1)
    if n_flags and ord(here) in _FLAGS:
        return n_flags % 2 == 1
    return _hangul(here) in _MAY_FOLLOW.get(_hangul(before), ())


def _is_control(character: str) -> bool:
    category = unicodedata.category(character)
    is_format = category == "Cf" and character not in "\u200c\u200d" and ord(character) not in _TAGS
    return category in ("Cc", "Zl", "Zp") or is_format


def _extends(character: str) -> bool:
    if character in "\u200c\u200d" or ord(character) in _SKIN_TONES or ord(character) in _TAGS:
        return True
    return unicodedata.category(character) in ("Mn", "Me", "Mc")


def _joins_emoji(text: str, joiner: int) -> bool:
    """Whether a picture stands before the joiner, marks between them left aside."""
    place = joiner - 1
    while place > 0 and _extends(text[place]) and text[place] != _JOINER:
        place -= 1
    return place >= 0 and unicodedata.category(text[place]) == "So"


def _hangul(character: str) -> str:
    code = ord(character)
    if code in _SYLLABLES:
        return "LV" if (code - _SYLLABLES.start) % 28 == 0 else "LVT"
    return next((kind for codes, kind in _JAMO if code in codes), "")
