"""Spans marked more finely inside the CRF: the answers stay in the tags of the corpus."""

from collections import defaultdict
from itertools import product

import numpy as np
import pytest

from builders import corpus, random_corpus
from crowdseq.core.labels import LabelScheme
from crowdseq.errors import AnnotationError, SettingsError
from crowdseq.tagging.chunks import chain_scheme, outer_labels
from crowdseq.tagging.crf import CrfTrainer
from crowdseq.tagging.features import FeatureSettings
from crowdseq.tagging.tagger import Tagger
from crowdseq.tagging.targets import Targets
from oracles import list_sentence

WORLD = random_corpus(3, sentences=30, types=("LOC", "PER"))
SENTENCE = ["w1", "w2", "w3"]


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    return CrfTrainer(c2=0.1, chunks="BIOES").fit(WORLD, WORLD.gold_tags)


def shares_of_answers(tagger: Tagger, tokens: list[str]) -> dict[tuple[str, ...], float]:
    """Every sequence in the tags of the corpus with its probability, by listing out the chain's sequences."""
    listed = list_sentence(tagger.lattice([tokens]), 0)
    shares: dict[tuple[str, ...], float] = defaultdict(float)
    for path, score in listed.paths:
        names = tuple(tagger.scheme.kind_of(tagger.chain.tags[label]) for label in path)
        shares[names] += float(np.exp(score - listed.log_partition))
    return shares


def test_the_chain_has_four_labels_for_a_type_and_the_answers_two(tagger: Tagger) -> None:
    assert tagger.chain == LabelScheme.of_types(("LOC", "PER"), "BIOES")
    assert tagger.scheme == WORLD.scheme
    assert tagger.marginals(SENTENCE).shape == (3, 5)


def test_answers_have_the_probabilities_that_listing_gives(tagger: Tagger) -> None:
    shares = shares_of_answers(tagger, SENTENCE)
    assert len(shares) > 20
    rows = np.zeros((3, 5))
    for names, share in shares.items():
        rows[np.arange(3), tagger.scheme.ids(names)] += share
    np.testing.assert_allclose(tagger.marginals(SENTENCE), rows, atol=1e-10)
    ranked = dict(tagger.k_best(SENTENCE, k=1_000))
    assert ranked.keys() == shares.keys()
    for names, share in shares.items():
        np.testing.assert_allclose(ranked[names], share, atol=1e-10)
    assert tagger.tag(SENTENCE) == max(shares, key=lambda names: shares[names])


def test_every_valid_sequence_of_the_corpus_has_its_counterpart(tagger: Tagger) -> None:
    valid = {
        names
        for names in product(tagger.scheme.tags, repeat=3)
        if tagger.scheme.is_valid(tagger.scheme.ids(names))
    }
    assert set(shares_of_answers(tagger, SENTENCE)) == valid


def test_only_the_end_tells_these_spans_apart() -> None:
    world = corpus(*["a/B-X b/I-X c/I-X", "b/O a/B-X", "c/B-X", "b/O c/B-X"] * 5)
    features = FeatureSettings(windows={"word": (0,)}, edges=())
    fine = CrfTrainer(c2=1e-4, features=features).fit(world, world.gold_tags)
    assert fine.top_weights("I-X", 5)[0].feature in ("word=b", "word=c")
    names = [reason.feature for reason in fine.top_weights("B-X", 50)]
    assert len(names) == len(set(names))
    assert {"word=a", "word=c"} <= set(names)


def test_soft_targets_and_other_schemes_keep_their_own_labels() -> None:
    rows = np.eye(len(WORLD.scheme))[WORLD.gold_tags]
    soft = Targets(rows, np.zeros((len(WORLD), 5, 5)))
    assert CrfTrainer(max_iterations=2).fit(WORLD, soft).chain == WORLD.scheme
    for kind in ("IO", "IOB1", "BILOU", "BIOES", "plain"):
        other = random_corpus(1, sentences=5, kind=kind)
        assert CrfTrainer(max_iterations=2).fit(other, other.gold_tags).chain == other.scheme
    lacking = LabelScheme(("O", "B-X"))
    assert chain_scheme(lacking, "BIOES") == lacking


def test_tags_that_break_the_rules_are_refused_and_not_repaired_in_passing() -> None:
    world = corpus("a/O b/B-X", "a/O b/I-X")
    with pytest.raises(AnnotationError, match="repair them first"):
        CrfTrainer().fit(world, world.gold_tags)


def test_a_chain_that_cannot_answer_in_the_scheme_is_refused(tagger: Tagger) -> None:
    with pytest.raises(SettingsError, match="do not stand for"):
        outer_labels(LabelScheme.of_types(("LOC",), "BIOES"), tagger.scheme)
