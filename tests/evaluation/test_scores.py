"""Precision, recall and F1 of exact spans."""

import json
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from seqeval import metrics as seqeval
from seqeval.scheme import BILOU, IOB2, IOBES
from sklearn.metrics import precision_recall_fscore_support

from builders import random_corpus
from crowdseq.core.labels import LabelScheme
from crowdseq.errors import AnnotationError, SchemeError, SettingsError
from crowdseq.evaluation.scores import Scores, evaluate, score_tags
from span_oracles import slow_spans
from strategies import chunk_schemes, schemes, tag_sequences

_SEQEVAL: dict[str, Any] = {"IOB2": IOB2, "BIOES": IOBES, "BILOU": BILOU}
TagLists = list[list[str | None]]


@st.composite
def taggings(
    draw: st.DrawFn, scheme: LabelScheme, unlabelled: bool = False, min_tokens: int = 0
) -> tuple[TagLists, TagLists]:
    """Gold and predictions, the latter often right; neither needs to keep the rules."""
    gold = draw(st.lists(tag_sequences(scheme, 6, unlabelled), min_size=min(min_tokens, 1), max_size=4))
    predicted = [
        [tag if draw(st.booleans()) else draw(st.sampled_from(scheme.tags)) for tag in tags] for tags in gold
    ]
    return gold, predicted


@pytest.mark.parametrize("kind", ["IOB2", "BIOES", "BILOU"])
@given(data=st.data())
def test_strict_scores_are_those_of_seqeval(kind: str, data: st.DataObject) -> None:
    scheme = data.draw(chunk_schemes((kind,)))
    gold, predicted = data.draw(taggings(scheme))
    _same(evaluate(gold, predicted, scheme=scheme), gold, predicted, mode="strict", scheme=_SEQEVAL[kind])


@pytest.mark.parametrize("kind", ["IO", "IOB1", "IOB2", "BIOES"])
@given(data=st.data())
def test_lenient_scores_are_those_of_seqeval_by_default(kind: str, data: st.DataObject) -> None:
    scheme = data.draw(chunk_schemes((kind,)))
    gold, predicted = data.draw(taggings(scheme))
    _same(evaluate(gold, predicted, scheme=scheme, mode="lenient"), gold, predicted)


def _same(scores: Scores, gold: TagLists, predicted: TagLists, **how: Any) -> None:
    """seqeval has 0 where we say None, and wants at least one span to speak of."""
    if scores.f1 is None:
        assert scores.reason is not None
        return
    for average, ours in (
        ("micro", (scores.precision, scores.recall, scores.f1)),
        ("macro", (scores.macro_precision, scores.macro_recall, scores.macro_f1)),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it warns of types that one side lacks
            theirs = [
                score(gold, predicted, average=average, zero_division=0, **how)
                for score in (seqeval.precision_score, seqeval.recall_score, seqeval.f1_score)
            ]
        assert ours == pytest.approx(theirs)


@given(st.data(), schemes(), st.sampled_from(["strict", "lenient"]))
def test_scores_are_counted_as_by_hand(data: st.DataObject, scheme: LabelScheme, mode: str) -> None:
    gold, predicted = data.draw(taggings(scheme, unlabelled=True))
    scores = evaluate(gold, predicted, scheme=scheme, mode=mode)
    support = spans = correct = 0
    for wanted_tags, given_tags in zip(gold, predicted, strict=True):
        wanted = slow_spans(scheme, wanted_tags, lenient=mode == "lenient")
        given = [
            span
            for span in slow_spans(scheme, given_tags, lenient=mode == "lenient")
            if all(tag is not None for tag in wanted_tags[span.start : span.end])
        ]
        support, spans = support + len(wanted), spans + len(given)
        correct += len(set(wanted) & set(given))
    assert (scores.support, scores.predicted, scores.correct) == (support, spans, correct)
    assert (scores.mode, scores.scheme) == (mode, scheme.kind)


@given(st.lists(st.lists(st.tuples(st.sampled_from("NVX"), st.sampled_from("NVX"))), min_size=1))
def test_plain_tags_are_scored_by_token_as_scikit_learn_does(pairs: list[list[tuple[str, str]]]) -> None:
    gold, predicted = ([[pair[side] for pair in row] for row in pairs] for side in (0, 1))
    flat = [[tag for row in rows for tag in row] for rows in (gold, predicted)]
    scores = evaluate(gold, predicted, scheme="plain")
    if not flat[0]:
        assert (scores.f1, scores.token_accuracy) == (None, None)
        return
    expected = precision_recall_fscore_support(*flat, average="macro", zero_division=0)
    assert (scores.macro_precision, scores.macro_recall, scores.macro_f1) == pytest.approx(expected[:3])
    assert scores.f1 == pytest.approx(scores.token_accuracy)
    assert scores.unit == "token"


def test_a_slip_costs_the_span_only_in_strict_mode() -> None:
    gold, slipped = [["B-PER", "I-PER"]], [["I-PER", "I-PER"]]
    assert evaluate(gold, slipped).f1 == 0.0
    assert evaluate(gold, slipped, mode="lenient").f1 == 1.0
    assert evaluate(gold, slipped).mode == "strict"


def test_figures_of_a_small_world() -> None:
    gold = [["B-PER", "I-PER", "O", "B-LOC"], ["B-LOC", "O"]]
    predicted = [["B-PER", "I-PER", "O", "B-PER"], ["B-LOC", "B-LOC"]]
    scores = evaluate(gold, predicted)
    assert (scores.support, scores.predicted, scores.correct) == (3, 4, 2)
    assert (scores.precision, scores.recall, scores.f1) == (0.5, 2 / 3, 4 / 7)
    assert scores.per_type["PER"].f1 == pytest.approx(2 / 3)
    assert scores.per_type["LOC"].f1 == 0.5
    assert scores.macro_f1 == pytest.approx((2 / 3 + 0.5) / 2)
    assert scores.token_accuracy == 4 / 6


@pytest.mark.parametrize("mode", ["strict", "lenient"])
def test_fault_30_all_outside_has_no_f1_but_a_reason_and_an_accuracy(mode: str) -> None:
    scores = evaluate([["O", "O"], ["O"]], [["O", "O"], ["O"]], mode=mode)
    assert (scores.precision, scores.recall, scores.f1, scores.macro_f1) == (None, None, None, None)
    assert (
        scores.reason
        == "neither gold nor the predictions have a span, so there is nothing to find or to miss"
    )
    assert scores.token_accuracy == 1.0


def test_fault_30_spans_on_one_side_only_are_nought_and_not_unknown() -> None:
    missed = evaluate([["B-PER"]], [["O"]])
    assert (missed.precision, missed.recall, missed.f1, missed.reason) == (0.0, 0.0, 0.0, None)
    invented = evaluate([["O"]], [["B-PER"]])
    assert (invented.precision, invented.recall, invented.f1) == (0.0, 0.0, 0.0)


def test_fault_30_a_type_that_nobody_used_is_unknown_and_out_of_the_mean() -> None:
    scores = evaluate([["B-PER"]], [["B-PER"]], scheme=LabelScheme.of_types(["LOC", "PER"]))
    assert scores.per_type["LOC"].f1 is None
    assert scores.macro_f1 == 1.0


def test_tokens_and_sentences_without_gold_are_left_out() -> None:
    gold = [["B-PER", None, "O"], None, ["O"]]
    predicted = [["B-PER", "B-PER", "B-PER"], ["B-PER"], ["O"]]
    scores = evaluate(gold, predicted)
    assert (scores.support, scores.predicted, scores.correct) == (1, 2, 1)
    assert (scores.tokens, scores.token_accuracy) == (3, 2 / 3)


def test_a_predicted_span_that_leaves_the_known_tokens_does_not_count() -> None:
    scores = evaluate([["B-PER", None]], [["B-PER", "I-PER"]])
    assert (scores.support, scores.predicted) == (1, 0)


def test_nothing_known_is_told_as_such() -> None:
    for gold, predicted in (([], []), ([None], [["O"]]), ([[]], [[]])):
        scores = evaluate(gold, predicted)
        assert (scores.f1, scores.token_accuracy, scores.tokens) == (None, None, 0)
        assert scores.reason == "no token has a gold tag"


@pytest.mark.parametrize(
    ("gold", "predicted", "kind"),
    [
        ([["B-X", "I-X"]], [["B-X", "B-X"]], "IOB2"),
        ([["I-X", "B-X"]], [["I-X", "I-X"]], "IOB1"),
        ([["S-X"]], [["B-X"]], "BIOES"),
        ([["I-X", "O"]], [["I-X", "I-X"]], "IO"),
        ([["I-X", "O"]], [["I-X", "B-X"]], "IOB1"),
        ([["O", "O"]], [["U-X", "O"]], "BILOU"),
        ([["NOUN", "VERB"]], [["NOUN", "NOUN"]], "plain"),
    ],
)
def test_the_scheme_is_that_of_gold_where_gold_shows_it(gold: Any, predicted: Any, kind: str) -> None:
    assert evaluate(gold, predicted).scheme == kind


@pytest.mark.parametrize(
    ("gold", "predicted", "message"),
    [
        ([["O"]], [], "1 gold sentences, but 0 predicted ones"),
        ([["O"], ["O", "O"]], [["O"], ["O"]], "sentence 2: 2 gold tags, but 1 predicted ones"),
        ([["O"]], [None], "sentence 1: there are no predicted tags"),
        ([["O"]], [[3]], "sentence 1: a predicted tag must be a text or null"),
    ],
)
def test_sides_that_do_not_fit_are_refused_by_sentence(gold: Any, predicted: Any, message: str) -> None:
    with pytest.raises(AnnotationError, match=message):
        evaluate(gold, predicted)


def test_tags_that_do_not_fit_the_scheme_are_named() -> None:
    with pytest.raises(SchemeError, match="tag 'PER' does not belong to the scheme IOB2"):
        evaluate([["B-PER"]], [["PER"]])
    with pytest.raises(SchemeError, match="sentence 1: gold: a label is empty"):
        evaluate([[""]], [["O"]])
    with pytest.raises(SchemeError, match="'IOB3' is no chunk scheme"):
        evaluate([["O"]], [["O"]], scheme="IOB3")


def test_an_unknown_mode_is_wrong_use() -> None:
    with pytest.raises(SettingsError, match="scores cannot be 'loose', choose one of strict, lenient"):
        evaluate([["O"]], [["O"]], mode="loose")


def test_flat_tags_must_fill_their_sentences() -> None:
    scheme = LabelScheme.of_types(["PER"])
    with pytest.raises(AnnotationError, match="2 gold tags and 2 predicted for 3 tokens"):
        score_tags(np.zeros(2, np.int16), np.zeros(2, np.int16), np.array([0, 3]), scheme)


def test_the_flat_path_gives_the_same_scores() -> None:
    world = random_corpus(3, sentences=30, voters=1, annotators=1)
    guesses = [world.scheme.names(ballot.tags[0]) for ballot in world.annotations.ballots]
    flat = score_tags(world.gold_tags, world.annotations.tags, world.offsets, world.scheme)
    assert evaluate(list(world.gold), guesses, scheme=world.scheme) == flat


def test_scores_are_plain_values_in_the_promised_form() -> None:
    scores = evaluate([["B-PER", "O"]], [["B-PER", "B-PER"]])
    told = json.loads(json.dumps(scores.as_dict()))
    promised = {
        "precision",
        "recall",
        "f1",
        "macro_f1",
        "support",
        "token_accuracy",
        "per_type",
        "mode",
        "scheme",
    }
    assert promised <= told.keys()
    assert told["per_type"]["PER"]["precision"] == 0.5
