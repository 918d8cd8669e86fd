"""How a vote depends on the truth: what every annotator model promises, and the two with few numbers.

A model numbers the kinds of votes that it tells apart, and gives every kind a row of M scores, one for each
truth. What `learn` takes are the expected counts of the same shape, as VoteTable gathers them.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.numerics.crowds.dirichlet import Rows, learn_rows


@dataclass(frozen=True, eq=False)
class Judgement:
    """What a model holds of all annotators.

    scores (C, M): log p(vote | truth), or its expectation, for each kind of vote. credit: see `Rows`.
    describe: gives the probabilities by name, made when asked for because tables can be large.
    known (C,): where a vote equals the truth, the share of it that is knowledge, not luck (spamming only).
    """

    scores: FloatArray
    credit: float
    describe: Callable[[], dict[str, Any]]
    known: FloatArray = field(default_factory=lambda: np.zeros(0))


class AnnotatorModel(Protocol):
    """kinds (V,): the kind of each vote; there are n_kinds of them."""

    @property
    def kinds(self) -> IntArray: ...
    @property
    def n_kinds(self) -> int: ...
    def learn(self, counts: FloatArray, before: Judgement | None = None) -> Judgement:
        """From (C, M) expected counts; before: the judgement under which they were expected, if any."""


@dataclass(frozen=True, eq=False)
class Accuracies:
    """A chance of being right for each annotator and class of truths; what is wrong is spread evenly.

    classes (M,): the class of each truth. All 0 gives one accuracy per annotator, arange(M) one per truth.
    right, wrong: prior counts.
    """

    annotators: IntArray
    labels: IntArray
    n_annotators: int
    classes: IntArray
    right: float
    wrong: float
    bayes: bool

    @property
    def kinds(self) -> IntArray:
        return self.annotators.astype(np.int64) * len(self.classes) + self.labels

    @property
    def n_kinds(self) -> int:
        return self.n_annotators * len(self.classes)

    def learn(self, counts: FloatArray, before: Judgement | None = None) -> Judgement:  # noqa: ARG002
        n_labels, n_classes = len(self.classes), int(self.classes.max(initial=0)) + 1
        cells = counts.reshape(self.n_annotators, n_labels, n_labels)
        diagonal = np.arange(n_labels)
        right = cells[:, diagonal, diagonal]
        by_truth = np.stack([right, cells.sum(axis=1) - right], axis=-1)
        by_class = np.zeros((self.n_annotators, n_classes, 2))
        for truth, group in enumerate(self.classes):
            by_class[:, group] += by_truth[:, truth]
        rows = learn_rows(np.maximum(by_class, 0.0), np.array([self.right, self.wrong]), bayes=self.bayes)
        # A wrong vote is one of the other labels; with a single label there is none to choose.
        wrong = rows.logs[:, self.classes, 1] - np.log(max(n_labels - 1, 1))
        scores = np.repeat(wrong[:, None, :], n_labels, axis=1)
        scores[:, diagonal, diagonal] = rows.logs[:, self.classes, 0]
        accuracies = rows.means[:, self.classes, 0]
        return Judgement(scores.reshape(-1, n_labels), rows.credit, lambda: {"accuracies": accuracies})


@dataclass(frozen=True, eq=False)
class Spamming:
    """With a chance an annotator knows and gives the truth, else a label from a habit of their own.

    knows, guesses: prior counts of the two; habit: prior count of each label of the habit.
    """

    annotators: IntArray
    labels: IntArray
    n_annotators: int
    n_labels: int
    knows: float
    guesses: float
    habit: float
    bayes: bool

    @property
    def kinds(self) -> IntArray:
        return self.annotators.astype(np.int64) * self.n_labels + self.labels

    @property
    def n_kinds(self) -> int:
        return self.n_annotators * self.n_labels

    def judge(self, knowing: Rows, habits: Rows) -> Judgement:
        """From rows (K, 2) of knowing and guessing and rows (K, M) of habits."""
        n_labels = self.n_labels
        guessed = knowing.logs[:, 1:] + habits.logs
        right = np.logaddexp(knowing.logs[:, :1], guessed)
        scores = np.repeat(guessed[:, :, None], n_labels, axis=2)
        scores[:, np.arange(n_labels), np.arange(n_labels)] = right
        return Judgement(
            scores.reshape(-1, n_labels),
            knowing.credit + habits.credit,
            lambda: {"knowing": knowing.means[:, 0], "habits": habits.means},
            np.exp(knowing.logs[:, :1] - right).reshape(-1),
        )

    def learn(self, counts: FloatArray, before: Judgement | None = None) -> Judgement:
        cells = counts.reshape(self.n_annotators, self.n_labels, self.n_labels)
        right = cells[:, np.arange(self.n_labels), np.arange(self.n_labels)]
        known = right * (0.5 if before is None else before.known.reshape(right.shape))
        guessed = np.maximum(cells.sum(axis=2) - known, 0.0)
        sums = np.stack([known.sum(axis=1), guessed.sum(axis=1)], axis=1)
        knowing = learn_rows(sums, np.array([self.knows, self.guesses]), bayes=self.bayes)
        return self.judge(knowing, learn_rows(guessed, self.habit, bayes=self.bayes))
