"""What the default must reach on the zoo, and whether it does: every line computed from cells."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from crowdseq.reports.tables import Table
from crowdseq_research.zoo.rows import BEFORE, OURS, VOTES, VOTES_OF_THE_SPEAKING
from crowdseq_research.zoo.scores import CrowdScores, crowd_scores, is_empty
from crowdseq_research.zoo.tables import LEVEL

Cell = Mapping[str, Any]
_SMALL = 500  # sentences
_EXACT = 5e-4  # 1.000 to three digits


class Line(NamedTuple):
    """value: None where cells are missing. at_least: whether more is better."""

    what: str
    value: float | None
    must: float | None
    aim: float | None = None
    where: str = ""
    at_least: bool = True

    @property
    def verdict(self) -> str:
        if self.value is None:
            return "no cells yet"
        if self.must is not None and not self._reaches(self.must):
            return "**not met**"
        if self.aim is not None and self._reaches(self.aim):
            return "met, and the aim"
        return "met" if self.must is not None else "aim not met"

    def _reaches(self, bound: float) -> bool:
        assert self.value is not None
        return self.value >= bound if self.at_least else self.value <= bound


class Found:
    """The cells of the zoo and of the crowd that judges, by crowd and row."""

    def __init__(self, cells: Iterable[Cell], final: Iterable[Cell] = ()) -> None:
        listed = [*cells]
        self.scores: Sequence[CrowdScores] = [one for one in crowd_scores(listed) if OURS in one.rows]
        self._cells: dict[tuple[str, str], dict[int, Cell]] = {}
        for cell in (*listed, *final):
            key = cell["key"]
            self._cells.setdefault((key["data"], key["row"]), {})[key["draw"]] = cell

    def draws(self, crowd: str, row: str = OURS) -> Mapping[int, Cell]:
        return self._cells.get((crowd, row), {})

    def score(self, crowd: str) -> float | None:
        """The mean over the draws, where all of them are there."""
        return next((one.rows[OURS].value for one in self.scores if one.crowd.name == crowd), None)

    def part(self, crowd: str, name: str) -> float | None:
        parts = [cell["parts"][name] for cell in self.draws(crowd).values()]
        return float(np.mean(parts)) if parts else None

    def gain(self, crowd: str, over: str) -> float | None:
        """The mean difference to another row on the draws that both have."""
        ours, theirs = self.draws(crowd), self.draws(crowd, over)
        gaps = [ours[draw]["score"] - theirs[draw]["score"] for draw in ours if draw in theirs]
        return float(np.mean(gaps)) if gaps else None


def acceptance_lines(found: Found) -> list[Line]:
    """In the order of the acceptance table."""
    return [
        *_standing(found),
        Line("AMT, test part", found.part("amt-all", "test"), 0.825, 0.835),
        Line("AMT, all", _mean_of(found.draws("amt-all").values(), "score"), 0.838, 0.848),
        *_floors(found, {"pico": (0.585, 0.60), "pos": (0.812, 0.82)}),
        Line("AMT, 100 sentences, 20 draws: gain over preset 0.1", found.gain("amt-100", BEFORE), 0.06, 0.08),
        Line(
            "AMT, 500 sentences, 20 draws: gain over preset 0.1", found.gain("amt-500", BEFORE), 0.02, 0.035
        ),
        *_floors(
            found,
            {
                "oei": (0.52, 0.55),
                "wikigold": (0.61, 0.64),
                "laptop": (0.72, 0.75),
                "weak-ncbi": (0.81, 0.84),
                "noisy-bad": (0.92, 0.96),
                "exact-mid": (0.92, 0.95),
                "two-and-blanks": (0.87, 0.90),
            },
        ),
        _least_gain(found),
        *_floors(
            found,
            {
                "poor-ncbi_disease": (0.61, None),
                "many-poor-ncbi_disease": (0.71, None),
                "poor-conll2003": (None, 0.62),
            },
        ),
        *_alone(found),
        *_calibration(found),
    ]


def acceptance_table(lines: Sequence[Line]) -> Table:
    """What is asked, what there is, and the verdict."""
    rows = tuple(
        (line.what, _bound(line, line.must), _bound(line, line.aim), line.value, line.where, line.verdict)
        for line in lines
    )
    return Table(("what", "must", "aim", "figure", "where", "verdict"), rows, "Acceptance of the default")


def _bound(line: Line, bound: float | None) -> str:
    if bound is None:
        return ""
    return f"{'≥' if line.at_least else '≤'} {bound:g}"


def _standing(found: Found) -> list[Line]:
    """Against the other methods: how often level with the best, and never far below the votes."""
    scores = found.scores
    level = [one.behind(OURS) <= LEVEL for one in scores]
    lines = [
        Line("share of crowds, first or within 1.0 F1", float(np.mean(level)) if level else None, 0.85, 0.95)
    ]
    for row in (VOTES, VOTES_OF_THE_SPEAKING):
        what = f"furthest below {row}"
        gaps = [
            (one.rows[row].value - one.rows[OURS].value, one.crowd.name) for one in scores if row in one.rows
        ]
        lines.append(_most(what, gaps, 0.01, 0.003))
    empty = [one.crowd.name for one in scores if any(map(is_empty, found.draws(one.crowd.name).values()))]
    count = float(len(empty)) if scores else None
    return [
        *lines,
        Line("crowds with an empty consensus", count, 0.0, where=", ".join(empty), at_least=False),
    ]


def _floors(found: Found, bounds: Mapping[str, tuple[float | None, float | None]]) -> list[Line]:
    return [Line(crowd, found.score(crowd), must, aim) for crowd, (must, aim) in bounds.items()]


def _least_gain(found: Found) -> Line:
    """Simulated crowds of p = 0.5 must not lose."""
    names = [f"mid-{name}" for name in ("conll2003", "bc2gm", "jnlpba", "ncbi_disease")]
    gains = [(gain, name) for name in names if (gain := found.gain(name, BEFORE)) is not None]
    least, where = min(gains, default=(None, ""))
    return Line("simulated, p = 0.5: least gain over preset 0.1", least, -0.003, 0.0, where)


def _alone(found: Found) -> list[Line]:
    names = ("alone-expert", "alone-bad", "each-alone")
    alike = [(cell["like_votes"], name) for name in names for cell in found.draws(name).values()]
    least, where = min(alike, default=(None, ""))
    gain = found.gain("overlap-experts", VOTES)
    return [
        Line("one annotator only: F1 against their own labels", least, 1.0 - _EXACT, where=where),
        Line("three good people, 10 % overlap: gain over majority vote", gain, -0.003),
    ]


def _calibration(found: Found) -> list[Line]:
    """The worst of each group of crowds."""
    groups: tuple[tuple[str, Callable[[CrowdScores], bool], float, float], ...] = (
        (
            "people, 500 sentences and more",
            lambda one: one.crowd.people and one.sentences >= _SMALL,
            0.10,
            0.05,
        ),
        ("people, smaller", lambda one: one.crowd.people and one.sentences < _SMALL, 0.15, 0.10),
        ("labelling functions", lambda one: not one.crowd.people, 0.20, 0.10),
    )
    lines = []
    for name, is_in, must, aim in groups:
        errors = [(one.rows[OURS].calibration or 0.0, one.crowd.name) for one in found.scores if is_in(one)]
        lines.append(_most(f"largest calibration error, {name}", errors, must, aim))
    return lines


def _most(what: str, values: Sequence[tuple[float, str]], must: float, aim: float) -> Line:
    most, where = max(values, default=(None, ""))
    return Line(what, most, must, aim, where, at_least=False)


def _mean_of(cells: Iterable[Cell], field: str) -> float | None:
    values = [cell[field] for cell in cells]
    return float(np.mean(values)) if values else None
