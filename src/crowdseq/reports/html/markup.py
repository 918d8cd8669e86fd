"""Markup: HTML that is safe by the way it is made; all text from data is escaped here and nowhere else."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import TypeAlias

from crowdseq.reports.tables import visible

_VOID = frozenset({"meta", "br", "hr"})
_NAME = re.compile(r"[a-z][a-z0-9-]*", re.IGNORECASE)
# They join letters and pictures in Persian, Hindi and emoji, and can neither hide nor turn text around.
_JOINERS = frozenset("\u200c\u200d")
_SEPARATORS = frozenset("\u2028\u2029")  # of lines and paragraphs: they end what isolates a name
_LONGEST_TEXT = 4000


@dataclass(frozen=True, slots=True)
class Markup:
    """A piece of a page; made by `element`, `join` and `trusted`, and by nothing else."""

    source: str


Content: TypeAlias = "Markup | str | int | Iterable[Content] | None"
Attribute: TypeAlias = "str | int | float | bool | None"


def element(name: str, /, *content: Content, **attributes: Attribute) -> Markup:
    """`element("p", "a < b", class_="x")`: texts and values are escaped, None and False are left out.

    An attribute is written as in Python: `class_`, `aria_label`. Handlers and outside links cannot be made.
    """
    opening = f"<{_checked(name)}{''.join(_attribute(*pair) for pair in attributes.items())}>"
    if name in _VOID:
        return Markup(opening)
    return Markup(f"{opening}{join(content).source}</{name}>")


def join(content: Content, between: str = "") -> Markup:
    """Pieces one after the other, with a text between them."""
    if isinstance(content, Markup):
        return content
    if content is None:
        return Markup("")
    if isinstance(content, str | int):
        return Markup(_escaped(str(content)))
    return Markup(_escaped(between).join(join(piece).source for piece in content))


def trusted(source: str) -> Markup:
    """Our own style, script and document type; never anything that came from data."""
    return Markup(source)


def clip(text: str, limit: int) -> str:
    """A text that cannot flood the page: its beginning and an ellipsis when it is long."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _attribute(name: str, value: Attribute) -> str:
    if value is None or value is False:
        return ""
    spelt = _checked(name.rstrip("_").replace("_", "-"))
    text = "" if value is True else str(value)
    if spelt.lower().startswith("on") or spelt == "style":
        raise ValueError(f"the attribute {spelt} is not used here: no handlers, no inline styles")
    if spelt in ("href", "src") and not text.startswith("#"):
        raise ValueError(f"{spelt}={text!r} leaves the page; only #anchors in it are linked")
    return f' {spelt}="{_escaped(text)}"'


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no name of an element or attribute")
    return name


def _escaped(text: str) -> str:
    text = clip(text, _LONGEST_TEXT)
    if not text.isprintable():
        text = "".join(map(_shown, text))
    return escape(text, quote=True)


def _shown(character: str) -> str:
    if character in _JOINERS:
        return character
    return f"\\x{ord(character):02x}" if character in _SEPARATORS else visible(character)
