"""Telling the label scheme from the tags."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import corpus, random_tags
from crowdseq.core.assembly import count_bigrams, detect_kind
from crowdseq.core.building import CorpusBuilder, Record
from crowdseq.core.labels import LabelScheme
from crowdseq.errors import SchemeError


def _records(kind: str, seed: int, slips: float) -> list[list[str]]:
    """Sentences that show the kind at least once, and some tags replaced by any other of the scheme."""
    rng = np.random.default_rng(seed)
    scheme = LabelScheme.plain(["N", "V"]) if kind == "plain" else LabelScheme.of_types(["LOC", "PER"], kind)
    tell = {"IOB1": ["I-PER", "B-PER"], "BIOES": ["S-PER"], "BILOU": ["U-PER"], "IOB2": ["B-PER"]}
    sentences = [list(map(str, scheme.names(random_tags(rng, scheme, 12)))) for _ in range(60)]
    for sentence in sentences:
        for place in np.flatnonzero(rng.random(12) < slips).tolist():
            sentence[place] = scheme.tags[int(rng.integers(len(scheme)))]
    return [*sentences, *([tell[kind]] * 3 if kind in tell else [])]


@pytest.mark.parametrize("kind", ["IO", "IOB1", "IOB2", "BIOES", "BILOU", "plain"])
@pytest.mark.parametrize("slips", [0.0, 0.03])
@settings(max_examples=15)
@given(seed=st.integers(0, 2**32 - 1))
def test_the_kind_is_found_in_spite_of_a_few_slips(kind: str, slips: float, seed: int) -> None:
    builder = CorpusBuilder()
    for sentence in _records(kind, seed, slips):
        builder.add(Record(["x"] * len(sentence), annotations={"a": sentence}))
    built = builder.build()
    assert builder.spelling is not None
    assert builder.spelling.kind == kind
    assert built.scheme.kind == ("IOB2" if kind == "IOB1" else kind)


@given(st.lists(st.lists(st.integers(-1, 3), max_size=5), max_size=6))
def test_bigrams_are_counted_as_by_hand(rows: list[list[int]]) -> None:
    expected = np.zeros((5, 5), int)
    for row in rows:
        for before, after in zip([4, *row], [*row, 4], strict=True):
            if row and before >= 0 and after >= 0:
                expected[before, after] += 1
    flat = np.array([label for row in rows for label in row], np.int16)
    offsets = np.cumsum([0, *map(len, rows)])
    assert np.array_equal(count_bigrams(flat, offsets, 4), expected)


def test_tokens_labelled_one_by_one_still_show_plain_tags() -> None:
    assert corpus("a/?/NOUN b/?/? c/?/VERB", "d/?/? e/?/NOUN").scheme.tags == ("NOUN", "VERB")


def test_tokens_labelled_one_by_one_still_show_their_prefixes() -> None:
    assert corpus("a/?/? b/?/S-PER c/?/?").scheme.kind == "BIOES"


def test_iob1_is_read_as_iob2_with_the_same_spans() -> None:
    built = corpus("Ada/I-PER/I-PER Bob/B-PER/B-PER met/O/O", "Rome/I-LOC/I-LOC Paris/I-LOC/B-LOC")
    assert built.scheme.kind == "IOB2"
    assert built.gold[0] == ("B-PER", "B-PER", "O")
    assert built.gold[1] == ("B-LOC", "I-LOC")


def test_nothing_but_outside_tags_is_iob2() -> None:
    assert corpus("a/O/O b/O/O").scheme == LabelScheme.of_types([], "IOB2")


def test_a_bare_tag_among_prefixed_ones_is_named() -> None:
    with pytest.raises(SchemeError, match="tag 'PER' has no prefix such as B- or I- while most others have"):
        corpus("a/B-PER/B-PER b/I-PER/I-PER c/O/PER")


def test_the_order_of_tags_does_not_change_the_kind() -> None:
    bigrams = np.array([[0, 0, 0, 2], [0, 0, 2, 0], [1, 0, 0, 1], [1, 2, 0, 0]])
    order = [2, 0, 1, 3]
    tags = ["I-X", "B-X", "I-Y"]
    turned = [tags[i] for i in order[:3]]
    assert detect_kind(tags, bigrams) == detect_kind(turned, bigrams[np.ix_(order, order)])


def test_an_unknown_kind_is_refused_with_the_choice() -> None:
    with pytest.raises(SchemeError, match="label scheme 'BIO' is unknown, choose one of IO, IOB1, IOB2"):
        corpus("a/O/O", scheme="BIO")


def test_fault_14_a_label_outside_the_given_set_is_named_with_its_count_and_a_neighbour() -> None:
    scheme = LabelScheme.of_types(["PER"])
    with pytest.raises(
        SchemeError, match=r"label 'B-PRE' \(2 times\) is not in the label set, did you mean 'B-PER'"
    ):
        corpus("a/B-PRE/O b/O/B-PRE", scheme=scheme)
