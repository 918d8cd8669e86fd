"""SaSlcShard: what one shard does in the rounds of SA-SLC; what it knows of its tokens stays with it."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from crowdseq.aggregation.canonical import open_ordered
from crowdseq.aggregation.settling import LoneLabels, best_spans, best_valid_tags, scheme_scores
from crowdseq.aggregation.surveys import CrowdLook
from crowdseq.aggregation.truth import Potentials, TruthPart
from crowdseq.aggregation.voting import (
    dependent_weights,
    drawn_spans,
    label_counts,
    majority_shares,
    shares_of_counts,
)
from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.core.spans import find_spans
from crowdseq.engines.engine import asks_only
from crowdseq.engines.shards import AnyShard, Kept
from crowdseq.errors import Advice
from crowdseq.evaluation.scores import score_tags
from crowdseq.methods.sa_slc.calibration import (
    OF_TEXT,
    Asked,
    Seen,
    Softening,
    VoteHits,
    pair_sums,
    told_of_people,
    told_of_sources,
)
from crowdseq.methods.sa_slc.coupling import Coupling, majority_words, word_votes
from crowdseq.methods.sa_slc.evidence import (
    ContextVotes,
    Evidence,
    likely_labels,
    part_by_level,
    plausibility_levels,
    word_numbers,
)
from crowdseq.methods.sa_slc.exchange import (
    Believed,
    CrowdFacts,
    Opened,
    Plausible,
    Regard,
    RoundSums,
    RoundTables,
    Telling,
    rows_path,
)
from crowdseq.methods.sa_slc.settings import Settings
from crowdseq.numerics.chains.candidates import Candidates, candidate_mask, with_paths
from crowdseq.numerics.chains.pruned_chain import (
    CandidateLists,
    PrunedMarginals,
    log10_sequences,
    pruned_marginals,
)
from crowdseq.numerics.crowds.votes import count_votes
from crowdseq.storage.atomic import AtomicFile
from crowdseq.storage.tensors import encode_tensors, read_tensors
from crowdseq.tagging.features import FeatureSettings
from crowdseq.tagging.summed_crf import Aim, CrfPart
from crowdseq.tagging.weight_frame import ChainRules

_LEAST = 1e-6  # a label without votes keeps this share in the first belief, so that the scheme can use it


@dataclass(frozen=True, eq=False)
class TokenState:
    """unary (T, M): what is believed. said (T, M): log scores beside the text's from which that came, so that
    it can be told again, softer."""

    unary: FloatArray
    said: FloatArray


class SaSlcShard:
    """The votes, the text and the belief of one shard."""

    truth: TruthPart
    tagger: CrfPart

    _facts: CrowdFacts

    def __init__(self, settings: Settings, order: IntArray | None, shard: AnyShard) -> None:
        opened = open_ordered(shard, order)
        self._settings, self._number, self.look = settings, shard.number, CrowdLook(opened.corpus)
        self._words = word_numbers(opened.corpus, settings.mentions.repeat_match)
        self._states: Kept[TokenState] = Kept()
        self._unseen: FloatArray | None = None
        self._apart: Evidence | None = None

    @property
    def corpus(self) -> Corpus:
        """With the votes that count."""
        return self.look.heard

    @asks_only
    def word_votes(self) -> tuple[IntArray, IntArray]:
        """See `coupling.word_votes`."""
        return word_votes(self.corpus)

    def open(self, facts: CrowdFacts, content: BoolArray | None) -> Opened:
        """Everything that stays the same from round to round; content (W,): words whose mentions are linked,
        None for all."""
        self._facts = facts
        corpus, settings = self.corpus, self._settings
        linked = np.ones(corpus.n_tokens, np.bool_) if content is None else content[corpus.text.token_ids]
        scope = settings.mentions.repeat_scope
        votes = ContextVotes.of(corpus, self._words, linked, scope, self._facts.kin)
        n_labels = len(corpus.scheme)
        dependency = settings.votes.dependency_in(corpus.scheme)
        self.evidence = Evidence.of(votes, dependency, corpus.n_tokens, n_labels)
        self._counts = count_votes(votes.tokens, votes.labels, corpus.n_tokens, n_labels, votes.weights)
        chosen = self._choose_candidates()
        self._mask = chosen.mask
        self._candidates = CandidateLists.of_mask(chosen.mask, corpus.offsets)
        couples = settings.mentions.coupling or settings.mentions.surprise
        self._coupling = Coupling.of(corpus, self._words, linked) if couples else None
        words = self._coupling.word_numbers if self._coupling is not None else np.zeros(0, np.int64)
        return Opened(self.evidence.rows, words, int(chosen.mask.sum()), chosen.widened)

    def _choose_candidates(self) -> Candidates:
        search, corpus = self._settings.search, self.corpus
        mask = candidate_mask(self._counts, search.candidates, search.upper, search.lower)
        if search.gold:
            known = np.flatnonzero(corpus.gold_tags >= 0)
            mask[known] = False
            mask[known, corpus.gold_tags[known]] = True
        scheme = corpus.scheme
        return with_paths(mask, corpus.offsets, scheme.allowed, scheme.starts, scheme.ends)

    @asks_only
    def majority_words(self) -> FloatArray:
        """See there."""
        text = self.corpus.text
        return majority_words(text.token_ids, len(text.words), self._counts, self.corpus.scheme.outside)

    def open_truth(self, opener: Callable[..., TruthPart], folds: IntArray) -> None:
        """opener: makes the truth model's part from the text, (T, M) likely labels and (N,) folds."""
        support = (likely_labels(self.corpus, self._counts) & self._mask).astype(np.float64)
        self._folds = folds
        self.truth = opener(self.corpus.text, support, folds)

    def forget_others(self, alive: Collection[int]) -> None:
        """Keep these versions of the belief alone."""
        self._states.forget_others(alive)

    @asks_only
    def label_totals(self, annotator: int | None = None) -> FloatArray:
        """(M,) how many votes each label has, of all annotators or of one."""
        counts = self._counts if annotator is None else label_counts(self._alone(annotator))
        return np.asarray(counts.sum(axis=0))

    def start_from_votes(self, version: int, start: str, n_folds: int, totals: FloatArray) -> Believed:
        """The first belief, from shares of votes; totals (M,): of all shards, for tokens without any."""
        counts = self._heard_counts() if start == "recall" else self._counts
        shares = shares_of_counts(counts, totals, self.corpus.scheme)
        scores = np.log(np.maximum(shares if start == "votes" else majority_shares(shares), _LEAST))
        transitions, starts, ends = scheme_scores(self.corpus.scheme)
        flat = np.repeat(transitions[None], n_folds, axis=0)
        found = self._believe(scores, Potentials(scores, flat, starts, ends, self._folds))
        return self._keep(version, found, scores)

    @asks_only
    def vote_counts(self, version: int) -> FloatArray:
        """(C, M) expected numbers of the kinds of votes by truth."""
        return self.evidence.table.gather(self._states[version].unary)

    def believe_votes(self, version: int, moves: FloatArray, n_folds: int, tables: FloatArray) -> Believed:
        """A belief without the text, from log probabilities (M, M) of what follows what and (C, M) of the
        kinds of votes."""
        said = self.evidence.table.fold(tables)
        _, starts, ends = scheme_scores(self.corpus.scheme)
        flat = np.repeat(moves[None], n_folds, axis=0)
        found = self._believe(said, Potentials(said, flat, starts, ends, self._folds))
        return self._keep(version, found, said)

    def _heard_counts(self) -> FloatArray:
        """(T, M) votes, where an O counts as much as its annotator's silence says."""
        votes, outside = self.evidence.votes, self.corpus.scheme.outside
        weights = votes.sizes * np.where(votes.labels == outside, self._facts.heard[votes.annotators], 1.0)
        return count_votes(votes.tokens, votes.labels, self.corpus.n_tokens, len(self.corpus.scheme), weights)

    def start_from_tables(self, version: int, tables: FloatArray) -> Believed:
        """The first belief, from the text and log probabilities (C, M) of the kinds of votes."""
        said = self._vote_weights(self._settings.votes.correlation) * self.evidence.table.fold(tables)
        text = self.truth.potentials
        return self._keep(version, self._believe(text.unary + said, text), said)

    def aim_at_annotator(self, annotator: int, totals: FloatArray) -> None:
        """The text learns from what one annotator said; totals (M,): the labels of all that they said."""
        corpus, crowd = self.corpus, self.corpus.annotations
        seen = np.zeros(len(corpus), np.bool_)
        seen[crowd.row_sentences[crowd.voters == annotator]] = True
        shares = shares_of_counts(label_counts(self._alone(annotator)), totals, corpus.scheme)
        self.truth.aim_at_tags(best_valid_tags(corpus, shares), seen)

    def _alone(self, annotator: int) -> Corpus:
        return self.corpus.keep_annotators([self.corpus.annotators[annotator]])

    def aim(self, version: int) -> None:
        """The text learns from this belief."""
        self.truth.aim(self._states[version].unary)

    def sum_up(self, version: int, couples: bool, apart: bool) -> RoundSums:
        """What is believed and what the text expects, as far as it matters to other shards.

        couples: whether mentions are. apart: whether votes are read apart by how plausible an entity is.
        """
        believed, apart = self._states[version].unary, apart and self._by_plausibility
        self._unseen, defers = self._expected(believed, apart), self._settings.votes.deference > 0.0
        apart_kinds = apart_counts = None
        if apart:
            self._apart = self.evidence.within(plausibility_levels(self._unseen, self.corpus.scheme))
            apart_kinds, apart_counts = self._apart.rows, self._apart.table.gather(believed)
        return RoundSums(
            self.evidence.table.gather(believed),
            apart_kinds,
            apart_counts,
            self._common_spans(believed, self._unseen) if defers else np.zeros(3, np.int64),
            self._coupling.sums(believed) if self._coupling is not None and couples else None,
        )

    def _expected(self, believed: FloatArray, apart: bool) -> FloatArray:
        """(T, M) what a tagger expects of a text whose votes it has not seen, where that matters."""
        votes, mentions = self._settings.votes, self._settings.mentions
        foretells = self._settings.search.start == "auto"
        if not (votes.deference > 0.0 or apart or mentions.surprise > 0.0 or foretells):
            return believed
        return self._told

    @property
    def _by_plausibility(self) -> bool:
        return self._settings.votes.plausibility and self.corpus.scheme.outside >= 0

    def _common_spans(self, believed: FloatArray, expected: FloatArray) -> IntArray:
        first, second = (best_valid_tags(self.corpus, belief) for belief in (believed, expected))
        found = score_tags(first, second, self.corpus.offsets, self.corpus.scheme)
        return np.array([found.support, found.predicted, found.correct])

    def believe(self, before: int, version: int, regard: Regard, tables: RoundTables) -> Believed:
        """A new belief from the text, the votes and the other mentions."""
        text, mentions, believed = self.truth.potentials, self._settings.mentions, self._states[before].unary
        foretold = (0.0, 0.0)
        if self._unseen is not None and self._settings.search.start == "auto":
            foretold = self.evidence.foretold(self._unseen, tables.alike)
        weights = self._vote_weights(regard.correlation)
        said = weights * regard.votes * self._voted(tables, regard.plausible)
        if self._coupling is not None and tables.words is not None and self._unseen is not None:
            if mentions.coupling > 0.0:
                said += self._coupling.scores(believed, mentions.coupling, tables.words)
            if mentions.surprise > 0.0:
                said += self._coupling.surprises(believed, self._unseen, mentions.surprise, tables.words)
        self._unseen = self._apart = None
        return replace(
            self._keep(version, self._believe(text.unary + said, text), said, text), foretold=foretold
        )

    def _vote_weights(self, together: float) -> FloatArray:
        """(T, 1) how much the votes on a token count, as many as they are."""
        return self._settings.votes.temper * dependent_weights(self._counts, together)

    @asks_only
    def vote_hits(self, version: int, inside: bool) -> FloatArray:
        """See `VoteHits`."""
        tags, size = self._states[version].unary.argmax(axis=1), len(self.corpus.annotators)
        return VoteHits.of(self.evidence.votes, tags, self.corpus.scheme.outside, size, inside).counts

    @asks_only
    def pair_sums(self, version: int, asked: Asked) -> FloatArray:
        """See there."""
        tags = self._states[version].unary.argmax(axis=1)
        return pair_sums(self.evidence.votes, tags, self.corpus.scheme.outside, asked, self._facts.kin)

    def _voted(self, tables: RoundTables, plausible: Plausible) -> FloatArray:
        """(T, M) log probabilities of the votes on each token by what is the truth."""
        alike = self.evidence.table.fold(tables.alike)
        if self._apart is None or tables.apart is None:
            return alike
        return part_by_level(alike, self._apart.table.fold(tables.apart), self.corpus.scheme, *plausible)

    def _believe(self, scores: FloatArray, text: Potentials) -> PrunedMarginals:
        """The E-step: posteriors over the candidate paths under (T, M) scores and the rest of the text's."""
        return pruned_marginals(
            self._candidates, scores, text.transitions, text.starts, text.ends, text.folds
        )

    def _keep(
        self, version: int, found: PrunedMarginals, said: FloatArray, text: Potentials | None = None
    ) -> Believed:
        self._states[version] = TokenState(found.unary, said)
        free = 0.0 if text is None else text.log_partition(self.corpus.offsets)
        sound, outside = bool(np.isfinite(found.unary).all()), self.corpus.scheme.outside
        marked = len(found.unary) - float(found.unary[:, outside].sum()) if outside >= 0 else 0.0
        return Believed(found.pairwise, float(found.log_partition.sum()), free, sound, marked)

    def restore(self, version: int, rows: tuple[FloatArray, FloatArray]) -> None:
        """Take up a belief again that `rows` gave."""
        self._states[version] = TokenState(*rows)

    @asks_only
    def rows(self, version: int) -> tuple[FloatArray, FloatArray]:
        """(T, M) what is believed, and the scores beside the text's behind it."""
        return self._states[version].unary, self._states[version].said

    @asks_only
    def keep_rows(self, version: int, folder: Path, name: int) -> None:
        """Write a belief to the disk."""
        state = self._states[version]
        with AtomicFile(rows_path(folder, name, self._number), force=True) as file:
            file.write(encode_tensors({"unary": state.unary, "said": state.said}))

    def restore_rows(self, version: int, folder: Path, name: int) -> None:
        """Take up a belief again that was written."""
        file = read_tensors(
            rows_path(folder, name, self._number), Advice("start anew with {force}", force="")
        )
        shape = (self.corpus.n_tokens, len(self.corpus.scheme))
        self._states[version] = TokenState(file.take("unary", "f8", shape), file.take("said", "f8", shape))

    @asks_only
    def write(self, folder: Path, version: int, telling: Telling) -> IntArray:
        """Settle a belief, and write that; (3,) whether any label of somebody alone was kept, and how many
        spans the text would add to them and doubts."""
        from crowdseq.aggregation.stored import write_settled  # few corpora are on disk

        posteriors = self.softened(version, telling.softening)
        found = self.tags(version, telling.charge)
        told = LoneLabels.beside(self.look.whole, found, posteriors, telling.alone)
        further = {"suggested_tag_ids": found} if telling.alone.any() else {}
        write_settled(folder, self._number, told.tag_ids, posteriors, **further)
        return np.array([told.kept.any(), *told.differences]) if told.kept.any() else np.zeros(3, np.int64)

    @asks_only
    def softened(self, version: int, how: Softening) -> FloatArray:
        """(T, M) probabilities as they are told to people: all scores divided by the temperature, and tokens
        that nobody marked, or one source alone, as they deserve."""
        state, outside = self._states[version], self.corpus.scheme.outside
        softer = state.unary if how.temperature == 1.0 else self._softer(how.temperature, state.said)
        if how.speaking is None or outside < 0:
            return softer
        seen = Seen.of(self.evidence.votes, how.speaking, outside, len(softer))
        told = told_of_sources if self._facts.abstains else told_of_people
        return told(softer, self._softer(OF_TEXT), state.unary, seen, outside)

    def _softer(self, temperature: float, said: FloatArray | float = 0.0) -> FloatArray:
        """(T, M) what the text says, and what is said beside it, with all scores divided by a temperature."""
        text = self.truth.potentials
        softer = replace(text, transitions=text.transitions / temperature)
        return self._believe((text.unary + said) / temperature, softer).unary

    @asks_only
    def common_spans(self, version: int) -> IntArray:
        """Spans (in a plain scheme: labels) of a belief, of what the text alone expects, and of both."""
        return self._common_spans(self._states[version].unary, self._told)

    @asks_only
    def tags(self, version: int, charge: float | None = None) -> IntArray:
        """(T,) the best valid tags under a belief; with a charge, spans that neither an annotator nor the
        text alone drew pay it."""
        believed, corpus = self._states[version].unary, self.corpus
        if charge is None:
            return best_valid_tags(corpus, believed)
        told = find_spans(best_valid_tags(corpus, self._told), corpus.offsets, corpus.scheme)
        return best_spans(corpus, believed, [drawn_spans(corpus)[0], told], charge)

    @property
    def _told(self) -> FloatArray:
        """(T, M) what the text alone makes expected."""
        return self._believe(self.truth.potentials.unary, self.truth.potentials).unary

    @asks_only
    def log10_sequences(self) -> tuple[float, float]:
        """Of the candidates; see there."""
        return log10_sequences(self._candidates, scheme_scores(self.corpus.scheme))

    @asks_only
    def vote_tables(self, version: int, numbers: IntArray) -> dict[str, Any]:
        """See `ContextVotes.tables`."""
        return self.evidence.votes.tables(self._states[version].unary, numbers)

    def open_tagger(self, rules: ChainRules, features: FeatureSettings, version: int) -> None:
        """A CRF of its own, to be trained on what is believed; no more rounds after it."""
        # The two CRFs are the largest things in memory: one goes before the other comes.
        del self.truth, self.evidence, self._candidates, self._coupling, self._mask, self._counts
        self._final = self._states[version].unary
        self._states.forget_others(())
        self.tagger = CrfPart(self.corpus.text, rules, features, self._final)

    def aim_tagger(self) -> Aim:
        """The tagger learns from that belief."""
        return self.tagger.aim(self._final)
