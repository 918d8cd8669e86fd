"""Spans marked more finely inside the CRF: the answers stay in the tags of the corpus."""

from itertools import pairwise, product

import numpy as np
import pytest

from builders import corpus, random_corpus
from crowdseq.core.labels import LabelScheme
from crowdseq.errors import AnnotationError, SettingsError
from crowdseq.tagging.chunks import CHUNKS, Chain
from crowdseq.tagging.crf import CrfTrainer
from crowdseq.tagging.features import FeatureSettings
from crowdseq.tagging.tagger import Tagger
from crowdseq.tagging.targets import Targets
from oracles import list_sentence

WORLD = random_corpus(3, sentences=30, types=("LOC", "PER"))
SENTENCE = ["w1", "w2", "w3"]


@pytest.fixture(scope="module", params=["BIOES", "borders"])
def tagger(request: pytest.FixtureRequest) -> Tagger:
    return CrfTrainer(c2=0.1, chunks=request.param).fit(WORLD, WORLD.gold_tags)


def shares_of_answers(tagger: Tagger, tokens: list[str]) -> dict[tuple[str, ...], float]:
    """Every sequence in the tags of the corpus with its probability, by listing out the chain's sequences."""
    listed = list_sentence(tagger.lattice([tokens]), 0)
    outer = tagger.chain.outer(tagger.scheme)
    shares: dict[tuple[str, ...], float] = {}
    for path, score in listed.paths:
        names = tuple(tagger.scheme.tags[outer[label]] for label in path)
        assert names not in shares, "two sequences of the chain stand for one answer"
        shares[names] = float(np.exp(score - listed.log_partition))
    return shares


def test_the_chain_has_four_labels_for_a_type_and_the_answers_two(tagger: Tagger) -> None:
    assert tagger.chain.spans == LabelScheme.of_types(("LOC", "PER"), "BIOES")
    assert len(tagger.chain) == (11 if tagger.chain.borders else 9)
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
    trainer = CrfTrainer(max_iterations=2, chunks="borders")
    assert trainer.fit(WORLD, soft).chain == Chain(WORLD.scheme)
    for kind in ("IO", "IOB1", "BILOU", "BIOES", "plain"):
        other = random_corpus(1, sentences=5, kind=kind)
        assert trainer.fit(other, other.gold_tags).chain == Chain(other.scheme)
    lacking = LabelScheme(("O", "B-X"))
    nothing = LabelScheme(("O",))
    for chunks in CHUNKS:
        assert Chain.of_scheme(lacking, chunks) == Chain(lacking)
        assert Chain.of_scheme(nothing, chunks).tags == ("O",)


@pytest.mark.parametrize("second", ["a/O b/I-X", "a/I-X b/O"])
def test_tags_that_break_the_rules_are_refused_and_not_repaired_in_passing(second: str) -> None:
    world = corpus("a/O b/B-X", second)
    with pytest.raises(AnnotationError, match="repair them first"):
        CrfTrainer().fit(world, world.gold_tags)


def test_a_chain_that_cannot_answer_in_the_scheme_is_refused(tagger: Tagger) -> None:
    with pytest.raises(SettingsError, match="do not stand for"):
        Chain(LabelScheme.of_types(("LOC",), "BIOES"), tagger.chain.borders).outer(tagger.scheme)


def test_labels_outside_tell_on_which_side_a_span_is() -> None:
    world = corpus("a/O b/O c/B-X d/O e/B-X f/I-X g/O h/O", "i/O", "j/B-X", "k/O l/B-X")
    chain = Chain.of_scheme(world.scheme, "borders")
    labels = chain.refine(world.gold_tags, world.offsets, world.scheme)
    first = "O O-before S-X O-before B-X E-X O-after O"
    names = f"{first} O S-X O-before S-X".split()
    assert [chain.tags[label] for label in labels.tolist()] == names
    np.testing.assert_array_equal(chain.outer(world.scheme)[labels], world.gold_tags)


def test_refined_tags_keep_the_rules_of_the_chain_and_lead_back(tagger: Tagger) -> None:
    chain, offsets = tagger.chain, WORLD.offsets
    labels = chain.refine(WORLD.gold_tags, offsets, WORLD.scheme)
    np.testing.assert_array_equal(chain.outer(WORLD.scheme)[labels], WORLD.gold_tags)
    for first, last in pairwise(offsets.tolist()):
        own = labels[first:last]
        assert chain.starts[own[0]]
        assert chain.ends[own[-1]]
        assert chain.allowed[own[:-1], own[1:]].all()


def test_empty_sentences_and_unlabelled_tokens_border_on_nothing() -> None:
    scheme = LabelScheme.of_types(("X",))
    chain = Chain.of_scheme(scheme, "borders")
    tags = scheme.ids(["B-X", "O", None, "O"])
    labels = chain.refine(tags, np.array([0, 0, 1, 1, 4, 4]), scheme)
    np.testing.assert_array_equal(labels, [*chain.spans.ids(["S-X", "O"]), -1, chain.spans.outside])
    assert len(chain.refine(tags[:0], np.array([0, 0]), scheme)) == 0


def test_borders_need_the_labels_of_bioes() -> None:
    for spans in (LabelScheme.of_types(("X",)), LabelScheme(("B-X", "I-X", "E-X", "S-X"), "BIOES")):
        with pytest.raises(SettingsError, match="BIOES"):
            Chain(spans, borders=True)


def test_a_word_outside_a_span_can_speak_for_the_span_beside_it() -> None:
    world = corpus(*["met/O a/B-X b/O", "met/O b/B-X a/O", "saw/O a/O b/O", "saw/O b/O a/O"] * 5)
    features = FeatureSettings(windows={"word": (0,)}, edges=())
    held = ["met", "new", "b"], ["saw", "new", "b"]
    fine = CrfTrainer(c2=0.01, features=features, chunks="borders").fit(world, world.gold_tags)
    assert fine.tag_many(held) == [("O", "B-X", "O"), ("O", "O", "O")]
    coarse = CrfTrainer(c2=0.01, features=features, chunks="BIOES").fit(world, world.gold_tags)
    assert len(set(coarse.tag_many(held))) == 1
