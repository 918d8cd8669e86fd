"""Who draws spans wider or narrower than others as a rule."""

from collections.abc import Callable, Mapping

import numpy as np
import pytest

from builders import random_corpus
from crowdseq.core.building import CorpusBuilder, Record
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import LabelScheme
from crowdseq.core.spans import Span, decode, encode
from crowdseq.evaluation.bound_habits import BoundCounts, BoundHabits
from crowdseq.evaluation.remarks import remarks_before
from crowdseq.evaluation.scores import score_tags
from crowdseq.methods.sa_slc import SaSlc

Habit = Callable[[Span], Span]


def as_it_is(span: Span) -> Span:
    return span


def narrow(span: Span) -> Span:
    return Span(span.start, max(span.start + 1, span.end - 1), span.label)


def crowd_of(habits: Mapping[str, Habit], slips: float = 0.1, sentences: int = 150) -> Corpus:
    """Names of one to three words, of which the text says little; everybody draws them by their habit, and
    now and then misses one or ends a word later."""
    rng, builder, scheme = np.random.default_rng(5), CorpusBuilder(), LabelScheme.of_types(["PER"])
    for number in range(sentences):
        truth, tokens = [], [f"w{word}" for word in rng.integers(40, size=12)]
        for start in (0, 4, 8):
            length = int(rng.integers(1, 4))
            truth.append(Span(start, start + length, "PER"))
            tokens[start : start + length] = [f"N{word}" for word in rng.integers(2000, size=length)]
        votes = {}
        for name, habit in habits.items():
            drawn = [habit(span) for span in truth if rng.random() >= slips]
            moved = [Span(one.start, one.end + int(rng.random() < slips), one.label) for one in drawn]
            votes[name] = encode(scheme, moved, 12)
        builder.add(Record(tokens, f"s{number}", f"d{number // 10}", votes, encode(scheme, truth, 12)))
    return builder.build(scheme)


def slow_counts(corpus: Corpus) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    found = np.zeros((3, len(corpus.annotators), len(corpus.annotators)), np.int64)
    for ballot in corpus.annotations.ballots:
        rows = [[corpus.scheme.tags[tag] if tag >= 0 else "O" for tag in row] for row in ballot.tags.tolist()]
        spans = [list(decode(corpus.scheme, row)) for row in rows]
        for one, mine in zip(ballot.voters.tolist(), spans, strict=True):
            for other, theirs in zip(ballot.voters.tolist(), spans, strict=True):
                for a in mine:
                    for b in theirs:
                        if one != other and a.start < b.end and b.start < a.end:
                            found[:, one, other] += [1, a.start < b.start, a.end > b.end]
    return found


@pytest.mark.parametrize("seed", range(3))
def test_counts_are_those_of_comparing_every_two_spans(seed: int) -> None:
    world = random_corpus(seed, sentences=40, annotators=6, voters=4, accuracy=0.6)
    assert (BoundCounts.of(world).tables == slow_counts(world)).all()
    assert BoundCounts.of(world).tables.sum() > 0


def test_parts_of_a_corpus_add_up() -> None:
    world = random_corpus(4, sentences=30, annotators=5, voters=4, accuracy=0.6)
    first, second = (world.select(np.arange(*part)) for part in ((0, 11), (11, 30)))
    whole = BoundCounts.of(first) + BoundCounts.of(second)
    assert (whole.tables == BoundCounts.of(world).tables).all()


def test_slips_are_no_habit_and_habits_are_named() -> None:
    plain = BoundHabits.of(crowd_of(dict.fromkeys("abcde", as_it_is)))
    assert not plain.are_many
    world = crowd_of({"a": as_it_is, "b": as_it_is, "c": narrow, "d": narrow, "e": narrow})
    habits = BoundHabits.of(world)
    assert habits.are_many
    wider, narrower = (sorted(world.annotators[who] for who in side) for side in habits.clear())
    assert (wider, narrower) == (["a", "b"], ["c", "d", "e"])
    (told,) = (one for one in remarks_before(world) if one.kind == "bounds")
    assert told.text.startswith("some draw spans otherwise than the others as a rule: ")
    assert (sorted(told.evidence["wider"]), sorted(told.evidence["narrower"])) == (wider, narrower)


def test_two_annotators_are_not_told_apart_by_habits() -> None:
    habits = BoundHabits.of(crowd_of({"a": as_it_is, "b": narrow}))
    assert habits.share == 0.0
    assert not habits.are_many


def test_a_majority_of_narrow_spans_is_not_explained_away() -> None:
    """Tables in context from the first round on take the wide ones for people who always go on too long."""
    people = {**dict.fromkeys("ab", as_it_is), **dict.fromkeys("cdef", narrow)}
    world = crowd_of(people, slips=0.2)

    def f1(recipe: SaSlc) -> float:
        tags = recipe.aggregate(world).tag_ids
        return score_tags(world.gold_tags, tags, world.offsets, world.scheme).f1 or 0.0

    assert f1(SaSlc(context="early")) < 0.8
    assert f1(SaSlc()) > 0.95
