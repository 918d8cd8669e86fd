"""The annotators: verdicts with their reasons in a table, and a sheet for each with habits and examples."""

from collections.abc import Sequence

from crowdseq.core.consensus import AnnotatorReport, Consensus
from crowdseq.evaluation.disputes import Dispute, Disputes
from crowdseq.evaluation.verdicts import DROP, GOOD, UNKNOWN, WATCH
from crowdseq.reports.habits import Habit, Name, find_habits, repeated_errors
from crowdseq.reports.html.charts import SkillAxis
from crowdseq.reports.html.desk import verdict_pill
from crowdseq.reports.html.disputes import colour_of_reading, reading_in_words
from crowdseq.reports.html.heatmaps import EXPLAINED, ContextTables, annotator_heatmaps
from crowdseq.reports.html.passages import excerpt
from crowdseq.reports.html.section import Content, Markup, Section, element, folded, name_of
from crowdseq.reports.outcomes import SpanOutcomes
from crowdseq.reports.tables import PERCENT, count, decimal, following, percent

MOST_CARDS = 60
_OPEN_CARDS = 12
_ROOM = 450_000  # characters of the page for tables label by label; who comes later has none
_LONG_TABLE = 60  # rows, beyond which the table scrolls by itself
_EXAMPLES = 4  # on a sheet
_MOST_LOOKED_AT = 5000  # disputes, on the way to examples for everybody
_FIRST_TO_LOOK_AT = (DROP, WATCH, UNKNOWN, None, GOOD)


def annotator_section(consensus: Consensus, disputes: Disputes) -> Section | None:
    """None when nobody labelled anything."""
    if not consensus.annotators:
        return None
    order = by_urgency(consensus.annotators)
    chosen = chosen_for_sheets(consensus.annotators, order)
    content: list[Content] = [
        element("p", _how_to_read(consensus)),
        ranking_table(consensus.annotators, order, set(chosen)),
        _cards(consensus, disputes, chosen),
    ]
    return Section("annotators", "Annotators, those to look at first", "Annotators", content)


def _how_to_read(consensus: Consensus) -> str:
    unit = "label" if consensus.corpus.scheme.is_plain else "span"
    return (
        "Skill is agreement with the consensus beyond chance: 1 is perfect, 0 is chance. The line is its "
        f"95 % interval, the shorter the surer. F1 compares {unit}s with those of the consensus. Spam is "
        "the share of votes that look as if they do not depend on the text. All is measured against the "
        "consensus, on the sentences that the annotator labelled."
    ).replace(" %", PERCENT)


def ranked_annotators(reports: Sequence[AnnotatorReport]) -> list[int]:
    """Numbers of the annotators by skill; those who cannot be judged come last."""
    return sorted(
        range(len(reports)),
        key=lambda k: (reports[k].skill is None, -(reports[k].skill or 0.0), reports[k].annotator),
    )


def _unbroken(text: str) -> str:
    """A figure and its sign stay on one line."""
    return text.replace(" %", PERCENT)


def by_urgency(reports: Sequence[AnnotatorReport]) -> list[int]:
    """Numbers of the annotators: to drop, to watch, unknown, good; of each the least skilled first."""
    by_skill = ranked_annotators(reports)[::-1]
    return sorted(by_skill, key=lambda k: _FIRST_TO_LOOK_AT.index(reports[k].verdict))


def chosen_for_sheets(reports: Sequence[AnnotatorReport], order: list[int]) -> list[int]:
    """Who gets a sheet, in the order of the table: all, or those to look at first, the busiest of them."""

    def rank(number: int) -> tuple[int, int]:
        return _FIRST_TO_LOOK_AT.index(reports[number].verdict), -reports[number].tokens

    chosen = set(sorted(order, key=rank)[:MOST_CARDS])
    return [number for number in order if number in chosen]


def _cards(consensus: Consensus, disputes: Disputes, chosen: list[int]) -> list[Content]:
    outcomes = SpanOutcomes.of(consensus)
    habits = find_habits(consensus.corpus, outcomes)
    tables = ContextTables.of(consensus)
    examples = find_examples(disputes, chosen)
    cards: list[Markup] = []
    room = _ROOM
    for number in chosen:
        advanced = annotator_heatmaps(consensus, number, tables) if room > 0 else None
        room -= len(advanced.source) if advanced is not None else 0
        cards.append(_card(consensus, number, habits[number], examples[number], advanced))
    rest = cards[_OPEN_CARDS:]
    words = following(len(rest), "annotator")
    return [
        element("h3", "A sheet for each"),
        element("p", _about_habits(outcomes, len(consensus.annotators) > len(cards))),
        element("p", EXPLAINED, class_="note"),
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
    busiest = (
        f" The {MOST_CARDS} to look at first are shown, those with the most labels." if some_left_out else ""
    )
    opening = "Where somebody differs from the consensus they may well be right: read it together."
    rule = "An error is named when it happened at least three times, and in a tenth of ten or more cases."
    return f"{opening} {rule}{faithful}{busiest}"


def find_examples(disputes: Disputes, annotators: Sequence[int]) -> dict[int, list[Dispute]]:
    """For each annotator some places that they read otherwise than the consensus, which is sure of them.

    No two of an annotator are about the same labels.
    """
    found: dict[int, dict[object, Dispute]] = {number: {} for number in annotators}
    wanting = set(annotators)
    for place in (-disputes.confidence).argsort(kind="stable")[:_MOST_LOOKED_AT].tolist():
        if not wanting:
            break
        dispute = disputes[place]
        settled = dispute.readings[dispute.settled]
        for reading in dispute.readings:
            if reading is settled:
                continue
            about = tuple(sorted({mark.label for mark in one.marks}) for one in (settled, reading))
            for who in wanting.intersection(reading.annotators):
                found[who].setdefault(str(about), dispute)
                if len(found[who]) == _EXAMPLES:
                    wanting.discard(who)
    return {number: list(some.values()) for number, some in found.items()}


def _card(
    consensus: Consensus,
    number: int,
    habits: tuple[Habit, ...],
    examples: Sequence[Dispute],
    advanced: Content,
) -> Markup:
    report = consensus.annotators[number]
    flags = [
        element("li", element("strong", "⚠ "), element("bdi", flag), class_="flag")
        for flag in report.further_flags
    ]
    told = [element("li", [_part(part) for part in habit.parts]) for habit in habits]
    nothing = element("li", "no typical error", class_="aside") if not told and not flags else None
    return element(
        "article",
        element(
            "div",
            element("h4", name_of(report.annotator), " ", verdict_pill(report.verdict)),
            element("p", _unbroken(report.reason), class_="aside") if report.reason else None,
            element("p", _figures(report), class_="aside"),
        ),
        element(
            "div",
            element("ul", flags, told, nothing, class_="habits"),
            _examples(consensus, number, examples),
            advanced,
        ),
        id=f"a{number}",
        data_verdict=report.verdict or "not judged",
    )


def _examples(consensus: Consensus, number: int, examples: Sequence[Dispute]) -> Content:
    if not examples:
        return None
    lines = []
    for one in examples:
        own = next(reading for reading in one.readings if number in reading.annotators)
        settled = one.readings[one.settled]
        said: list[Content] = [
            name_of(consensus.annotators[number].annotator),
            ": ",
            reading_in_words(consensus, one, own),
            " · consensus: ",
            reading_in_words(consensus, one, settled),
            f", {percent(one.confidence)} sure",
        ]
        text = excerpt(
            consensus.corpus, one.sentence, one.begin, one.end, colour_of_reading(consensus, own.marks)
        )
        lines.append(element("li", text, element("small", said, class_="said")))
    return element("ul", lines, class_="examples")


def _part(part: str) -> Content:
    return name_of(part) if isinstance(part, Name) else part.replace(" %", PERCENT)


def _figures(report: AnnotatorReport) -> str:
    reach = f" ({decimal(report.interval[0])} to {decimal(report.interval[1])})" if report.interval else ""
    work = f"{count(report.sentences, 'sentence')}, {count(report.tokens, 'label')}"
    return f"skill {decimal(report.skill)}{reach}, {work}"


_MOST_ROWS = 500
_HEADINGS = ("skill", "F1", "spam", "sentences")


def ranking_table(reports: Sequence[AnnotatorReport], order: list[int], with_cards: set[int]) -> Markup:
    """A row for each annotator, with the verdict and why, and a dot for the skill with its interval."""
    lows = [report.interval[0] for report in reports if report.interval]
    axis = SkillAxis(min([0.0, *lows]))
    heads = [
        element("th", "annotator", scope="col"),
        element("th", "verdict", scope="col"),
        element("th", "why", scope="col", class_="why"),
        element("th", "skill", scope="col", class_="number"),
        element("th", axis.scale(), scope="col", class_="plot", aria_label="skill with its interval"),
        *(element("th", text, scope="col", class_="number") for text in _HEADINGS[1:]),
    ]
    rows = [_row(number, reports[number], axis, number in with_cards) for number in order[:_MOST_ROWS]]
    more = len(order) - len(rows)
    caption = f"{count(len(order), 'annotator')}{f'; the last {more:,} are left out' if more > 0 else ''}"
    made = element(
        "table",
        element("caption", caption),
        element("thead", element("tr", heads)),
        element("tbody", rows),
        class_="ranking",
    )
    return element("div", made, class_="wide tall" if len(rows) > _LONG_TABLE else "wide")


def _row(number: int, report: AnnotatorReport, axis: SkillAxis, has_card: bool) -> Markup:
    name = name_of(report.annotator)
    low, high = report.interval or (None, None)
    plot: Content = None
    if low is not None and high is not None and report.skill is not None:
        plot = axis.whisker(low, report.skill, high)
    figures = (report.skill, report.f1, report.spam, report.sentences)
    shown = (decimal(report.skill), percent(report.f1), percent(report.spam), f"{report.sentences:,}")
    cells = [
        element("td", text, class_="number", data_value=-9 if value is None else value, data_label=label)
        for text, value, label in zip(shown, figures, _HEADINGS, strict=True)
    ]
    reach = f"{decimal(low)} to {decimal(high)}" if low is not None else None
    flags = [
        element("span", "⚠ ", element("bdi", _unbroken(flag)), class_="flag") for flag in report.further_flags
    ]
    urgency = _FIRST_TO_LOOK_AT.index(report.verdict)
    return element(
        "tr",
        element("th", element("a", name, href=f"#a{number}") if has_card else name, scope="row"),
        element("td", verdict_pill(report.verdict), class_="verdicts", data_value=urgency),
        element(
            "td", element("span", _unbroken(report.reason)) if report.reason else None, flags, class_="why"
        ),
        cells[0],
        element("td", plot, element("span", reach, class_="reach"), class_="plot"),
        cells[1:],
        data_verdict=report.verdict or "not judged",
    )
