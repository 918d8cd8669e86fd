"""The zoo as tables: every kind and crowd by every row, and what they say of each row."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from crowdseq.reports.tables import NOT_AVAILABLE, Table
from crowdseq_research.zoo.rows import OURS, VOTES
from crowdseq_research.zoo.scores import CrowdScores, Score, common_rows, kind_weights, shown_rows

LEVEL = 0.01  # scores this near to the best are level with it
OLD = "†"  # behind what was computed with other sources
Measure = Callable[[Score], float | None]


def kind_table(scores: Sequence[CrowdScores]) -> Table:
    """F1 (accuracy where there are no spans) of every row on every kind: the mean of its crowds.

    The last column tells how far the default can be taken at its word.
    """
    rows = shown_rows(scores)
    kinds: dict[str, list[CrowdScores]] = {}
    for one in scores:
        kinds.setdefault(one.crowd.kind, []).append(one)
    lines = [
        (
            kind,
            len(crowds),
            _draws(crowds),
            *_marked_best([_mean(crowds, row) for row in rows]),
            _error(_mean(crowds, OURS)),
        )
        for kind, crowds in kinds.items()
    ]
    columns = ("kind", "crowds", "draws", *rows, f"calibration error of {OURS}")
    return Table(columns, tuple(lines), "Strict span F1 of the consensus by kind of crowd")


def score_table(scores: Sequence[CrowdScores]) -> Table:
    """The same, crowd by crowd."""
    rows = shown_rows(scores)
    lines = [(*_names(one), *_marked_best([one.rows.get(row) for row in rows])) for one in scores]
    return Table(("crowd", "sentences", "draws", *rows), tuple(lines), "Strict span F1, crowd by crowd")


def calibration_table(scores: Sequence[CrowdScores], rows: Sequence[str]) -> Table:
    """Calibration error on entity tokens (of tags without spans: on all) of some rows, crowd by crowd."""
    lines = [(*_names(one), *(_error(one.rows.get(row)) for row in rows)) for one in scores]
    return Table(("crowd", "sentences", "draws", *rows), tuple(lines), "Calibration error on entity tokens")


def summary_table(scores: Sequence[CrowdScores]) -> Table:
    """What the zoo says of each row; in means and ranks every kind weighs the same."""
    ranks = _mean_ranks(scores)
    lines = tuple(
        _summary([one for one in scores if row in one.rows], row, ranks) for row in shown_rows(scores)
    )
    columns = (
        "", "crowds", "mean", "mean rank", "first", "within 1 F1", "share", "furthest behind", "where",
        "below majority vote by more than 1 F1", "furthest below it", "where ", "empty",
    )  # fmt: skip
    return Table(columns, lines, f"What {len(scores)} crowds say of each method")


def _summary(mine: Sequence[CrowdScores], row: str, ranks: Mapping[str, float]) -> tuple[object, ...]:
    weights, behind = kind_weights(mine), [one.behind(row) for one in mine]
    is_level = [gap <= LEVEL for gap in behind]
    with_votes = [one for one in mine if VOTES in one.rows]
    below = [one.rows[VOTES].value - one.rows[row].value for one in with_votes] or [0.0]
    worst, lowest = int(np.argmax(behind)), int(np.argmax(below))
    return (
        row,
        len(mine),
        float(np.average([one.rows[row].value for one in mine], weights=weights)) if row in ranks else None,
        f"{ranks[row]:.2f}" if row in ranks else None,
        sum(gap <= 0 for gap in behind),
        sum(is_level),
        f"{100 * np.mean(is_level):.0f} %",
        max(behind[worst], 0.0),
        mine[worst].crowd.name if behind[worst] > 0 else "",
        sum(gap > LEVEL for gap in below),
        max(below[lowest], 0.0),
        with_votes[lowest].crowd.name if below[lowest] > 0 else "",
        sum(one.rows[row].empty for one in mine),
    )


def _mean_ranks(scores: Sequence[CrowdScores]) -> dict[str, float]:
    """1 for the best; rows that tie share the mean of their ranks."""
    rows = common_rows(scores)
    if not rows:
        return {}
    values = np.array([[one.rows[row].value for row in rows] for one in scores])
    ahead = (values[:, None, :] > values[:, :, None]).sum(axis=2)
    equal = (values[:, None, :] == values[:, :, None]).sum(axis=2)
    means = np.average(ahead + (equal + 1) / 2, axis=0, weights=kind_weights(scores))
    return dict(zip(rows, means.tolist(), strict=True))


def _mean(crowds: Sequence[CrowdScores], row: str) -> Score | None:
    """None unless all crowds have it: a mean of some of them would be about others than its neighbours."""
    if any(row not in one.rows for one in crowds):
        return None
    mine = [one.rows[row] for one in crowds]
    value = float(np.mean([score.value for score in mine]))
    errors = [score.calibration for score in mine if score.calibration is not None]
    error = float(np.mean(errors)) if errors else None
    return Score(value, error, 0, any(score.empty for score in mine), any(score.old for score in mine))


def _marked_best(found: Sequence[Score | None]) -> list[str]:
    """Three digits, the best in bold, what is old with its mark."""
    best = max((round(score.value, 3) for score in found if score), default=0.0)
    return [_shown(score, bold=score is not None and round(score.value, 3) == best) for score in found]


def _shown(score: Score | None, *, bold: bool) -> str:
    if score is None:
        return NOT_AVAILABLE
    text = f"{score.value:.3f}"
    return (f"**{text}**" if bold else text) + (OLD if score.old else "")


def _error(score: Score | None) -> str:
    if score is None or score.calibration is None:
        return NOT_AVAILABLE
    return f"{score.calibration:.3f}" + (OLD if score.old else "")


def _names(one: CrowdScores) -> tuple[str, int, str]:
    return one.crowd.name, one.sentences, _draws([one])


def _draws(crowds: Sequence[CrowdScores]) -> str:
    counts = sorted({score.draws for one in crowds for score in one.rows.values()})
    return str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
