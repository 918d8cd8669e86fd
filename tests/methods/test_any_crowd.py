"""SA-SLC on crowds of other kinds than the one that its settings come from; its new formulas by hand."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from zlib import crc32

import numpy as np
import pytest
from numpy.random import Generator

from builders import random_corpus
from crowdseq.aggregation.canonical import OrderedCut
from crowdseq.aggregation.contract import RunContext
from crowdseq.aggregation.voting import label_counts
from crowdseq.core.building import CorpusBuilder, Record
from crowdseq.core.corpus import Corpus
from crowdseq.core.spans import Span, decode, encode
from crowdseq.evaluation.crowd_profile import CrowdProfile, hear
from crowdseq.evaluation.remarks import remarks_of
from crowdseq.evaluation.scores import score_tags
from crowdseq.methods.majority_vote import MajorityVote
from crowdseq.methods.sa_slc import SaSlc
from crowdseq.methods.sa_slc.calibration import err_alone, little_left_out, misses_gather, shared_errors
from crowdseq.methods.sa_slc.coupling import left_out, majority_words
from crowdseq.methods.sa_slc.evidence import ContextVotes, Evidence
from crowdseq.methods.sa_slc.exchange import Plausible
from crowdseq.methods.sa_slc.joint_em import JointEm
from crowdseq.methods.sa_slc.rounds import prepare
from crowdseq.methods.sa_slc.starting import first_state
from crowdseq.workflows.demonstrating import demo_corpus

Reader = Callable[[list[Span], int, Generator], list[Span]]  # true spans and the length, to those drawn


@dataclass(frozen=True)
class Character:
    """How often somebody misses a span, gives it another type or end, and marks a word for nothing."""

    misses: float
    mistypes: float = 0.0
    misbounds: float = 0.0
    invents: float = 0.0

    def __call__(self, truth: list[Span], length: int, rng: Generator) -> list[Span]:
        drawn: list[Span] = []
        for span in truth:
            miss, mistype, misbound = rng.random(3)
            if miss >= self.misses:
                label = "MISC" if mistype < self.mistypes else span.label
                end = span.end + 1 if misbound < self.misbounds else span.end
                drawn.append(Span(span.start, min(end, length), label))
        taken = {token for span in drawn for token in range(span.start - 1, span.end + 1)}
        free = [token for token in range(length) if token not in taken]
        if free and rng.random() < self.invents * length:
            start = int(rng.choice(free))
            drawn.append(Span(start, start + 1, "ORG"))
        kept: list[Span] = []
        for span in sorted(drawn, key=lambda one: one.start):
            if not kept or kept[-1].end <= span.start:
                kept.append(span)
        return kept


GOOD, MID, BAD = (
    Character(0.1, 0.06, 0.06, 0.003),
    Character(0.2, 0.12, 0.12, 0.006),
    Character(0.35, 0.2, 0.2, 0.012),
)
NOTHING = Character(1.0)


def cast(
    people: dict[str, Character],
    copies: dict[str, str] | None = None,
    seen: Callable[[int, str], bool] = lambda number, name: True,  # noqa: ARG005
    seed: int = 0,
) -> Corpus:
    """The demo text labelled by these people; copies: name to whom it repeats."""
    text, rng, builder = demo_corpus(), np.random.default_rng(seed), CorpusBuilder()
    for number, sentence in enumerate(text.sentences):
        gold, length = text.gold[number], len(sentence.tokens)
        truth = list(decode(text.scheme, gold))
        drawn = {name: who(truth, length, rng) for name, who in people.items()}
        drawn |= {name: drawn[source] for name, source in (copies or {}).items()}
        votes = {
            name: encode(text.scheme, spans, length) for name, spans in drawn.items() if seen(number, name)
        }
        builder.add(Record(list(sentence.tokens), f"s{number}", f"d{number // 10}", votes, gold))
    return builder.build(text.scheme)


def functions(count: int, share: float) -> Corpus:
    """The demo text labelled by functions: each knows a share of the names, and marks them everywhere."""
    text, builder = demo_corpus(), CorpusBuilder()
    for number, sentence in enumerate(text.sentences):
        gold, length = text.gold[number], len(sentence.tokens)
        votes = {
            f"f{one}": encode(
                text.scheme,
                [
                    span
                    for span in decode(text.scheme, gold)
                    if crc32(f"{one} {sentence.tokens[span.start : span.end]}".encode()) < share * 2**32
                ],
                length,
            )
            for one in range(count)
        }
        builder.add(Record(list(sentence.tokens), f"s{number}", f"d{number // 10}", votes, gold))
    return builder.build(text.scheme)


def f1(world: Corpus, recipe: SaSlc | MajorityVote) -> float:
    return score_tags(world.gold_tags, recipe.aggregate(world).tag_ids, world.offsets, world.scheme).f1 or 0.0


def test_three_copies_of_a_bad_annotator_do_not_outvote_two_good_ones() -> None:
    world = cast({"c1": BAD, "g1": GOOD, "g2": GOOD}, {"c2": "c1", "c3": "c1"})
    assert f1(world, MajorityVote()) < 0.7
    assert f1(world, SaSlc()) > 0.88


def test_three_who_mark_nothing_do_not_silence_two_who_do() -> None:
    world = cast({"a": MID, "b": MID, "x": NOTHING, "y": NOTHING, "z": NOTHING})
    assert f1(world, SaSlc(preset="0.1")) == 0.0
    assert f1(world, SaSlc()) > 0.8


def test_labelling_functions_give_no_empty_consensus() -> None:
    world = functions(12, 0.07)
    assert CrowdProfile.of(world).silence("auto") == "abstains"
    assert f1(world, SaSlc(preset="0.1")) < 0.1
    assert f1(world, SaSlc()) > 0.6


def test_people_who_find_as_little_are_no_functions() -> None:
    """They leave out by chance: a word that they mark here they leave out there."""
    world = cast({f"f{number}": Character(0.93) for number in range(12)})
    profile = CrowdProfile.of(world)
    assert np.median(profile.recalls) < 0.1
    assert not profile.marks_by_rule
    assert profile.silence("auto") == "labelled"
    assert f1(world, SaSlc(preset="0.1")) < 0.1
    assert f1(world, SaSlc()) > 0.6


def test_who_marks_a_word_again_is_counted_as_one_by_one_would() -> None:
    world = cast({"a": MID, "b": BAD, "c": NOTHING}, seen=lambda number, name: name != "b" or number % 3 == 0)
    votes, outside = world.annotations.votes(), world.scheme.outside
    pairs = [pair for tokens in world.text.tokens for pair in zip(tokens, [*tokens[1:], None], strict=True)]
    given: dict[tuple[int, tuple[str, str | None]], list[bool]] = {}
    for token, who, label in zip(votes.tokens, votes.annotators, votes.labels, strict=True):
        given.setdefault((int(who), pairs[token]), []).append(bool(label != outside))
    slow = np.zeros((2, len(world.annotators)))
    for (who, _), marks in given.items():
        for place, is_marked in enumerate(marks):
            others = marks[:place] + marks[place + 1 :]
            if is_marked and others:
                slow[0, who] += 1
                slow[1, who] += sum(others) / len(others)
    assert CrowdProfile.of(world).repeats == pytest.approx(slow)
    assert slow[1, 0] > 0


def sessions(world: Corpus, **settings: object) -> JointEm[np.ndarray[tuple[int, ...], np.dtype[np.float64]]]:
    recipe = SaSlc(**settings)  # type: ignore[arg-type]
    return prepare(OrderedCut.of(world, 10**6), recipe.settings)[0]


def test_a_majority_that_leaves_out_most_is_no_start() -> None:
    world = functions(10, 0.2)
    assert CrowdProfile.of(world).silence("auto") == "labelled"
    started = first_state(sessions(world))
    assert started.by_sources
    assert started.recalled
    assert len(started.history) == 3
    assert f1(world, SaSlc()) > f1(world, SaSlc(preset="0.1")) + 0.1


def test_timid_people_are_no_sources_whatever_the_start() -> None:
    world = cast({f"f{number}": Character(0.8) for number in range(10)})
    started = first_state(sessions(world))
    assert started.recalled or started.judged
    assert not started.by_sources
    assert f1(world, SaSlc()) > f1(world, SaSlc(preset="0.1")) + 0.1


def test_nine_timid_people_are_heard_where_text_is_too_short_to_foretell_their_votes() -> None:
    timid = Character(0.75, 0.06, 0.1, 0.004)
    world = cast({"a": MID, **{f"t{number}": timid for number in range(9)}}, seed=3)
    short = world.select(np.arange(60))
    assert not first_state(sessions(short)).by_sources
    assert first_state(sessions(short)).marked > 4 * first_state(sessions(short, start="majority")).marked
    assert f1(short, SaSlc(start="majority")) < 0.6
    assert f1(short, SaSlc()) > 0.75
    told = {remark.kind: remark.text for remark in remarks_of(SaSlc().aggregate(short))}
    assert told["start"].endswith("the first belief counts each vote as its annotator deserves")


def test_a_crowd_of_people_starts_from_its_majority_without_a_trial() -> None:
    started = first_state(sessions(cast(dict.fromkeys("abcde", MID))))
    assert not started.by_sources
    assert started.history == ()


def test_one_annotator_alone_keeps_every_label() -> None:
    world = cast({"a": MID})
    consensus = SaSlc(rounds=4).aggregate(world)
    np.testing.assert_array_equal(consensus.tag_ids, MajorityVote().aggregate(world).tag_ids)
    assert (consensus.parameters["suggested_tag_ids"] != consensus.tag_ids).any()


def test_good_people_with_little_overlap_are_not_worse_than_their_own_labels() -> None:
    expert = Character(0.05, 0.03, 0.03, 0.001)
    names = ("a", "b", "c")
    world = cast(
        dict.fromkeys(names, expert), seen=lambda number, name: number % 10 == 0 or names[number % 3] == name
    )
    assert f1(world, SaSlc()) >= f1(world, MajorityVote()) - 0.003


@pytest.mark.parametrize("people", [{"a": MID}, {f"f{number}": Character(0.8) for number in range(10)}])
def test_a_run_of_another_kind_goes_on_after_a_break(people: dict[str, Character]) -> None:
    world, recipe = cast(people), SaSlc(rounds=5, tolerance=0.0)
    whole = recipe.aggregate(world)

    class Broken:
        kept: dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float64]]] | None = None
        breaks = True

        def load(self) -> dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float64]]] | None:
            return self.kept

        def keep(self, arrays: object) -> None:
            self.kept = {name: np.array(value) for name, value in arrays.items()}  # type: ignore[attr-defined]
            if self.breaks:
                raise KeyboardInterrupt

    keeper = Broken()
    with pytest.raises(KeyboardInterrupt):
        recipe.aggregate(world, RunContext(keeper=keeper))
    keeper.breaks = False
    again = recipe.aggregate(world, RunContext(keeper=keeper))
    np.testing.assert_array_equal(again.probabilities, whole.probabilities)
    np.testing.assert_array_equal(again.tag_ids, whole.tag_ids)


def test_votes_are_foretold_as_counting_one_by_one_says() -> None:
    world = random_corpus(3, sentences=6, annotators=4, voters=3)
    words = np.arange(world.n_tokens)
    votes = ContextVotes.of(world, words, np.ones(world.n_tokens, np.bool_), "document")
    evidence = Evidence.of(votes, "local", world.n_tokens, len(world.scheme))
    rng = np.random.default_rng(0)
    expected = rng.dirichlet(np.ones(len(world.scheme)), world.n_tokens)
    tables = np.log(rng.random((len(evidence.rows), len(world.scheme))))
    slow = 0.0
    for place, token in enumerate(votes.tokens.tolist()):
        kind = [votes.annotators[place], votes.previous[place], votes.labels[place]]
        row = evidence.rows.tolist().index(kind)
        slow += np.log(sum(expected[token, m] * np.exp(tables[row, m]) for m in range(len(world.scheme))))
    total, count = evidence.foretold(expected, tables)
    assert total == pytest.approx(slow)
    assert count == len(votes.tokens)


def test_plausibility_grows_with_the_tokens_that_are_marked() -> None:
    votes = SaSlc().settings.votes
    enough = votes.enough_marks
    shares = [votes.plausible(int(enough * part)) for part in (0.0, 0.5, 1.0, 1.5, 9.0)]
    assert shares == [0.0, 0.0, 0.5, 1.0, 1.0]
    assert SaSlc(preset="0.1").settings.votes.plausible(0) == 1.0


TOGETHER, ALONE = (1.0, 1.0), (0.0, 0.0)  # as first errors


def test_with_little_text_plausibility_waits_until_the_belief_has_settled() -> None:
    """What the first belief leaves out does not look like an entity to a tagger that learned from it."""
    session = sessions(random_corpus(1))
    state = first_state(session)
    told = [session._plausible(replace(state, history=(0.0,) * done), TOGETHER) for done in range(11)]
    kept = 1.0 - 0.3 * misses_gather(shared_errors(session.placed, state.version.number, inside=True))
    assert session.facts.plausible == 0.0
    late = np.array([0.0] * 5 + [1 / 6, 1 / 3, 1 / 2, 2 / 3, 2 / 3, 2 / 3])
    assert [one.outside for one in told] == pytest.approx((late * kept).tolist())
    assert session.least_rounds == session.settings.search.rounds


def test_with_little_text_it_counts_at_once_where_people_err_alone_and_little_is_left_out() -> None:
    session = sessions(random_corpus(1))
    state = replace(first_state(session), history=(0.0,))
    kept = 1.0 - 0.3 * misses_gather(shared_errors(session.placed, state.version.number, inside=True))
    for errors in (ALONE, (0.01, 0.0), (0.0, 0.11), TOGETHER):
        for left in (0.0, 0.6, 1.0):
            told = replace(session, left_out=left)._plausible(state, errors)
            assert told.outside == pytest.approx(err_alone(*errors) * little_left_out(left) * kept)


def test_people_made_to_err_alone_are_seen_to() -> None:
    world = cast({"a": MID, "b": MID, "c": MID, "d": MID})
    session = sessions(world, enough_marks=1e9)
    state = replace(first_state(session), history=(0.0,))
    missed, _ = session._first_errors(state)
    assert missed < 0.01
    assert session._first_errors(replace(state, judged=True)) == TOGETHER
    assert session._first_errors(replace(state, history=())) == TOGETHER
    enough = replace(session, facts=replace(session.facts, plausible=1.0))
    assert enough._first_errors(state) == TOGETHER


def test_errors_of_the_first_rounds_are_not_forgotten_when_belief_goes_astray() -> None:
    session = sessions(random_corpus(1), enough_marks=1e9)
    state = replace(first_state(session), history=(0.0,), first_errors=ALONE)
    missed, invented = session._first_errors(state)
    seen = shared_errors(session.placed, state.version.number, inside=False)
    assert (missed, invented) == (0.0, seen.correlation)
    assert session._first_errors(replace(state, history=(0.0,) * 3)) == ALONE
    after = session.step(state)
    assert after.first_errors == (missed, invented)
    assert session.of_arrays(session.arrays(after)).first_errors == (missed, invented)


def test_what_lacks_the_majority_is_counted_word_by_word() -> None:
    world = random_corpus(5, annotators=5, sentences=40)
    outside, words = world.scheme.outside, [word for tokens in world.text.tokens for word in tokens]
    by_token: list[list[int]] = [[] for _ in words]
    votes = world.annotations.votes()
    for token, label in zip(votes.tokens.tolist(), votes.labels.tolist(), strict=True):
        by_token[token].append(label)
    held = [sum(one != outside for one in given) * 2 >= len(given) > 0 for given in by_token]
    lost = [
        any(one != outside for one in given) and not has for given, has in zip(by_token, held, strict=True)
    ]

    def elsewhere(kinds: list[bool]) -> float:
        shares = []
        for place in (place for place, kind in enumerate(kinds) if kind):
            others = [one for one in range(len(words)) if words[one] == words[place] and one != place]
            if others:
                shares.append(sum(held[one] for one in others) / len(others))
        return float(np.mean(shares))

    found = majority_words(
        world.text.token_ids, len(world.text.words), label_counts(world), world.scheme.outside
    )
    assert 0.0 < left_out(found) <= 1.0
    assert left_out(found) == pytest.approx(min(elsewhere(lost) / elsewhere(held), 1.0))


def test_nothing_is_left_out_where_every_mark_has_the_majority_and_all_where_none_has() -> None:
    total, some, none = [5.0, 4.0], [2.0, 3.0], [0.0, 0.0]
    assert left_out(np.array([total, some, none])) == 0.0
    assert left_out(np.array([total, none, some])) == 1.0
    assert left_out(np.array([[1.0, 1.0], [1.0, 0.0], [0.0, 1.0]])) == 0.0  # no word is there twice


def test_with_enough_text_plausibility_counts_from_the_first_round_on() -> None:
    session = sessions(random_corpus(1), enough_marks=0.0)
    assert session._plausible(first_state(session), TOGETHER) == Plausible(1.0, 0.0)
    assert session.least_rounds == 0


def test_what_is_missed_is_read_by_level_as_far_as_misses_gather() -> None:
    session = sessions(random_corpus(1), enough_marks=0.0)
    state = replace(first_state(session), history=(0.0,))
    gathered = misses_gather(shared_errors(session.placed, state.version.number, inside=True))
    assert session._plausible(state, TOGETHER) == pytest.approx((1.0 - 0.3 * gathered, gathered))


def test_an_older_preset_reads_entities_halfway_by_level_in_every_round() -> None:
    session = sessions(random_corpus(1), preset="0.1")
    for done in (0, 1, 9):
        state = replace(first_state(session), history=(0.0,) * done)
        assert session._plausible(state, TOGETHER) == Plausible(1.0, 0.5)


def test_an_older_preset_keeps_its_temperature() -> None:
    session = sessions(random_corpus(1), preset="0.1")
    softening, reasons = session.calibrated(first_state(session), 0.1)
    assert (softening.temperature, softening.speaking, reasons) == (2.0, None, {})


def test_only_those_who_never_mark_are_not_heard_among_people() -> None:
    world = cast({"a": MID, "b": MID, "x": NOTHING})
    heard = hear(world, "auto")
    before, after = (np.bincount(one.annotations.votes().annotators) for one in (world, heard))
    blank = world.annotators.index("x")
    assert after[blank] < before[blank]
    assert (np.delete(after, blank) == np.delete(before, blank)).all()
    assert hear(world, "labelled") is world
