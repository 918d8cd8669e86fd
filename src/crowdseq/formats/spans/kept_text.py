"""What a record keeps of the text that its tokens came from, and what must hold for it."""

from collections.abc import Mapping, Sequence
from typing import Any

from crowdseq.errors import AnnotationError
from crowdseq.formats.spans.normalise import differ_in_form
from crowdseq.formats.spans.offsets import whole_number

# Extra keys of a sentence; with them an export gives back the characters that were marked.
TEXT, SPANS, GOLD_SPANS, OFFSETS = "text", "spans", "gold_spans", "offsets"
ORIGINAL = "original_text"  # where the text was normalised


def locate(text: str, tokens: Sequence[str]) -> list[tuple[int, int]] | None:
    """Where tokens stand in a text, one behind the other and each as early as may be; None if they do not."""
    found: list[tuple[int, int]] = []
    place = 0
    for token in tokens:
        start = text.find(token, place)
        if start < 0:
            return None
        place = start + len(token)
        found.append((start, place))
    return found


def check_same_text(here: Mapping[str, Any], there: Mapping[str, Any]) -> None:
    """Offsets only mean something in one and the same text, down to its spaces."""
    mine, other = here.get(TEXT), there.get(TEXT, here.get(TEXT))
    if mine == other or not isinstance(mine, str) or not isinstance(other, str):
        return
    place = next((n for n, pair in enumerate(zip(mine, other, strict=False)) if pair[0] != pair[1]), None)
    place = min(len(mine), len(other)) if place is None else place
    is_form = differ_in_form(mine, other)
    hint = "; only its Unicode form or line ends differ, say --normalise nfc" if is_form else ""
    raise AnnotationError(
        f"the text is not the same as before: from character {place + 1} on it is "
        f"{mine[place : place + 20]!a} here and {other[place : place + 20]!a} there{hint}"
    )


def token_bounds(text: str, pairs: Sequence[Sequence[Any]]) -> list[tuple[int, int]]:
    """Tokens as a file gives them, start and end in code points: in order and not over each other."""
    found: list[tuple[int, int]] = []
    before = 0
    for pair in pairs:
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise AnnotationError("a token must have a start and an end")
        start, end = (whole_number(offset, "an offset of a token") for offset in pair)
        if not before <= start <= end <= len(text):
            raise AnnotationError(f"the token {start}-{end} lies outside the text or over another token")
        found.append((start, end))
        before = end
    return found
