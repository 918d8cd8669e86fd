"""What one word looks like: small named templates, each from a word to its pieces."""

import re
import unicodedata
from collections.abc import Callable
from typing import TypeAlias

Template: TypeAlias = Callable[[str], tuple[str, ...]]

_ROMAN = re.compile(r"(?=[MDCLXVI])M{0,3}(CM|CD|D?C{0,3})(XC|XL|L?X{0,3})(IX|IV|V?I{0,3})")
_DIGIT = re.compile(r"\d")
_REPEATS = re.compile(r"(.)\1+", re.DOTALL)
_GREEK_NAMES = re.compile(
    r"alpha|beta|gamma|delta|epsilon|zeta|theta|iota|kappa|lambda|sigma|omega|omicron|upsilon"
    r"|[\u0370-\u03ff\u1f00-\u1fff]",
    re.IGNORECASE,
)
_AFFIX_LENGTHS = range(1, 5)


class _ShapeOfCharacter(dict[int, str]):
    """Code point to its class, filled as characters are met, in the form that str.translate takes."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        if character.isupper():
            kind = "X"
        elif character.isalpha():
            kind = "x"
        elif character.isdigit():
            kind = "d"
        else:
            kind = character
        self[code] = kind
        return kind


_SHAPES = _ShapeOfCharacter()


def word(word: str) -> tuple[str, ...]:
    """The word as it stands."""
    return (word,)


def lower(word: str) -> tuple[str, ...]:
    """The word without case."""
    return (word.lower(),)


def digits(word: str) -> tuple[str, ...]:
    """The word without case and with every digit as 0, if it has one."""
    folded = _DIGIT.sub("0", word)
    return (folded.lower(),) if folded != word or "0" in word else ()


def shape(word: str) -> tuple[str, ...]:
    """Every character by its class: Ada-42 is Xxx-dd."""
    return (word.translate(_SHAPES),)


def short_shape(word: str) -> tuple[str, ...]:
    """The shape with repeats taken out: Ada-42 is Xx-d."""
    return (_REPEATS.sub(r"\1", word.translate(_SHAPES)),)


def prefix(word: str) -> tuple[str, ...]:
    """The first one to four characters of a longer word."""
    return tuple([word[:length] for length in _AFFIX_LENGTHS if length < len(word)])


def suffix(word: str) -> tuple[str, ...]:
    """The last one to four characters of a longer word."""
    return tuple([word[-length:] for length in _AFFIX_LENGTHS if length < len(word)])


def character_trigrams(word: str) -> tuple[str, ...]:
    """Every three neighbouring characters of the lower-cased word between bounds."""
    framed = f"^{word.lower()[:40]}$"
    return tuple(dict.fromkeys([framed[i : i + 3] for i in range(len(framed) - 2)]))


def flags(word: str) -> tuple[str, ...]:
    """What holds of a list of things: case, digits, hyphen, punctuation, roman numeral, Greek, mixtures."""
    has_letter = any(map(str.isalpha, word))
    has_digit = any(map(str.isdigit, word))
    found = []
    if has_letter:
        found.append(_case(word))
    if has_digit:
        found.append("alphanumeric" if has_letter else "number")
    if "-" in word and len(word) > 1:
        found.append("hyphen")
    if not has_letter and not has_digit:
        found.append("punctuation" if unicodedata.category(word[0])[0] == "P" else "symbol") if word else None
    elif has_letter:
        if _ROMAN.fullmatch(word):
            found.append("roman")
        if _GREEK_NAMES.search(word):
            found.append("greek")
    return tuple(found)


def _case(word: str) -> str:
    if word.islower():
        return "lower"
    if word.isupper():
        return "capital" if len(word) == 1 else "capitals"
    return "title" if word[0].isupper() and (word[1:].islower() or len(word) == 1) else "mixed"


# One table: the name that appears in a piece ("suffix=ing"), and how it is made.
TEMPLATES: dict[str, Template] = {
    "word": word,
    "lower": lower,
    "digits": digits,
    "shape": shape,
    "short": short_shape,
    "prefix": prefix,
    "suffix": suffix,
    "trigram": character_trigrams,
    "flag": flags,
}

# Those that give exactly one piece, so that two neighbours can be taken together.
SINGLE_PIECE_TEMPLATES = ("word", "lower", "shape", "short")
