"""Finding annotators who copy from each other."""

from dataclasses import replace

import numpy as np
import pytest

from builders import corpus, random_corpus
from copying_oracles import slow_common_errors
from crowdseq.core.annotations import Annotations
from crowdseq.core.corpus import Corpus
from crowdseq.evaluation import copying
from crowdseq.evaluation.copying import find_copies


def _with_copy(world: Corpus, source: int, copy: int, seed: int = 0, share: float = 1.0) -> Corpus:
    """The same crowd, in which one annotator repeats what another said wherever both have a vote."""
    crowd, rng = world.annotations, np.random.default_rng(seed)
    tags = crowd.tags.copy()
    for place, ballot in enumerate(crowd.ballots):
        voters = ballot.voters.tolist()
        if source in voters and copy in voters and rng.random() < share:
            block = tags[crowd.block_offsets[place] : crowd.block_offsets[place + 1]].reshape(
                ballot.tags.shape
            )
            block[voters.index(copy)] = block[voters.index(source)]
    votes = Annotations(crowd.annotators, crowd.voters, crowd.row_offsets, tags, crowd.lengths)
    return replace(world, annotations=votes)


def _crowd(seed: int, *, kind: str = "IOB2", unlabelled: float = 0.0) -> Corpus:
    return random_corpus(
        seed, sentences=120, annotators=7, voters=6, accuracy=0.75, kind=kind, unlabelled=unlabelled
    )


@pytest.mark.parametrize("kind", ["IOB2", "plain"])
@pytest.mark.parametrize("seed", range(3))
def test_fault_31_a_copy_is_found_and_nobody_else_is_suspected(kind: str, seed: int) -> None:
    world = _with_copy(_crowd(seed, kind=kind), source=2, copy=5)
    assert [copy[:2] for copy in find_copies(world, world.gold_tags)] == [(2, 5)]


@pytest.mark.parametrize("kind", ["IO", "IOB2", "BIOES", "plain"])
@pytest.mark.parametrize("seed", range(3))
def test_annotators_who_err_by_themselves_are_not_suspected(kind: str, seed: int) -> None:
    world = _crowd(seed, kind=kind)
    assert find_copies(world, world.gold_tags) == []


@pytest.mark.parametrize("unlabelled", [0.0, 0.3])
def test_what_is_told_of_a_pair_is_what_a_slow_count_gives(unlabelled: float) -> None:
    world = _with_copy(_crowd(1, unlabelled=unlabelled), source=0, copy=3)
    (found,) = find_copies(world, world.gold_tags)
    shared, expected, of_first, _ = slow_common_errors(world, world.gold_tags, found.first, found.second)
    assert found.shared == shared
    assert found.expected == pytest.approx(expected)
    assert found.shared / of_first > 0.9 > found.expected / of_first


def test_working_in_small_portions_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    world = _with_copy(_crowd(2), source=1, copy=4)
    whole = find_copies(world, world.gold_tags)
    monkeypatch.setattr(copying, "_CELLS_AT_A_TIME", 100)
    (found,) = find_copies(world, world.gold_tags)
    assert found[:3] == whole[0][:3]
    assert found.expected == pytest.approx(whole[0].expected)


def test_two_who_always_say_the_same_one_thing_are_no_copies() -> None:
    lines = [
        " ".join(
            f"w{n}/{tag}/{tag}/{tag}/N/N"
            for n, tag in enumerate(np.random.default_rng(s).choice(["N", "V"], 8))
        )
        for s in range(60)
    ]
    world = corpus(*lines, scheme="plain")
    assert find_copies(world, world.gold_tags) == []


def test_two_who_both_leave_everything_out_are_no_copies() -> None:
    world = corpus(*["Ada/B-PER/B-PER/B-PER/O/O met/O/O/O/O/O Bob/B-PER/B-PER/B-PER/O/O"] * 60)
    assert find_copies(world, world.gold_tags) == []


def test_an_error_that_everybody_makes_is_the_fault_of_the_token() -> None:
    world = corpus(
        *["Ada/B-PER/B-LOC/B-LOC/B-LOC/B-LOC met/O/O/O/O/O Bob/B-PER/B-PER/B-PER/B-PER/B-PER"] * 60
    )
    assert find_copies(world, world.gold_tags) == []


@pytest.mark.parametrize(("common", "suspects"), [(4, 0), (6, 1)])
def test_a_handful_of_common_errors_is_too_little_to_accuse_anybody(common: int, suspects: int) -> None:
    right = "Ada/B-PER/B-PER/B-PER/B-PER/B-PER/B-PER met/O/O/O/O/O/O Bob/B-PER/B-PER/B-PER/B-PER/B-PER/B-PER"
    wrong = right.replace("B-PER/B-PER met", "B-LOC/B-LOC met")
    world = corpus(*[right] * 94, *[wrong] * common)
    assert len(find_copies(world, world.gold_tags)) == suspects


def test_who_copies_now_and_then_is_not_accused() -> None:
    world = _with_copy(_crowd(0), source=2, copy=5, share=0.4)
    shared, expected, *_ = slow_common_errors(world, world.gold_tags, 2, 5)
    assert shared > 2 * expected
    assert find_copies(world, world.gold_tags) == []


def test_a_corpus_without_votes_or_errors_has_no_copies() -> None:
    for world in (corpus(), corpus("x/O"), corpus("x/O/O/O"), corpus("x/B-PER/B-PER/B-PER")):
        assert find_copies(world, world.gold_tags) == []


def test_tokens_without_a_known_truth_are_left_out() -> None:
    world = _with_copy(_crowd(5), source=2, copy=5)
    unknown = np.full_like(world.gold_tags, -1)
    assert find_copies(world, unknown) == []
