"""Texts of the data as pages show them, and the environment that fills templates."""

import unicodedata
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

HERE = Path(__file__).resolve().parent
# They join letters and pictures in Persian, Hindi and emoji, and can neither hide nor turn text around.
_JOINERS = frozenset("\u200c\u200d")
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def shown(value: Any) -> Any:
    """A text with control and direction-changing characters spelt out; anything else as it is."""
    if not isinstance(value, str) or isinstance(value, Markup) or value.isprintable():
        return value
    return "".join(
        f"\\x{ord(one):02x}" if unicodedata.category(one) in _HIDDEN and one not in _JOINERS else one
        for one in value
    )


@cache
def environment() -> Environment:
    """Templates in which every value is escaped, and a missing one is an error."""
    made = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["percent"] = lambda share: "–" if share is None else f"{100 * share:.0f}\u00a0%"
    made.filters["count"] = lambda number: f"{number:,}"
    made.filters["decimal"] = lambda number: "–" if number is None else f"{number:.2f}"
    return made


def page(name: str, **values: Any) -> str:
    """A whole page."""
    return environment().get_template(name).render(values)


def is_right_to_left(words: Sequence[str]) -> bool:
    """Whether the first letter with a direction is Hebrew, Arabic or the like."""
    for word in words[:200]:
        for letter in word[:30]:
            side = unicodedata.bidirectional(letter)
            if side in ("L", "R", "AL"):
                return side != "L"
    return False
