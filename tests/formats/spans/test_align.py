"""Characters to tokens, and labels from one cut of a text to another."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdseq.core.labels import CHUNK_KINDS, LabelScheme
from crowdseq.core.spans import Span, decode, encode
from crowdseq.errors import AnnotationError
from crowdseq.formats.spans.align import Mark, character_bounds, project, snap, visible

# "Ada met  Bo." cut into Ada, met, Bo and the full stop
STARTS, ENDS = [0, 4, 9, 11], [3, 7, 11, 12]


def snapped(*marks: Mark, **rules: str) -> tuple[list[Span], list[str]]:
    found = snap(marks, STARTS, ENDS, **rules)
    return found.spans, [event.kind for event in found.events]


def test_a_mark_on_token_bounds_becomes_its_tokens() -> None:
    assert snapped(Mark(0, 7, "X")) == ([Span(0, 2, "X")], [])


def test_space_at_the_edges_is_trimmed_and_told() -> None:
    assert snapped(Mark(3, 9, "X")) == ([Span(1, 2, "X")], ["trimmed"])


@pytest.mark.parametrize(
    ("cut", "spans"),
    [("expand", [Span(0, 2, "X")]), ("contract", [Span(0, 1, "X")]), ("drop", [])],
)
def test_a_mark_that_ends_inside_a_token_follows_the_rule(cut: str, spans: list[Span]) -> None:
    assert snapped(Mark(0, 5, "X"), cut=cut) == (spans, ["cut"])


def test_a_mark_inside_one_token_contracts_to_nothing() -> None:
    assert snapped(Mark(5, 6, "X"), cut="contract") == ([], ["cut"])


def test_a_cut_token_can_be_an_error() -> None:
    with pytest.raises(AnnotationError, match=r"the span 0-5 \(X\) ends inside a token"):
        snapped(Mark(0, 5, "X"), cut="error")


@pytest.mark.parametrize("mark", [Mark(7, 9, "X"), Mark(4, 4, "X"), Mark(5, 5, "X"), Mark(7, 4, "X")])
def test_a_mark_without_a_token_is_told(mark: Mark) -> None:
    assert snapped(mark) == ([], ["empty"])


def test_the_same_mark_twice_counts_once() -> None:
    assert snapped(Mark(0, 3, "X"), Mark(0, 3, "X")) == ([Span(0, 1, "X")], ["duplicate"])


def test_of_marks_that_overlap_the_longest_stays() -> None:
    marks = (Mark(0, 3, "X"), Mark(0, 7, "Y"), Mark(4, 7, "Z"))
    assert snapped(*marks) == ([Span(0, 2, "Y")], ["overlap", "overlap"])


def test_of_equally_long_marks_the_first_stays() -> None:
    assert snapped(Mark(0, 7, "Y"), Mark(4, 11, "Z")) == ([Span(0, 2, "Y")], ["overlap"])


def test_an_overlap_can_be_an_error() -> None:
    with pytest.raises(AnnotationError, match="overlaps another span"):
        snapped(Mark(0, 7, "Y"), Mark(4, 11, "Z"), overlaps="error")


@given(
    st.lists(st.tuples(st.integers(0, 13), st.integers(0, 13), st.sampled_from("XY")), max_size=6),
    st.sampled_from(["expand", "contract", "drop"]),
)
def test_every_mark_becomes_a_span_or_an_event(marks: list[tuple[int, int, str]], cut: str) -> None:
    given_marks = [Mark(*mark) for mark in marks]
    found = snap(given_marks, STARTS, ENDS, cut=cut)
    lost = {"empty", "duplicate", "overlap"} | ({"cut"} if cut == "drop" else set())
    gone = [event.mark for event in found.events if event.kind in lost]
    if cut != "contract":
        assert sorted([*found.marks, *gone]) == sorted(given_marks)
    covered = [token for span in found.spans for token in range(span.start, span.end)]
    assert covered == sorted(set(covered))


def test_bounds_count_visible_characters_only() -> None:
    assert visible(["New York", "is", ""]) == "NewYorkis"
    assert character_bounds(["New York", "is", ""]) == ([0, 7, 9], [7, 9, 9])


def cuts(text: str) -> st.SearchStrategy[list[str]]:
    """All ways to cut a text into tokens."""
    return st.lists(st.booleans(), min_size=len(text) - 1, max_size=len(text) - 1).map(
        lambda breaks: _cut(text, breaks)
    )


def _cut(text: str, breaks: list[bool]) -> list[str]:
    tokens = [text[0]]
    for character, is_break in zip(text[1:], breaks, strict=True):
        if is_break:
            tokens.append(character)
        else:
            tokens[-1] += character
    return tokens


@st.composite
def tagged_cuts(draw: st.DrawFn) -> tuple[LabelScheme, list[str], list[str], list[Span]]:
    """A scheme, a fine cut, a coarse one, and spans on the coarse one."""
    scheme = LabelScheme.of_types(["A", "B"], draw(st.sampled_from(CHUNK_KINDS)))
    coarse = draw(cuts("abcdefghij"))
    fine = [piece for token in coarse for piece in draw(cuts(token))]
    edges = sorted(draw(st.sets(st.integers(0, len(coarse)), max_size=6)))
    pairs = list(zip(edges[::2], edges[1::2], strict=False))
    spans = [Span(start, end, "A" if number % 2 else "B") for number, (start, end) in enumerate(pairs)]
    return scheme, coarse, fine, spans


@given(tagged_cuts())
def test_spans_keep_their_characters_on_a_finer_cut_and_come_back(
    world: tuple[LabelScheme, list[str], list[str], list[Span]],
) -> None:
    scheme, coarse, fine, spans = world
    tags = encode(scheme, spans, len(coarse))
    there = project(tags, coarse, fine)
    assert there.moved == 0
    starts, ends = character_bounds(coarse)
    fine_starts, fine_ends = character_bounds(fine)
    wanted = {(starts[span.start], ends[span.end - 1], span.label) for span in spans}
    found = decode(scheme, there.tags)
    assert {(fine_starts[s.start], fine_ends[s.end - 1], s.label) for s in found} == wanted
    assert project(there.tags, fine, coarse) == (list(tags), 0)


@given(cuts("abcdefghij"), st.data())
def test_on_its_own_tokens_nothing_changes(tokens: list[str], data: st.DataObject) -> None:
    choices = st.sampled_from(["O", "B-A", "I-A", "B-B", "I-B", None])
    tags = data.draw(st.lists(choices, min_size=len(tokens), max_size=len(tokens)))
    assert project(tags, tokens, tokens) == (tags, 0)


def test_a_span_that_cuts_a_token_takes_the_whole_of_it() -> None:
    assert project(["B-LOC", "O"], ["Albania", "n"], ["Albanian"]) == (["B-LOC"], 1)


def test_a_slip_stays_a_slip() -> None:
    assert project(["O", "I-PER"], ["a", "bc"], ["a", "b", "c"]).tags == ["O", "I-PER", "I-PER"]


def test_single_token_tags_grow_and_shrink() -> None:
    assert project(["S-A", "O"], ["ab", "c"], ["a", "b", "c"]).tags == ["B-A", "E-A", "O"]
    assert project(["B-A", "L-A"], ["a", "b"], ["ab"]).tags == ["U-A"]


def test_plain_tags_go_by_the_greater_share() -> None:
    assert project(["NOUN", "X"], ["gonn", "a"], ["gonna"]) == (["NOUN"], 1)
    assert project(["VERB"], ["gonna"], ["gon", "na"]) == (["VERB", "VERB"], 0)


def test_what_nobody_labelled_stays_unlabelled() -> None:
    assert project([None, "B-A", None], ["a", "b", "cd"], ["a", "bc", "d"]).tags == [None, "B-A", None]
