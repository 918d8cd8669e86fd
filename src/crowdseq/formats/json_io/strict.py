"""JSON at the speed of the standard library, without what it lets pass: NaN, double keys, lone surrogates."""

import json
import math
import re
import sys
from typing import Any

import msgspec

_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_HIDDEN = re.compile(r"\\u003[aA]")
_MAX_DIGITS = 1000  # no count or offset needs them, and Python's own limit can be moved by the environment
_FEW_OBJECTS = 5  # with fewer the hooks of the careful way cost less than the proof of the fast one
_SAFE_RECURSION = 10_000  # frames of C; the smallest stacks of threads hold several times as many
# A whole text as one sign, an open one too, so that no character is looked at twice.
_TEXT_OR_BRACKET = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[\]{}]', re.DOTALL)
UNSURE = object()


class JsonFault(ValueError):
    """Why a text is not the JSON we accept; `position` is an index into it, or -1."""

    def __init__(self, what: str, position: int = -1) -> None:
        self.position = position
        super().__init__(what)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise JsonFault(f"the key '{_double(pairs)[:80]}' stands twice in one object, remove one")
    return made


def _double(pairs: list[tuple[str, Any]]) -> str:
    """The first key that stands there a second time."""
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            return key
        seen.add(key)
    raise ValueError("all keys differ")


def _constant(name: str) -> Any:
    raise _NotFinite(name)


def _number(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise _NotFinite(digits[:20])
    return value


def _integer(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise JsonFault(f"a number has {len(digits):,} digits, the limit is {_MAX_DIGITS:,}")
    return int(digits)


class _NotFinite(ValueError):
    """A number that JSON does not know; found again by `_where` to name its key."""


_CAREFUL = json.JSONDecoder(
    object_pairs_hook=_object, parse_constant=_constant, parse_float=_number, parse_int=_integer
)


def decode(text: str, start: int = 0, *, depth: int = 200) -> tuple[Any, int]:
    """The value that begins at a place of the text, and the place after it."""
    _refuse_danger(text, start, depth)
    try:
        value, end = _CAREFUL.raw_decode(text, start)
    except json.JSONDecodeError as error:
        what = error.msg.removesuffix(" delimiter").removesuffix(" starting at").removesuffix(" at")
        raise JsonFault(what, error.pos) from None
    except RecursionError:
        raise JsonFault(f"nested more than {depth} levels deep") from None
    except _NotFinite as error:
        raise JsonFault(_not_finite(text, start, str(error))) from None
    # Brackets are counted first because the count is nearly free and almost always settles it.
    if text.count("[", start, end) + text.count("{", start, end) > depth and _depth(value) > depth:
        raise JsonFault(f"nested more than {depth} levels deep")
    if text.find("\\u", start, end) >= 0 and _SURROGATE_ESCAPE.search(text, start, end):
        _refuse_lone_surrogates(value)
    return value, end


def attempt(text: str, *, depth: int = 200) -> Any:
    """The one value of a text, faster where it has many objects; `UNSURE` if only `decode` can tell.

    msgspec refuses all that we refuse, double keys and depth aside. It says less well why, so nothing is
    refused here.
    """
    if sys.getrecursionlimit() > _SAFE_RECURSION:
        return UNSURE
    try:
        value = msgspec.json.decode(text)
        again = msgspec.json.encode(value)
    except (ValueError, RecursionError, OverflowError):
        return UNSURE
    if again.count(b"[") + again.count(b"{") > depth and _depth(value) > depth:
        return UNSURE
    return UNSURE if may_have_double_key(text, again) else value


def may_have_double_key(text: str, again: bytes) -> bool:
    """Whether the text may hold more pairs than its value, written again; never False when it does.

    A colon stands in every pair, and else only in texts, where it is written again. So when there are only as
    many of them no pair is left over, unless an escape hides a colon of a text, which is written again bare.
    """
    if text.count(":") != again.count(b":"):
        return True
    return "\\" in text and _HIDDEN.search(text) is not None


def loads(text: str, *, depth: int = 200) -> Any:
    """The one value that the text holds."""
    if text.count("{") > _FEW_OBJECTS:
        quick = attempt(text, depth=depth)
        if quick is not UNSURE:
            return quick
    value, end = decode(text, len(text) - len(text.lstrip(" \t\r\n")), depth=depth)
    rest = text[end:].lstrip(" \t\r\n")
    if rest:
        raise JsonFault("Extra data", len(text) - len(rest))
    return value


def _depth(value: Any) -> int:
    level, depth = [value] if isinstance(value, dict | list) else [], 0
    while level:
        level = [
            inner for outer in level for inner in _inside(outer) if type(inner) is dict or type(inner) is list
        ]
        depth += 1
    return depth


def _inside(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def _refuse_lone_surrogates(value: Any) -> None:
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str) and not _is_text(item):
            raise JsonFault(
                f"the text {ascii(item)[:60]} holds half a character (a lone surrogate), correct it"
            )
        waiting.extend(_inside(item))
        if isinstance(item, dict):
            waiting.extend(item)


def _is_text(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _not_finite(text: str, start: int, written: str) -> str:
    """The message for NaN and its kin, with the key that holds it; parses a second time to find it."""
    found: list[str] = []

    def name_key(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found.extend(key for key, inner in pairs if _holds_mark(inner))
        return dict(pairs)

    finder = json.JSONDecoder(
        object_pairs_hook=name_key,
        parse_constant=lambda _: _MARK,
        parse_float=lambda digits: 0.0 if math.isfinite(float(digits)) else _MARK,
        parse_int=lambda _: 0,
    )
    try:
        finder.raw_decode(text, start)
    except (ValueError, RecursionError):
        found.clear()
    key = f" (key '{found[0][:80]}')" if found else ""
    return f"{written} is not a JSON number{key}, use null"


_MARK = object()


def _holds_mark(value: Any) -> bool:
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if item is _MARK:
            return True
        if isinstance(item, list):
            waiting.extend(item)
    return False


def _refuse_danger(text: str, start: int, depth: int) -> None:
    """Refuse depth before parsing where somebody raised Python's own limit, which guards the stack."""
    if sys.getrecursionlimit() <= _SAFE_RECURSION:
        return
    level = 0
    for sign in _TEXT_OR_BRACKET.findall(text, start):
        level += (sign in "[{") - (sign in "]}")
        if level > depth:
            raise JsonFault(f"nested more than {depth} levels deep")
        if level == 0:
            return
