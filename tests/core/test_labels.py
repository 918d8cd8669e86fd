"""Label schemes: which tag may follow which."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdseq.core.labels import CHUNK_KINDS, LabelScheme, split_tag, usual_tags
from crowdseq.core.spans import Span
from crowdseq.errors import SchemeError
from span_oracles import slow_tags
from strategies import chunk_schemes, schemes, tag_sequences


def _all_layouts(length: int, kind: str) -> list[list[Span]]:
    """Every way to put spans of two types into a short sentence."""
    layouts: list[list[Span]] = [[]]
    finished: list[list[Span]] = []
    while layouts:
        spans = layouts.pop()
        finished.append(spans)
        after = spans[-1].end if spans else 0
        for start, label in product(range(after, length), "XY"):
            if kind == "IO" and spans and spans[-1].end == start and spans[-1].label == label:
                continue  # IO has no way to write this
            layouts.extend([*spans, Span(start, end, label)] for end in range(start + 1, length + 1))
    return finished


@pytest.mark.parametrize("kind", CHUNK_KINDS)
def test_allowed_transitions_are_those_that_occur_in_some_layout_of_spans(kind: str) -> None:
    scheme = LabelScheme.of_types(["X", "Y"], kind)
    seen, starts, ends = set(), set(), set()
    for length in (1, 2, 3, 4):
        for spans in _all_layouts(length, kind):
            tags = slow_tags(kind, spans, length)
            seen |= set(pairwise(tags))
            starts.add(tags[0])
            ends.add(tags[-1])
    table = {
        (a, b)
        for a, b in product(scheme.tags, repeat=2)
        if scheme.allowed[scheme.ids([a])[0], scheme.ids([b])[0]]
    }
    assert table == seen
    assert {tag for tag, ok in zip(scheme.tags, scheme.starts, strict=True) if ok} == starts
    assert {tag for tag, ok in zip(scheme.tags, scheme.ends, strict=True) if ok} == ends


def test_everything_may_follow_everything_in_a_plain_scheme() -> None:
    scheme = LabelScheme.plain(["VERB", "NOUN", "O"])
    assert scheme.tags == ("NOUN", "O", "VERB")
    assert scheme.allowed.all()
    assert scheme.starts.all()
    assert scheme.ends.all()
    assert scheme.outside == -1


@given(schemes().flatmap(lambda scheme: st.tuples(st.just(scheme), tag_sequences(scheme, unlabelled=True))))
def test_ids_and_names_are_inverse(pair: tuple[LabelScheme, list[str | None]]) -> None:
    scheme, tags = pair
    assert list(scheme.names(scheme.ids(tags))) == tags


@given(st.data(), schemes())
def test_a_flat_check_of_validity_equals_a_check_of_every_sentence(
    data: st.DataObject, scheme: LabelScheme
) -> None:
    sentences = data.draw(st.lists(tag_sequences(scheme, max_size=4, unlabelled=True), max_size=5))
    offsets = np.cumsum([0, *map(len, sentences)])
    flat = scheme.ids([tag for sentence in sentences for tag in sentence])
    assert scheme.is_valid(flat, offsets) == all(_keeps_rules(scheme, tags) for tags in sentences)


def _keeps_rules(scheme: LabelScheme, tags: list[str | None]) -> bool:
    numbers = [None if tag is None else scheme.index[tag] for tag in tags]
    if numbers and numbers[0] is not None and not scheme.starts[numbers[0]]:
        return False
    if numbers and numbers[-1] is not None and not scheme.ends[numbers[-1]]:
        return False
    return all(a is None or b is None or scheme.allowed[a, b] for a, b in pairwise(numbers))


@given(chunk_schemes(), st.sampled_from("BIESLU"))
def test_a_foreign_prefix_becomes_one_that_the_scheme_has(scheme: LabelScheme, prefix: str) -> None:
    tag = f"{prefix}-{scheme.types[0]}"
    spelt = scheme.kind_of(tag)
    assert spelt in scheme.index
    assert split_tag(spelt)[1] == scheme.types[0]
    assert spelt == tag or tag not in scheme.index


def test_a_tag_without_a_prefix_keeps_its_name() -> None:
    assert LabelScheme.of_types(["PER"]).kind_of("PER") == "PER"
    assert LabelScheme.plain(["S-1"]).kind_of("S-1") == "S-1"


@pytest.mark.parametrize(
    ("tags", "kind", "message"),
    [
        (("O", "O"), "IOB2", "lists a tag twice"),
        (("O", "S-PER"), "IOB2", "'S-PER' does not belong to the scheme IOB2"),
        (("O", "PER"), "IOB2", "'PER' does not belong to the scheme IOB2"),
        (("O", "B-"), "IOB2", "'B-' does not belong to the scheme IOB2"),
        (("O",), "BIO3", "'BIO3' is unknown, choose one of IO, IOB1, IOB2, BIOES, BILOU, plain"),
    ],
)
def test_a_wrong_scheme_is_not_built(tags: tuple[str, ...], kind: str, message: str) -> None:
    with pytest.raises(SchemeError, match=message):
        LabelScheme(tags, kind)


def test_an_unknown_tag_is_named() -> None:
    with pytest.raises(SchemeError, match="tag 'B-LOC' is not one of O, B-PER, I-PER"):
        LabelScheme.of_types(["PER"]).ids(["O", "B-LOC"])


def test_schemes_are_equal_by_tags_and_kind_and_their_tables_cannot_be_changed() -> None:
    scheme = LabelScheme.of_types(["PER", "LOC"])
    assert scheme == LabelScheme.of_types(["LOC", "PER"])
    assert scheme != LabelScheme.of_types(["LOC", "PER"], "IOB1")
    with pytest.raises(ValueError, match="read-only"):
        scheme.allowed[0, 0] = False


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("B_PER I_PER O", "B-PER I-PER O"),
        ("b-PER i-PER o", "B-PER I-PER O"),
        ("PER-B PER-I O", "B-PER I-PER O"),
        ("B-PER M-PER E-PER S-LOC O", "B-PER I-PER E-PER S-LOC O"),
        ("B_PER O", "B-PER O"),
    ],
)
def test_other_spellings_of_chunk_tags_are_known(written: str, meant: str) -> None:
    assert usual_tags(written.split()) == dict(zip(written.split(), meant.split(), strict=True))


@pytest.mark.parametrize(
    "tags",
    [
        "B-PER I-PER O",  # ours already
        "B_PER I_PER",  # no outside
        "I_PER S_PER O",  # nothing begins
        "B_PER NOUN O",  # not all of them
        "B-PER M-PER I-PER O",  # M is not the inside
        "PART-B O",  # one suffix may be chance
        "NN VB DT O",
    ],
)
def test_plain_tags_are_left_alone(tags: str) -> None:
    assert usual_tags(tags.split()) == {}
