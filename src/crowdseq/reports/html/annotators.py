"""The annotators: a ranking with skill and interval, their habits in words, and their tables."""

from collections.abc import Sequence

from crowdseq.core.consensus import AnnotatorReport, Consensus
from crowdseq.reports.habits import Habit, Name, find_habits, repeated_errors
from crowdseq.reports.html.charts import SkillAxis
from crowdseq.reports.html.heatmaps import EXPLAINED, ContextTables, annotator_heatmaps
from crowdseq.reports.html.section import Content, Markup, Section, element, folded, name_of, scrolling
from crowdseq.reports.outcomes import SpanOutcomes
from crowdseq.reports.tables import PERCENT, count, decimal, percent

MOST_CARDS = 60
_OPEN_CARDS = 20


def annotator_section(consensus: Consensus) -> Section | None:
    """None when nobody labelled anything."""
    if not consensus.annotators:
        return None
    ranked = ranked_annotators(consensus.annotators)
    chosen = _with_cards(consensus.annotators, ranked)
    content: list[Content] = [
        element("p", _how_to_read(consensus)),
        ranking_table(consensus.annotators, ranked, set(chosen)),
        _cards(consensus, chosen),
    ]
    return Section("annotators", "Annotators, the most skilled first", "Annotators", content)


def _how_to_read(consensus: Consensus) -> str:
    unit = "label" if consensus.corpus.scheme.is_plain else "span"
    return (
        "Skill is agreement with the consensus beyond chance: 1 is perfect, 0 is chance. The line is its "
        f"95 % interval, the shorter the surer. F1 compares {unit}s with those of the consensus. Guessing is "
        "the share of votes that look as if they do not depend on the text. All is measured against the "
        "consensus, on the sentences that the annotator labelled."
    )


def _with_cards(reports: Sequence[AnnotatorReport], ranked: list[int]) -> list[int]:
    """Who gets a card: all, or those with the most labels, in the order of the ranking."""
    busiest = set(sorted(ranked, key=lambda number: -reports[number].tokens)[:MOST_CARDS])
    return [number for number in ranked if number in busiest]


def _cards(consensus: Consensus, chosen: list[int]) -> list[Content]:
    outcomes = SpanOutcomes.of(consensus)
    habits = find_habits(consensus.corpus, outcomes)
    tables = ContextTables.of(consensus)
    cards = [_card(consensus, number, habits[number], tables) for number in chosen]
    rest = cards[_OPEN_CARDS:]
    words = f"The next {count(len(rest), 'annotator')}"
    return [
        element("h3", "What they typically do"),
        element("p", _about_habits(outcomes, len(consensus.annotators) > len(cards))),
        element("p", EXPLAINED),
        element("div", cards[:_OPEN_CARDS], class_="cards"),
        folded(words, element("div", rest, class_="cards")) if rest else None,
    ]


def _about_habits(outcomes: SpanOutcomes, some_left_out: bool) -> str:
    same, cases = repeated_errors(outcomes)
    faithful = (
        " When words that an annotator got wrong come back in the same document, the error is repeated in "
        f"{percent(same / cases)} of {cases:,} cases."
        if cases >= 20
        else ""
    )
    busiest = f" The {MOST_CARDS} with the most labels are shown." if some_left_out else ""
    rule = "An error is named when it happened at least three times, and in a tenth of ten or more cases."
    return f"{rule}{faithful}{busiest}"


def _card(consensus: Consensus, number: int, habits: tuple[Habit, ...], tables: ContextTables) -> Markup:
    report = consensus.annotators[number]
    flags = [
        element("li", element("strong", "⚠ "), element("bdi", flag), class_="flag") for flag in report.flags
    ]
    told = [element("li", [_part(part) for part in habit.parts]) for habit in habits]
    nothing = element("li", "no typical error", class_="aside") if not told and not flags else None
    return element(
        "article",
        element(
            "div", element("h4", name_of(report.annotator)), element("p", _figures(report), class_="aside")
        ),
        element(
            "div",
            element("ul", flags, told, nothing, class_="habits"),
            annotator_heatmaps(consensus, number, tables),
        ),
        id=f"a{number}",
    )


def _part(part: str) -> Content:
    return name_of(part) if isinstance(part, Name) else part.replace(" %", PERCENT)


def _figures(report: AnnotatorReport) -> str:
    reach = f" ({decimal(report.interval[0])} to {decimal(report.interval[1])})" if report.interval else ""
    work = f"{count(report.sentences, 'sentence')}, {count(report.tokens, 'label')}"
    return f"skill {decimal(report.skill)}{reach}, {work}"


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
