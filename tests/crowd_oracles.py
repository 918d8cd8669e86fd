"""Slow and obvious crowd models: every truth sequence is listed, every count is a loop."""

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import pairwise, product
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy import stats
from scipy.special import digamma, gammaln

from crowdseq.arrays import FloatArray
from crowdseq.core.corpus import Corpus


class Vote(NamedTuple):
    """One vote on a token: who, what they said one token before (-1: nothing), and what they say."""

    annotator: int
    before: int
    given: int


@dataclass
class Row:
    """A row of probabilities with prior counts; cells with prior 0 do not exist."""

    prior: list[float]
    counts: list[float]

    def logs(self, bayes: bool) -> list[float]:
        total = [p + c if p > 0 else 0.0 for p, c in zip(self.prior, self.counts, strict=True)]
        if bayes:
            return [float(digamma(t) - digamma(sum(total))) if t > 0 else -np.inf for t in total]
        return [float(np.log(t / sum(total))) if t > 0 else -np.inf for t in total]

    def credit(self, bayes: bool) -> float:
        """E log prior density plus entropy of a belief; log prior without its constant for a point."""
        cells = [(p, p + c) for p, c in zip(self.prior, self.counts, strict=True) if p > 0]
        prior, total = np.array([p for p, _ in cells]), np.array([t for _, t in cells])
        if not bayes:
            return float((prior * np.log(total / total.sum())).sum())
        if len(prior) == 1:
            return 0.0
        logs = digamma(total) - digamma(total.sum())
        density = ((prior - 1) * logs).sum() + gammaln(prior.sum()) - gammaln(prior).sum()
        return float(density + stats.dirichlet(total).entropy())


class SlowAnnotators(Protocol):
    def forget(self) -> None: ...
    def count(self, weight: float, vote: Vote, truth: int) -> None: ...
    def close(self) -> None: ...
    def score(self, vote: Vote, truth: int) -> float: ...
    def credit(self) -> float: ...


@dataclass
class SlowConfusions:
    """prior[truth][given], times scale[before][given] where votes hang on the vote before."""

    prior: FloatArray
    bayes: bool
    scale: FloatArray | None = None
    rows: dict[tuple[int, int, int], Row] = field(default_factory=dict)

    def _row(self, vote: Vote, truth: int) -> Row:
        before = vote.before if self.scale is not None else -1
        factor = np.ones(len(self.prior)) if self.scale is None else self.scale[before]
        made = Row(list(self.prior[truth] * factor), [0.0] * len(self.prior))
        return self.rows.setdefault((vote.annotator, before, truth), made)

    def forget(self) -> None:
        self.rows = {}

    def count(self, weight: float, vote: Vote, truth: int) -> None:
        self._row(vote, truth).counts[vote.given] += weight

    def close(self) -> None: ...

    def score(self, vote: Vote, truth: int) -> float:
        return self._row(vote, truth).logs(self.bayes)[vote.given]

    def credit(self) -> float:
        return sum(row.credit(self.bayes) for row in self.rows.values())


@dataclass
class SlowAccuracies:
    """Right or wrong, by class of the truth; what is wrong is spread over the other labels."""

    classes: list[int]
    right: float
    wrong: float
    bayes: bool
    n_annotators: int
    rows: dict[tuple[int, int], Row] = field(default_factory=dict)

    def forget(self) -> None:
        cells = product(range(self.n_annotators), set(self.classes))
        self.rows = {cell: Row([self.right, self.wrong], [0.0, 0.0]) for cell in cells}

    def count(self, weight: float, vote: Vote, truth: int) -> None:
        row = self.rows[vote.annotator, self.classes[truth]]
        row.counts[0 if vote.given == truth else 1] += weight

    def close(self) -> None: ...

    def score(self, vote: Vote, truth: int) -> float:
        right, wrong = self.rows[vote.annotator, self.classes[truth]].logs(self.bayes)
        return right if vote.given == truth else wrong - float(np.log(len(self.classes) - 1))

    def credit(self) -> float:
        return sum(row.credit(self.bayes) for row in self.rows.values())


@dataclass
class SlowSpamming:
    """A vote is known or guessed; which one is a hidden variable that is summed out."""

    knows: float
    guesses: float
    habit: float
    bayes: bool
    n_annotators: int
    n_labels: int
    knowing: dict[int, Row] = field(default_factory=dict)
    habits: dict[int, Row] = field(default_factory=dict)
    given: tuple[FloatArray, FloatArray] | None = None  # (K, 2) and (K, M) to start with, before any count
    pending: list[tuple[float, float, Vote]] = field(default_factory=list)

    def forget(self) -> None:
        self.pending = []

    def count(self, weight: float, vote: Vote, truth: int) -> None:
        self.pending.append((weight, self._known(vote) if vote.given == truth else 0.0, vote))

    def _known(self, vote: Vote) -> float:
        if not self.knowing and self.given is None:
            return 0.5
        know, guessed = self._chances(vote)
        return know / (know + guessed)

    def _chances(self, vote: Vote) -> tuple[float, float]:
        """Of knowing, and of guessing just this label."""
        if self.given is not None:
            knowing, habits = self.given
            know, guess = knowing[vote.annotator]
            return float(know), float(guess * habits[vote.annotator, vote.given])
        know, guess = self.knowing[vote.annotator].logs(self.bayes)
        habit = self.habits[vote.annotator].logs(self.bayes)[vote.given]
        return float(np.exp(know)), float(np.exp(guess + habit))

    def close(self) -> None:
        self.given = None
        everybody = range(self.n_annotators)
        self.knowing = {k: Row([self.knows, self.guesses], [0.0, 0.0]) for k in everybody}
        even = [self.habit] * self.n_labels
        self.habits = {k: Row(list(even), [0.0] * self.n_labels) for k in everybody}
        for weight, known, vote in self.pending:
            self.knowing[vote.annotator].counts[0] += weight * known
            self.knowing[vote.annotator].counts[1] += weight * (1 - known)
            self.habits[vote.annotator].counts[vote.given] += weight * (1 - known)

    def score(self, vote: Vote, truth: int) -> float:
        know, guessed = self._chances(vote)
        return float(np.log(guessed + (know if vote.given == truth else 0.0)))

    def credit(self) -> float:
        rows = [*self.knowing.values(), *self.habits.values()]
        return sum(row.credit(self.bayes) for row in rows)


@dataclass
class SlowChain:
    """Truths of M labels in units of neighbouring tokens; priors as prior counts, words if word_prior.

    With units of one token and `starts` as the shares of labels it is a model without a chain.
    """

    units: list[list[int]]
    votes: dict[int, list[Vote]]
    words: list[int]
    starts: list[float]
    transitions: list[list[float]]
    word_prior: float | None
    bayes: bool
    annotators: SlowAnnotators
    even: bool = False  # shares are not learned: every truth is as likely as any other

    def round(self, paths: list[list[tuple[tuple[int, ...], float]]]) -> tuple[Any, float]:
        """From listed paths with their probabilities to new ones, and the objective."""
        n_labels = len(self.starts)
        starts = Row(list(self.starts), [0.0] * n_labels)
        steps = [Row(list(row), [0.0] * n_labels) for row in self.transitions]
        n_words = len(set(self.words))
        emit = [Row([self.word_prior or 1.0] * n_words, [0.0] * n_words) for _ in range(n_labels)]
        self.annotators.forget()
        for unit, listed in zip(self.units, paths, strict=True):
            for path, weight in listed:
                starts.counts[path[0]] += weight
                for before, after in pairwise(path):
                    steps[before].counts[after] += weight
                for token, truth in zip(unit, path, strict=True):
                    emit[truth].counts[self.words[token]] += weight
                    for vote in self.votes[token]:
                        self.annotators.count(weight, vote, truth)
        self.annotators.close()
        rows = [] if self.even else [starts, *steps, *(emit if self.word_prior else [])]
        return self._expect(starts, steps, emit, sum(row.credit(self.bayes) for row in rows))

    def _expect(self, starts: Row, steps: list[Row], emit: list[Row], credit: float) -> tuple[Any, float]:
        n_labels = len(self.starts)
        first = [-np.log(n_labels)] * n_labels if self.even else starts.logs(self.bayes)
        found, evidence = [], 0.0
        for unit in self.units:
            scored = []
            for path in product(range(n_labels), repeat=len(unit)):
                score = first[path[0]]
                for before, after in pairwise(path):
                    score += steps[before].logs(self.bayes)[after]
                for token, truth in zip(unit, path, strict=True):
                    if self.word_prior:
                        score += emit[truth].logs(self.bayes)[self.words[token]]
                    score += sum(self.annotators.score(vote, truth) for vote in self.votes[token])
                scored.append((path, score))
            total = float(np.log(sum(np.exp(score) for _, score in scored)))
            evidence += total
            found.append([(path, float(np.exp(score - total))) for path, score in scored])
        return found, evidence + credit + self.annotators.credit()

    def independent_paths(self, truth: FloatArray) -> list[list[tuple[tuple[int, ...], float]]]:
        """Paths whose tokens are drawn one by one from (T, M) truths."""
        labels = range(len(self.starts))
        return [
            [
                (path, float(np.prod([truth[token, label] for token, label in zip(unit, path, strict=True)])))
                for path in product(labels, repeat=len(unit))
            ]
            for unit in self.units
        ]

    def truth(self, paths: list[list[tuple[tuple[int, ...], float]]]) -> FloatArray:
        """(T, M) from listed paths."""
        found = np.zeros((len(self.words), len(self.starts)))
        for unit, listed in zip(self.units, paths, strict=True):
            for path, weight in listed:
                found[unit, list(path)] += weight
        return found


def votes_by_token(world: Corpus) -> dict[int, list[Vote]]:
    """The votes on every token, read off the ballots one by one."""
    votes: dict[int, list[Vote]] = defaultdict(list)
    for place, ballot in enumerate(world.annotations.ballots):
        start = int(world.offsets[place])
        for voter, tags in zip(ballot.voters.tolist(), ballot.tags.tolist(), strict=True):
            for position, given in enumerate(tags):
                if given >= 0:
                    before = tags[position - 1] if position else -1
                    votes[start + position].append(Vote(voter, before, given))
    return votes


def sentence_units(world: Corpus) -> list[list[int]]:
    """The tokens of each sentence that has any."""
    bounds = world.offsets.tolist()
    return [list(range(start, stop)) for start, stop in pairwise(bounds) if stop > start]
