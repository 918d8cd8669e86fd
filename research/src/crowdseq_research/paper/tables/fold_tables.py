"""Tables II and III: mean and spread over ten folds, and whether SA-SLC differs by a paired t-test."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import mean, stdev
from typing import Any

from scipy import stats

from crowdseq.reports.tables import Table
from crowdseq_research.paper.tables.grid_tables import NOT_RUN
from crowdseq_research.paper.tables.published import METHODS, TABLES_2_3, TITLES
from crowdseq_research.paper.tables.verdicts import OURS

FOLDS = 10
SIGNIFICANT = 0.05
MARKS = {"better": " ●", "worse": " ○", "": ""}

FoldScores = Mapping[tuple[str, str], Mapping[int, float]]


def fold_scores(cells: Iterable[Mapping[str, Any]]) -> FoldScores:
    """Percent F1 by (corpus, method) and fold; cells of quick runs are left out."""
    found: dict[tuple[str, str], dict[int, float]] = {}
    for cell in cells:
        key = cell["key"]
        if "fold" in key and "sentences" not in key and not key["settings"]:
            found.setdefault((key["data"], key["method"]), {})[key["fold"]] = 100 * (
                cell["tagger"]["f1"] or 0.0
            )
    return found


def fold_table(scores: FoldScores) -> Table:
    """`ours / the paper's` for each corpus; ● SA-SLC is significantly better, ○ significantly worse."""
    rows = tuple(
        (title, *(f"{_shown(scores, data, method)} / {_published(data, method)}" for data in TITLES))
        for method, title in METHODS.items()
    )
    return Table(("F1, mean ± std, here / in the paper", *TITLES.values()), rows)


def compare_folds(ours: Sequence[float], theirs: Sequence[float]) -> str:
    """Whether paired values of ours are significantly `better` or `worse`, else nothing."""
    gaps = [one - other for one, other in zip(ours, theirs, strict=True)]
    if len(gaps) < 2 or len(set(gaps)) == 1:
        return ""
    if float(stats.ttest_rel(ours, theirs).pvalue) >= SIGNIFICANT:
        return ""
    return "better" if mean(gaps) > 0 else "worse"


def fold_reading(scores: FoldScores) -> str:
    """How many of the others SA-SLC can be told from on each corpus; empty when nothing was run."""
    others = [method for method in METHODS if method != OURS]
    clauses = []
    for data, title in TITLES.items():
        run = [method for method in others if scores.get((data, method)) and scores.get((data, OURS))]
        verdicts = [_verdict(scores, data, method) for method in run]
        if run:
            better, worse = verdicts.count("better"), verdicts.count("worse")
            clauses.append(f"{title} better than {better} and worse than {worse} of {len(run)}")
    return f"By this test SA-SLC is on {', on '.join(clauses)} others." if clauses else ""


def _verdict(scores: FoldScores, data: str, method: str) -> str:
    """SA-SLC against another method, over the folds that both have."""
    ours, mine = scores.get((data, OURS), {}), scores.get((data, method), {})
    both = sorted(mine.keys() & ours.keys()) if method != OURS else []
    return compare_folds([ours[fold] for fold in both], [mine[fold] for fold in both])


def _shown(scores: FoldScores, data: str, method: str) -> str:
    mine = scores.get((data, method), {})
    if len(mine) < 2:
        return NOT_RUN
    mark = MARKS[_verdict(scores, data, method)]
    part = "" if len(mine) == FOLDS else f" ({len(mine)} folds)"
    return f"{mean(mine.values()):.2f} ± {stdev(mine.values()):.2f}{mark}{part}"


def _published(data: str, method: str) -> str:
    average, spread, verdict = TABLES_2_3[data][method]
    return f"{average:.2f} ± {spread:.2f}{MARKS[verdict]}"
