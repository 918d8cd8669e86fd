"""Candidate labels and the sums over what they leave, against listing every sequence."""

from itertools import pairwise, product

import numpy as np
import pytest

from crowdseq.arrays import BoolArray, FloatArray
from crowdseq.core.labels import LabelScheme
from crowdseq.numerics.blocks import using_threads
from crowdseq.numerics.chains.candidates import candidate_mask, consistency, count_sequences, with_paths
from crowdseq.numerics.chains.pruned_chain import CandidateLists, log10_sequences, pruned_marginals

IOB = LabelScheme.of_types(["LOC", "ORG", "PER"])


def votes(*tokens: str) -> FloatArray:
    """Tokens such as "B-PER B-PER O" to counts."""
    counts = np.zeros((len(tokens), len(IOB)))
    for place, token in enumerate(tokens):
        for tag in token.split():
            counts[place, IOB.index[tag]] += 1
    return counts


def test_consistency_is_the_largest_count_by_the_number_of_labels() -> None:
    counts = votes(
        "O O O O O", "O O O O B-PER", "O O O B-PER B-PER", "O O O B-PER B-LOC", "O O B-PER B-PER B-LOC", ""
    )
    np.testing.assert_allclose(consistency(counts), [5, 2, 1.5, 1, 2 / 3, 0])


def test_the_paper_keeps_the_top_label_the_voted_ones_or_all() -> None:
    counts = votes("O O O O O", "O O O B-PER B-PER", "O O B-PER B-PER B-LOC", "")
    mask = candidate_mask(counts, "paper", upper=2, lower=1)
    assert mask.sum(axis=1).tolist() == [1, 2, 7, 7]


def test_adaptive_never_fixes_a_label_on_two_votes() -> None:
    counts = votes("O O", "O O O", "O O O O B-PER")
    mask = candidate_mask(counts, "adaptive", upper=1.0, lower=0.15)
    assert mask.sum(axis=1).tolist() == [1, 1, 2]  # two votes for one label: it is the only one voted for
    open_mask = candidate_mask(counts, "adaptive", upper=1.0, lower=0.45)
    assert open_mask.sum(axis=1).tolist() == [1, 1, 7]


def test_labels_tied_for_the_top_all_stay() -> None:
    mask = candidate_mask(votes("O O O B-PER B-PER B-PER B-LOC"), "paper", upper=1, lower=0.1)
    assert [IOB.tags[i] for i in np.flatnonzero(mask[0])] == ["O", "B-PER"]


def test_pruning_leaves_the_sequences_that_can_be_counted_by_hand() -> None:
    # Three tokens with {O, B-PER}, {B-PER, I-PER, O}, {I-PER, I-LOC, O}: 2 * 3 * 3 = 18 without rules.
    # O first: then B-PER (I-PER or O after it: 2) or O (O: 1), never I-PER: 3.
    # B-PER first: B-PER (2), I-PER (I-PER or O: 2), O (1): 5. Together 8; I-LOC is never reached.
    mask = votes("O B-PER", "B-PER I-PER O", "I-PER I-LOC O") > 0
    assert count_sequences(mask, IOB.allowed, IOB.starts, IOB.ends) == (18, 8)


def test_rules_halve_the_sequences_of_an_example_as_large_as_the_papers() -> None:
    # Five annotators on eight tokens. All agree on the first and the last; on each of the others they gave
    # three labels, so LC is 2/3 and the three stay: 3^6 = 729 sequences, of which the rules leave 315.
    counts = votes(
        "O O O O O",
        "B-PER B-PER I-ORG O O",
        "B-LOC I-PER I-PER O O",
        "B-LOC B-LOC B-PER O O",
        "B-PER I-PER I-PER O O",
        "B-LOC B-LOC B-PER O O",
        "B-ORG B-ORG B-LOC O O",
        "O O O O O",
    )
    np.testing.assert_allclose(consistency(counts), [5] + [2 / 3] * 6 + [5])
    mask = candidate_mask(counts, "paper", upper=2, lower=0.5)
    assert count_sequences(mask, IOB.allowed, IOB.starts, IOB.ends) == (729, 315)
    paths = list(product(*(np.flatnonzero(row) for row in mask)))
    valid = [path for path in paths if all(IOB.allowed[step] for step in pairwise(path))]
    assert (len(paths), len(valid)) == (729, 315)


def test_a_sentence_without_a_path_is_opened_and_counted() -> None:
    mask = votes("O", "I-PER", "I-LOC") > 0
    found = with_paths(mask, np.array([0, 3]), IOB.allowed, IOB.starts, IOB.ends)
    assert found.widened > 0
    assert count_sequences(found.mask, IOB.allowed, IOB.starts, IOB.ends)[1] > 0


def test_sentences_with_a_path_stay_as_they_are() -> None:
    mask = votes("O", "B-PER", "I-PER") > 0
    found = with_paths(mask, np.array([0, 3]), IOB.allowed, IOB.starts, IOB.ends)
    assert found.widened == 0
    np.testing.assert_array_equal(found.mask, mask)


def listed(
    mask: BoolArray, scores: FloatArray, transitions: FloatArray, starts: FloatArray, ends: FloatArray
) -> tuple[float, FloatArray, FloatArray]:
    """Log-partition, unary and pairwise marginals of one sentence by listing all its sequences."""
    n_tokens, n_labels = mask.shape
    unary, edges, total = np.zeros((n_tokens, n_labels)), np.zeros((n_labels, n_labels)), 0.0
    for path in product(*(np.flatnonzero(row) for row in mask)):
        score = starts[path[0]] + ends[path[-1]] + sum(scores[t, label] for t, label in enumerate(path))
        score += sum(transitions[a, b] for a, b in pairwise(path))
        weight = np.exp(score)
        total += weight
        for token, label in enumerate(path):
            unary[token, label] += weight
        for a, b in pairwise(path):
            edges[a, b] += weight
    return float(np.log(total)), unary / total, edges / total


@pytest.mark.parametrize("seed", range(40))
def test_pruned_sums_equal_listed_ones(seed: int) -> None:
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, 5, 25)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    scheme = LabelScheme.of_types(
        ["A", "B"][: int(rng.integers(1, 3))], str(rng.choice(["IOB2", "BIOES", "IO"]))
    )
    n_labels = len(scheme)
    mask = rng.random((offsets[-1], n_labels)) < (0.6 if seed % 4 else 1.1)  # sometimes nothing is pruned
    mask = with_paths(mask, offsets, scheme.allowed, scheme.starts, scheme.ends).mask
    scores = rng.normal(0, 2, mask.shape)
    groups = rng.integers(0, 2, len(lengths))
    transitions = np.where(scheme.allowed, rng.normal(0, 1, (2, n_labels, n_labels)), -np.inf)
    starts, ends = np.where(scheme.starts, 0.0, -np.inf), np.where(scheme.ends, 0.0, -np.inf)
    lists = CandidateLists.of_mask(mask, offsets)
    with using_threads(2):
        found = pruned_marginals(lists, scores, transitions, starts, ends, groups)
    pairs = np.zeros((2, n_labels, n_labels))
    for place, group in enumerate(groups):
        part = slice(offsets[place], offsets[place + 1])
        if lengths[place] == 0:
            continue
        total, unary, edges = listed(mask[part], scores[part], transitions[group], starts, ends)
        assert found.log_partition[place] == pytest.approx(total, abs=1e-9)
        np.testing.assert_allclose(found.unary[part], unary, atol=1e-9)
        pairs[group] += edges
    np.testing.assert_allclose(found.pairwise, pairs, atol=1e-9)


def test_a_sentence_of_ten_thousand_tokens_stays_finite() -> None:
    rng = np.random.default_rng(0)
    offsets = np.array([0, 10_000])
    mask = np.ones((10_000, len(IOB)), np.bool_)
    scores = rng.normal(0, 50, mask.shape)
    transitions = np.where(IOB.allowed, 0.0, -np.inf)[None]
    starts, ends = np.where(IOB.starts, 0.0, -np.inf), np.where(IOB.ends, 0.0, -np.inf)
    found = pruned_marginals(
        CandidateLists.of_mask(mask, offsets), scores, transitions, starts, ends, np.zeros(1, np.int64)
    )
    assert np.isfinite(found.log_partition).all()
    np.testing.assert_allclose(found.unary.sum(axis=1), 1.0, atol=1e-9)


def test_sequences_are_counted_as_powers_of_ten() -> None:
    mask = votes("O B-PER", "B-PER I-PER O", "I-PER I-LOC O") > 0
    lists = CandidateLists.of_mask(mask, np.array([0, 3]))
    rules = tuple(np.where(rule, 0.0, -np.inf) for rule in (IOB.allowed, IOB.starts, IOB.ends))
    free, valid = log10_sequences(lists, rules)
    assert 10**free == pytest.approx(18)
    assert 10**valid == pytest.approx(8)
