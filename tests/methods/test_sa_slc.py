"""SA-SLC against counting by hand and listing every sequence."""

from collections import defaultdict
from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from builders import corpus, random_corpus
from crowdseq.aggregation.contract import RunContext
from crowdseq.arrays import FloatArray
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import LabelScheme
from crowdseq.engines.local import LocalEngine
from crowdseq.errors import SettingsError
from crowdseq.evaluation.scores import score_tags
from crowdseq.formats import read
from crowdseq.methods.sa_slc import SaSlc
from crowdseq.methods.sa_slc.calibration import Softening
from crowdseq.methods.sa_slc.evidence import (
    LEVELS,
    ContextVotes,
    Evidence,
    model_of_kinds,
    plausibility_levels,
    word_numbers,
)
from crowdseq.methods.sa_slc.joint_em import JointEm, State
from crowdseq.methods.sa_slc.rounds import prepare
from crowdseq.methods.sa_slc.starting import first_state
from crowdseq.numerics.crowds.dependency import Smoothing
from shard_worlds import as_it_stands, only_worker

PLAIN_EM = {
    "folds": 1,
    "temper": 1.0,
    "correlation": 0.0,
    "deference": 0.0,
    "plausibility": False,
    "coupling": 0.0,
    "surprise": 0.0,
    "smoothing": 0.0,
    "context": "early",
    "candidates": "off",
}
COUNTING = Smoothing(own=0.0, annotator=0.0, crowd=0.0, prior=0.0)


def small_world(seed: int) -> Corpus:
    """Few short sentences with repeats, gaps and slips."""
    rng = np.random.default_rng(seed)
    return random_corpus(
        seed,
        sentences=int(rng.integers(1, 4)),
        length=2,
        annotators=3,
        voters=int(rng.integers(1, 4)),
        types=["A"] if seed % 2 else ["A", "B"],
        kind=["IOB2", "IO", "plain"][seed % 3],
        accuracy=0.6,
        unlabelled=0.2,
        documents=[None, 1, 2][seed % 3],
    )


def slow_contexts(world: Corpus, scope: str) -> dict[tuple[int, int], tuple[int, int, int]]:
    """(token, annotator) to (label, previous, earlier), found by looking."""
    found: dict[tuple[int, int], tuple[int, int, int]] = {}
    latest: dict[tuple[int, object, str], int] = {}
    for place, sentence in enumerate(world.sentences):
        ballot, first = world.annotations.ballots[place], int(world.offsets[place])
        where: object = place if scope == "sentence" else int(world.text.document_of[place])
        for voter, tags in zip(ballot.voters.tolist(), ballot.tags.tolist(), strict=True):
            before = -1
            for token, (word, tag) in enumerate(zip(sentence.tokens, tags, strict=True)):
                if tag >= 0:
                    key = (voter, where, word)
                    found[first + token, voter] = (tag, before, latest.get(key, -1))
                    latest[key] = tag
                before = tag
    return found


def votes_of(world: Corpus, scope: str) -> ContextVotes:
    return ContextVotes.of(world, word_numbers(world, "exact"), np.ones(world.n_tokens, np.bool_), scope)


@pytest.mark.parametrize("scope", ["sentence", "document"])
def test_contexts_are_those_found_by_looking(scope: str) -> None:
    for seed in range(150):
        world = small_world(seed)
        votes = votes_of(world, scope)
        arrays = (votes.labels, votes.previous, votes.earlier)
        rows = zip(
            votes.tokens.tolist(), votes.annotators.tolist(), *(a.tolist() for a in arrays), strict=True
        )
        assert {(t, k): (y, p, e) for t, k, y, p, e in rows} == slow_contexts(world, scope)


@pytest.mark.parametrize("dependency", ["off", "local", "paper", "both"])
def test_tables_are_normalised_expected_counts(dependency: str) -> None:
    for seed in range(150):
        world = small_world(seed)
        n_labels = len(world.scheme)
        truth = np.random.default_rng(seed).dirichlet(np.ones(n_labels), world.n_tokens)
        evidence = Evidence.of(votes_of(world, "document"), dependency, world.n_tokens, n_labels)
        found = np.exp(learned(evidence, truth, COUNTING))
        counts: dict[tuple[object, ...], FloatArray] = defaultdict(np.zeros((n_labels, n_labels)).copy)
        contexts = slow_contexts(world, "document")
        for (token, who), (given, before, earlier) in contexts.items():
            counts[who, *context(dependency, before, earlier)][:, given] += truth[token]
        votes = evidence.votes
        for vote, kind in enumerate(evidence.table.kinds.tolist()):
            token, who = int(votes.tokens[vote]), int(votes.annotators[vote])
            given, before, earlier = contexts[token, who]
            table = counts[who, *context(dependency, before, earlier)]
            np.testing.assert_allclose(found[kind], table[:, given] / table.sum(axis=1), atol=1e-9)


def learned(evidence: Evidence, truth: FloatArray, smoothing: Smoothing) -> FloatArray:
    """Log probabilities of the kinds of votes when there are no other shards."""
    return model_of_kinds(evidence.rows).log_mixed(evidence.table.gather(truth), smoothing, 0, 1.0)


def context(dependency: str, before: int, earlier: int) -> tuple[object, ...]:
    """What Eq. 6-11 condition a vote on, besides the truth."""
    if dependency == "off":
        return ()
    if dependency == "local":
        return ("local", before)
    if dependency == "paper":
        return ("local", before) if earlier < 0 else ("repeat", earlier)
    return (before, earlier)


def session_of(world: Corpus, **settings: object) -> tuple[JointEm[FloatArray], Any]:
    """The rounds of a corpus, and the only shard."""
    recipe = SaSlc(**(PLAIN_EM | {"repeat_tokens": "all"} | settings))  # type: ignore[arg-type]
    session = prepare(as_it_stands(world), recipe.settings)[0]
    return session, only_worker(session.placed)


def listed_posterior(
    world: Corpus, place: int, scores: FloatArray, transitions: FloatArray
) -> tuple[FloatArray, float]:
    """Posteriors and log of the sum of one sentence, over every sequence that the scheme allows."""
    scheme = world.scheme
    first, last = int(world.offsets[place]), int(world.offsets[place + 1])
    unary, total = np.zeros((last - first, len(scheme))), 0.0
    for path in product(range(len(scheme)), repeat=last - first):
        if not scheme.is_valid(np.array(path)):
            continue
        score = sum(scores[first + t, label] for t, label in enumerate(path))
        weight = np.exp(score + sum(transitions[a, b] for a, b in pairwise(path)))
        total += weight
        for token, label in enumerate(path):
            unary[token, label] += weight
    return unary / total, float(np.log(total))


@pytest.mark.parametrize("dependency", ["local", "paper", "both"])
def test_a_round_equals_listing_all_sequences(dependency: str) -> None:
    """Posteriors and likelihood of 1,050 random worlds in all, every annotator term looked up by hand."""
    for seed in range(350):
        world = small_world(seed)
        if world.annotations.n_votes == 0:
            continue
        session, shard = session_of(world, dependency=dependency, repeat_scope="document")
        rng, problem = np.random.default_rng(seed), shard.truth.crf.problem
        weights = rng.normal(0, 0.5, (1, problem.n_weights))
        tables = np.log(rng.dirichlet(np.ones(5), (session.model.n_kinds, len(world.scheme)))[..., 0])
        believed = session.unary(session.from_tables(tables, weights))
        scores = problem.emissions(weights[0])
        for vote, kind in enumerate(shard.evidence.table.kinds.tolist()):
            scores[shard.evidence.votes.tokens[vote]] += tables[kind]
        transitions = problem.transitions(weights[0])
        for place in range(len(world)):
            part = slice(world.offsets[place], world.offsets[place + 1])
            unary, _ = listed_posterior(world, place, scores, transitions)
            np.testing.assert_allclose(believed[part], unary, atol=1e-9)


def test_votes_that_err_together_count_as_fewer() -> None:
    for seed in range(20):
        world = small_world(seed)
        _, shard = session_of(world, temper=0.8, correlation=0.25)
        weights = shard._vote_weights(0.25)
        n_votes = np.bincount(shard.evidence.votes.tokens, minlength=world.n_tokens)
        for token, n in enumerate(n_votes.tolist()):
            together = 0.8 * (n / (1 + 0.25 * (n - 1)) if n else 0.0)
            assert float(weights[token, 0]) * n == pytest.approx(together)


def test_tables_of_plausible_words_are_counted_apart() -> None:
    for seed in range(60):
        world = small_world(seed)
        n_labels = len(world.scheme)
        rng = np.random.default_rng(seed)
        truth = rng.dirichlet(np.ones(n_labels), world.n_tokens)
        unseen = rng.dirichlet(np.full(n_labels, 0.2), world.n_tokens)
        levels = plausibility_levels(unseen, world.scheme)
        entity = 1.0 - unseen[:, world.scheme.outside] if world.scheme.outside >= 0 else np.zeros(len(unseen))
        assert [sum(chance > cut for cut in LEVELS) for chance in entity.tolist()] == levels.tolist()
        evidence = Evidence.of(votes_of(world, "document"), "local", world.n_tokens, n_labels).within(levels)
        found = np.exp(learned(evidence, truth, COUNTING))
        counts: dict[tuple[int, ...], FloatArray] = defaultdict(np.zeros((n_labels, n_labels)).copy)
        contexts = slow_contexts(world, "document")
        for (token, who), (given, before, _) in contexts.items():
            counts[int(levels[token]), who, before][:, given] += truth[token]
        for vote, kind in enumerate(evidence.table.kinds.tolist()):
            token, who = int(evidence.votes.tokens[vote]), int(evidence.votes.annotators[vote])
            given, before, _ = contexts[token, who]
            table = counts[int(levels[token]), who, before]
            np.testing.assert_allclose(found[kind], table[:, given] / table.sum(axis=1), atol=1e-9)


def test_the_objective_is_the_likelihood_of_a_shared_truth_less_the_penalty() -> None:
    for seed in range(40):
        world = small_world(seed)
        if world.annotations.n_votes == 0:
            continue
        session, shard = session_of(world, dependency="local", start="votes")
        before = first_state(session)
        believed, after = session.unary(before), session.step(before)
        tables, problem = learned(shard.evidence, believed, session.smoothing), shard.truth.crf.problem
        free = problem.emissions(after.params[0])
        clamped = free + shard.evidence.table.fold(tables)
        transitions = problem.transitions(after.params[0])
        expected = -session.settings.text.c2 * float(np.square(after.params).sum())
        for place in range(len(world)):
            expected += listed_posterior(world, place, clamped, transitions)[1]
            expected -= listed_posterior(world, place, free, transitions)[1]
        assert after.history[-1] == pytest.approx(expected, abs=1e-7)


def judged_once(world: Corpus, believed: FloatArray, pairs: FloatArray) -> tuple[FloatArray, FloatArray]:
    """A round of judged votes by counting vote by vote and listing every sequence: beliefs and pairs."""
    n_labels = len(world.scheme)
    counts = np.zeros((len(world.annotators), n_labels, n_labels))  # truth by given label
    votes = slow_contexts(world, "document")
    for (token, who), (label, _, _) in votes.items():
        counts[who, :, label] += believed[token]
    prior = np.full((n_labels, n_labels), 0.3 / max(n_labels - 1, 1))
    np.fill_diagonal(prior, 0.7 if n_labels > 1 else 1.0)
    crowd = (counts.sum(axis=0) + 10 * prior) / (counts.sum(axis=(0, 2))[:, None] + 10)
    own = (counts + 10 * crowd) / (counts.sum(axis=2, keepdims=True) + 10)
    scores = np.zeros_like(believed)
    for (token, who), (label, _, _) in votes.items():
        scores[token] += np.log(own[who, :, label])
    moves = np.log((pairs + 0.1) / (pairs + 0.1).sum(axis=1, keepdims=True))
    found, followed = np.zeros_like(believed), np.zeros_like(pairs)
    for place in range(len(world)):
        first, last = int(world.offsets[place]), int(world.offsets[place + 1])
        total = listed_posterior(world, place, scores, moves)[1]
        for path in product(range(n_labels), repeat=last - first):
            if world.scheme.is_valid(np.array(path)):
                score = sum(scores[first + token, label] for token, label in enumerate(path))
                share = np.exp(score + sum(moves[one] for one in pairwise(path)) - total)
                found[np.arange(first, last), list(path)] += share
                for one in pairwise(path):
                    followed[one] += share
    return found, followed


def test_judged_votes_are_what_counting_and_listing_say() -> None:
    for seed in range(0, 60, 3):  # those with spans
        world = small_world(seed)
        if world.annotations.n_votes == 0:
            continue
        first = session_of(world, dependency="local", start="votes")[0]
        state = first_state(first)
        believed, pairs = first.unary(state), state.pairs.sum(axis=0)
        for _ in range(5):
            believed, pairs = judged_once(world, believed, pairs)
        session = session_of(world, dependency="local", start="judged")[0]
        np.testing.assert_allclose(session.unary(first_state(session)), believed, atol=1e-9)


def test_told_probabilities_are_those_of_the_belief_behind_the_tags() -> None:
    world = random_corpus(8, sentences=40, documents=8, accuracy=0.6)
    session, _ = prepare(as_it_stands(world), SaSlc(rounds=3).settings)
    state, shard = first_state(session), only_worker(session.placed)
    for _ in range(3):
        state = session.step(state)
        session.truth.score(state.params)
        text, believed = shard.truth.potentials, session.unary(state)
        again = shard._believe(text.unary + session.arrays(state)["said"], text).unary
        np.testing.assert_array_equal(again, believed)
        # Nearly no softening is nearly the belief itself.
        np.testing.assert_allclose(session.softened(state, Softening(1.0 + 1e-9)), believed, atol=1e-6)


def test_more_folds_than_documents_are_as_many_as_documents() -> None:
    world = random_corpus(6, sentences=12, documents=4)
    few, many = (SaSlc(rounds=2, folds=folds).aggregate(world) for folds in (4, 100_000))
    np.testing.assert_array_equal(few.probabilities, many.probabilities)
    assert few.history == many.history


@pytest.mark.parametrize("dependency", ["local", "paper", "both"])
def test_plain_em_never_lowers_the_likelihood(dependency: str) -> None:
    world = random_corpus(5, sentences=60, annotators=5, voters=4, accuracy=0.7, documents=10)
    recipe = SaSlc(**PLAIN_EM, dependency=dependency, rounds=12, tolerance=0.0)  # type: ignore[arg-type]
    assert recipe.monotone
    history = np.array(recipe.aggregate(world).history)
    assert len(history) == 12
    assert (np.diff(history) >= -1e-8 * np.abs(history[:-1])).all()


def generated_crowd(seed: int, tables: FloatArray) -> Corpus:
    """Sentences whose words show the truth, labelled by annotators who follow tables (K, M + 1, M, M)."""
    rng = np.random.default_rng(seed)
    scheme = LabelScheme.of_types(["X"])
    lines = []
    for _ in range(400):
        truth = [0, 0, 1, 2, 0] if rng.random() < 0.5 else [1, 0, 0, 1, 2]
        columns = []
        for table in tables:
            before, row = len(scheme), []
            for label in truth:
                before = int(rng.choice(len(scheme), p=table[before, label]))
                row.append(scheme.tags[before])
            columns.append(row)
        lines.append(
            " ".join(f"w{t}/{scheme.tags[t]}/" + "/".join(c[i] for c in columns) for i, t in enumerate(truth))
        )
    return corpus(*lines, scheme=scheme)


def test_local_confusions_are_recovered_from_a_generated_crowd() -> None:
    rng = np.random.default_rng(1)
    tables = np.stack([0.75 * np.eye(3)[None] + 0.25 * rng.dirichlet(np.ones(3), (4, 3)) for _ in range(4)])
    world = generated_crowd(2, tables)
    recipe = SaSlc(**PLAIN_EM, dependency="local", rounds=15)  # type: ignore[arg-type]
    consensus = recipe.aggregate(world)
    assert score_tags(world.gold_tags, consensus.tag_ids, world.offsets, world.scheme).f1 == pytest.approx(
        1, abs=0.02
    )
    session, _ = prepare(as_it_stands(world), recipe.settings)
    evidence = only_worker(session.placed).evidence
    found = np.exp(learned(evidence, np.array(consensus.probabilities), session.smoothing))
    votes, errors = evidence.votes, []
    enough = np.bincount(evidence.table.kinds)
    for vote, kind in enumerate(evidence.table.kinds.tolist()):
        before = int(votes.previous[vote]) if votes.previous[vote] >= 0 else 3
        who, given = int(votes.annotators[vote]), int(votes.labels[vote])
        if enough[kind] > 100:
            errors.append(abs(found[kind, given] - tables[who, before, given, given]))
    assert np.mean(errors) < 0.05


def test_known_gold_is_held_and_teaches() -> None:
    world = corpus("Ada/B-PER/O/O met/O/O/O", "Bob/?/O/B-PER met/?/O/O", scheme=LabelScheme.of_types(["PER"]))
    consensus = SaSlc(gold=True).aggregate(world)
    assert consensus.tags[0] == ("B-PER", "O")
    assert consensus.probabilities[0, world.scheme.index["B-PER"]] == pytest.approx(1.0)


def test_the_paper_preset_runs_and_its_seed_decides() -> None:
    world = random_corpus(9, sentences=40, annotators=4, voters=4, documents=8)
    first = SaSlc(preset="paper", seed=1).aggregate(world)
    again = SaSlc(preset="paper", seed=1).aggregate(world)
    other = SaSlc(preset="paper", seed=2).aggregate(world)
    np.testing.assert_array_equal(first.probabilities, again.probabilities)
    assert not np.array_equal(first.probabilities, other.probabilities)


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_change_no_number(threads: int) -> None:
    world = random_corpus(4, sentences=80, annotators=5, voters=4, documents=10)
    one = SaSlc(rounds=3).aggregate(world)
    many = SaSlc(rounds=3).aggregate(world, RunContext(engine=LocalEngine(threads)))
    np.testing.assert_array_equal(one.probabilities, many.probabilities)


def test_a_sentence_of_ten_thousand_tokens_is_settled() -> None:
    rng = np.random.default_rng(0)
    truth = rng.random(10_000) < 0.2
    votes = [truth ^ (rng.random(10_000) < 0.1) for _ in range(3)]
    tag = ("O", "B-X")
    rows = zip(truth.tolist(), *(vote.tolist() for vote in votes), strict=True)
    line = " ".join(f"w{i % 97}/" + "/".join(tag[said] for said in row) for i, row in enumerate(rows))
    consensus = SaSlc(rounds=2, folds=1).aggregate(corpus(line))
    assert np.isfinite(consensus.probabilities).all()


def test_four_hundred_labels_fit() -> None:
    types = [f"T{number:03}" for number in range(200)]
    world = random_corpus(2, sentences=30, length=5, annotators=20, voters=4, types=types)
    assert len(world.scheme) == 401
    consensus = SaSlc(rounds=1, folds=1, steps=2).aggregate(world)
    np.testing.assert_allclose(consensus.probabilities.sum(axis=1), 1.0, atol=1e-9)


class MemoryKeeper:
    """Keeps rounds in memory and can break off after some of them."""

    def __init__(self, stop_after: int | None = None) -> None:
        self.kept: dict[str, FloatArray] | None = None
        self._left = stop_after

    def load(self) -> dict[str, FloatArray] | None:
        return self.kept

    def keep(self, arrays: object) -> None:
        self.kept = {name: np.array(value) for name, value in arrays.items()}  # type: ignore[attr-defined]
        if self._left is not None:
            self._left -= 1
            if self._left == 0:
                raise KeyboardInterrupt


@pytest.mark.parametrize("stop_after", [1, 3])
def test_a_run_that_was_cut_off_ends_as_an_unbroken_one(stop_after: int) -> None:
    world = random_corpus(4, sentences=60, annotators=5, voters=4, documents=10)
    recipe = SaSlc(rounds=5, tolerance=0.0)
    whole = recipe.learn(world).consensus
    keeper = MemoryKeeper(stop_after)
    with pytest.raises(KeyboardInterrupt):
        recipe.learn(world, RunContext(keeper=keeper))
    resumed = MemoryKeeper()
    resumed.kept = keeper.kept
    again = recipe.learn(world, RunContext(keeper=resumed)).consensus
    np.testing.assert_array_equal(again.probabilities, whole.probabilities)
    assert again.history == whole.history


def test_a_round_that_breaks_down_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    world = random_corpus(4, sentences=20, documents=5)
    good_step = JointEm.step

    def step(self: JointEm[FloatArray], state: State[FloatArray]) -> State[FloatArray]:
        after = good_step(self, state)
        if len(after.history) < 3:
            return after
        return replace(after, params=np.full_like(after.params, np.nan), is_sound=False)

    monkeypatch.setattr(JointEm, "step", step)
    consensus = SaSlc(rounds=5, tolerance=0.0).aggregate(world)
    assert len(consensus.history) == 2
    assert np.isfinite(consensus.probabilities).all()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"preset": "magic"}, "preset"),
        ({"dependency": "global"}, "dependency"),
        ({"upper": 0.5, "lower": 1.0}, "cannot be below lower"),
        ({"folds": 0}, "folds"),
        ({"temper": -1.0}, "temper"),
        ({"c2": -1.0}, "c2"),
        ({"features": "none"}, "feature set"),
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, object], words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        SaSlc(**settings)  # type: ignore[arg-type]


def test_a_run_that_needs_too_much_memory_is_refused_with_the_figure() -> None:
    world = random_corpus(4, sentences=20, documents=5)
    with pytest.raises(SettingsError, match=r"needs about .* MB, more than max_memory"):
        SaSlc().aggregate(world, RunContext(max_memory=0.001))


def test_probabilities_are_told_softer_but_tags_stay() -> None:
    world = random_corpus(4, sentences=40, annotators=5, voters=4, documents=8)
    sharp, soft = SaSlc(temperature=1.0).aggregate(world), SaSlc(temperature=3.0).aggregate(world)
    np.testing.assert_array_equal(sharp.tag_ids, soft.tag_ids)
    assert soft.token_confidence.mean() < sharp.token_confidence.mean()


def test_dependency_counts_add_up_to_the_votes() -> None:
    world = random_corpus(4, sentences=40, annotators=5, voters=4, documents=8)
    found = SaSlc(rounds=2).aggregate(world).parameters
    assert found["local_counts"].sum() == pytest.approx(world.annotations.n_votes)
    votes = votes_of(world, "document")
    assert found["repeat_counts"].sum() <= np.count_nonzero(votes.earlier >= 0) + 1e-6
    assert set(found["local_kinds"][:, 0].tolist()) <= set(range(len(world.annotators)))


def test_the_shanghai_example_of_the_paper(shared_data: Path) -> None:
    """Table XI: both mentions of the city are locations though one annotator marked nothing at all."""
    crowd = read(shared_data / "amt_conll2003" / "crowd.jsonl.gz").corpus
    wanted = crowd.text.ids.index("conll2003-train-d231-s21")
    near = [place for place in range(len(crowd)) if abs(place - wanted) < 400]
    consensus = SaSlc().aggregate(crowd.select(near))
    place = consensus.corpus.text.ids.index("conll2003-train-d231-s21")
    tokens = consensus.corpus.text.tokens[place]
    cities = [spot for spot, token in enumerate(tokens) if token == "Shanghai"]
    assert len(cities) == 2
    assert [consensus.tags[place][spot] for spot in cities] == ["B-LOC", "B-LOC"]
    ballot = consensus.corpus.annotations.ballots[place]
    silent = [int(voter) for voter, tags in zip(ballot.voters, ballot.tags, strict=True) if not tags.any()]
    skills = [report.skill or 0.0 for report in consensus.annotators]
    assert silent
    assert max(skills[voter] for voter in silent) < max(skills[int(voter)] for voter in ballot.voters)


def test_a_dev_set_chooses_the_best_round_and_survives_a_break() -> None:
    world = random_corpus(4, sentences=60, annotators=5, voters=4, documents=10)
    dev = random_corpus(5, sentences=30)
    recipe = SaSlc(rounds=5, tolerance=0.0)
    whole = recipe.aggregate(world, RunContext(dev=dev))
    assert 1 <= len(whole.history) <= 5
    keeper = MemoryKeeper(stop_after=3)
    with pytest.raises(KeyboardInterrupt):
        recipe.aggregate(world, RunContext(keeper=keeper, dev=dev))
    resumed = MemoryKeeper()
    resumed.kept = keeper.kept
    again = recipe.aggregate(world, RunContext(keeper=resumed, dev=dev))
    np.testing.assert_array_equal(again.probabilities, whole.probabilities)
