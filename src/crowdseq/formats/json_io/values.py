"""The values of a JSON array, or of JSON texts one after the other, without holding them all."""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from crowdseq.errors import FormatError, Problem
from crowdseq.formats.files.lines import chosen_encoding, not_decoded
from crowdseq.formats.files.sources import Stream
from crowdseq.formats.findings.collector import Collector
from crowdseq.formats.json_io.strict import UNSURE, JsonFault, attempt, decode, loads, may_have_double_key

_SHAPE_TRIALS = 50
_SPACE = " \t\r\n"
_SCALAR = r'(?:-?[0-9]+|"[^"\\]*"|null|true|false)'
_ANY_KEYS = re.compile(rf'\{{\s*"([^"\\]*)"\s*:\s*{_SCALAR}\s*,\s*"([^"\\]*)"')
_SEAM = re.compile(r"\}\s{0,99},?\s{0,99}\{")
_GUESS_TRIALS = 5
_CUT_OFF = 16  # a fault so near the end of what was read may be the end itself: half a word, number or escape


@dataclass(frozen=True)
class Shaped:
    """A structure, and the text that it was read from."""

    value: Any
    text: str

    def plain(self) -> Any:
        """The value as it is read without a shape, for whoever needs it in full."""
        return loads(self.text)


def plain_value(value: Any) -> Any:
    """A value as it is read without a shape."""
    return value.plain() if isinstance(value, Shaped) else value


class Shape:
    """Reads texts into one kind of structure.

    It must refuse unknown fields, so that whatever stands in a text stands in the value too and can be
    counted. depth: how far values of this shape can nest.
    """

    def __init__(self, kind: type[msgspec.Struct], *, depth: int) -> None:
        self.depth = depth
        self._decoder = msgspec.json.Decoder(kind)
        self._trials = _SHAPE_TRIALS

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
        self._trials = _SHAPE_TRIALS
        return Shaped(value, text)


class _Window:
    """A stretch of text that moves over a stream and knows its line."""

    def __init__(self, stream: Stream, collector: Collector) -> None:
        self.stream = stream
        self.text, self.position, self.line = "", 0, 1
        self._before = 0  # characters of the first line of the window that have left it
        self.is_whole = False
        self._encoding = chosen_encoding(stream, collector)
        self._decoder = codecs.getincrementaldecoder(self._encoding)()
        self._blocks = stream.blocks()
        self._offset = 0
        self.more()
        if self.text.startswith("\ufeff"):
            what = "a byte order mark stands at the beginning, left out"
            collector.warn("byte-order-mark", what, Problem("", stream.name))
            self.position = 1

    def more(self) -> None:
        """At least twice as much text, so that a long value is tried only a few times."""
        gone = self.text.rfind("\n", 0, self.position)
        self._before = self.position - gone - 1 if gone >= 0 else self._before + self.position
        self.text, self.position = self.text[self.position :], 0
        wanted, found = max(len(self.text), 1), 0
        parts = [self.text]
        while found < wanted and not self.is_whole:
            block = next(self._blocks, b"")
            self.is_whole = not block
            parts.append(self._decode(block))
            found += len(parts[-1])
        self.text = "".join(parts)

    def _decode(self, block: bytes) -> str:
        pending = len(self._decoder.getstate()[0])
        try:
            text = self._decoder.decode(block, final=not block)
        except UnicodeDecodeError as error:
            fault = not_decoded(error, self._offset - pending, self._encoding)
            raise FormatError(replace(fault, file=self.stream.name)) from None
        self._offset += len(block)
        return text

    def move(self, position: int) -> None:
        self.line += self.text.count("\n", self.position, position)
        self.position = position

    def column(self, position: int) -> int:
        """Where a position stands in its line, counted from 1."""
        start = self.text.rfind("\n", 0, position)
        return position - start if start >= 0 else self._before + position + 1

    def sign(self) -> str:
        """The next character that is no space, or nothing at the end."""
        while True:
            position = self.position
            while position < len(self.text) and self.text[position] in _SPACE:
                position += 1
            self.move(position)
            if position < len(self.text):
                return self.text[position]
            if self.is_whole:
                return ""
            self.more()


class _Guess:
    """Where a value of a regular file ends: before the next that begins as the one before did.

    No more than a guess, but one that can be proven: an object that is read whole from its beginning has no
    other end. So the fast parser, which wants to know the end, can be tried.
    """

    def __init__(self) -> None:
        self._seam, self._opening = "", _ANY_KEYS
        self._trials = _GUESS_TRIALS

    def learn(self, text: str, end: int) -> None:
        """Look at what stands between two values, and at the first two keys of the second."""
        seam = _SEAM.match(text, end - 1)
        keys = _ANY_KEYS.match(text, seam.end() - 1) if seam else None
        if seam and keys:
            first, second = map(re.escape, keys.groups())
            self._seam = seam.group()
            self._opening = re.compile(rf'\{{\s*"{first}"\s*:\s*{_SCALAR}\s*,\s*"{second}"')

    def end(self, text: str, position: int) -> int:
        """Behind the value that begins at a position; -1 without a guess."""
        if not self._seam or not self._trials:
            return -1
        found = text.find(self._seam, position)
        while found >= 0 and not self._opening.match(text, found + len(self._seam) - 1):
            found = text.find(self._seam, found + 1)
        return found + 1 if found >= 0 else -1

    @property
    def is_trusted(self) -> bool:
        """Whether the last guess was right."""
        return bool(self._seam) and self._trials == _GUESS_TRIALS

    def judge(self, was_right: bool) -> None:
        """A file in which guesses keep failing is read without them."""
        self._trials = _GUESS_TRIALS if was_right else self._trials - 1


def read_values(
    stream: Stream, collector: Collector, shape: Shape | None = None
) -> Iterator[tuple[int, Any]]:
    """The line where each value begins, and the value; a fault ends the reading of this stream.

    shape: values that have it come as `Shaped`.
    """
    window, guess = _Window(stream, collector), _Guess()
    in_array = window.sign() == "["
    if in_array:
        window.move(window.position + 1)
    while True:
        sign = window.sign()
        if sign == ("]" if in_array else ""):
            break
        if not sign:
            raise _fault(window, "the JSON array is cut off, fetch the file again")
        line = window.line
        yield line, _next_value(window, guess, collector, shape)
        if in_array:
            _step_over_comma(window)
    if in_array:
        window.move(window.position + 1)
        if window.sign():
            raise _fault(window, "something follows the JSON array, remove it")


def _next_value(window: _Window, guess: _Guess, collector: Collector, shape: Shape | None) -> Any:
    limits = collector.settings.limits
    guessed = guess.end(window.text, window.position)
    if guessed < 0 and guess.is_trusted and not window.is_whole:  # the value goes on behind the window
        window.more()
        guessed = guess.end(window.text, window.position)
    if guessed >= 0:
        text = window.text[window.position : guessed]
        value = shape.attempt(text) if shape is not None and shape.depth <= limits.depth else UNSURE
        if value is UNSURE:
            value = attempt(text, depth=limits.depth)
        guess.judge(value is not UNSURE)
        if value is not UNSURE:
            window.move(guessed)
            return value
    while True:
        try:
            value, end = decode(window.text, window.position, depth=limits.depth)
        except JsonFault as fault:
            if window.is_whole or not _may_be_cut_off(fault, window):
                raise _json_fault(window, fault) from None
        else:
            if end < len(window.text) - len("e+") or window.is_whole:  # a number may go on behind these
                guess.learn(window.text, end)
                window.move(end)
                return value
        if len(window.text) - window.position > limits.line_bytes:
            raise _fault(window, f"a value is longer than {limits.line_bytes:,} characters, split it")
        window.more()


def _may_be_cut_off(fault: JsonFault, window: _Window) -> bool:
    if fault.position < 0:
        return False
    return str(fault).startswith("Unterminated") or fault.position > len(window.text) - _CUT_OFF


def _step_over_comma(window: _Window) -> None:
    sign = window.sign()
    if sign == ",":
        window.move(window.position + 1)
        if window.sign() == "]":
            raise _fault(window, "not JSON (a comma stands before the closing bracket), remove it")
    elif sign != "]":
        raise _fault(window, "not JSON (Expecting ',' or ']' after a value)")


def _fault(window: _Window, what: str) -> FormatError:
    return FormatError(Problem(what, window.stream.name, window.line))


def _json_fault(window: _Window, fault: JsonFault) -> FormatError:
    if fault.position < 0:
        return _fault(window, str(fault))
    column = window.column(fault.position)
    window.move(fault.position)
    return _fault(window, f"not JSON ({fault} at column {column})")
