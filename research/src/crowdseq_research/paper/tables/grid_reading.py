"""What the grid shows, in sentences and counts that are taken from its cells."""

from collections import Counter
from collections.abc import Sequence
from statistics import mean

from crowdseq.reports.tables import Table
from crowdseq_research.paper.cells.keys import Crowd
from crowdseq_research.paper.tables.grid_scores import CROWDS, GridScores
from crowdseq_research.paper.tables.published import METHODS, PRECISIONS, TITLES, published_f1
from crowdseq_research.paper.tables.verdicts import CLOSE, NEAR_CEILING, OURS, Verdict, near_ceiling


def summary_table(verdicts: Sequence[Verdict], by_consensus: Sequence[Verdict]) -> Table:
    """The questions, the goal that was set, and how many crowds answer yes.

    by_consensus: the same judged by the labels on the crowd's own text, before any tagger reads new text.
    """
    comparable = [one for one in verdicts if one.is_comparable]
    near = near_ceiling(list(verdicts))
    reached = [one for one in near if (one.share_of_ceiling or 0.0) >= NEAR_CEILING]
    rows = (
        ("first of the six, or level with the first", "90 %", *_part(verdicts, "is_level")),
        ("first of the six", "", *_part(verdicts, "is_first")),
        (f"first by more than {CLOSE}", "", *_part(verdicts, "is_clear")),
        ("above the paper's own SA-SLC", "75 %", *_part(comparable, "is_above_published")),
        ("at 97 % of the gold ceiling or more, p ≥ 0.5", "all", *_count(len(reached), len(near))),
        ("consensus alone: first of the six, or level", "", *_part(by_consensus, "is_level")),
        ("consensus alone: first of the six", "", *_part(by_consensus, "is_first")),
        (f"consensus alone: first by more than {CLOSE}", "", *_part(by_consensus, "is_clear")),
    )
    return Table(("SA-SLC, default preset, is …", "goal", "crowds", "share"), rows)


def precision_table(verdicts: Sequence[Verdict]) -> Table:
    """The same by p, with how far behind the first it is on average, and how near to the ceiling."""
    rows = []
    for precision in PRECISIONS:
        mine = [one for one in verdicts if one.crowd.precision == precision]
        shares = [one.share_of_ceiling for one in mine if one.share_of_ceiling is not None]
        rows.append(
            (
                str(precision),
                len(mine),
                sum(one.is_first for one in mine),
                sum(one.is_level for one in mine),
                f"{mean(one.gap for one in mine):.2f}" if mine else "",
                f"{100 * mean(shares):.1f} %" if shares else "",
            )
        )
    columns = ("p", "crowds", "first", "first or level", "mean gap to the first", "mean share of the ceiling")
    return Table(columns, tuple(rows))


def winners_table(verdicts: Sequence[Verdict]) -> Table:
    """How often each method is first, in ours and in the paper's figures of the same crowds.

    Methods that share the first place in the paper's rounded figures all have it.
    """
    ours = Counter(one.first for one in verdicts)
    theirs: Counter[str] = Counter()
    for one in verdicts:
        figures = {method: published_f1(*one.crowd, method) for method in METHODS}
        theirs.update(method for method, figure in figures.items() if figure == max(figures.values()))
    rows = tuple((title, ours[method], theirs[method]) for method, title in METHODS.items())
    return Table(("first of the six", "here", "in the paper"), rows)


def rank_table(scores: GridScores) -> Table:
    """Mean rank of each method by corpus, `ours / the paper's`, over the crowds that are complete."""
    rows = []
    for method, title in METHODS.items():
        cells = []
        for data in TITLES:
            crowds = [crowd for crowd in CROWDS if crowd.data == data and scores.is_complete(crowd)]
            ours = [
                _rank({name: scores.mean(crowd, name) or 0.0 for name in METHODS}, method) for crowd in crowds
            ]
            theirs = [
                _rank({name: published_f1(*crowd, name) for name in METHODS}, method) for crowd in crowds
            ]
            cells.append(f"{mean(ours):.1f} / {mean(theirs):.1f}" if crowds else "")
        rows.append((title, *cells))
    return Table(("mean rank, here / in the paper", *TITLES.values()), tuple(rows))


def behind_table(scores: GridScores, verdicts: Sequence[Verdict]) -> Table:
    """Crowds on which another method is ahead, and in what."""
    rows = tuple(
        (
            crowd_name(one.crowd),
            METHODS[one.first],
            f"{one.best:.2f} ({_balance(scores, one.crowd, one.first)})",
            f"{one.own:.2f} ({_balance(scores, one.crowd, OURS)})",
            f"{one.gap:.2f}",
        )
        for one in verdicts
        if not one.is_first
    )
    return Table(("crowd", "first", "its F1 (P / R)", "SA-SLC (P / R)", "behind by"), rows)


def behind_reading(scores: GridScores, verdicts: Sequence[Verdict]) -> str:
    """Whether SA-SLC marks too much or too little where it is behind."""
    behind = [one for one in verdicts if not one.is_first]
    kinds = Counter(_lack(scores, one) for one in behind)
    told = [f"on {count} SA-SLC {kind}" for kind, count in kinds.most_common()]
    return f"Against the method that is first there: {', '.join(told)}."


def _lack(scores: GridScores, verdict: Verdict) -> str:
    ours, theirs = (scores.balance(verdict.crowd, name) or (0.0, 0.0) for name in (OURS, verdict.first))
    if ours[0] < theirs[0] and ours[1] < theirs[1]:
        return "marks more wrongly and misses more"
    return "marks more wrongly, though it misses less" if ours[0] < theirs[0] else "misses more"


def _balance(scores: GridScores, crowd: Crowd, method: str) -> str:
    precision, recall = scores.balance(crowd, method) or (0.0, 0.0)
    return f"{precision:.1f} / {recall:.1f}"


def published_table(verdicts: Sequence[Verdict], *, comparable: bool) -> Table:
    """Crowds on which the paper's SA-SLC is not behind ours; or, not comparable, is above our ceiling."""
    rows = tuple(
        (crowd_name(one.crowd), f"{one.published:.2f}", f"{one.own:.2f}", f"{one.ceiling or 0.0:.2f}")
        for one in verdicts
        if one.is_comparable == comparable and not (comparable and one.is_above_published)
    )
    return Table(("crowd", "the paper's SA-SLC", "ours", "our gold ceiling"), rows)


def ceiling_table(verdicts: Sequence[Verdict]) -> Table:
    """Crowds of p ≥ 0.5 that stay below 97 % of the ceiling."""
    rows = tuple(
        (
            crowd_name(one.crowd),
            f"{one.own:.2f}",
            f"{one.ceiling or 0.0:.2f}",
            f"{100 * (one.share_of_ceiling or 0.0):.1f} %",
        )
        for one in near_ceiling(list(verdicts))
        if (one.share_of_ceiling or 0.0) < NEAR_CEILING
    )
    return Table(("crowd", "SA-SLC", "gold ceiling", "share"), rows)


def crowd_name(crowd: Crowd) -> str:
    return f"{TITLES[crowd.data]}, K = {crowd.annotators}, p = {crowd.precision}"


def _rank(values: dict[str, float], method: str) -> float:
    """From 1; those who are equal share the mean of their places."""
    ahead = sum(other > values[method] for other in values.values())
    equal = sum(other == values[method] for other in values.values())
    return ahead + (1 + equal) / 2


def _part(verdicts: Sequence[Verdict], name: str) -> tuple[str, str]:
    return _count(sum(getattr(one, name) for one in verdicts), len(verdicts))


def _count(part: int, whole: int) -> tuple[str, str]:
    return f"{part} of {whole}", f"{100 * part / whole:.0f} %" if whole else ""
