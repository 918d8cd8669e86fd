"""JointEm: truth, annotators and tagger learned together, one round at a time, as sums over shards."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from secrets import randbits
from typing import Any, Generic

import numpy as np

from crowdseq.aggregation.truth import P, TruthModel, are_finite
from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.engines.engine import Engine, Placed
from crowdseq.engines.local import LocalEngine
from crowdseq.engines.shards import Cut, Numbering, Version, Versions, add_up
from crowdseq.errors import AnnotationError
from crowdseq.evaluation.scores import TypeScore
from crowdseq.methods.sa_slc.calibration import (
    OF_SOURCES,
    Softening,
    err_alone,
    little_left_out,
    misses_gather,
    shared_errors,
    temperature,
    together,
)
from crowdseq.methods.sa_slc.coupling import WordSums
from crowdseq.methods.sa_slc.evidence import LEVELS, model_of_kinds
from crowdseq.methods.sa_slc.exchange import (
    Believed,
    CrowdFacts,
    Plausible,
    Regard,
    RoundSums,
    RoundTables,
    Telling,
    rows_path,
)
from crowdseq.methods.sa_slc.settings import Settings
from crowdseq.methods.sa_slc.shard import SaSlcShard
from crowdseq.numerics.crowds.dependency import DependencyModel, Smoothing

_LATE_PLAUSIBILITY = 2.0 / 3.0  # as far as it counts in the end where text is short
_ROUNDS_SEEN = 2  # until belief is more than the majority, and has not gone astray yet
_UNSEEN = (1.0, 1.0)  # as if all erred together
_TOLD_BY_MISSES = 0.3  # less of it for what is outside, where it tells of what is missed
_LEAST_AGREEMENT = 0.05  # below, a span that nobody drew is as good as forbidden

# How many arrays of a kind are alive at the widest moment of a round, counted in the shards and in L-BFGS.
_TABLE_COPIES, _TOKEN_COPIES, _WEIGHT_COPIES = 3, 10, 20


@dataclass(frozen=True, eq=False)
class State(Generic[P]):
    """All that a round starts from: a version of the belief, which the shards hold, with its label pairs
    (F, M, M); the parameters of the truth model; the objective so far. by_sources: whether votes are those of
    sources that look for some things only. recalled, judged: whether the first belief, against the majority,
    came from votes whose O says as much as its annotator finds, or from judged votes. marked: tokens believed
    to be inside something. surprise: how little the votes were foretold from the text alone, a mean of
    -log p. first_errors: how far misses and false marks gathered in the first rounds.
    deepened: after how many rounds the truth model learned what takes longer than one."""

    version: Version
    pairs: FloatArray
    params: P
    history: tuple[float, ...] = ()
    is_sound: bool = True
    by_sources: bool = False
    recalled: bool = False
    judged: bool = False
    marked: float = 0.0
    surprise: float = 0.0
    first_errors: tuple[float, float] = _UNSEEN
    deepened: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False, kw_only=True)
class JointEm(Generic[P]):
    """Everything that stays the same from round to round.

    model, kinds: the annotator model of the kinds of votes that occur, and which of them each shard has.
    words: the same for words whose mentions are coupled. facts: what the votes tell of the crowd. alone (K,):
    whose labels stand, as nobody shares a token with them. left_out: how far marks that lack the
    majority are the same words that have it elsewhere. rows_folder: where shards keep their beliefs that stay
    on disk.
    """

    cut: Cut
    placed: Placed[SaSlcShard]
    settings: Settings
    truth: TruthModel[P]
    model: DependencyModel
    kinds: Numbering
    words: Numbering
    smoothing: Smoothing
    facts: CrowdFacts
    alone: BoolArray
    left_out: float
    rows_folder: Path | None = None
    versions: Versions = field(default_factory=Versions)
    _rows: dict[int, int] = field(default_factory=dict)
    _restored: set[int] = field(default_factory=set)

    def megabytes_in(self, engine: Engine) -> float:
        """An estimate of what a round holds at once in this process: tables of votes, of tokens and of
        weights; where shards lie elsewhere, only what the driver has, and one shard."""
        scheme, n_tokens = self.cut.facts.scheme, self.cut.facts.n_tokens
        if not isinstance(engine, LocalEngine):
            n_tokens //= len(self.cut.shards)
        contexts = 1 + len(LEVELS) * (self.settings.votes.plausibility and scheme.outside >= 0)
        tables = _TABLE_COPIES * self.model.n_cells * len(scheme) * contexts
        tokens = _TOKEN_COPIES * n_tokens * len(scheme)
        weights = (self.truth.n_folds + _WEIGHT_COPIES) * self.truth.n_parameters
        return 8e-6 * (tables + tokens + weights)

    def from_tables(self, tables: FloatArray, params: P) -> State[P]:
        """A start from annotator tables (C, M) and parameters of the truth model."""
        self.truth.score(params)
        version = self.versions.new()
        found = self.placed.each("start_from_tables", version.number, own=self.kinds.split(tables))
        return self.state_of(version, found, params)

    def step(self, state: State[P]) -> State[P]:
        """One round: annotators and tagger from the belief (M-step), then the belief from both (E-step)."""
        self.placed.each("forget_others", self.versions.alive)
        search, before = self.settings.search, state.version.number
        self.placed.each("aim", before)
        effort = search.steps if state.history else search.first_steps
        params = self.truth.train(state.pairs, state.params, effort)
        self.truth.score(params)
        first_errors = self._first_errors(state)
        plausible = self._plausible(state, first_errors)
        apart = max(plausible) > 0.0
        sums: list[RoundSums] = self.placed.each("sum_up", before, bool(state.history), apart)
        version = self.versions.new()
        tables, regard = self._tables(sums, self._in_context(state)), self._regard(sums, state, plausible)
        found = self.placed.each("believe", before, version.number, regard, own=tables)
        objective = add_up([one.clamped for one in found]) - add_up([one.free for one in found])
        history = (*state.history, objective - self.truth.penalty(params))
        after = self.state_of(version, found, params, history)
        return replace(
            after,
            by_sources=state.by_sources,
            recalled=state.recalled,
            judged=state.judged,
            first_errors=first_errors,
            deepened=state.deepened,
        )

    def deepen(self, state: State[P]) -> State[P]:
        """The truth model learns what takes longer than a round."""
        self.placed.each("aim", state.version.number)
        params = self.truth.deepen(state.params, len(state.deepened))
        return replace(state, params=params, deepened=(*state.deepened, len(state.history)))

    def state_of(
        self, version: Version, found: Sequence[Believed], params: P, history: tuple[float, ...] = ()
    ) -> State[P]:
        """The state that the shards' new belief makes."""
        sound = all(one.is_sound for one in found) and are_finite(self.truth.arrays(params))
        marked = sum(one.marked for one in found)
        total, n_votes = (sum(one.foretold[place] for one in found) for place in range(2))
        surprise = -total / n_votes if n_votes else 0.0
        pairs = add_up([one.pairs for one in found])
        return State(
            version,
            pairs,
            params,
            history,
            sound,
            by_sources=self.facts.abstains,
            marked=marked,
            surprise=surprise,
        )

    def _tables(self, sums: Sequence[RoundSums], in_context: float) -> list[RoundTables]:
        """What each shard is told of all the others.

        in_context: how far what annotators said before counts.
        """
        counts = self.kinds.add_up([one.counts for one in sums])
        alike = self.kinds.split(self.model.log_mixed(counts, self.smoothing, 0, in_context))
        apart: Sequence[FloatArray | None] = [None] * len(sums)
        kinds = [one.apart_kinds for one in sums if one.apart_kinds is not None]
        if kinds:
            rows, numbering = Numbering.of_rows(kinds)
            counts = numbering.add_up([one.apart_counts for one in sums if one.apart_counts is not None])
            model = model_of_kinds(rows)
            apart = numbering.split(model.log_mixed(counts, self.smoothing, 1, in_context))
        words: Sequence[WordSums | None] = [None] * len(sums)
        word_parts = [one.words for one in sums if one.words is not None]
        if word_parts:
            words = self._word_sums(word_parts)
        return [RoundTables(*told) for told in zip(alike, apart, words, strict=True)]

    def _word_sums(self, parts: Sequence[WordSums]) -> list[WordSums]:
        by_type = self.words.split(self.words.add_up([part.by_type for part in parts]))
        counts = self.words.split(self.words.add_up([part.counts for part in parts]))
        total, n_tokens = add_up([part.total for part in parts]), sum(part.n_tokens for part in parts)
        return [WordSums(*own, total, n_tokens) for own in zip(by_type, counts, strict=True)]

    def _correlation(self, state: State[P]) -> float:
        """How far annotators err together, as the belief so far shows it; at most as the settings say.

        Sources err by rule, each at places of its own, and together all the same where rules are alike.
        """
        votes = self.settings.votes
        can_tell = state.history and not state.by_sources and self.cut.facts.scheme.outside >= 0
        if not votes.measured or not can_tell:
            return votes.correlation
        seen = shared_errors(self.placed, state.version.number, inside=False)
        return votes.correlation * together(seen.correlation)

    def _regard(self, sums: Sequence[RoundSums], state: State[P], plausible: Plausible) -> Regard:
        """How much the votes count beside the tagger: less, the better it finds the believed spans unseen.

        Annotators make the same errors at the same hard places, which a model of independent votes takes for
        agreement. A tagger that reaches the same spans from the text of other documents shares fewer of them.
        Sources err by rule and not where the text is hard, and a tagger learns their rules: it counts half.
        """
        deference, correlated = self.settings.votes.deference, self._correlation(state)
        if state.by_sources and self.settings.search.start == "auto":
            deference = deference / 2
        if deference == 0.0:
            return Regard(1.0, plausible, correlated)
        return Regard(1.0 - deference * _agreement([one.spans for one in sums]), plausible, correlated)

    def _first_errors(self, state: State[P]) -> tuple[float, float]:
        """How far misses gathered at least, and false marks last, in the first rounds, where that matters.

        What was seen then holds: a belief that begins to take false marks for entities makes them look like
        misses of everybody else, which gather.
        """
        waits = self.facts.plausible < 1.0 and self._measures_misses(state)
        done = len(state.history)
        if not waits or not 0 < done <= _ROUNDS_SEEN or state.recalled or state.judged:
            return state.first_errors
        missed, invented = (
            shared_errors(self.placed, state.version.number, inside=inside).correlation
            for inside in (True, False)
        )
        return min(state.first_errors[0], missed), invented

    def _plausible(self, state: State[P], first_errors: tuple[float, float]) -> Plausible:
        """How far plausibility counts in the round after a state.

        What looks like an entity to a tagger follows from the first belief, and what that leaves out would
        stay out: where text is short it comes to count as the belief settles, or at once where people err
        alone and that left little out. How far it counts where the truth is inside something is up to how
        misses gather.
        """
        late = _LATE_PLAUSIBILITY * self.settings.search.settled(len(state.history))
        present = max(self.facts.plausible, late)
        if state.by_sources and self.settings.search.start == "auto":
            present *= min(1.0, 2.0 * self.facts.recall)
        if not self._measures_misses(state):
            return Plausible(present, present / 2.0)
        if not state.history:
            return Plausible(present, 0.0)
        present = max(present, err_alone(*first_errors) * little_left_out(self.left_out))
        gathered = misses_gather(shared_errors(self.placed, state.version.number, inside=True))
        return Plausible(present * (1.0 - _TOLD_BY_MISSES * gathered), present * gathered)

    def _measures_misses(self, state: State[P]) -> bool:
        votes = self.settings.votes
        told_apart = votes.plausibility and self.cut.facts.scheme.outside >= 0
        return votes.measured and told_apart and not state.by_sources

    @property
    def _context_waits(self) -> bool:
        return self.settings.votes.context == "late" or self.facts.habits

    def _in_context(self, state: State[P]) -> float:
        """How far what annotators said before counts in the round after a state.

        Who draws spans wider or narrower than others does so after each of their own labels, so that tables
        in context explain any bounds that are believed; they come in as the belief settles.
        """
        return self.settings.search.settled(len(state.history)) if self._context_waits else 1.0

    @property
    def least_rounds(self) -> int:
        """Rounds until all that counts does so in full."""
        search, votes = self.settings.search, self.settings.votes
        waits = votes.plausibility and self.facts.plausible < 1.0 and self.cut.facts.scheme.outside >= 0
        return search.rounds if waits or self._context_waits else 0

    def agreement(self, state: State[P]) -> float:
        """F1 between what is believed and what the text alone makes expected, which the tagger of other folds
        has not seen the votes of; 0 where all is one fold."""
        if self.truth.n_folds == 1:
            return 0.0
        self.truth.score(state.params)
        return _agreement(self.placed.each("common_spans", state.version.number))

    def arrays(self, state: State[P]) -> dict[str, FloatArray]:
        """Everything by name, to be kept on disk; these names stand in checkpoints."""
        return {
            **self._belief_arrays(state),
            "pairwise": state.pairs,
            "history": np.array(state.history),
            **self.truth.arrays(state.params),
            **({"by_sources": np.ones(1)} if state.by_sources else {}),
            **({"recalled": np.ones(1)} if state.recalled else {}),
            **({"judged": np.ones(1)} if state.judged else {}),
            **({"first_errors": np.array(state.first_errors)} if state.first_errors != _UNSEEN else {}),
            **({"deepened": np.array(state.deepened, np.float64)} if state.deepened else {}),
        }

    def _belief_arrays(self, state: State[P]) -> dict[str, Any]:
        """What every token is believed to be; of a corpus on disk the name under which shards wrote it."""
        number = state.version.number
        if self.rows_folder is None:
            rows = self.placed.each("rows", number)
            unary, said = zip(*rows, strict=True)
            return {"unary": self.cut.join_tokens(unary), "said": self.cut.join_tokens(said)}
        if number not in self._rows:
            self._rows[number] = randbits(62)  # a run that goes on must not write over what it goes on from
            self.rows_folder.mkdir(parents=True, exist_ok=True)
            self.placed.each("keep_rows", number, self.rows_folder, self._rows[number])
        return {"rows": np.array([self._rows[number]])}

    def remove_rows(self, *states: State[P] | None) -> None:
        """Remove what shards wrote of all states but these, and those that the run went on from: a worker
        that dies is asked to restore them again."""
        if self.rows_folder is None:
            return
        kept = self._restored | {self._rows[state.version.number] for state in states if state is not None}
        names = tuple(rows_path(Path(), name, 0).name.rpartition("-")[0] for name in kept)
        for path in self.rows_folder.glob("rows-*"):
            if not path.name.startswith(names):
                path.unlink()

    def of_arrays(self, arrays: Mapping[str, FloatArray]) -> State[P]:
        """What `arrays` gave, again."""
        version = self.versions.new()
        if self.rows_folder is not None:
            self._rows[version.number] = int(arrays["rows"][0])
            self._restored.add(self._rows[version.number])
            self.placed.each("restore_rows", version.number, self.rows_folder, self._rows[version.number])
        else:
            self._restore(version, arrays)
        history, params = tuple(arrays["history"].tolist()), self.truth.of_arrays(arrays)
        deepened = tuple(int(rounds) for rounds in arrays.get("deepened", ()))
        return State(
            version,
            arrays["pairwise"],
            params,
            history,
            by_sources="by_sources" in arrays,
            recalled="recalled" in arrays,
            judged="judged" in arrays,
            first_errors=_two(arrays["first_errors"]) if "first_errors" in arrays else _UNSEEN,
            deepened=deepened,
        )

    def _restore(self, version: Version, arrays: Mapping[str, FloatArray]) -> None:
        n_tokens = self.cut.facts.n_tokens
        if len(arrays["unary"]) != n_tokens:
            raise AnnotationError(f"{len(arrays['unary'])} tokens were kept, this run has {n_tokens}")
        rows = zip(*(self.cut.split_tokens(arrays[name]) for name in ("unary", "said")), strict=True)
        self.placed.each("restore", version.number, own=list(rows))

    def started(self, state: State[P]) -> str | None:
        """How the votes were read at first, where that was not by their majority although it could be."""
        if self.settings.search.start != "auto":
            return None
        if state.judged:
            return "judged"
        return "recall" if state.recalled and not self.facts.abstains else None

    def unary(self, state: State[P]) -> FloatArray:
        """(T, M) what is believed."""
        return self.cut.join_tokens([unary for unary, _ in self.placed.each("rows", state.version.number)])

    def calibrated(self, state: State[P], agreement: float) -> tuple[Softening, dict[str, Any]]:
        """How a belief is softened before it is told, and what that comes from: whether annotators err
        together, how many of their marks stand, and the text's agreement."""
        search, facts = self.settings.search, self.facts
        if not search.calibrate:
            return Softening(search.temperature), {}
        seen = shared_errors(self.placed, state.version.number, inside=True)
        if facts.abstains:
            return Softening(search.temperature * OF_SOURCES, seen.speaking), {}
        heat = temperature(seen, agreement, facts.n_marked)
        return Softening(search.temperature * heat, seen.speaking), {
            "shared_errors": seen.correlation,
            "mark_precision": seen.precision,
        }

    def softened(self, state: State[P], how: Softening) -> FloatArray:
        """(T, M) probabilities as they are told to people."""
        self.truth.score(state.params)
        return self.cut.join_tokens(self.placed.each("softened", state.version.number, how))

    def tags(self, state: State[P], agreement: float) -> IntArray:
        """(T,) the best valid tags under what is believed; agreement: of the text alone with it.

        Spans that nobody drew need the text's word: they cost the more, the less it finds spans by itself.
        """
        self.truth.score(state.params)
        return self.cut.join_tokens(self.placed.each("tags", state.version.number, self._charge(agreement)))

    def _charge(self, agreement: float) -> float | None:
        weight = self.settings.search.bounds
        if weight <= 0.0 or self.cut.facts.scheme.is_plain:
            return None
        return weight * ((1.0 - agreement) / max(agreement, _LEAST_AGREEMENT)) ** 2

    def write(self, state: State[P], folder: Path, agreement: float, how: Softening) -> IntArray:
        """Let the shards settle a belief and write that; what they tell of labels that were kept."""
        self.truth.score(state.params)
        telling = Telling(how, self._charge(agreement), self.alone)
        return add_up(self.placed.each("write", folder, state.version.number, telling))

    def vote_tables(self, state: State[P], numbers: IntArray) -> dict[str, Any]:
        """`…_kinds` (C, 3) and `…_counts` (C, M) of `ContextVotes.tables`, over all shards."""
        parts = self.placed.each("vote_tables", state.version.number, numbers)
        told: dict[str, Any] = {}
        for name in ("local", "repeat"):
            rows, numbering = Numbering.of_rows([part[f"{name}_kinds"] for part in parts])
            told[f"{name}_kinds"] = rows
            told[f"{name}_counts"] = numbering.add_up([part[f"{name}_counts"] for part in parts])
        return told

    def mean_log10_sequences(self) -> tuple[float, float]:
        """How many label sequences a sentence's candidates leave, as a mean power of ten: without and with
        the rules of the scheme."""
        found = self.placed.each("log10_sequences")
        n_sentences = self.cut.facts.n_sentences
        return add_up([free for free, _ in found]) / n_sentences, add_up([v for _, v in found]) / n_sentences


def _two(values: FloatArray) -> tuple[float, float]:
    first, second = values.tolist()
    return first, second


def _agreement(spans: Sequence[IntArray]) -> float:
    """F1 from the shards' numbers of spans of one belief, of the other and of both."""
    return TypeScore.of_counts(*add_up(list(spans)).tolist()).f1 or 0.0
