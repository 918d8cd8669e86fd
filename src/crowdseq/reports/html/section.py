"""Section: a part of the page with its heading, and the parts that many sections are made of."""

from collections.abc import Sequence
from dataclasses import dataclass

from crowdseq.reports.html.markup import Content, Markup, clip, element
from crowdseq.reports.tables import show

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
