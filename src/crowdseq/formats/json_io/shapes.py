"""Shape: JSON objects of a form that is known beforehand, read into structures instead of dictionaries."""

from dataclasses import dataclass
from typing import Any

import msgspec

from crowdseq.formats.json_io.strict import UNSURE, loads, may_have_double_key

_TRIALS = 50


@dataclass(frozen=True)
class Shaped:
    """A structure, and the text that it was read from."""

    value: Any
    text: str


def plain_value(value: Any) -> Any:
    """A value as it is read without a shape, for whoever needs it in full."""
    return loads(value.text) if isinstance(value, Shaped) else value


class Shape:
    """Reads texts into one kind of structure.

    It must refuse unknown fields, so that whatever stands in a text stands in the value too and can be
    counted. depth: how far values of this shape can nest.
    """

    def __init__(self, kind: type[msgspec.Struct], *, depth: int) -> None:
        self.depth = depth
        self._decoder = msgspec.json.Decoder(kind)
        self._trials = _TRIALS

    def attempt(self, text: str) -> Any:
        """The one value of a text, `Shaped`; `UNSURE` for one of another shape, or that may be faulty."""
        if not self._trials:
            return UNSURE
        self._trials -= 1  # a file in which the shape keeps failing is read without it
        try:
            value = self._decoder.decode(text)
            again = msgspec.json.encode(value)
        except (ValueError, RecursionError, OverflowError):
            return UNSURE
        if may_have_double_key(text, again):
            return UNSURE
        self._trials = _TRIALS
        return Shaped(value, text)
