"""Section: a part of the page; HTML that is safe by the way it is made, and spans with how sure they are."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import TypeAlias

import numpy as np

from crowdseq.arrays import FloatArray
from crowdseq.core.consensus import Consensus
from crowdseq.core.labels import LabelScheme
from crowdseq.core.spans import find_spans
from crowdseq.reports.tables import show, visible

NONE = -1  # no type: outside all spans
IN_DOUBT = 0.7
_WORTH_NAMING = 0.15  # an alternative below this is noise to the reader


@dataclass(frozen=True)
class ShownSpan:
    """Tokens start to end of a sentence; kind is the number of a type, or NONE.

    other: the type that might be meant instead, or NONE; None when nothing else is likely.
    """

    start: int
    end: int
    kind: int
    confidence: float
    other: int | None
    other_share: float


def span_confidence(consensus: Consensus) -> FloatArray:
    """(S,) for each span of the consensus the confidence of its least sure token."""
    corpus = consensus.corpus
    spans = find_spans(consensus.tag_ids, corpus.offsets, corpus.scheme)
    if not len(spans):
        return np.zeros(0)
    # Every second piece of these bounds is a span; the last bound may not lie past the end.
    bounds = np.stack([spans.starts, spans.ends], axis=1).ravel()
    padded = np.append(consensus.token_confidence, 1.0)
    return np.asarray(np.minimum.reduceat(padded, bounds)[::2])


def shown_spans(consensus: Consensus, sentence: int) -> list[ShownSpan]:
    """The spans of a sentence, and tokens outside that may well be part of one, in the order of the text."""
    corpus = consensus.corpus
    tokens = slice(int(corpus.offsets[sentence]), int(corpus.offsets[sentence + 1]))
    tags, confidence = consensus.tag_ids[tokens], consensus.token_confidence[tokens]
    by_type = _by_type(consensus.probabilities[tokens], corpus.scheme)
    table = find_spans(tags, np.array([0, len(tags)]), corpus.scheme)
    columns = (table.starts.tolist(), table.ends.tolist(), table.types.tolist())
    spans = [_span(*row, confidence, by_type) for row in zip(*columns, strict=True)]
    outside = np.ones(len(tags), np.bool_)
    for one in spans:
        outside[one.start : one.end] = False
    others = [
        _span(index, index + 1, NONE, confidence, by_type) for index in np.flatnonzero(outside).tolist()
    ]
    return sorted([*spans, *(one for one in others if one.other is not None)], key=lambda one: one.start)


def _by_type(probabilities: FloatArray, scheme: LabelScheme) -> FloatArray:
    """(T, M) to (T, types + 1): the probability of each type, whatever the part of the span; none is last."""
    sums = np.zeros((len(probabilities), len(scheme.types) + 1))
    np.add.at(sums.T, scheme.type_ids, probabilities.T)
    return sums


def _span(start: int, end: int, kind: int, confidence: FloatArray, by_type: FloatArray) -> ShownSpan:
    least = start + int(np.argmin(confidence[start:end]))
    shares = by_type[least].copy()
    shares[kind] = 0.0
    other = int(np.argmax(shares))
    named = None if shares[other] < _WORTH_NAMING else NONE if other == len(shares) - 1 else other
    return ShownSpan(start, end, kind, float(confidence[least]), named, float(shares[other]))


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


_LONGEST_NAME = 60


@dataclass(frozen=True)
class Section:
    """anchor: what links name; short: the heading as the list of sections has it."""

    anchor: str
    heading: str
    short: str
    content: Content

    @property
    def markup(self) -> Markup:
        return element("section", element("h2", self.heading), self.content, id=self.anchor)

    @property
    def link(self) -> Markup:
        return element("a", self.short, href=f"#{self.anchor}")


@dataclass(frozen=True)
class Column:
    """A column of a table: its heading, and whether it holds numbers."""

    heading: str
    numeric: bool = True


def table(caption: Content, columns: Sequence[Column], rows: Sequence[Sequence[Content]]) -> Markup:
    """A table that scrolls by itself where it is too wide; the first cell of a row is its heading."""
    heads = [
        element("th", one.heading, scope="col", class_="number" if one.numeric else None) for one in columns
    ]
    body = [element("tr", element("th", row[0], scope="row"), _cells(row, columns)) for row in rows]
    return scrolling(
        element(
            "table",
            element("caption", caption),
            element("thead", element("tr", heads)),
            element("tbody", body),
        )
    )


def _cells(row: Sequence[Content], columns: Sequence[Column]) -> list[Markup]:
    return [
        element("td", content, class_="number" if column.numeric else None)
        for content, column in zip(row[1:], columns[1:], strict=True)
    ]


def scrolling(content: Content, direction: str | None = None) -> Markup:
    """Wide content in a box of its own, so that the page itself never scrolls sideways."""
    return element("div", content, class_="wide", dir=direction)


def folded(words: str, content: Content) -> Markup:
    """Content that opens on demand."""
    return element("details", element("summary", words), content)


def name_of(text: str) -> Markup:
    """A name or label from the data: shortened, and kept from turning the text around it."""
    return element("bdi", clip(text, _LONGEST_NAME))


def listed(names: list[str], limit: int = 12) -> list[Content]:
    """a, b and c; a long list is cut."""
    shown = names[:limit]
    more = len(names) - len(shown)
    parts: list[Content] = [*map(name_of, shown), *([f"{more:,} more"] if more else [])]
    between = ["", *[", "] * (len(parts) - 2), " and "][: len(parts)]
    return [*zip(between, parts, strict=True)]


def figures(pairs: Sequence[tuple[str, Content]]) -> Markup:
    """Key figures side by side."""
    return element(
        "dl",
        [element("div", element("dt", what), element("dd", value)) for what, value in pairs],
        class_="figures",
    )


def facts(pairs: Sequence[tuple[str, object]]) -> Markup:
    """What is what, one line each."""
    return element(
        "dl",
        [(element("dt", name_of(str(what))), element("dd", name_of(show(value)))) for what, value in pairs],
        class_="facts",
    )


def warning(*content: Content) -> Markup:
    """Something to look at; the sign and the word tell it, not the colour."""
    return element("p", element("strong", "⚠ Look at this: "), content, class_="warning")
