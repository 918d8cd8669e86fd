"""Between tags and spans."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from seqeval.metrics.sequence_labeling import get_entities
from seqeval.scheme import BILOU, IOB1, IOB2, IOBES, Tokens

from builders import random_corpus
from crowdseq.core import spans as spans_module
from crowdseq.core.labels import CHUNK_KINDS, LabelScheme
from crowdseq.core.spans import Span, convert, decode, encode, find_spans
from crowdseq.errors import SchemeError
from span_oracles import slow_spans, slow_tags
from strategies import chunk_schemes, schemes, span_lists, tag_sequences

_SEQEVAL: dict[str, Any] = {"IOB1": IOB1, "IOB2": IOB2, "BIOES": IOBES, "BILOU": BILOU, "IO": IOB1}


@pytest.mark.parametrize("kind", CHUNK_KINDS)
@given(data=st.data())
def test_encoded_spans_decode_to_themselves_and_keep_the_rules(kind: str, data: st.DataObject) -> None:
    scheme = data.draw(chunk_schemes((kind,)))
    length = data.draw(st.integers(0, 9))
    spans = data.draw(span_lists(scheme, length))
    tags = encode(scheme, spans, length)
    assert list(tags) == slow_tags(kind, spans, length)
    assert list(decode(scheme, tags)) == spans
    assert scheme.is_valid(scheme.ids(tags))


@given(chunk_schemes().flatmap(lambda s: st.tuples(st.just(s), tag_sequences(s, max_size=6))))
def test_valid_tags_decode_to_spans_that_encode_to_them_again(
    pair: tuple[LabelScheme, list[str | None]],
) -> None:
    scheme, tags = pair
    assume(scheme.is_valid(scheme.ids(tags)))
    assert list(encode(scheme, decode(scheme, tags), len(tags))) == tags


@given(st.data(), schemes(), st.booleans())
def test_flat_spans_equal_those_of_a_slow_reader(
    data: st.DataObject, scheme: LabelScheme, lenient: bool
) -> None:
    sentences = data.draw(st.lists(tag_sequences(scheme, max_size=6, unlabelled=True), max_size=5))
    offsets = np.cumsum([0, *map(len, sentences)])
    flat = scheme.ids([tag for sentence in sentences for tag in sentence])
    table = find_spans(flat, offsets, scheme, lenient=lenient)
    found = list(zip(table.starts.tolist(), table.ends.tolist(), table.types.tolist(), strict=True))
    expected = [
        (int(offset) + span.start, int(offset) + span.end, scheme.types.index(span.label))
        for offset, tags in zip(offsets, sentences, strict=False)
        for span in slow_spans(scheme, tags, lenient=lenient)
    ]
    assert found == expected


@pytest.mark.parametrize("kind", ["IOB2", "BIOES", "BILOU"])
@given(data=st.data())
def test_strict_spans_of_any_tags_are_those_of_seqeval(kind: str, data: st.DataObject) -> None:
    scheme = data.draw(chunk_schemes((kind,)))
    tags = data.draw(tag_sequences(scheme, max_size=10))
    assert list(decode(scheme, tags)) == _seqeval_strict(kind, tags)


@pytest.mark.parametrize("kind", ["IO", "IOB1"])
@given(data=st.data())
def test_strict_spans_of_valid_io_and_iob1_tags_are_those_of_seqeval(kind: str, data: st.DataObject) -> None:
    # On broken IOB1 (`O B-X I-X`) seqeval drops the B- and counts the rest; we count nothing of it.
    scheme = data.draw(chunk_schemes((kind,)))
    tags = list(encode(scheme, data.draw(span_lists(scheme, 8)), 8))
    assert list(decode(scheme, tags)) == _seqeval_strict(kind, tags)


def _seqeval_strict(kind: str, tags: list[Any]) -> list[Span]:
    return [Span(entity.start, entity.end, entity.tag) for entity in Tokens(tags, _SEQEVAL[kind]).entities]


@given(st.data(), chunk_schemes())
def test_lenient_spans_of_any_tags_are_those_of_seqeval_by_default(
    data: st.DataObject, scheme: LabelScheme
) -> None:
    tags = data.draw(tag_sequences(scheme, max_size=10))
    known = [str(tag).replace("L-", "E-").replace("U-", "S-") for tag in tags]  # it has no L and U
    expected = [Span(start, last + 1, label) for label, start, last in get_entities(known)]
    assert list(decode(scheme, tags, lenient=True)) == expected


@given(st.data(), chunk_schemes(), st.sampled_from(CHUNK_KINDS))
def test_conversion_keeps_the_spans_and_comes_back(
    data: st.DataObject, source: LabelScheme, kind: str
) -> None:
    target = LabelScheme.of_types(source.types, kind)
    poorest = source if source.kind == "IO" else target
    sentences = [
        encode(source, data.draw(span_lists(poorest, length)), length)
        for length in data.draw(st.lists(st.integers(0, 5), max_size=4))
    ]
    offsets = np.cumsum([0, *map(len, sentences)])
    flat = source.ids([tag for tags in sentences for tag in tags])
    there = convert(flat, offsets, source, target)
    assert _rows(there, offsets, target) == _rows(flat, offsets, source)
    assert target.is_valid(there, offsets)
    assert np.array_equal(convert(there, offsets, target, source), flat)


def _rows(tags: Any, offsets: Any, scheme: LabelScheme) -> list[tuple[int, int, int]]:
    table = find_spans(tags, offsets, scheme)
    return list(zip(table.starts.tolist(), table.ends.tolist(), table.types.tolist(), strict=True))


@given(st.data(), chunk_schemes(), st.sampled_from(CHUNK_KINDS))
def test_conversion_makes_slips_valid_and_leaves_gaps_alone(
    data: st.DataObject, source: LabelScheme, kind: str
) -> None:
    target = LabelScheme.of_types(source.types, kind)
    ids = source.ids(data.draw(tag_sequences(source, unlabelled=True)))
    converted = convert(ids, np.array([0, len(ids)]), source, target)
    assert np.array_equal(converted < 0, ids < 0)
    assert all(target.is_valid(converted[part]) for part in _labelled_runs(converted))


def _labelled_runs(ids: Any) -> list[Any]:
    cuts = [-1, *np.flatnonzero(ids < 0).tolist(), len(ids)]
    return [np.arange(a + 1, b) for a, b in pairwise(cuts)]


def test_a_b_that_opens_a_sentence_is_broken_in_iob1_whatever_ends_the_sentence_before() -> None:
    scheme = LabelScheme.of_types(["PER"], "IOB1")
    tags, bounds = scheme.ids(["I-PER", "B-PER"]), np.array([0, 1, 2])
    assert _rows(tags, bounds, scheme) == [(0, 1, 0)]
    assert _rows(tags, np.array([0, 2]), scheme) == [(0, 1, 0), (1, 2, 0)]


def test_spans_are_the_same_when_found_a_few_sentences_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    world = random_corpus(7, sentences=30, kind="BIOES", accuracy=0.6)
    whole = _rows(world.gold_tags, world.offsets, world.scheme)
    monkeypatch.setattr(spans_module, "_TOKENS_AT_A_TIME", 5)
    assert _rows(world.gold_tags, world.offsets, world.scheme) == whole
    assert len(whole) > 30


def test_spans_that_touch_over_a_sentence_end_are_not_parted_in_iob1() -> None:
    source, target = (LabelScheme.of_types(["PER"], kind) for kind in ("IOB2", "IOB1"))
    tags = convert(source.ids(["B-PER", "B-PER", "B-PER"]), np.array([0, 2, 3]), source, target)
    assert target.names(tags) == ("I-PER", "B-PER", "I-PER")


@pytest.mark.parametrize(
    ("spans", "message"),
    [
        ([Span(0, 2, "PER"), Span(1, 3, "PER")], "overlap"),
        ([Span(2, 4, "PER")], "does not lie inside a sequence of 3 tokens"),
        ([Span(1, 1, "PER")], "does not lie inside"),
        ([Span(-1, 1, "PER")], "does not lie inside"),
        ([Span(0, 1, "LOC")], "label 'LOC' is not one of PER"),
    ],
)
def test_spans_that_no_tags_can_hold_are_refused(spans: list[Span], message: str) -> None:
    with pytest.raises(SchemeError, match=message):
        encode(LabelScheme.of_types(["PER"]), spans, 3)


def test_a_plain_scheme_wants_a_label_for_every_token() -> None:
    scheme = LabelScheme.plain(["N", "V"])
    assert encode(scheme, [Span(0, 1, "V"), Span(1, 2, "N")], 2) == ("V", "N")
    with pytest.raises(SchemeError, match="token 2 has no label"):
        encode(scheme, [Span(0, 1, "V")], 2)


def test_a_span_whose_tag_is_missing_in_the_scheme_is_refused() -> None:
    with pytest.raises(SchemeError, match="needs a tag 'I-PER', which the scheme does not have"):
        encode(LabelScheme(("O", "B-PER")), [Span(0, 2, "PER")], 2)


def test_plain_tags_do_not_become_chunks() -> None:
    plain, chunks = LabelScheme.plain(["N"]), LabelScheme.of_types(["N"])
    with pytest.raises(SchemeError, match="plain cannot become IOB2"):
        convert(plain.ids(["N"]), np.array([0, 1]), plain, chunks)
