"""Copies of experts, told by what both leave out of what others agree on."""

from dataclasses import replace

import numpy as np
import pytest

from builders import random_corpus
from crowdseq.core.corpus import Corpus
from crowdseq.engines.shards import add_up, cut_documents
from crowdseq.evaluation import shared_deviations as deviations
from crowdseq.evaluation.deviating_kin import confirmed
from crowdseq.evaluation.kinship import Kin, find_kin, kin_of
from crowdseq.evaluation.pair_agreements import AgreementCounts, Agreements
from crowdseq.evaluation.shared_deviations import MOST_WITNESSES, DeviationCounts, Quorum
from crowdseq.evaluation.tetrads import kin_by_tetrads, relatives
from kinship_oracles import drawn_cast, slow_answers, slow_deviations

GOOD = {"a": 0.96, "b": 0.93, "d": 0.9, "e": 0.94, "f": 0.85}


def _pairs(corpus: Corpus, kin: tuple[Kin, ...] | list[Kin]) -> set[tuple[str, str]]:
    return {(corpus.annotators[pair.first], corpus.annotators[pair.second]) for pair in kin}


def _quorum(first: int, second: int, *witnesses: int) -> Quorum:
    row = [*witnesses, *[-1] * (MOST_WITNESSES - len(witnesses))]
    return Quorum(np.array([first]), np.array([second]), np.array([row]))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("changes", [0.0, 0.06])
def test_copies_of_an_expert_are_found_and_nobody_else(changes: float, seed: int) -> None:
    world = drawn_cast({"c1": 0.97, **GOOD}, {"c2": ("c1", changes)}, sentences=600, seed=seed)
    if changes:
        assert kin_by_tetrads(Agreements.of(world)) == []
    found = find_kin(world)
    assert _pairs(world, found) == {("c1", "c2")}
    assert found[0].dependence > 0.5
    assert found[0].expected < found[0].agreement


@pytest.mark.parametrize("seed", range(20))
def test_two_experts_beside_three_bad_ones_are_no_kin(seed: int) -> None:
    skills = {"a": 0.98, "b": 0.97, "x": 0.55, "y": 0.5, "z": 0.6}
    assert find_kin(drawn_cast(skills, sentences=400, seed=seed)) == ()


@pytest.mark.parametrize("unlabelled", [0.0, 0.2])
def test_answers_are_what_a_slow_count_gives(unlabelled: float) -> None:
    world = random_corpus(4, sentences=40, annotators=6, voters=5, unlabelled=unlabelled)
    counts = DeviationCounts.of(world, _quorum(1, 4, 3, 0, 5))
    answers, in_documents = slow_answers(world, 1, 4, [3, 0, 5])
    expected = np.zeros_like(counts.tables)
    for (one, other, said), number in answers.items():
        code = 0
        for answer in (*said, *[2] * (MOST_WITNESSES - len(said))):
            code = 3 * code + answer
        expected[0, {(1, 1): 0, (1, 0): 1, (0, 1): 2, (0, 0): 3}[one, other], code] += number
    assert expected.sum() > 50
    np.testing.assert_array_equal(
        np.delete(counts.tables[0], _silence(), axis=1), np.delete(expected[0], _silence(), axis=1)
    )
    assert counts.clusters.tolist() == [[sum(in_documents), sum(n * n for n in in_documents)]]


def _silence() -> list[int]:
    """Answers in which no witness drew anything."""
    codes = np.arange(3**MOST_WITNESSES)
    said = codes[:, None] // 3 ** np.arange(MOST_WITNESSES) % 3
    return np.flatnonzero(~(said == 1).any(axis=1)).tolist()


@pytest.mark.parametrize("changes", [0.06, None])
@pytest.mark.parametrize("seen", [1.0, 0.7])
def test_shares_are_what_a_slow_em_gives(changes: float | None, seen: float) -> None:
    copies = {"c2": ("c1", changes)} if changes else {}
    skills = {"c1": 0.9, **({} if changes else {"c2": 0.9}), "a": 0.9, "b": 0.8, "d": 0.6}
    world = drawn_cast(skills, copies, sentences=150, seen=seen, seed=1)
    order = [world.annotators.index(name) for name in ("c1", "c2", "a", "b", "d")]
    told = DeviationCounts.of(world, _quorum(*order)).measured()[0]
    answers, in_documents = slow_answers(world, order[0], order[1], order[2:])
    likelihood, true = max(
        (slow_deviations(answers, start, together=True) for start in deviations._STARTS), key=lambda t: t[0]
    )
    left_out = [sum(n for side, n in true.items() if not side[part]) for part in (0, 1)]
    chance = left_out[0] * left_out[1] / sum(true.values())
    excess = (true[False, False] - chance) / max(min(left_out) - chance, 0.5)
    assert told.shared == pytest.approx(true[False, False], abs=1e-4)
    assert told.excess == pytest.approx(min(max(excess, 0.0), 1.0), abs=1e-4)
    if told.shared >= 2.5 and told.excess >= 0.1:
        alone = max(slow_deviations(answers, start, together=False)[0] for start in deviations._STARTS)
        clustering = max(sum(n * n for n in in_documents) / max(sum(in_documents), 1), 1.0)
        assert told.evidence == pytest.approx(2 * (likelihood - alone) / clustering, rel=1e-4, abs=1e-4)
    assert (told.evidence > 9.0) == bool(changes)


def test_what_is_left_out_in_one_document_is_little_evidence() -> None:
    world = drawn_cast({"c1": 0.95, **GOOD}, {"c2": ("c1", 0.0)}, sentences=300, seed=2)
    asked = _quorum(*(world.annotators.index(name) for name in ("c1", "c2", "a", "b", "e")))
    counts = DeviationCounts.of(world, asked)
    number = int(counts.clusters[0, 0])
    one = replace(counts, clusters=np.array([[number, number**2]]))
    assert one.measured()[0].evidence < counts.measured()[0].evidence / 5.0


def test_shards_names_and_order_do_not_matter() -> None:
    copies = {"c2": ("c1", 0.06), "c3": ("c1", 0.06)}
    world = drawn_cast({"c1": 0.97, **GOOD}, copies, sentences=600, seen=0.9, seed=3)
    found = find_kin(world)
    assert len(found) == 3
    assert kin_by_tetrads(Agreements.of(world)) == []
    shards = [shard.corpus for shard in cut_documents(world, 500).shards]
    assert len(shards) > 5
    agreed = add_up([AgreementCounts.of(shard) for shard in shards])
    assert kin_of(agreed, lambda asked: add_up([DeviationCounts.of(one, asked) for one in shards])) == found
    order = np.random.default_rng(1).permutation(len(world.annotators)).tolist()
    turned = replace(world, annotations=world.annotations.keep_annotators(order))
    turned = turned.select(np.random.default_rng(2).permutation(len(world)))
    renamed = {(*sorted((order[kin.first], order[kin.second])), *kin[2:]) for kin in find_kin(turned)}
    assert renamed == {tuple(kin) for kin in found}


def test_experts_of_whom_poor_witnesses_foretell_too_little_are_let_go() -> None:
    skills = {"a": 0.98, "b": 0.98, "x": 0.6, "y": 0.6, "z": 0.5}
    world = drawn_cast(skills, sentences=400, seed=1)
    agreements = Agreements.of(world)
    kin = [Kin(0, 1, float(agreements.values[0, 1]), 0.8, 0.6)]
    assert 0.96 <= kin[0].agreement < 0.99
    assert confirmed(agreements, kin, lambda asked: DeviationCounts.of(world, asked)) == []
    assert confirmed(agreements, [kin[0]._replace(agreement=1.0)], lambda asked: pytest.fail(str(asked)))


def test_two_copies_of_one_are_relatives_and_nobody_beyond_them() -> None:
    values = np.full((4, 4), 0.4)
    for one, other, value in ((0, 1, 0.8), (0, 2, 0.8), (1, 2, 0.6), (2, 3, 0.7), (0, 3, 0.75)):
        values[one, other] = values[other, one] = value
    agreements = Agreements(values, np.full((4, 4), 200.0), values == 1.0)
    known = [Kin(0, 1, 0.8, 0.2, 0.8), Kin(0, 2, 0.8, 0.2, 0.5), Kin(2, 3, 0.7, 0.2, 0.5)]
    told = relatives(agreements, known)
    assert [kin[:3] for kin in told] == [(1, 2, 0.6)], "0 and 3 agree more than 2 and 3"
    assert told[0].expected == pytest.approx(0.64)
    assert told[0].dependence == pytest.approx(0.4)
