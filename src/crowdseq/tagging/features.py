"""What a token looks like to the model: templates of words, and which are seen from which offsets."""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from crowdseq.errors import SettingsError

if TYPE_CHECKING:  # streams are made of features
    from crowdseq.tagging.streams import KnowledgeSource

Template: TypeAlias = Callable[[str], tuple[str, ...]]

_ROMAN = re.compile(r"(?=[MDCLXVI])M{0,3}(CM|CD|D?C{0,3})(XC|XL|L?X{0,3})(IX|IV|V?I{0,3})")
_DIGIT = re.compile(r"\d")
_REPEATS = re.compile(r"(.)\1+", re.DOTALL)
_GREEK = re.compile(
    r"alpha|beta|gamma|delta|epsilon|zeta|theta|iota|kappa|lambda|sigma|omega|omicron|upsilon"
    r"|[\u0370-\u03ff\u1f00-\u1fff]"
)


# Two letters that one of the names must have: a quick no for most words.
_MAYBE_GREEK = re.compile(r"[tmphdg]a|on|[\u0370-\u03ff\u1f00-\u1fff]")


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
    return (_without_repeats(word.translate(_SHAPES)),)


@lru_cache(100_000)  # many words share a shape
def _without_repeats(shape: str) -> str:
    return _REPEATS.sub(r"\1", shape)


def prefix(word: str) -> tuple[str, ...]:
    """The first one to four characters of a longer word."""
    if len(word) > 4:
        return word[0], word[:2], word[:3], word[:4]
    return tuple([word[:length] for length in range(1, len(word))])


def suffix(word: str) -> tuple[str, ...]:
    """The last one to four characters of a longer word."""
    if len(word) > 4:
        return word[-1], word[-2:], word[-3:], word[-4:]
    return tuple([word[-length:] for length in range(1, len(word))])


def long_prefix(word: str) -> tuple[str, ...]:
    """The first five characters of a longer word."""
    return (word[:5],) if len(word) > 5 else ()


def long_suffix(word: str) -> tuple[str, ...]:
    """The last five characters of a longer word."""
    return (word[-5:],) if len(word) > 5 else ()


def character_trigrams(word: str) -> tuple[str, ...]:
    """Every three neighbouring characters of the lower-cased word between bounds."""
    framed = f"^{word.lower()[:40]}$"
    return tuple(dict.fromkeys([framed[i : i + 3] for i in range(len(framed) - 2)]))


def character_fourgrams(word: str) -> tuple[str, ...]:
    """Every four neighbouring characters of the lower-cased word between bounds."""
    framed = f"^{word.lower()[:40]}$"
    return tuple(dict.fromkeys([framed[i : i + 4] for i in range(len(framed) - 3)]))


def flags(word: str) -> tuple[str, ...]:
    """What holds of a list of things: case, digits, hyphen, punctuation, roman numeral, Greek, mixtures."""
    if word.isalpha():
        return _letter_flags(word, [_case(word)])
    has_letter = any(map(str.isalpha, word))
    has_digit = any(map(str.isdigit, word))
    found = [_case(word)] if has_letter else []
    if has_digit:
        found.append("alphanumeric" if has_letter else "number")
    if "-" in word and len(word) > 1:
        found.append("hyphen")
    if has_letter:
        return _letter_flags(word, found)
    if word and not has_digit:
        found.append("punctuation" if unicodedata.category(word[0])[0] == "P" else "symbol")
    return tuple(found)


def _letter_flags(word: str, found: list[str]) -> tuple[str, ...]:
    if word[0] in "IVXLCDM" and _ROMAN.fullmatch(word):
        found.append("roman")
    lowered = word.lower()
    if _MAYBE_GREEK.search(lowered) and _GREEK.search(lowered):
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
    "prefix5": long_prefix,
    "suffix5": long_suffix,
    "trigram": character_trigrams,
    "fourgram": character_fourgrams,
    "flag": flags,
}

# Those that give exactly one piece, so that two neighbours can be taken together.
SINGLE_PIECE_TEMPLATES = ("word", "lower", "shape", "short")


# A sentence in, for each of its tokens the strings that describe it out.
FeatureFunction: TypeAlias = Callable[[Sequence[str]], Sequence[Sequence[str]]]

WORDS, PAIRS, DOCUMENT, CUSTOM, COLUMN = "words", "pairs:", "document", "custom", "column:"
EDGE = "edge"  # the piece of a position before the first or after the last token
_FARTHEST = 5


@dataclass(frozen=True)
class FeatureSettings:
    """How tokens are described.

    windows: template name to the offsets from which it is seen (0 the token itself, -1 the token before).
    pairs: the same for neighbouring words taken together; 0 is (previous, this), 1 is (this, next).
    edges: offsets at which the bounds of the sentence are noticed.
    columns: names of token columns to use, such as part of speech; column_offsets: from where they are seen.
    document: add what the same word looks like elsewhere in its document.
    min_count: a piece that fewer tokens show is left out; pair_min_count: the same for word pairs.
    function: your own; gets the tokens of a sentence, gives strings for each token.
    knowledge: sources beyond the text, such as lists of names.
    """

    windows: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    pairs: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    edges: tuple[int, ...] = (-1, 1)
    columns: tuple[str, ...] = ()
    column_offsets: tuple[int, ...] = (-1, 0, 1)
    document: bool = False
    min_count: int = 1
    pair_min_count: int = 1
    function: FeatureFunction | None = None
    knowledge: "tuple[KnowledgeSource, ...]" = ()

    def __post_init__(self) -> None:
        for used, known in ((self.windows, tuple(TEMPLATES)), (self.pairs, SINGLE_PIECE_TEMPLATES)):
            unknown = [name for name in used if name not in known]
            if unknown:
                raise SettingsError(
                    f"feature template '{unknown[0]}' is unknown here, choose from {', '.join(known)}"
                )
        windows = (*self.windows.values(), *self.pairs.values())
        for offsets in (*windows, self.edges, self.column_offsets):
            if any(abs(offset) > _FARTHEST for offset in offsets) or len(set(offsets)) != len(offsets):
                raise SettingsError(f"feature offsets {offsets} must be different and within ±{_FARTHEST}")
        if min(self.min_count, self.pair_min_count) < 1:
            raise SettingsError("a minimum count of features must be at least 1")

    @property
    def word_offsets(self) -> tuple[int, ...]:
        """All offsets from which words are seen, in order."""
        return tuple(sorted({0, *self.edges, *(o for offsets in self.windows.values() for o in offsets)}))

    @property
    def stream_offsets(self) -> dict[str, tuple[int, ...]]:
        """The streams that these settings read, each with the offsets from which it is seen."""
        streams = {WORDS: self.word_offsets}
        streams |= {PAIRS + name: offsets for name, offsets in self.pairs.items()}
        streams |= {COLUMN + name: self.column_offsets for name in self.columns}
        if self.document:
            streams[DOCUMENT] = (0,)
        if self.function is not None:
            streams[CUSTOM] = (0,)
        streams |= {source.name: source.offsets for source in self.knowledge}
        return streams


_NEAR: tuple[int, ...] = (-1, 0, 1)
_FAR: tuple[int, ...] = (-3, -2, -1, 0, 1, 2, 3)
_PAIRS_AROUND: tuple[int, ...] = (-1, 0, 1, 2)  # the two pairs that hold the token, and one on either side

# What each group brings, and how the sets were chosen, stands in docs/features.md.
FEATURE_SETS: dict[str, FeatureSettings] = {
    "basic": FeatureSettings(
        windows={
            "word": _NEAR,
            "lower": (0,),
            "short": _NEAR,
            "prefix": (0,),
            "suffix": (0,),
            "flag": (0,),
        },
    ),
    "rich": FeatureSettings(
        windows={
            "word": (0,),
            "lower": _FAR,
            "digits": (0,),
            "shape": _NEAR,
            "short": _NEAR,
            "prefix": (0,),
            "suffix": _NEAR,
            "trigram": (0,),
            "flag": _NEAR,
        },
        pairs={"lower": (0, 1), "short": (0, 1)},
        document=True,
    ),
    "full": FeatureSettings(
        windows={
            "word": _NEAR,
            "lower": _FAR,
            "digits": (0,),
            "shape": _NEAR,
            "short": _NEAR,
            "prefix": (0,),
            "suffix": _NEAR,
            "prefix5": (0,),
            "suffix5": (0,),
            "trigram": (0,),
            "fourgram": (0,),
            "flag": _NEAR,
        },
        pairs={"lower": _PAIRS_AROUND, "short": _PAIRS_AROUND, "word": (0, 1)},
        document=True,
    ),
}


def feature_settings(features: "str | FeatureSettings", min_count: int | None = None) -> FeatureSettings:
    """A feature set by name, or as given; min_count overrides its own."""
    if isinstance(features, str):
        if features not in FEATURE_SETS:
            raise SettingsError(f"feature set '{features}' is unknown, choose from {', '.join(FEATURE_SETS)}")
        features = FEATURE_SETS[features]
    return features if min_count is None else replace(features, min_count=min_count)
