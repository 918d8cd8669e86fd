"""Text to tokens with their places, for input that comes without tokens."""

import re
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from itertools import accumulate
from typing import Any, NamedTuple

from crowdseq.errors import MissingExtraError, SettingsError
from crowdseq.formats.findings.collector import Collector
from crowdseq.formats.settings import REGEX, SPACY, check_tokenizer

Tokens = list[tuple[int, int]]
# Runs of letters, digits and underscores; every other visible character alone. A no-break space parts words.
WORDS = r"\w+|[^\w\s]"
# A no-break space (U+00A0, U+2007, U+202F) is there to keep two words together, so here it does.
WHITESPACE = r"[^\s\u00a0\u2007\u202f]+(?:[\u00a0\u2007\u202f]+[^\s\u00a0\u2007\u202f]+)*"
_PATTERNS = {"words": WORDS, "whitespace": WHITESPACE}
_LANGUAGE = re.compile(r"[a-z]{2,3}")


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


def cutter_of(collector: Collector) -> Callable[[str], Cut]:
    """The tokeniser of the settings; a pattern of the user has a time limit, then AnnotationError."""
    name = collector.settings.tokenizer
    if not name.startswith(REGEX):
        return cutter(name)
    from crowdseq.formats.spans.patterns import places_by_pattern

    places = places_by_pattern(name.removeprefix(REGEX), collector)
    return lambda text: cut_at(text, places(text))


@cache
def cutter(name: str) -> Callable[[str], Cut]:
    """A function from a text to its tokens.

    name: `words`, `whitespace`, `regex:` and a pattern whose matches are the tokens (without any limit on its
    time, see `cutter_of`), or `spacy:` and a language or an installed pipeline.
    """
    check_tokenizer(name)
    if name in _PATTERNS:
        return _alternating(re.compile(f"({_PATTERNS[name]})"))
    if name.startswith(SPACY):
        places = spacy_tokenizer(name.removeprefix(SPACY))
        return lambda text: cut_at(text, places(text))
    compiled = re.compile(name.removeprefix(REGEX))
    return lambda text: cut_at(text, [match.span() for match in compiled.finditer(text) if match.group()])


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


def library(what: str = "reading or writing spaCy's DocBin") -> Any:
    """spaCy, whose import may warn of things that are not ours."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import spacy
            import spacy.tokens
    except ImportError:
        raise MissingExtraError(what, "spacy") from None
    return spacy


def spacy_tokenizer(name: str) -> Callable[[str], list[tuple[int, int]]]:
    """A function from a text to the places of spaCy's tokens, those of white space alone left out.

    name: a language (`en`, or `xx` for any), or an installed pipeline. A folder is not taken, since loading
    one runs what it says.
    """
    spacy = library("cutting text with spaCy's tokeniser")
    cut = _spacy_pipeline(spacy, name).tokenizer
    return lambda text: [(token.idx, token.idx + len(token)) for token in cut(text) if not token.is_space]


def sentence_starts_of_spacy(name: str) -> Callable[[str], list[int]]:
    """A function from a text to the places where its sentences begin; name as for `spacy_tokenizer`."""
    spacy = library("cutting text into sentences with spaCy")
    pipeline = _spacy_pipeline(spacy, name)
    if not {"parser", "senter", "sentencizer"} & set(pipeline.pipe_names):
        pipeline.add_pipe("sentencizer")
    return lambda text: [0, *(sent.start_char for sent in list(pipeline(text).sents)[1:])]


def _spacy_pipeline(spacy: Any, name: str) -> Any:
    unknown = SettingsError(
        f"tokenizer 'spacy:{name}' is unknown, name a language (spacy:en, spacy:xx) or an installed pipeline"
    )
    try:
        if _LANGUAGE.fullmatch(name):
            return spacy.blank(name)
        if not spacy.util.is_package(name):
            raise unknown
        return spacy.load(name)
    except (ImportError, OSError):
        raise unknown from None
