"""Coupling between mentions of a word: against loops that look at every other token."""

import numpy as np
import pytest

from builders import random_corpus
from crowdseq.arrays import FloatArray
from crowdseq.core.corpus import Corpus
from crowdseq.methods.sa_slc.coupling import _OTHERS, Coupling, type_numbers
from crowdseq.methods.sa_slc.evidence import part_by_level, word_numbers


def world_and_beliefs(seed: int, kind: str = "IOB2") -> tuple[Corpus, FloatArray, FloatArray]:
    """A corpus of few words in few documents, and two beliefs (T, M) in its truth."""
    world = random_corpus(seed, sentences=30, documents=6, kind=kind)
    rng = np.random.default_rng(seed)
    first, second = (rng.dirichlet(np.ones(len(world.scheme)), world.n_tokens) for _ in range(2))
    return world, first, second


def looked_up(
    world: Corpus, believed: FloatArray, expected: FloatArray | None, weight: float
) -> tuple[FloatArray, int]:
    """What `scores` (expected None) or `surprises` should be, and how many tokens are coupled."""
    types = type_numbers(world.scheme).tolist()
    documents = np.repeat(world.text.document_of, world.text.lengths).tolist()
    words = world.text.token_ids.tolist()
    n_types = max(types) + 1

    def of(beliefs: FloatArray, token: int) -> FloatArray:
        return np.array(
            [sum(beliefs[token][m] for m in range(len(types)) if types[m] == n) for n in range(n_types)]
        )

    everywhere = range(world.n_tokens)
    usual = np.mean([of(believed, token) for token in everywhere], axis=0)
    result, coupled = np.zeros_like(believed), 0
    for token in everywhere:
        same = [other for other in everywhere if words[other] == words[token] and other != token]
        near = [other for other in same if documents[other] == documents[token]]
        far = [other for other in same if documents[other] != documents[token]]
        if not near:
            continue
        coupled += 1
        if expected is None:
            base = (sum(of(believed, other) for other in far) + _OTHERS * usual) / (len(far) + _OTHERS)
            here = (sum(of(believed, other) for other in near) + base) / (len(near) + 1)
        else:
            base = (sum(of(expected, other) for other in near) + usual) / (len(near) + 1)
            here = (sum(of(believed, other) for other in near) + usual) / (len(near) + 1)
        ratio = np.log(here / base)
        result[token] = [weight * ratio[types[m]] for m in range(len(types))]
    return result, coupled


def coupling_of(world: Corpus) -> Coupling:
    return Coupling.of(world, word_numbers(world, "exact"), np.ones(world.n_tokens, np.bool_))


@pytest.mark.parametrize("kind", ["IOB2", "plain"])
@pytest.mark.parametrize("seed", range(4))
def test_scores_compare_the_document_with_the_others(seed: int, kind: str) -> None:
    world, believed, _ = world_and_beliefs(seed, kind)
    wanted, coupled = looked_up(world, believed, None, 0.5)
    assert coupled > 0
    np.testing.assert_allclose(coupling_of(world).scores(believed, 0.5), wanted, atol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_surprises_compare_belief_with_expectation(seed: int) -> None:
    world, believed, expected = world_and_beliefs(seed)
    wanted, coupled = looked_up(world, believed, expected, 0.35)
    assert coupled > 0
    np.testing.assert_allclose(coupling_of(world).surprises(believed, expected, 0.35), wanted, atol=1e-12)


def test_what_was_expected_is_no_surprise() -> None:
    world, believed, _ = world_and_beliefs(9)
    assert not coupling_of(world).surprises(believed, believed, 1.0).any()


def test_words_without_another_mention_in_their_document_get_nothing() -> None:
    world, believed, _ = world_and_beliefs(3)
    nobody = Coupling.of(world, np.arange(world.n_tokens), np.ones(world.n_tokens, np.bool_))
    assert not nobody.scores(believed, 1.0).any()
    unlinked = Coupling.of(world, word_numbers(world, "exact"), np.zeros(world.n_tokens, np.bool_))
    assert not unlinked.scores(believed, 1.0).any()


@pytest.mark.parametrize(("outside", "inside"), [(1.0, 0.5), (1.0, 0.0), (0.7, 1.0), (0.0, 0.3)])
def test_votes_are_read_by_level_so_far_for_o_and_so_far_for_entities(outside: float, inside: float) -> None:
    world, alike, apart = world_and_beliefs(1)
    mixed = part_by_level(alike, apart, world.scheme, outside, inside)
    for token, row in enumerate(mixed.tolist()):
        for label, value in enumerate(row):
            share = outside if label == world.scheme.outside else inside
            slow = (1.0 - share) * alike[token, label] + share * apart[token, label]
            assert value == pytest.approx(slow)
