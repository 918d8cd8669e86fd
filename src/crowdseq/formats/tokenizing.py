"""Text to tokens with their places, for input that comes without tokens."""

import re
from collections.abc import Callable
from functools import cache

from crowdseq.errors import SettingsError

Tokens = list[tuple[int, int]]

# Runs of letters, digits and underscores; every other visible character alone. A no-break space parts words.
WORDS = r"\w+|[^\w\s]"
# A no-break space (U+00A0, U+2007, U+202F) is there to keep two words together, so here it does.
WHITESPACE = r"[^\s\u00a0\u2007\u202f]+(?:[\u00a0\u2007\u202f]+[^\s\u00a0\u2007\u202f]+)*"
_PATTERNS = {"words": WORDS, "whitespace": WHITESPACE}


@cache
def tokenizer(name: str) -> Callable[[str], Tokens]:
    """A function from a text to the (start, end) of its tokens.

    name: `words`, `whitespace`, or `regex:` and a pattern whose matches are the tokens.
    """
    pattern = _PATTERNS.get(name)
    if name.startswith("regex:"):
        pattern = name.removeprefix("regex:")
    if not pattern:
        raise SettingsError(f"tokenizer '{name}' is unknown, choose words, whitespace or regex:PATTERN")
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise SettingsError(f"the pattern of tokenizer '{name}' is wrong: {error}") from None
    if name in _PATTERNS:  # which never match nothing
        return lambda text: [match.span() for match in compiled.finditer(text)]
    return lambda text: [match.span() for match in compiled.finditer(text) if match.group()]
