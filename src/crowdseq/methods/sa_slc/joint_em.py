"""JointEm: truth, annotators and tagger learned together, one round at a time."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from crowdseq.aggregation.settling import best_valid_tags
from crowdseq.aggregation.truth_model import Belief, TruthModel
from crowdseq.arrays import FloatArray
from crowdseq.core.corpus import Corpus
from crowdseq.evaluation.scores import score_tags
from crowdseq.methods.sa_slc.coupling import Coupling
from crowdseq.methods.sa_slc.evidence import Evidence
from crowdseq.methods.sa_slc.plausibility import LEVELS, part_outside, plausibility_levels
from crowdseq.numerics.chains.pruned_chain import CandidateLists, pruned_marginals
from crowdseq.numerics.crowds.dependency import Smoothing

# How many arrays of a kind are alive at the widest moment of a round, counted below and in L-BFGS.
_TABLE_COPIES, _TOKEN_COPIES, _WEIGHT_COPIES = 3, 10, 20
_LEAST = 1e-6  # a label without votes keeps this share in the first belief, so that the scheme can use it


@dataclass(frozen=True, eq=False)
class State:
    """All that a round starts from: the belief in the truth, (F, W) CRF weights, the objective so far.

    said (T, M): log scores beside the CRF's from which the belief came, so that it can be told again, softer.
    """

    belief: Belief
    weights: FloatArray
    said: FloatArray
    history: tuple[float, ...] = ()

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, FloatArray]) -> "State":
        """What `arrays` gave, again."""
        belief = Belief(arrays["unary"], arrays["pairwise"])
        return cls(belief, arrays["weights"], arrays["said"], tuple(arrays["history"].tolist()))

    def arrays(self) -> dict[str, FloatArray]:
        """Everything by name, to be kept on disk."""
        return {
            "unary": self.belief.unary,
            "pairwise": self.belief.pairwise,
            "weights": self.weights,
            "said": self.said,
            "history": np.array(self.history),
        }

    @property
    def is_sound(self) -> bool:
        """Whether every number is finite."""
        return bool(np.isfinite(self.belief.unary).all() and np.isfinite(self.weights).all())


@dataclass(frozen=True, eq=False, kw_only=True)
class JointEm:
    """Everything that stays the same from round to round.

    vote_weights (T, 1): of the votes on each token. deference: how far they yield to a tagger that finds the
    same spans in unseen text. by_plausibility: whether the annotators' tables differ by what such a tagger
    expects. pull: weight of the coupling between mentions. surprise: weight of what other mentions turned out
    to be beyond what the tagger expected. first_steps, steps: L-BFGS steps of the first and of the later
    rounds.
    """

    corpus: Corpus
    evidence: Evidence
    truth: TruthModel
    candidates: CandidateLists
    coupling: Coupling | None
    smoothing: Smoothing
    vote_weights: FloatArray
    deference: float
    by_plausibility: bool
    pull: float
    surprise: float
    first_steps: int
    steps: int

    @property
    def megabytes(self) -> float:
        """An estimate of what a round holds at once: tables of votes, of tokens and of weights."""
        n_labels, n_tokens = self.truth.problem.n_labels, self.corpus.n_tokens
        contexts = 1 + len(LEVELS) * self.by_plausibility
        tables = _TABLE_COPIES * self.evidence.model.n_cells * n_labels * contexts
        tokens = _TOKEN_COPIES * n_tokens * n_labels
        weights = (self.truth.n_folds + _WEIGHT_COPIES) * self.truth.problem.n_weights
        return 8e-6 * (tables + tokens + weights)

    def from_shares(self, shares: FloatArray) -> State:
        """A start from (T, M) shares of votes."""
        scores = np.log(np.maximum(shares, _LEAST))
        flat = np.where(self.corpus.scheme.allowed, 0.0, -np.inf)
        transitions = np.repeat(flat[None], self.truth.n_folds, axis=0)
        belief, _ = self._believe(scores, transitions)
        return State(belief, self.truth.no_weights, scores)

    def from_tables(self, tables: FloatArray, weights: FloatArray) -> State:
        """A start from annotator tables (F, M) and CRF weights."""
        scores, transitions = self.truth.scores(weights)
        said = self.vote_weights * self.evidence.table.fold(tables)
        belief, _ = self._believe(scores + said, transitions)
        return State(belief, weights, said)

    def step(self, state: State) -> State:
        """One round: annotators and tagger from the belief (M-step), then the belief from both (E-step)."""
        steps = self.steps if state.history else self.first_steps
        weights = self.truth.train(state.belief, state.weights, steps)
        scores, transitions = self.truth.scores(weights)
        said = self._said(state, scores, transitions)
        belief, clamped = self._believe(scores + said, transitions)
        objective = clamped - self.truth.free_partition(scores, transitions) - self.truth.penalty(weights)
        return State(belief, weights, said, (*state.history, objective))

    def _said(self, state: State, scores: FloatArray, transitions: FloatArray) -> FloatArray:
        """(T, M) log scores of what the votes say, and the other mentions of a word."""
        believed = state.belief.unary
        unseen = self._believe(scores, transitions)[0].unary if self._asks_text else believed
        said = self.vote_weights * self._regard(state, unseen) * self._voted(believed, unseen)
        if self.coupling is not None and state.history:
            if self.pull > 0.0:
                said += self.coupling.scores(believed, self.pull)
            if self.surprise > 0.0:
                said += self.coupling.surprises(believed, unseen, self.surprise)
        return said

    @property
    def _asks_text(self) -> bool:
        """Whether it matters what the tagger expects of a text whose votes it has not seen."""
        return self.deference > 0.0 or self.by_plausibility or self.surprise > 0.0

    def _voted(self, believed: FloatArray, unseen: FloatArray) -> FloatArray:
        """(T, M) log probabilities of the votes on each token by what is the truth."""
        alike = self._read(self.evidence, believed)
        if not self.by_plausibility:
            return alike
        scheme = self.corpus.scheme
        apart = self._read(self.evidence.within(plausibility_levels(unseen, scheme)), believed)
        return part_outside(alike, apart, scheme)

    def _read(self, evidence: Evidence, believed: FloatArray) -> FloatArray:
        """The same under tables learned from what is believed."""
        return evidence.table.fold(evidence.learn(believed, self.smoothing))

    def softened(self, state: State, temperature: float) -> FloatArray:
        """(T, M) probabilities as they are told to people: all scores divided by the temperature."""
        if temperature == 1.0:
            return state.belief.unary
        scores, transitions = self.truth.scores(state.weights)
        return self._believe((scores + state.said) / temperature, transitions / temperature)[0].unary

    def _regard(self, state: State, unseen: FloatArray) -> float:
        """How much the votes count beside the tagger: less, the better it finds the believed spans unseen.

        Annotators make the same errors at the same hard places, which a model of independent votes takes for
        agreement. A tagger that reaches the same spans from the text of other documents shares fewer of them.
        """
        if self.deference == 0.0:
            return 1.0
        return 1.0 - self.deference * span_agreement(self.corpus, state.belief.unary, unseen)

    def _believe(self, scores: FloatArray, transitions: FloatArray) -> tuple[Belief, float]:
        """The E-step: posteriors over the candidate paths, and the summed log-partition."""
        starts, ends = self.truth.problem.rules.edges
        found = pruned_marginals(self.candidates, scores, transitions, starts, ends, self.truth.folds)
        return Belief(found.unary, found.pairwise), float(found.log_partition.sum())


def span_agreement(corpus: Corpus, first: FloatArray, second: FloatArray) -> float:
    """F1 between the spans (in a plain scheme: the labels) of two beliefs (T, M); 0 when neither has any."""
    tags = [best_valid_tags(corpus, belief) for belief in (first, second)]
    return score_tags(tags[0], tags[1], corpus.offsets, corpus.scheme).f1 or 0.0
