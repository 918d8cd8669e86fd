"""What the grid says of SA-SLC: is it first, above the paper's figure, and how near to the ceiling."""

from dataclasses import dataclass

from crowdseq_research.paper.cells.keys import Crowd
from crowdseq_research.paper.tables.grid_scores import CROWDS, GridScores
from crowdseq_research.paper.tables.published import METHODS, published_f1

OURS = "sa-slc"
CLOSE = 0.5  # percent F1 within which a method counts as level with the first
NEAR_CEILING = 0.97
GOOD_PRECISION = 0.5  # from here on the ceiling should be near


@dataclass(frozen=True)
class Verdict:
    """SA-SLC on one crowd that all six methods have learned from; F1 in percent.

    error: of the difference to the first, where there are repeats. runner_up: the best of the other five.
    """

    crowd: Crowd
    own: float
    first: str
    best: float
    published: float
    error: float | None = None
    ceiling: float | None = None
    runner_up: float = 0.0

    @property
    def gap(self) -> float:
        return self.best - self.own

    @property
    def is_first(self) -> bool:
        return self.first == OURS

    @property
    def is_clear(self) -> bool:
        """First, and not so little ahead that one cannot tell."""
        return self.own - self.runner_up > CLOSE

    @property
    def is_level(self) -> bool:
        """First, or so near that one cannot tell."""
        return self.gap <= max(CLOSE, self.error or 0.0)

    @property
    def is_comparable(self) -> bool:
        """Whether the paper's figure can be reached at all with our tagger and test part."""
        return self.ceiling is None or self.published <= self.ceiling

    @property
    def is_above_published(self) -> bool:
        return self.own > self.published

    @property
    def share_of_ceiling(self) -> float | None:
        return None if self.ceiling is None else self.own / self.ceiling


def judge(scores: GridScores) -> list[Verdict]:
    """A verdict for each complete crowd, in the order of the tables."""
    return [_verdict(scores, crowd) for crowd in CROWDS if scores.is_complete(crowd)]


def _verdict(scores: GridScores, crowd: Crowd) -> Verdict:
    means = {method: scores.mean(crowd, method) or 0.0 for method in METHODS}
    # Ours wins a tie: it is first then, with another.
    first = max(means, key=lambda method: (means[method], method == OURS))
    return Verdict(
        crowd,
        means[OURS],
        first,
        means[first],
        published_f1(*crowd, OURS),
        scores.gap_error(crowd, first, OURS),
        scores.ceiling(crowd.data),
        max(value for method, value in means.items() if method != OURS),
    )


def near_ceiling(verdicts: list[Verdict]) -> list[Verdict]:
    """Those of crowds good enough for it, whose ceiling is known."""
    return [
        one for one in verdicts if one.crowd.precision >= GOOD_PRECISION and one.share_of_ceiling is not None
    ]
