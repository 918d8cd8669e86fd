"""CRF-MA: on each sentence one annotator is right; a CRF learns who, and what is right."""

from dataclasses import dataclass

import numpy as np

from crowdseq.aggregation.canonical import Canonical
from crowdseq.aggregation.contract import (
    JointAggregator,
    Learned,
    RunContext,
    method,
    require,
    require_rounds,
)
from crowdseq.aggregation.settling import settle
from crowdseq.aggregation.truth_model import crf_problem
from crowdseq.aggregation.voting import label_shares
from crowdseq.arrays import FloatArray, IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.core.ragged import gather_ranges
from crowdseq.core.spans import convert
from crowdseq.numerics.blocks import using_threads
from crowdseq.numerics.chains.chain import Lattice, log_partition, marginals
from crowdseq.numerics.em import Climb, climb
from crowdseq.numerics.optimise.lbfgs import Memory, Minimiser
from crowdseq.tagging.crf import CrfTrainer
from crowdseq.tagging.problem import CrfProblem
from crowdseq.tagging.targets import Targets

TRUTHS = ("tagger", "annotators")


@method("crf-ma")
@dataclass(frozen=True, kw_only=True)
class CrfMa(JointAggregator):
    """Asks which annotator is right on each sentence, and trains a CRF on the answers.

    (Rodrigues, Pereira and Ribeiro 2014.)

    rounds: EM rounds at most. tolerance: relative change of the objective at which to stop.
    iterations: steps of the optimiser in each round; it goes on where the round before left it.
    truth: what the consensus is made of: `tagger`, what the CRF says of the sentence, or `annotators`, the
        answers of its annotators, weighed by the chance that they are right.
    smoothing: how many sentences of average reliability are added to everybody's evidence.
    features, c2: as in CrfTrainer.
    """

    rounds: int = 5
    tolerance: float = 1e-4
    iterations: int = 60
    truth: str = "annotators"
    smoothing: float = 1.0
    features: str = "rich"
    c2: float = CrfTrainer.c2

    def __post_init__(self) -> None:
        require_rounds(self.rounds, self.tolerance)
        require(self.iterations >= 1, f"iterations is {self.iterations}, it must be at least 1")
        require(self.smoothing > 0, f"smoothing is {self.smoothing}, it must be above 0")
        require(self.truth in TRUTHS, f"truth is '{self.truth}', choose tagger or annotators")
        self.trainer  # noqa: B018  checks features and c2

    @property
    def trainer(self) -> CrfTrainer:
        return CrfTrainer(features=self.features, c2=self.c2)

    @property
    def monotone(self) -> bool:
        return True

    def learn(self, corpus: Corpus, context: RunContext = RunContext()) -> Learned:
        if corpus.n_tokens == 0 or corpus.annotations.n_votes == 0:
            return Learned(settle(corpus, label_shares(corpus)), None)
        ordered = Canonical.of(corpus)
        with using_threads(context.engine.threads):
            joint = _Joint.of(self, ordered.corpus)
            end = climb(
                joint.step,
                Climb(joint.start()),
                rounds=self.rounds,
                tolerance=self.tolerance,
                progress=context.progress,
            )
            truth = ordered.restore_tokens(joint.truth(end.state, by_tagger=self.truth == "tagger"))
        tagger = self.trainer.tagger(joint.problem, corpus.scheme, end.state.weights)
        strengths = ordered.restore_annotators(end.state.strengths)
        reliability = strengths / strengths.mean()
        consensus = settle(corpus, truth, history=end.history, reliability=reliability)
        return Learned(consensus, tagger)


@dataclass(frozen=True, eq=False)
class _Rows:
    """Answers of annotators to sentences: R rows laid end to end.

    voters, sentences (R,). bounds (R + 1,): where each begins in the cells. tokens (C,): the token of
    each cell. open_to (C, M): 0 for the label given, or for all where none is, minus infinity else.
    surplus (R,): minus the log probability of the row if its labels were guessed.
    """

    voters: IntArray
    sentences: IntArray
    bounds: IntArray
    tokens: IntArray
    open_to: FloatArray
    surplus: FloatArray

    @classmethod
    def of(cls, corpus: Corpus) -> "_Rows":
        crowd, scheme = corpus.annotations, corpus.scheme
        ends = np.append(crowd.row_starts, len(crowd.tags))
        tags = crowd.tags if scheme.is_plain else convert(crowd.tags, ends, scheme, scheme)
        said = np.concatenate([[0], np.cumsum(tags >= 0)])
        n_said = said[ends[1:]] - said[ends[:-1]]
        kept = np.flatnonzero(n_said > 0)
        lengths = np.diff(ends)[kept]
        cells = gather_ranges(crowd.row_starts[kept], lengths)
        sentences = crowd.row_sentences[kept]
        open_to = np.full((len(cells), len(scheme)), -np.inf)
        given = tags[cells]
        open_to[given < 0] = 0.0
        known = np.flatnonzero(given >= 0)
        open_to[known, given[known]] = 0.0
        return cls(
            crowd.voters[kept],
            sentences,
            np.concatenate([[0], np.cumsum(lengths)]),
            gather_ranges(corpus.offsets[sentences], lengths),
            open_to,
            n_said[kept] * np.log(max(len(scheme), 1)),
        )

    def lattice(self, whole: Lattice) -> Lattice:
        """The scores of all sentences as one sentence for each row, open only to what its annotator said."""
        scores = whole.unary[self.tokens] + self.open_to
        return Lattice(scores, self.bounds, whole.transitions, whole.starts, whole.ends)


@dataclass(frozen=True, eq=False)
class _State:
    """chances (R,) that a row is the right one of its sentence, under weights and strengths (K,)."""

    chances: FloatArray
    strengths: FloatArray
    weights: FloatArray
    memory: Memory | None = None


@dataclass(frozen=True, eq=False)
class _Joint:
    """A corpus as the joint model sees it; seen (N,) is 1 for sentences that somebody answered."""

    problem: CrfProblem
    rows: _Rows
    seen: FloatArray
    n_annotators: int
    c2: float
    smoothing: float
    minimiser: Minimiser

    @classmethod
    def of(cls, recipe: CrfMa, corpus: Corpus) -> "_Joint":
        rows = _Rows.of(corpus)
        problem = crf_problem(corpus, recipe.trainer, _voted(rows, corpus.n_tokens))
        seen = np.bincount(rows.sentences, minlength=len(corpus)) > 0
        minimiser = Minimiser(max_iterations=recipe.iterations, tolerance=1e-6)
        return cls(
            problem,
            rows,
            seen.astype(np.float64),
            len(corpus.annotators),
            recipe.c2,
            recipe.smoothing,
            minimiser,
        )

    def start(self) -> _State:
        """Everybody who answered a sentence is equally likely to be right."""
        strengths = np.ones(self.n_annotators)
        weights = np.zeros(self.problem.n_weights)
        return _State(self._share_out(np.zeros(len(self.rows.voters)), strengths)[0], strengths, weights)

    def step(self, state: _State) -> tuple[_State, float]:
        """Judge the annotators and train the CRF by who is right, then ask anew who is right."""
        strengths = self._strengths(state)
        found = self.problem.train(
            self._targets(state), self.c2, self.minimiser, state.weights, state.memory, self.seen
        )
        whole = self.problem.lattice(found.weights)
        free = log_partition(whole)[self.rows.sentences]
        scores = log_partition(self.rows.lattice(whole)) - free + self.rows.surplus
        chances, likelihood = self._share_out(scores, strengths)
        penalty = self.c2 * float(found.weights @ found.weights)
        prior = self.smoothing * float((np.log(strengths) - strengths).sum())
        return _State(chances, strengths, found.weights, found.memory), likelihood - penalty + prior

    def truth(self, state: _State, *, by_tagger: bool) -> FloatArray:
        """(T, M) posteriors; sentences without answers always get the tagger's."""
        whole = self.problem.lattice(state.weights)
        tagged = marginals(whole).unary
        if by_tagger:
            return tagged
        answered, _ = self._spread(state, whole)
        seen = np.repeat(self.seen > 0, np.diff(self.problem.offsets))
        return np.where(seen[:, None], answered, tagged)

    def _targets(self, state: _State) -> Targets:
        whole = self.problem.lattice(state.weights)
        return Targets(*self._spread(state, whole))

    def _spread(self, state: _State, whole: Lattice) -> tuple[FloatArray, FloatArray]:
        """(T, M) labels and (M, M) pairs of the answers, weighed by their chances."""
        found = marginals(self.rows.lattice(whole), state.chances)
        weighed = found.unary * np.repeat(state.chances, np.diff(self.rows.bounds))[:, None]
        labels = np.zeros_like(whole.unary)
        np.add.at(labels, self.rows.tokens, weighed)
        return labels, found.pairwise

    def _share_out(self, scores: FloatArray, strengths: FloatArray) -> tuple[FloatArray, float]:
        """(R,) chances of the rows from their log scores, and the log-likelihood of all sentences."""
        sentences = self.rows.sentences
        size = len(self.seen)
        top = np.full(size, -np.inf)
        np.maximum.at(top, sentences, scores)
        weights = strengths[self.rows.voters] * np.exp(scores - top[sentences])
        totals = np.bincount(sentences, weights, minlength=size)
        present = np.bincount(sentences, strengths[self.rows.voters], minlength=size)
        seen = totals > 0
        likelihood = float((np.log(totals[seen]) + top[seen] - np.log(present[seen])).sum())
        return weights / totals[sentences], likelihood

    def _strengths(self, state: _State) -> FloatArray:
        """How often everybody was right, against how often they would be if it hung on strengths alone.

        A sentence's annotator is right with the share that their strength has among those present; this is
        the minorise-maximise step for such shares, which never lowers the likelihood.
        """
        voters, sentences = self.rows.voters, self.rows.sentences
        present = np.bincount(sentences, state.strengths[voters], minlength=len(self.seen))
        right = np.bincount(voters, state.chances, minlength=self.n_annotators)
        exposure = np.bincount(voters, 1.0 / present[sentences], minlength=self.n_annotators)
        return np.asarray((right + self.smoothing) / (exposure + self.smoothing))


def _voted(rows: _Rows, n_tokens: int) -> FloatArray:
    """(T, M) above 0 for the labels that some annotator gave a token."""
    given = (rows.open_to == 0.0) & (np.isinf(rows.open_to).any(axis=1, keepdims=True))
    support = np.zeros((n_tokens, rows.open_to.shape[1]))
    np.add.at(support, rows.tokens, given.astype(np.float64))
    return support
