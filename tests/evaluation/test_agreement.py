"""Agreement between annotators, against slow oracles, scikit-learn and published figures."""

import json
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from agreement_oracles import (
    f1,
    mean,
    one_against_rest,
    paired_votes,
    slow_alpha,
    slow_cohen,
    slow_fleiss,
    slow_span_counts,
    vote_units,
)
from builders import corpus, random_corpus
from crowdseq.core.corpus import Corpus
from crowdseq.errors import AnnotationError, SettingsError
from crowdseq.evaluation import agreement, pair_counts
from crowdseq.evaluation.agreement import measure_agreement
from strategies import corpora


def _is(found: float | None, expected: Fraction | None) -> bool:
    if found is None or expected is None:
        return found is None and expected is None
    return found == pytest.approx(float(expected), abs=1e-9)


@given(corpora())
def test_overall_figures_are_those_worked_out_by_hand(world: Corpus) -> None:
    overall, units = measure_agreement(world).overall, vote_units(world)
    pairs = list(combinations(world.annotators, 2))
    assert overall.tokens == sum(len(unit) > 1 for unit in units)
    assert _is(overall.fleiss, slow_fleiss(units))
    assert _is(overall.alpha, slow_alpha(units))
    assert _is(overall.cohen, mean(slow_cohen(paired_votes(world, *pair)) for pair in pairs))
    spans = [slow_span_counts(world, *pair) for pair in pairs]
    assert _is(overall.span_f1, f1(*map(sum, zip(*spans, strict=True))) if spans else None)


@given(corpora())
def test_figures_of_labels_are_those_of_each_against_the_rest(world: Corpus) -> None:
    found, units = measure_agreement(world), vote_units(world)
    for tag, measures in found.per_label.items():
        against = one_against_rest(units, tag)
        assert measures.tokens == sum(tag in unit for unit in units if len(unit) > 1)
        assert _is(measures.fleiss, slow_fleiss(against))
        assert _is(measures.alpha, slow_alpha(against))
        pairs = (paired_votes(world, *pair) for pair in combinations(world.annotators, 2))
        kappas = [slow_cohen([(a, b) for a, b in one_against_rest(votes, tag)]) for votes in pairs]
        assert _is(measures.cohen, mean(kappas))


@given(corpora(), st.sampled_from(["strict", "lenient"]))
def test_figures_of_pairs_are_those_of_their_shared_tokens(world: Corpus, mode: str) -> None:
    found = measure_agreement(world, mode=mode)
    lenient = mode == "lenient"
    for pair in found.all_pairs():
        names, votes = (pair.first, pair.second), paired_votes(world, pair.first, pair.second)
        assert pair.shared_tokens == len(votes)
        assert _is(pair.cohen, slow_cohen(votes))
        assert _is(pair.observed, Fraction(sum(a == b for a, b in votes), len(votes)) if votes else None)
        assert _is(pair.span_f1, f1(*slow_span_counts(world, *names, lenient=lenient)))
        for label, kappa in pair.per_label.items():
            assert _is(kappa, slow_cohen([(a, b) for a, b in one_against_rest(votes, label)]))
        for label, value in pair.per_type.items():
            assert _is(value, f1(*slow_span_counts(world, *names, lenient=lenient, label=label)))
        assert set(pair.per_label) == {vote for both in votes for vote in both}
    assert len(found.pairs) == sum(pair.shared_tokens > 0 for pair in found.all_pairs())


@given(corpora())
def test_figures_of_documents_are_those_of_their_tokens(world: Corpus) -> None:
    documents = measure_agreement(world).documents
    assert len(documents) == len(world.text.documents)
    for number, document in enumerate(documents):
        units = vote_units(world, number)
        pairs = combinations(world.annotators, 2)
        part = world.select([i for i, owner in enumerate(world.text.document_of) if owner == number])
        assert document.tokens == sum(len(unit) > 1 for unit in units)
        assert _is(document.fleiss, slow_fleiss(units))
        assert _is(document.alpha, slow_alpha(units))
        assert _is(document.cohen, mean(slow_cohen(paired_votes(world, *pair, number)) for pair in pairs))
        assert document.span_f1 == measure_agreement(part).overall.span_f1
        assert document.annotators == len(set(part.annotations.voters.tolist()))


@given(corpora())
def test_span_f1_of_types_is_pooled_over_the_pairs(world: Corpus) -> None:
    found = measure_agreement(world)
    for name, value in found.per_type.items():
        counts = [slow_span_counts(world, *pair, label=name) for pair in combinations(world.annotators, 2)]
        assert _is(value, f1(*map(sum, zip(*counts, strict=True))) if counts else None)


@given(corpora())
def test_kappa_of_pairs_is_that_of_scikit_learn(world: Corpus) -> None:
    for pair in measure_agreement(world).pairs:
        if pair.cohen is not None:
            votes = paired_votes(world, pair.first, pair.second)
            assert pair.cohen == pytest.approx(cohen_kappa_score(*zip(*votes, strict=True)))


@settings(max_examples=20)
@given(corpora(), st.randoms(use_true_random=False))
def test_the_order_of_sentences_does_not_matter(world: Corpus, random: Any) -> None:
    order = list(range(len(world)))
    random.shuffle(order)
    turned, straight = measure_agreement(world.select(order)).as_dict(), measure_agreement(world).as_dict()
    for name in ("cohen", "fleiss", "alpha", "span_f1", "per_label", "per_type", "pairs", "components"):
        assert _close(turned[name], straight[name])


def test_working_in_small_portions_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    world = random_corpus(5, sentences=40, unlabelled=0.2, documents=7)
    whole = measure_agreement(world).as_dict()
    monkeypatch.setattr(agreement, "_NUMBERS_AT_A_TIME", 30)
    monkeypatch.setattr(pair_counts, "_CELLS_AT_A_TIME", 7)
    assert _close(measure_agreement(world).as_dict(), whole)


def _close(found: Any, expected: Any) -> bool:
    if isinstance(expected, dict):
        return found.keys() == expected.keys() and all(_close(found[key], expected[key]) for key in expected)
    if isinstance(expected, list):
        return len(found) == len(expected) and all(map(_close, found, expected))
    return bool(found == (pytest.approx(expected) if isinstance(expected, float) else expected))


# 30 patients, each diagnosed by six psychiatrists into five classes: Fleiss (1971), table 1.
_FLEISS_1971 = """444444 222555 233335 555555 222444 113333 333355 113334 114444 555555 144444 124444 222333
144444 224445 333335 111455 111112 224444 133555 555555 244444 224555 114444 144445 222224 111155 224444
133333 555555"""
# Four observers, twelve units, some votes missing: Krippendorff's nominal example, also in Gwet's irrCAC.
_KRIPPENDORFF = "11?1 2232 3333 3333 2222 1234 4444 1121 2222 ?555 ??11 ??3?"
# Ten subjects rated by 14, as counts of five classes: the widespread worked example, kappa 0.210.
_TEN_SUBJECTS = (
    "0 0 0 0 14,0 2 6 4 2,0 0 3 5 6,0 3 9 2 0,2 2 8 1 1,7 7 0 0 0,3 2 6 3 0,2 5 3 2 2,6 5 2 1 0,0 2 2 3 7"
)
# Two abstractors and three diagnoses (Gwet's irrCAC, cont3x3abstractors): kappa 0.7964094.
_ABSTRACTORS = {"11": 13, "22": 20, "23": 7, "32": 4, "33": 56}


def _rated(units: list[str]) -> Corpus:
    """One token for each unit, one annotator for each place in it."""
    return corpus(" ".join("/".join(["x", *unit]) for unit in units), gold=False, scheme="plain")


def test_fleiss_kappa_of_the_first_paper() -> None:
    found = measure_agreement(_rated(_FLEISS_1971.split()))
    assert found.overall.fleiss == pytest.approx(0.4302445, abs=5e-8)
    by_class = [found.per_label[label].fleiss for label in "12345"]
    assert by_class == pytest.approx([0.245, 0.245, 0.520, 0.471, 0.566], abs=5e-4)


def test_fleiss_kappa_of_ten_subjects() -> None:
    rows = [map(int, row.split()) for row in _TEN_SUBJECTS.split(",")]
    units = ["".join(label * count for label, count in zip("abcde", row, strict=True)) for row in rows]
    assert measure_agreement(_rated(units)).overall.fleiss == pytest.approx(0.210, abs=5e-4)


def test_alpha_and_fleiss_kappa_with_missing_votes() -> None:
    overall = measure_agreement(_rated(_KRIPPENDORFF.split())).overall
    assert overall.alpha == pytest.approx(0.74342, abs=5e-6)
    assert overall.fleiss == pytest.approx(0.76117, abs=5e-6)


def test_cohen_kappa_of_two_abstractors() -> None:
    units = [unit for unit, count in _ABSTRACTORS.items() for _ in range(count)]
    assert measure_agreement(_rated(units)).overall.cohen == pytest.approx(0.7964094, abs=5e-8)


def test_annotators_who_always_agree_have_one_everywhere() -> None:
    found = measure_agreement(corpus("Ada/B-PER/B-PER slept/O/O", "in/O/O Rome/B-LOC/B-LOC", gold=False))
    assert list(found.summary().values()) == [1.0, 1.0, 1.0, 1.0]
    assert found.per_type == {"LOC": 1.0, "PER": 1.0}
    assert found.reason is None


def test_annotators_who_never_agree_are_below_chance() -> None:
    overall = measure_agreement(corpus("x/N/V y/V/N", gold=False)).overall
    assert overall.cohen == -1.0
    assert overall.alpha == pytest.approx(-0.5)


def test_a_broken_span_counts_only_in_lenient_mode() -> None:
    world = corpus("Ada/B-PER/I-PER Lovelace/I-PER/I-PER slept/O/O", gold=False, scheme="IOB2")
    assert measure_agreement(world).overall.span_f1 == 0.0
    assert measure_agreement(world, mode="lenient").overall.span_f1 == 1.0
    with pytest.raises(SettingsError, match="choose one of strict, lenient"):
        measure_agreement(world, mode="loose")


def test_fault_27_one_annotator_has_no_agreement_and_not_nought_or_one() -> None:
    found = measure_agreement(corpus("Ada/B-PER slept/O", gold=False))
    assert set(found.summary().values()) == {None}
    assert found.reason == "there is only one annotator"
    assert found.components == (("a1",),)
    assert list(found.all_pairs()) == []


def test_fault_29_annotators_who_share_nothing_are_not_available_and_fall_into_groups() -> None:
    found = measure_agreement(
        corpus("Ada/B-PER/O/?/? slept/O/O/?/?", "Rome/?/?/B-LOC/B-LOC fell/?/?/O/O", gold=False)
    )
    apart = found.pair("a3", "a1")
    assert (apart.first, apart.second, apart.shared_tokens) == ("a1", "a3", 0)
    assert (apart.cohen, apart.span_f1, apart.observed) == (None, None, None)
    assert found.pair("a4", "a3").cohen == 1.0
    assert found.components == (("a1", "a2"), ("a3", "a4"))
    listed = [(pair["first"], pair["second"], pair["cohen"]) for pair in found.as_dict()["pairs"]]
    assert ("a1", "a3", None) in listed
    assert len(listed) == 6


def test_an_annotator_who_is_not_there_is_named() -> None:
    with pytest.raises(AnnotationError, match="annotator 'zoe' is not in the data"):
        measure_agreement(corpus("x/O/O", gold=False)).pair("a1", "zoe")


def test_fault_29_sentences_in_common_are_not_yet_tokens_in_common() -> None:
    found = measure_agreement(corpus("Ada/B-PER/? slept/?/O", gold=False))
    assert found.reason == "no token was labelled by two annotators"
    assert found.pair("a1", "a2").cohen is None
    assert found.components == (("a1",), ("a2",))


def test_fault_30_all_outside_is_no_agreement_but_a_reason() -> None:
    found = measure_agreement(corpus("x/O/O y/O/O", gold=False))
    assert set(found.summary().values()) == {None}
    assert (
        found.reason == "all votes that can be compared are for one label, so that chance alone explains them"
    )
    assert found.pair("a1", "a2").observed == 1.0


def test_fault_30_a_label_that_nobody_or_only_one_used_is_told_apart() -> None:
    found = measure_agreement(corpus("x/O/B-PER y/O/O", gold=False, scheme="IOB2"))
    assert found.per_label["I-PER"].alpha is None
    assert found.per_label["B-PER"].alpha is not None
    assert found.per_label["B-PER"].cohen == 0.0
    assert found.per_type["PER"] == 0.0


@pytest.mark.parametrize(
    ("world", "reason"),
    [(corpus(), "there is no annotator"), (corpus("x/O y/O"), "there is no annotator")],
)
def test_a_corpus_without_votes_says_so(world: Corpus, reason: str) -> None:
    found = measure_agreement(world)
    assert found.reason == reason
    assert set(found.summary().values()) == {None}
    assert found.components == ()


def test_agreement_is_told_in_plain_values() -> None:
    told = json.loads(json.dumps(measure_agreement(random_corpus(4, documents=2)).as_dict()))
    assert told["mode"] == "strict"
    assert {"cohen", "fleiss", "alpha", "span_f1"} <= told.keys()
    assert [document["document"] for document in told["documents"]] == ["d0", "d1"]
    assert told["per_label"]["B-PER"].keys() == {"tokens", "cohen", "fleiss", "alpha", "span_f1"}


def test_a_sentence_without_a_document_is_named_by_its_id() -> None:
    found = measure_agreement(corpus("x/O/O", "y/O/O", docs=["d", None], gold=False))
    assert [document.document for document in found.documents] == ["d", "s2"]
    assert found.documents[-1:] == (found.documents[1],)
