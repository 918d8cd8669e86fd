"""Realised: what precision and recall a simulated crowd really has, counted from its tags."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from crowdseq.arrays import BoolArray, IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.core.spans import SpanTable, find_spans
from crowdseq.simulation.cast import Person
from crowdseq.simulation.profiles import READS

TOLERANCE = 0.01
_RECALL_TOLERANCE = 0.05


@dataclass(frozen=True)
class RealisedAnnotator:
    """One annotator: the levels that were asked for (None from those who do not read), and strict counts.

    right: marks equal to a gold mention in start, end and type; a mark that does not open as its scheme says
    counts for nothing. mentions: gold mentions of the sentences that the annotator saw.
    """

    annotator: str
    profile: str | None
    asked_precision: float | None
    asked_recall: float | None
    sentences: int
    mentions: int
    marks: int
    right: int

    @property
    def precision(self) -> float | None:
        return self.right / self.marks if self.marks else None

    @property
    def recall(self) -> float | None:
        return self.right / self.mentions if self.mentions else None


@dataclass(frozen=True)
class Realised:
    """All annotators of a crowd, beside the mean precision that was asked of the ordinary ones."""

    asked_precision: float
    annotators: tuple[RealisedAnnotator, ...]

    @property
    def mean_precision(self) -> float | None:
        """Mean over the ordinary annotators who marked anything; None when there are none."""
        return _mean([each.precision for each in self.annotators if each.profile is None])

    @property
    def mean_recall(self) -> float | None:
        """Mean over the ordinary annotators who saw a mention; None when there are none."""
        return _mean([each.recall for each in self.annotators if each.profile is None])

    @property
    def on_target(self) -> bool:
        """Whether the mean precision is as asked, to 0.01; of a crowd of profiles only, nothing was asked.

        A text of a few mentions cannot meet every precision, so this is told and not enforced.
        """
        if all(each.profile is not None for each in self.annotators):
            return True
        mean = self.mean_precision
        return mean is not None and abs(mean - self.asked_precision) <= TOLERANCE

    def notes(self, asked_recall: float | None) -> list[str]:
        """What could not be had as it was asked for; recall gives way to precision."""
        ordinary = [each for each in self.annotators if each.profile is None]
        silent = sum(not each.marks for each in ordinary)
        found = []
        if silent:
            found.append(f"{silent} of {len(ordinary)} annotators marked nothing, and have no precision")
        if not self.on_target and self.mean_precision is not None:
            found.append(f"a mean precision of {self.asked_precision} cannot be had on this text")
        recall = self.mean_recall
        if asked_recall is not None and recall is not None and abs(recall - asked_recall) > _RECALL_TOLERANCE:
            found.append(f"a mean recall of {asked_recall} cannot be had with this precision on this text")
        return found

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "asked_precision": self.asked_precision,
            "mean_precision": self.mean_precision,
            "mean_recall": self.mean_recall,
            "on_target": self.on_target,
            "annotators": [
                {**asdict(each), "precision": each.precision, "recall": each.recall}
                for each in self.annotators
            ],
        }


def measure(
    person: Person, corpus: Corpus, tags: IntArray, truth: SpanTable, seen: BoolArray
) -> RealisedAnnotator:
    """The counts of one annotator's tags (T,), -1 where not seen, against all gold mentions."""
    given = find_spans(tags, corpus.offsets, corpus.scheme)
    true_ends = np.zeros(corpus.n_tokens, np.int64)
    true_types = np.full(corpus.n_tokens, -1, np.int64)
    true_ends[truth.starts], true_types[truth.starts] = truth.ends, truth.types
    matches = (true_ends[given.starts] == given.ends) & (true_types[given.starts] == given.types)
    reads = person.character.manner == READS
    return RealisedAnnotator(
        annotator=person.name,
        profile=person.profile,
        asked_precision=person.character.precision if reads else None,
        asked_recall=person.character.recall if reads else None,
        sentences=int(np.count_nonzero(seen)),
        mentions=int(np.count_nonzero(seen[corpus.text.sentence_of[truth.starts]])),
        marks=len(given),
        right=int(np.count_nonzero(matches)),
    )


def _mean(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None
