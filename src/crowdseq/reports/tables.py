"""Values as a person reads them, and Table: rows of them for a terminal and for a Markdown page."""

import textwrap
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

NOT_AVAILABLE = "n/a"
_LEAST_ROOM = 40  # columns for words beside figures; with less they stand below
_INDENT = "    "


@dataclass(frozen=True)
class Table:
    """A title, column names, and rows of texts, numbers or None (shown as n/a)."""

    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    title: str = ""


def as_text(table: Table, width: int | None = None) -> str:
    """For a terminal: columns lined up, numbers to the right.

    width: of the terminal; a last column of words that is too wide for it is broken into lines, in its column
    or, where that would be narrow, below its row.
    """
    cells = [[show(value) for value in row] for row in table.rows]
    widths = [max(map(_width, column)) for column in zip(table.columns, *cells, strict=True)]
    right = [_is_numeric([row[index] for row in table.rows]) for index in range(len(table.columns))]
    before = sum(widths[:-1]) + 2 * (len(widths) - 1)
    columns, below = table.columns, False
    if width is not None and before + widths[-1] > width and not right[-1] and before:
        below = width - before < _LEAST_ROOM
        widths[-1] = max(width - (len(_INDENT) if below else before), 1)
        columns = columns[:-1] if below else columns
    used = widths[: len(columns)]
    lines = [_line(columns, used, right), "  ".join("─" * one for one in used)]
    for row in cells:
        parts = _broken(row[-1], widths[-1]) if _width(row[-1]) > widths[-1] else [row[-1]]
        if below:
            lines += [_line(row[:-1], used, right), *(_INDENT + part for part in parts if part)]
        else:
            lines += [_line([*row[:-1], parts[0]], used, right), *(" " * before + part for part in parts[1:])]
    return "\n".join([*([table.title] if table.title else []), *lines])


def _broken(text: str, width: int) -> list[str]:
    """Lines of at most so many columns, broken between words where that can be."""
    return textwrap.wrap(text, width) or [""]


def as_markdown(table: Table) -> str:
    """For a page."""
    right = [_is_numeric([row[index] for row in table.rows]) for index in range(len(table.columns))]
    lines = [
        "| " + " | ".join(table.columns) + " |",
        "|" + "|".join("---:" if flag else "---" for flag in right) + "|",
        *("| " + " | ".join(show(value).replace("|", "\\|") for value in row) + " |" for row in table.rows),
    ]
    return "\n".join([*([f"**{table.title}**", ""] if table.title else []), *lines])


def show(value: object) -> str:
    """One value as a person reads it; control characters are made visible."""
    if value is None:
        return NOT_AVAILABLE
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return _rounded(value, 3)
    if isinstance(value, int):
        return f"{value:,}"
    return visible(str(value))


def visible(text: str) -> str:
    """Control and direction-changing characters spelt out, so that no name can steer the terminal."""
    return "".join(
        character if unicodedata.category(character) not in ("Cc", "Cf", "Cs") else f"\\x{ord(character):02x}"
        for character in text
    )


def _is_numeric(values: Sequence[object]) -> bool:
    numbers = [value for value in values if value is not None]
    return bool(numbers) and all(isinstance(value, int | float) for value in numbers)


def _width(text: str) -> int:
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    marks = sum(unicodedata.combining(character) > 0 for character in text)
    return len(text) + wide - marks


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    padded = []
    for cell, width, flag in zip(cells, widths, right, strict=False):  # the last may stand below
        space = " " * (width - _width(cell))
        padded.append(space + cell if flag else cell + space)
    return "  ".join(padded).rstrip()


PERCENT = "\u00a0%"  # never on a line of its own


def percent(share: float | None, digits: int = 0) -> str:
    """0.421 to `42 %`; what rounds to nothing or to all without being it is told as such."""
    if share is None:
        return NOT_AVAILABLE
    step = 10.0 ** -(digits + 2)
    if 0 < share < step / 2:
        return f"<{step * 100:.{digits}f}{PERCENT}"
    if 1 - step / 2 < share < 1:
        return f">{100 - step * 100:.{digits}f}{PERCENT}"
    return f"{100 * share:.{digits}f}{PERCENT}"


def count(number: int, noun: str, plural: str | None = None) -> str:
    """3, "span" to `3 spans`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def decimal(value: float | None, digits: int = 2) -> str:
    """A number with a true minus sign, n/a for None."""
    return NOT_AVAILABLE if value is None else _rounded(value, digits).replace("-", "−")


def span_of(low: float | None, high: float | None) -> str | None:
    """`0.10 to 0.20`."""
    return None if low is None or high is None else f"{_rounded(low, 2)} to {_rounded(high, 2)}"


def following(number: int, noun: str) -> str:
    """3, "span" to `The next 3 spans`, and 1 to `The next span`."""
    return f"The next {noun}" if number == 1 else f"The next {count(number, noun)}"


def _rounded(value: float, digits: int) -> str:
    """What rounds to zero has no sign."""
    return f"{round(value, digits) + 0.0:.{digits}f}"
