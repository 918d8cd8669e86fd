"""Charts as inline SVG, drawn with attributes and classes alone; the style of the page colours them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from crowdseq.arrays import FloatArray
from crowdseq.reports.html.section import Attribute, Content, Markup, element
from crowdseq.reports.tables import decimal, percent

# One unit is one pixel on a phone; on a wide screen the charts grow a little.
_WIDTH, _HEIGHT = 360, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 12, 12, 40
_BANDS = (0.5, 0.7, 0.9)
BAND_NAMES = ("above 90 %", "70 to 90 %", "50 to 70 %", "below 50 %")
_SKILL_TICKS = (0.0, 0.5, 1.0)
_FEW_TOKENS = 20  # a share of fewer is mostly chance: its dot is hollow


def confidence_bar(confidence: FloatArray) -> Markup:
    """One bar: how many are very sure, sure, unsure and very unsure."""
    bands = np.bincount(np.searchsorted(_BANDS, confidence, side="right"), minlength=4)[::-1]
    ends = np.concatenate([[0.0], np.cumsum(bands / max(len(confidence), 1))])
    pieces = [
        element("rect", x=_share(ends[number]), y=0, width=_share(width), height=12, class_=f"band{number}")
        for number, width in enumerate(np.diff(ends).tolist())
        if width > 0
    ]
    words = ", ".join(
        f"{percent(float(part / max(len(confidence), 1)))} {name}"
        for part, name in zip(bands, BAND_NAMES, strict=True)
    )
    return element("svg", pieces, class_="bar", role="img", aria_label=words, height=12)


def band_legend() -> Markup:
    """What the parts of the bars mean, from left to right."""
    squares = [
        element("svg", element("rect", width=12, height=12, class_=f"band{number}"), class_="swatch")
        for number in range(len(BAND_NAMES))
    ]
    items = [element("span", *pair) for pair in zip(squares, BAND_NAMES, strict=True)]
    return element("p", items, class_="note legend")


@dataclass(frozen=True)
class SkillAxis:
    """Skills from `lowest` to 1 across the width of a cell; the figures stand beside it in the table."""

    lowest: float

    def x(self, skill: float) -> str:
        return _share((min(max(skill, self.lowest), 1.0) - self.lowest) / (1.0 - self.lowest))

    def scale(self) -> Markup:
        """The numbers above the dots."""
        marks = [
            element("text", text, x=self.x(at), y=13, text_anchor="middle")
            for at, text in zip(_SKILL_TICKS, ("0", "0.5", "1"), strict=True)
        ]
        return element("svg", marks, class_="whiskers scale", height=18, aria_hidden="true")

    def whisker(self, low: float, middle: float, high: float) -> Markup:
        """A dot with its interval."""
        ticks = [element("line", x1=x, x2=x, y1=0, y2=18, class_="grid") for x in map(self.x, _SKILL_TICKS)]
        reach = element("line", x1=self.x(low), x2=self.x(high), y1=9, y2=9, class_="whisker")
        dot = element("circle", cx=self.x(middle), cy=9, r=4, class_="dot")
        return element("svg", ticks, reach, dot, class_="whiskers", height=18, aria_hidden="true")


def _share(value: float) -> str:
    return f"{100 * value:.2f}%"


def reliability_chart(bins: Sequence[Mapping[str, Any]]) -> Markup:
    """Confidence against how often it was right; the larger a dot, the more tokens it stands for."""
    filled = [one for one in bins if one["count"]]
    largest = max((one["count"] for one in filled), default=1)
    dots = [
        element(
            "circle",
            element("title", _bin_in_words(one)),
            cx=_x(one["confidence"]),
            cy=_y(one["accuracy"]),
            r=_number(3 + 8 * (one["count"] / largest) ** 0.5),
            class_="dot" if one["count"] >= _FEW_TOKENS else "dot few",
        )
        for one in filled
    ]
    gaps = [
        _line(one["confidence"], one["confidence"], one["confidence"], one["accuracy"], "gap")
        for one in filled
        if one["count"] >= _FEW_TOKENS
    ]
    diagonal = _line(0, 0, 1, 1, "ideal")
    ticks = [(value, percent(value)) for value in (0.0, 0.5, 1.0)]
    label = "Confidence and how often it was right: " + "; ".join(map(_bin_in_words, filled))
    axes = _axes("confidence", "right", ticks, ticks)
    return _chart(label, axes, diagonal, gaps, dots)


def _bin_in_words(one: Mapping[str, Any]) -> str:
    return f"{percent(one['confidence'])} sure, {percent(one['accuracy'])} right ({one['count']:,} tokens)"


def history_chart(history: Sequence[float]) -> Markup:
    """The objective, round by round."""
    low, high = min(history), max(history)
    room = (high - low) or 1.0
    last = max(len(history) - 1, 1)
    points = [(_x(number / last), _y((value - low) / room)) for number, value in enumerate(history)]
    path = element("polyline", points=" ".join(f"{x},{y}" for x, y in points), class_="line")
    dots = [element("circle", cx=x, cy=y, r=2.5, class_="dot") for x, y in points]
    across = sorted({0, len(history) // 2, len(history) - 1})
    x_ticks = [(number / last, str(number + 1)) for number in across]
    y_ticks = [(0.0, _short(low)), (1.0, _short(high))] if high > low else [(0.0, _short(low))]
    label = f"Objective by round, from {decimal(history[0])} to {decimal(history[-1])}"
    return _chart(label, _axes("round", "", x_ticks, y_ticks), path, dots if len(history) <= 60 else None)


def _short(value: float) -> str:
    """A number that fits beside an axis."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= size:
            unit = 1e3 if letter == "k" else size
            return f"{value / unit:.1f} {letter}".replace("-", "−")
    return f"{value:.4g}".replace("-", "−")


def _axes(
    across: str, up: str, x_ticks: Sequence[tuple[float, str]], y_ticks: Sequence[tuple[float, str]]
) -> list[Content]:
    marks: list[Content] = [_line(0, 0, 1, 0, "axis"), _line(0, 0, 0, 1, "axis")]
    for at, text in x_ticks:
        marks.append(_line(at, 0, at, 1, "grid"))
        marks.append(element("text", text, x=_x(at), y=_number(_y_at(0) + 16), text_anchor="middle"))
    for at, text in y_ticks:
        marks.append(_line(0, at, 1, at, "grid"))
        marks.append(element("text", text, x=_LEFT - 6, y=_number(_y_at(at) + 4), text_anchor="end"))
    marks.append(element("text", across, x=_x(0.5), y=_HEIGHT - 4, text_anchor="middle", class_="hint"))
    marks.append(element("text", up, x=_LEFT - 6, y=_TOP + 18, text_anchor="end", class_="hint"))
    return marks


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> Markup:
    return element("line", x1=_x(x1), y1=_y(y1), x2=_x(x2), y2=_y(y2), class_=kind)


def _chart(label: str, *content: Content) -> Markup:
    box = f"0 0 {_WIDTH} {_HEIGHT}"
    attributes: dict[str, Attribute] = {"viewBox": box, "role": "img", "aria_label": label, "class_": "chart"}
    return element("svg", content, **attributes)


def _x(share: float) -> str:
    return _number(_LEFT + share * (_WIDTH - _LEFT - _RIGHT))


def _y(share: float) -> str:
    return _number(_y_at(share))


def _y_at(share: float) -> float:
    return _HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM)


def _number(value: float) -> str:
    return f"{value:.1f}"
