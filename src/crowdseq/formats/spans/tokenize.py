"""Text to tokens with their places, for input that comes without tokens."""

import re
from collections.abc import Callable, Sequence
from functools import cache
from itertools import accumulate
from typing import NamedTuple

from crowdseq.errors import SettingsError
from crowdseq.formats.spans.spacy_library import spacy_tokenizer

Tokens = list[tuple[int, int]]

# Runs of letters, digits and underscores; every other visible character alone. A no-break space parts words.
WORDS = r"\w+|[^\w\s]"
# A no-break space (U+00A0, U+2007, U+202F) is there to keep two words together, so here it does.
WHITESPACE = r"[^\s\u00a0\u2007\u202f]+(?:[\u00a0\u2007\u202f]+[^\s\u00a0\u2007\u202f]+)*"
_SPACY = "spacy:"
_PATTERNS = {"words": WORDS, "whitespace": WHITESPACE}


class Cut(NamedTuple):
    """The tokens of a text: their words, and the characters where each starts and ends."""

    words: Sequence[str]
    starts: Sequence[int]
    ends: Sequence[int]

    @property
    def bounds(self) -> Tokens:
        """(start, end) of every token."""
        return list(zip(self.starts, self.ends, strict=True))

    def part(self, first: int, last: int, shift: int) -> "Cut":
        """Tokens first to last, their places counted from the character `shift`."""
        starts, ends = self.starts[first:last], self.ends[first:last]
        if shift:
            starts, ends = [place - shift for place in starts], [place - shift for place in ends]
        return Cut(self.words[first:last], starts, ends)


def tokenizer(name: str) -> Callable[[str], Tokens]:
    """A function from a text to the (start, end) of its tokens; name as for `cutter`."""
    cut = cutter(name)
    return lambda text: cut(text).bounds


@cache
def cutter(name: str) -> Callable[[str], Cut]:
    """A function from a text to its tokens.

    name: `words`, `whitespace`, `regex:` and a pattern whose matches are the tokens, or `spacy:` and a
    language or an installed pipeline.
    """
    if name in _PATTERNS:
        return _alternating(re.compile(f"({_PATTERNS[name]})"))
    if name.startswith(_SPACY):
        places = spacy_tokenizer(name.removeprefix(_SPACY))
        return lambda text: cut_at(text, places(text))
    pattern = name.removeprefix("regex:") if name.startswith("regex:") else ""
    if not pattern:
        known = "words, whitespace, regex:PATTERN or spacy:LANGUAGE"
        raise SettingsError(f"tokenizer '{name}' is unknown, choose {known}")
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise SettingsError(f"the pattern of tokenizer '{name}' is wrong: {error}") from None
    return lambda text: cut_at(text, [match.span() for match in compiled.finditer(text) if match.group()])


def check_tokenizer(name: str) -> None:
    """Raise if there is no such tokeniser; those of spaCy load slowly and are left for first use."""
    if not name.startswith(_SPACY):
        cutter(name)


def cut_at(text: str, bounds: Sequence[tuple[int, int]]) -> Cut:
    """The tokens that stand at these places."""
    starts, ends = zip(*bounds, strict=True) if bounds else ((), ())
    return Cut([text[start:end] for start, end in bounds], starts, ends)


def _alternating(pattern: re.Pattern[str]) -> Callable[[str], Cut]:
    """For a pattern that never matches nothing; splitting at its matches is the fastest way to have both."""

    def cut(text: str) -> Cut:
        gaps_and_words = pattern.split(text)
        edges = list(accumulate(map(len, gaps_and_words)))
        return Cut(gaps_and_words[1::2], edges[:-1:2], edges[1::2])

    return cut
