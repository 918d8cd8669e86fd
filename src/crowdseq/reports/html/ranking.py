"""The ranking of the annotators: a table with a chart in it."""

from collections.abc import Sequence

from crowdseq.core.consensus import AnnotatorReport
from crowdseq.reports.html.charts import SkillAxis
from crowdseq.reports.html.figures import count, decimal, percent
from crowdseq.reports.html.markup import Content, Markup, element
from crowdseq.reports.html.section import name_of, scrolling

_MOST_ROWS = 500
_HEADINGS = ("skill", "sentences", "F1", "guessing")


def ranked_annotators(reports: Sequence[AnnotatorReport]) -> list[int]:
    """Numbers of the annotators by skill; those who cannot be judged come last."""
    return sorted(
        range(len(reports)),
        key=lambda k: (reports[k].skill is None, -(reports[k].skill or 0.0), reports[k].annotator),
    )


def ranking_table(reports: Sequence[AnnotatorReport], ranked: list[int], with_cards: set[int]) -> Markup:
    """A row for each annotator, with a dot for the skill and a line for its interval."""
    lows = [report.interval[0] for report in reports if report.interval]
    axis = SkillAxis(min([0.0, *lows]))
    heads = [
        element("th", "#", scope="col", class_="number"),
        element("th", "annotator", scope="col"),
        element("th", "skill", scope="col", class_="number"),
        element("th", axis.scale(), scope="col", class_="plot", aria_label="skill with its interval"),
        *(element("th", text, scope="col", class_="number") for text in _HEADINGS[1:]),
        element("th", "to look at", scope="col"),
    ]
    rows = [
        _row(rank, number, reports[number], axis, number in with_cards)
        for rank, number in enumerate(ranked[:_MOST_ROWS], start=1)
    ]
    more = len(ranked) - len(rows)
    caption = (
        f"{count(len(ranked), 'annotator')}, ranked{f'; the last {more:,} are left out' if more > 0 else ''}"
    )
    return scrolling(
        element(
            "table",
            element("caption", caption),
            element("thead", element("tr", heads)),
            element("tbody", rows),
            class_="ranking",
        )
    )


def _row(rank: int, number: int, report: AnnotatorReport, axis: SkillAxis, has_card: bool) -> Markup:
    name = name_of(report.annotator)
    low, high = report.interval or (None, None)
    plot: Content = None
    if low is not None and high is not None and report.skill is not None:
        plot = axis.whisker(low, report.skill, high)
    figures = (report.skill, report.sentences, report.f1, report.spam)
    shown = (decimal(report.skill), f"{report.sentences:,}", percent(report.f1), percent(report.spam))
    cells = [
        element("td", text, class_="number", data_value=-9 if value is None else value, data_label=label)
        for text, value, label in zip(shown, figures, _HEADINGS, strict=True)
    ]
    reach = f"{decimal(low)} to {decimal(high)}" if low is not None else None
    flags = [element("span", "⚠ ", element("bdi", flag), class_="flag") for flag in report.flags]
    return element(
        "tr",
        element("td", rank, class_="number", data_value=rank),
        element("th", element("a", name, href=f"#a{number}") if has_card else name, scope="row"),
        cells[0],
        element("td", plot, element("span", reach, class_="reach"), class_="plot"),
        cells[1:],
        element("td", flags, class_="flags"),
    )
