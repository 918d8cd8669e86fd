"""Where the characters that a reader sees begin: grapheme clusters, for tools that count those."""

import unicodedata

_JOINER = "\u200d"
_FLAGS = range(0x1F1E6, 0x1F200)
_SKIN_TONES = range(0x1F3FB, 0x1F400)
_TAGS = range(0xE0020, 0xE0080)
_JAMO = ((range(0x1100, 0x1160), "L"), (range(0x1160, 0x11A8), "V"), (range(0x11A8, 0x1200), "T"))
_SYLLABLES = range(0xAC00, 0xD7A4)
_MAY_FOLLOW = {"L": ("L", "V", "LV", "LVT"), "LV": ("V", "T"), "V": ("V", "T"), "LVT": ("T",), "T": ("T",)}


def cluster_starts(text: str) -> list[int]:
    """The index of the first code point of every cluster, and the length of the text at the end.

    The rules are those of Unicode's extended clusters, by general category where Unicode has a table of its
    own: combining marks, joined emoji, flags, skin tones, Hangul syllables, CR with LF.
    """
    starts = [place for place in range(len(text)) if place == 0 or not _continues(text, place)]
    return [*starts, len(text)]


def _continues(text: str, place: int) -> bool:
    before, here = text[place - 1], text[place]
    if before == "\r" and here == "\n":
        return True
    if _is_control(before) or _is_control(here):
        return False
    if _extends(here):
        return True
    if before == _JOINER and ord(here) >= 0xA9 and unicodedata.category(here) == "So":
        return _joins_emoji(text, place - 1)
    if ord(before) in _FLAGS and ord(here) in _FLAGS:
        return _is_second_of_flag(text, place)
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


def _is_second_of_flag(text: str, place: int) -> bool:
    first = place
    while first > 0 and ord(text[first - 1]) in _FLAGS:
        first -= 1
    return (place - first) % 2 == 1


def _hangul(character: str) -> str:
    code = ord(character)
    if code in _SYLLABLES:
        return "LV" if (code - _SYLLABLES.start) % 28 == 0 else "LVT"
    return next((kind for codes, kind in _JAMO if code in codes), "")
