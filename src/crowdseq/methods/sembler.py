"""Sembler: a CRF for the truth and one confusion matrix per annotator, learned together."""

from dataclasses import dataclass
from typing import Any

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
from crowdseq.aggregation.crowds import Crowd
from crowdseq.aggregation.settling import scheme_scores, settle
from crowdseq.aggregation.truth_model import crf_problem
from crowdseq.aggregation.voting import label_shares
from crowdseq.arrays import BoolArray, FloatArray
from crowdseq.core.corpus import Corpus
from crowdseq.numerics.blocks import using_threads
from crowdseq.numerics.chains.candidates import with_paths
from crowdseq.numerics.chains.chain import Lattice, log_partition, marginals
from crowdseq.numerics.crowds.annotator_models import Judgement
from crowdseq.numerics.crowds.categorical import count_votes
from crowdseq.numerics.crowds.confusions import Confusions
from crowdseq.numerics.crowds.votes import VoteTable
from crowdseq.numerics.em import Climb, climb
from crowdseq.numerics.optimise.lbfgs import Memory, Minimiser
from crowdseq.tagging.crf import CrfTrainer
from crowdseq.tagging.problem import CrfProblem
from crowdseq.tagging.targets import Targets

CANDIDATES = ("voted", "off")
# What a label without votes gets in the first guess, beside shares of votes that sum to one.
_FIRST_DOUBT = 1e-3


@method("sembler")
@dataclass(frozen=True, kw_only=True)
class Sembler(JointAggregator):
    """Learns a CRF and every annotator's confusions together, by EM.

    (Wu, Fan and Yu 2012, after Raykar et al. 2010.)

    rounds: EM rounds at most. tolerance: relative change of the objective at which to stop.
    iterations: steps of the optimiser in each round; it goes on where the round before left it.
    smoothing: prior count of every cell of a confusion matrix.
    candidates: `voted` lets a token have only labels that somebody gave it, `off` any label.
    features, c2: as in CrfTrainer.
    gold: whether tokens with known gold are held at it.
    """

    rounds: int = 3
    tolerance: float = 1e-4
    iterations: int = 20
    smoothing: float = 10.0
    candidates: str = "voted"
    features: str = "rich"
    c2: float = 1.0
    gold: bool = False

    def __post_init__(self) -> None:
        require_rounds(self.rounds, self.tolerance)
        require(self.iterations >= 1, f"iterations is {self.iterations}, it must be at least 1")
        require(self.smoothing > 0, f"smoothing is {self.smoothing}, it must be above 0 to keep rows alive")
        require(self.candidates in CANDIDATES, f"candidates is '{self.candidates}', choose voted or off")
        self.trainer  # noqa: B018  checks features and c2

    @property
    def trainer(self) -> CrfTrainer:
        return CrfTrainer(features=self.features, c2=self.c2)

    @property
    def monotone(self) -> bool:
        return True

    def learn(self, corpus: Corpus, context: RunContext = RunContext()) -> Learned:
        if corpus.n_tokens == 0:
            return Learned(settle(corpus, np.zeros((0, len(corpus.scheme)))), None)
        ordered = Canonical.of(corpus)
        with using_threads(context.engine.threads):
            joint = _Joint.of(self, ordered.corpus)
            end = climb(
                joint.step,
                Climb(joint.start(ordered.corpus)),
                rounds=self.rounds,
                tolerance=self.tolerance,
                progress=context.progress,
            )
        tagger = self.trainer.tagger(joint.problem, corpus.scheme, end.state.weights)
        truth = ordered.restore_tokens(end.state.truth)
        described = end.state.judgement.describe() if end.state.judgement else {}
        parameters: dict[str, Any] = {
            name: ordered.restore_annotators(table) for name, table in described.items()
        }
        return Learned(settle(corpus, truth, history=end.history, **parameters), tagger)


@dataclass(frozen=True, eq=False)
class _State:
    """truth (T, M) and pairs (M, M), expected under weights and a judgement; memory is the optimiser's."""

    truth: FloatArray
    pairs: FloatArray
    weights: FloatArray
    memory: Memory | None = None
    judgement: Judgement | None = None


@dataclass(frozen=True, eq=False)
class _Joint:
    """A corpus as the joint model sees it; barred (T, M) is minus infinity where a label is no candidate."""

    problem: CrfProblem
    votes: VoteTable
    annotators: Confusions
    barred: FloatArray
    c2: float
    minimiser: Minimiser

    @classmethod
    def of(cls, recipe: Sembler, corpus: Corpus) -> "_Joint":
        crowd = Crowd.of(corpus, gold=recipe.gold, bayes=False)
        votes, n_labels = crowd.votes, crowd.n_labels
        counts = count_votes(votes.tokens, votes.labels, corpus.n_tokens, n_labels)
        open_to = _candidates(recipe, corpus, counts)
        support = np.where(open_to, 1.0, 0.0) if recipe.candidates == "voted" else counts
        problem = crf_problem(corpus, recipe.trainer, support)
        annotators = crowd.confusions(np.full((n_labels, n_labels), recipe.smoothing))
        table = VoteTable.build(votes.tokens, annotators.kinds, corpus.n_tokens, annotators.n_kinds)
        barred = np.where(open_to, 0.0, -np.inf)
        minimiser = Minimiser(max_iterations=recipe.iterations, tolerance=1e-6)
        return cls(problem, table, annotators, barred, recipe.c2, minimiser)

    def start(self, corpus: Corpus) -> _State:
        """Shares of votes, made to keep the rules of the scheme."""
        scores = np.log(label_shares(corpus) + _FIRST_DOUBT) + self.barred
        first = marginals(Lattice(scores, corpus.offsets, *scheme_scores(corpus.scheme)))
        return _State(first.unary, first.pairwise, np.zeros(self.problem.n_weights))

    def step(self, state: _State) -> tuple[_State, float]:
        """Judge the annotators and train the CRF by the truth, then expect the truth anew."""
        judgement = self.annotators.learn(self.votes.gather(state.truth))
        targets = Targets(state.truth, state.pairs)
        found = self.problem.train(targets, self.c2, self.minimiser, state.weights, state.memory)
        free = self.problem.lattice(found.weights)
        clamped = self.problem.lattice(found.weights, self.votes.fold(judgement.scores) + self.barred)
        truth = marginals(clamped)
        likelihood = float(truth.log_partition.sum() - log_partition(free).sum())
        penalty = self.c2 * float(found.weights @ found.weights)
        new = _State(truth.unary, truth.pairwise, found.weights, found.memory, judgement)
        return new, likelihood - penalty + judgement.credit


def _candidates(recipe: Sembler, corpus: Corpus, counts: FloatArray) -> BoolArray:
    """(T, M) which labels a token may have; opened where no valid sequence would be left."""
    mask = np.ones(counts.shape, np.bool_)
    if recipe.candidates == "voted":
        mask = (counts > 0) | (counts.sum(axis=1, keepdims=True) == 0)
    if recipe.gold:
        known = np.flatnonzero(corpus.gold_tags >= 0)
        mask[known] = False
        mask[known, corpus.gold_tags[known]] = True
    scheme = corpus.scheme
    return with_paths(mask, corpus.offsets, scheme.allowed, scheme.starts, scheme.ends).mask
