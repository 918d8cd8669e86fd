"""From a corpus and settings to the session in which SA-SLC makes its rounds, and to its first state."""

import numpy as np

from crowdseq.aggregation.folds import assign_folds
from crowdseq.aggregation.settling import best_valid_tags
from crowdseq.aggregation.truth_model import TruthModel
from crowdseq.aggregation.voting import dependent_weights, label_shares, majority_shares
from crowdseq.arrays import BoolArray, FloatArray
from crowdseq.core.corpus import Corpus
from crowdseq.methods.sa_slc.coupling import Coupling
from crowdseq.methods.sa_slc.evidence import ContextVotes, Evidence, linked_tokens, word_numbers
from crowdseq.methods.sa_slc.joint_em import JointEm, State
from crowdseq.methods.sa_slc.settings import SearchSettings, Settings, TextSettings
from crowdseq.numerics.chains.candidates import Candidates, candidate_mask, with_paths
from crowdseq.numerics.chains.pruned_chain import CandidateLists
from crowdseq.numerics.crowds.categorical import count_votes
from crowdseq.numerics.crowds.dependency import Smoothing

# Words that are part of an entity in at least this share of their votes are content words.
CONTENT_SHARE = 0.1
_PLAIN_PRIOR = 1e5


def prepare(corpus: Corpus, settings: Settings) -> tuple[JointEm, Candidates]:
    """All that stays the same from round to round, and the labels that each token may have."""
    reading, mentions, search = settings.votes, settings.mentions, settings.search
    n_labels = len(corpus.scheme)
    words = word_numbers(corpus, mentions.repeat_match)
    linked = linked_tokens(corpus, mentions.repeat_tokens, CONTENT_SHARE)
    votes = ContextVotes.of(corpus, words, linked, mentions.repeat_scope)
    counts = count_votes(votes.tokens, votes.labels, corpus.n_tokens, n_labels)
    candidates = _candidates(corpus, counts, search)
    session = JointEm(
        corpus=corpus,
        evidence=Evidence.of(votes, reading.dependency_in(corpus.scheme), corpus.n_tokens, n_labels),
        truth=_truth_model(corpus, settings.text, _likely_labels(corpus, counts) & candidates.mask),
        candidates=CandidateLists.of_mask(candidates.mask, corpus.offsets),
        coupling=Coupling.of(corpus, words, linked) if mentions.coupling or mentions.surprise else None,
        smoothing=_smoothing(reading.smoothing, corpus),
        vote_weights=reading.temper * dependent_weights(counts, reading.correlation),
        deference=reading.deference,
        by_plausibility=reading.plausibility and corpus.scheme.outside >= 0,
        pull=mentions.coupling,
        surprise=mentions.surprise,
        first_steps=search.first_steps,
        steps=search.steps,
    )
    return session, candidates


def first_state(session: JointEm, search: SearchSettings) -> State:
    """Where the rounds begin: what the votes say, or as in the paper what chance says."""
    corpus = session.corpus
    if search.start != "paper":
        shares = label_shares(corpus)
        return session.from_shares(majority_shares(shares) if search.start == "majority" else shares)
    random = np.random.default_rng(search.seed)
    tables = session.evidence.draw(random, len(corpus.scheme))
    return session.from_tables(tables, _one_annotator(session, random))


def _one_annotator(session: JointEm, random: np.random.Generator) -> FloatArray:
    """(F, W) weights of a CRF that believes one annotator, drawn at random."""
    corpus, crowd = session.corpus, session.corpus.annotations
    drawn = int(random.integers(len(corpus.annotators)))
    alone = corpus.keep_annotators([corpus.annotators[drawn]])
    seen = np.zeros(len(corpus), np.bool_)
    seen[crowd.row_sentences[crowd.voters == drawn]] = True
    tags = best_valid_tags(corpus, label_shares(alone))
    return session.truth.train_on_tags(tags, seen, session.first_steps)


def _candidates(corpus: Corpus, counts: FloatArray, search: SearchSettings) -> Candidates:
    mask = candidate_mask(counts, search.candidates, search.upper, search.lower)
    if search.gold:
        known = np.flatnonzero(corpus.gold_tags >= 0)
        mask[known] = False
        mask[known, corpus.gold_tags[known]] = True
    scheme = corpus.scheme
    return with_paths(mask, corpus.offsets, scheme.allowed, scheme.starts, scheme.ends)


def _likely_labels(corpus: Corpus, counts: FloatArray) -> BoolArray:
    """(T, M) labels for which a token's features get weights: those voted for, O, and all where nobody voted.

    A label that nobody gave to a token can still win there, by the weights that others taught its features.
    """
    likely = counts > 0
    if corpus.scheme.outside >= 0:
        likely[:, corpus.scheme.outside] = True
    likely[counts.sum(axis=1) == 0] = True
    return np.asarray(likely)


def _truth_model(corpus: Corpus, text: TextSettings, labels: BoolArray) -> TruthModel:
    """labels (T, M): those for which a token's features get weights."""
    folds = assign_folds(corpus, text.folds)
    n_folds = int(folds.max(initial=0)) + 1  # a fold without documents would be trained for nobody
    return TruthModel.build(corpus, folds, n_folds, labels.astype(np.float64), text.trainer)


def _smoothing(strength: float, corpus: Corpus) -> Smoothing:
    """Back-off of the annotators' tables.

    Where every token has a telling label, as with parts of speech, a rare label can come to be a second name
    for part of a common one; a strong belief that the crowd is mostly right keeps it from that.
    """
    prior = _PLAIN_PRIOR if corpus.scheme.is_plain and strength > 0 else min(strength, 10.0)
    return Smoothing(own=strength, annotator=strength / 2, crowd=strength / 2, prior=prior)
