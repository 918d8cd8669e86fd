"""Where the rounds of SA-SLC begin: what the votes say, read in one way or another, or what chance says."""

from dataclasses import replace

import numpy as np

from crowdseq.aggregation.settling import scheme_scores
from crowdseq.aggregation.truth import P
from crowdseq.arrays import FloatArray
from crowdseq.engines.shards import add_up
from crowdseq.methods.sa_slc.evidence import draw_tables
from crowdseq.methods.sa_slc.joint_em import JointEm, State
from crowdseq.numerics.crowds.dependency import Smoothing

_MUCH_MORE = 4.0  # times as many tokens marked, for the majority to have left out most of what there is
_PILOT_ROUNDS = 3
_CLEAR_LEAD = 0.04  # share of the surprise that it must spare; what is open is not decided by a hair
_JUDGING_ROUNDS = 5
_HABITS = Smoothing(annotator=10.0)
_UNSEEN_MOVE = 0.1  # times that a label is taken to have followed another before anything was counted


def first_state(session: JointEm[P]) -> State[P]:
    """The state before the first round, as the settings want it."""
    search = session.settings.search
    if search.start == "paper":
        return _by_chance(session, np.random.default_rng(search.seed))
    if search.start == "auto":
        recall = replace(_from_votes(session, "recall"), recalled=True, by_sources=session.facts.by_rule)
        return _better(session, _from_votes(session, "majority"), recall)
    if search.start == "judged":
        return _from_judged_votes(session)
    return _from_votes(session, search.start)


def _from_votes(session: JointEm[P], way: str) -> State[P]:
    version, totals = session.versions.new(), add_up(session.placed.each("label_totals"))
    found = session.placed.each("start_from_votes", version.number, way, session.truth.n_folds, totals)
    return session.state_of(version, found, session.truth.start())


def _better(session: JointEm[P], majority: State[P], recall: State[P]) -> State[P]:
    """The majority, unless it leaves out most of what is marked, also by the votes of those who deserve it.
    Then the start where silence counts as much as it says, if the text foretells the votes better from there
    than from the majority; else, since little text foretells nothing, what the votes say by themselves."""
    if recall.marked <= _MUCH_MORE * majority.marked:
        return majority
    judged = _from_judged_votes(session)
    if judged.marked <= _MUCH_MORE * majority.marked:
        return majority
    for _ in range(min(_PILOT_ROUNDS, session.settings.search.rounds)):
        majority, recall = session.step(majority), session.step(recall)
    return recall if recall.surprise < (1.0 - _CLEAR_LEAD) * majority.surprise else judged


def _from_judged_votes(session: JointEm[P]) -> State[P]:
    """What the votes say when each counts as its annotator deserves, before the text is asked: tables of
    annotators and of what follows what, learned together from shares of votes."""
    state = _from_votes(session, "votes")
    rules, _, _ = scheme_scores(session.cut.facts.scheme)
    for _ in range(_JUDGING_ROUNDS):
        counts = session.kinds.add_up(session.placed.each("vote_counts", state.version.number))
        tables = session.kinds.split(session.model.log_habits(counts, _HABITS))
        moves, version = _log_moves(state.pairs.sum(axis=0), rules), session.versions.new()
        found = session.placed.each("believe_votes", version.number, moves, session.truth.n_folds, own=tables)
        state = session.state_of(version, found, session.truth.start())
    return replace(state, judged=True)


def _log_moves(pairs: FloatArray, rules: FloatArray) -> FloatArray:
    """(M, M) log probabilities of the label after a label, from how often each is believed to follow."""
    counts = pairs + _UNSEEN_MOVE
    return np.asarray(np.log(counts / counts.sum(axis=1, keepdims=True)) + rules)


def _by_chance(session: JointEm[P], random: np.random.Generator) -> State[P]:
    """Random tables, and a text that believes one annotator, drawn at random."""
    corpus = session.cut.facts
    tables = draw_tables(session.model, random, len(corpus.scheme))
    annotator = int(random.integers(len(corpus.annotators)))
    totals = add_up(session.placed.each("label_totals", annotator))
    session.placed.each("aim_at_annotator", annotator, totals)
    return session.from_tables(tables, session.truth.train_on_tags(session.settings.search.first_steps))
