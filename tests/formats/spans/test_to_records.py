"""Marked characters to records: every rule, and what is told about it."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdseq.core.building import Record
from crowdseq.errors import AnnotationError, FormatError, Problem, SettingsError
from crowdseq.formats import ReadSettings
from crowdseq.formats.findings.collector import Collector
from crowdseq.formats.spans.align import Grid, Mark, exact_tags, snap
from crowdseq.formats.spans.kept_text import Document, locate, token_bounds
from crowdseq.formats.spans.resolve import Region, marks_of, plain_marks
from crowdseq.formats.spans.to_records import Marker
from crowdseq.formats.spans.tokenize import tokenizer

TEXT = "Ada met  Bo-Li in\nNew York."


def marked(
    *regions: Region, document: Document | None = None, gold: Sequence[Region] | None = None, **changes: Any
) -> tuple[list[Record], dict[str, int]]:
    """The records of one annotator's regions, and how often each kind of thing was told."""
    with Collector(ReadSettings(**changes)) as collector:
        marker = Marker(collector, "f")
        records = marker.records(document or Document(TEXT, "d"), {"a": regions}, gold, 4)
        return records, {finding.kind: finding.count for finding in collector.findings()}


def tags(*regions: Region, **changes: Any) -> tuple[str, dict[str, int]]:
    records, told = marked(*regions, **changes)
    return " ".join(str(tag) for record in records for tag in record.annotations["a"]), told


def test_a_span_becomes_tags_and_is_kept_as_it_was() -> None:
    ((record,), told) = marked(Region(0, 3, ["PER"]), Region(18, 26, ["LOC"]))
    assert record.tokens == ["Ada", "met", "Bo", "-", "Li", "in", "New", "York", "."]
    assert record.annotations == {"a": ["B-PER", "O", "O", "O", "O", "O", "B-LOC", "I-LOC", "O"]}
    assert record.extras == {"text": TEXT, "spans": {"a": [[0, 3, "PER"], [18, 26, "LOC"]]}}
    assert (record.id, record.doc, record.place, told) == ("d", None, "f:4", {})


def test_white_space_at_the_edges_is_trimmed_but_kept_in_the_span() -> None:
    ((record,), told) = marked(Region(3, 9, ["X"]))
    assert record.annotations["a"][:3] == ["O", "B-X", "O"]
    assert record.extras["spans"] == {"a": [[3, 9, "X"]]}
    assert told == {"spans-trimmed": 1}


@pytest.mark.parametrize(
    ("cut", "made"),
    [("expand", "B-X I-X O O O O O O O"), ("contract", "B-X O O O O O O O O"), ("drop", "O O O O O O O O O")],
)
def test_a_cut_token_follows_the_rule(cut: str, made: str) -> None:
    assert tags(Region(0, 5, ["X"]), cut_tokens=cut) == (made, {"spans-cut": 1})


def test_a_cut_token_or_an_overlap_can_be_an_error() -> None:
    with pytest.raises(AnnotationError, match="ends inside a token"):
        marked(Region(0, 5, ["X"]), cut_tokens="error")
    with pytest.raises(AnnotationError, match="overlaps another span"):
        marked(Region(0, 7, ["X"]), Region(4, 11, ["X"]), overlaps="error")


@pytest.mark.parametrize("region", [Region(2, 2, ["X"]), Region(7, 9, ["X"]), Region(27, 27, ["X"])])
def test_a_span_without_a_token_is_dropped_and_told(region: Region) -> None:
    assert tags(region) == ("O O O O O O O O O", {"spans-empty": 1})


def test_the_same_span_twice_counts_once() -> None:
    twice = (Region(0, 3, ["X"]), Region(0, 3, ["X"]))
    assert tags(*twice) == ("B-X O O O O O O O O", {"spans-duplicate": 1})


def test_of_overlapping_spans_the_longest_stays_and_all_are_kept() -> None:
    ((record,), told) = marked(Region(0, 3, ["X"]), Region(0, 7, ["Y"]))
    assert record.annotations["a"][:3] == ["B-Y", "I-Y", "O"]
    assert record.extras["spans"] == {"a": [[0, 3, "X"], [0, 7, "Y"]]}
    assert told == {"spans-overlap": 1}


def test_a_layer_is_chosen_by_its_types() -> None:
    nested = (Region(18, 26, ["LOC"]), Region(18, 21, ["ADJ"]))
    inner = tags(*nested, overlaps="layers", types=("ADJ",))
    assert inner == ("O O O O O O B-ADJ O O", {"spans-of-other-types": 1})


@pytest.mark.parametrize("regions", [(Region(0, 3, ["X", "Y"]),), (Region(0, 3, ["X"]), Region(0, 3, ["Y"]))])
def test_several_labels_on_one_span_follow_the_rule(regions: tuple[Region, ...]) -> None:
    with pytest.raises(
        AnnotationError, match=r"the span 0-3 has several labels \(X, Y\), say several_labels="
    ):
        marked(*regions)
    told = {"spans-several-labels": 1}
    assert tags(*regions, several_labels="first") == ("B-X O O O O O O O O", told)
    assert tags(*regions, several_labels="joined") == ("B-X+Y O O O O O O O O", told)
    assert tags(*regions, types=("Y",))[0] == "B-Y O O O O O O O O"


def test_a_span_with_gaps_follows_the_rule() -> None:
    region = Region(0, 11, ["X"], parts=((0, 3), (9, 11)))
    with pytest.raises(
        AnnotationError, match="the span 0-11 has gaps, say discontinuous='drop' \\(or split\\)"
    ):
        marked(region)
    told = {"spans-discontinuous": 1}
    assert tags(region, discontinuous="drop") == ("O O O O O O O O O", told)
    assert tags(region, discontinuous="split") == ("B-X O B-X O O O O O O", told)


def test_a_region_without_a_label_is_dropped_and_told() -> None:
    assert tags(Region(0, 3, [])) == ("O O O O O O O O O", {"spans-without-label": 1})


def test_a_document_may_be_split_at_line_breaks() -> None:
    regions = (Region(0, 3, ["A"]), Region(15, 21, ["B"]))
    (first, second), told = marked(*regions, sentences="newline", gold=[Region(22, 26, ["G"])])
    assert [(record.id, record.doc) for record in (first, second)] == [("d-1", "d"), ("d-2", "d")]
    assert first.annotations["a"] == ["B-A", "O", "O", "O", "O", "B-B"]
    assert second.annotations["a"] == ["B-B", "O", "O"]
    assert second.gold == ["O", "B-G", "O"]
    assert second.extras == {
        "text": "New York.",
        "spans": {"a": [[0, 3, "B"]]},
        "gold_spans": [[4, 8, "G"]],
    }
    assert told == {"spans-over-break": 1}


@pytest.mark.parametrize("text", ["a\n\n \nb", "\na\r\nb\r\n", "a\nb\n\n"])
def test_lines_without_a_token_are_no_sentences(text: str) -> None:
    records, _ = marked(document=Document(text, "d"), sentences="newline")
    assert [(record.id, record.tokens) for record in records] == [("d-1", ["a"]), ("d-2", ["b"])]


def test_a_span_on_a_blank_line_is_told() -> None:
    _, told = marked(Region(2, 2, ["X"]), document=Document("a\n\nb", "d"), sentences="newline")
    assert told == {"spans-empty": 1}


def test_tokens_and_columns_of_the_file_are_cut_with_the_lines() -> None:
    document = Document("a b\nc", "d", [(0, 1), (2, 3), (4, 5)], columns={"pos": ["1", "2", "3"]})
    records, _ = marked(document=document, sentences="newline")
    assert [record.columns for record in records] == [{"pos": ["1", "2"]}, {"pos": ["3"]}]


def test_an_empty_text_is_a_sentence_without_tokens() -> None:
    ((record,), _) = marked(document=Document("", "d"))
    assert (record.tokens, record.annotations) == ([], {"a": []})


def test_an_id_made_from_the_text_is_the_same_in_every_file() -> None:
    with Collector(ReadSettings()) as collector:
        one, two = Marker(collector, "one"), Marker(collector, "two")
        assert one.made_id("x") == two.made_id("x") != one.made_id("y")
        assert one.made_id("x") == f"{two._made_ids.most_common(1)[0][0]}-2"


def test_empty_documents_are_asked_about_once() -> None:
    with Collector(ReadSettings()) as collector:
        marker = Marker(collector, "f", proves_empty=False)
        for number in range(3):
            marker.records(Document("a", f"d{number}"), {"w": []}, line=number + 1)
        with pytest.raises(FormatError, match="f:1: d0: 3 documents have no span"):
            marker.finish()


def test_tokens_that_cannot_be_found_again_are_kept_as_offsets() -> None:
    ((record,), _) = marked(document=Document("ab b", "d", [(3, 4)]))
    assert (record.tokens, record.extras["offsets"]) == (["b"], [[3, 4]])
    ((record,), _) = marked(document=Document("ab b", "d", [(0, 2), (3, 4)]))
    assert "offsets" not in record.extras


@given(st.text(max_size=20), st.sampled_from(["words", "whitespace"]))
def test_tokens_of_our_own_are_always_found_again(text: str, name: str) -> None:
    bounds = tokenizer(name)(text)
    assert locate(text, [text[start:end] for start, end in bounds]) == bounds
    assert token_bounds(text, bounds) == bounds


@given(
    st.text(st.sampled_from("ab \n🚀-"), max_size=15).flatmap(
        lambda text: st.tuples(
            st.just(text),
            st.lists(
                st.tuples(st.integers(0, len(text)), st.integers(0, len(text)), st.sampled_from("XY")).map(
                    lambda span: Region(min(span[:2]), max(span[:2]), [span[2]])
                ),
                max_size=4,
            ),
        )
    ),
    st.sampled_from(["document", "newline"]),
    st.sampled_from(["expand", "contract", "drop"]),
)
def test_any_spans_give_tags_that_keep_the_rules(
    given_text: tuple[str, list[Region]], sentences: str, cut: str
) -> None:
    text, regions = given_text
    records, told = marked(
        *regions,
        document=Document(text, "d"),
        sentences=sentences,
        cut_tokens=cut,
        several_labels="first",
        offset_unit="characters",
    )
    assert [token for record in records for token in record.tokens] == [
        text[start:end] for start, end in tokenizer("words")(text)
    ]
    for record in records:
        before = "O"
        for tag in record.annotations["a"]:
            assert tag is not None
            assert not tag.startswith("I-") or before[2:] == tag[2:]
            before = tag
    spans = sum(tag.startswith("B-") for record in records for tag in record.annotations["a"] if tag)
    assert spans + sum(told.values()) >= len(regions)


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=5),
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.sampled_from("XY")), max_size=4),
)
def test_the_short_way_for_exact_marks_is_the_long_way(
    steps: list[tuple[int, int]], spans: list[tuple[int, int, str]]
) -> None:
    starts: list[int] = []
    ends: list[int] = []
    for gap, length in steps:  # empty tokens too
        starts.append((ends[-1] if ends else 0) + gap)
        ends.append(starts[-1] + length)
    marks = [Mark(*span) for span in spans]
    short = exact_tags(marks, Grid(starts, ends))
    snapped = snap(marks, starts, ends)
    if short is None:
        assert snapped.events or any(start == end for start, end in zip(starts, ends, strict=True))
        return
    long = ["O"] * len(starts)
    for span in snapped.spans:
        long[span.start : span.end] = [f"B-{span.label}"] + [f"I-{span.label}"] * (span.end - span.start - 1)
    assert (short, snapped.events) == (long, [])


@given(
    st.text(st.sampled_from("ab é🚀"), max_size=8),
    st.lists(
        st.tuples(
            st.integers(-1, 9) | st.none(),
            st.integers(-1, 9),
            st.lists(st.sampled_from(["X", "Y"]), max_size=2),
            st.none() | st.sampled_from(["a", "ab", "é"]),
        ),
        max_size=3,
    ),
    st.sampled_from(["auto", "characters", "utf-16", "graphemes"]),
)
def test_the_short_way_for_plain_regions_is_the_long_way(
    text: str, values: list[tuple[Any, int, list[str], str | None]], unit: str
) -> None:
    regions = [Region(*value) for value in values]
    with Collector(ReadSettings(offset_unit=unit, several_labels="first")) as collector:
        groups = plain_marks(text, [regions, []], "characters", collector)
        short = groups and groups[0]
    # A region of a type that is not asked for keeps the short way from being taken, and nothing else.
    every = ReadSettings(offset_unit=unit, several_labels="first", types=("X", "Y"))
    with Collector(every) as collector:
        try:
            long = marks_of(text, regions, "characters", collector, Problem(""), "w")
        except AnnotationError:
            assert short is None
            return
        told = collector.findings()
    if short is not None:
        assert (short, told) == (long, ())


@pytest.mark.parametrize(
    "name", ["several_labels", "discontinuous", "sentences", "overlaps", "cut_tokens", "empty_means"]
)
def test_rules_that_do_not_exist_are_refused(name: str) -> None:
    with pytest.raises(SettingsError, match=f"{name} 'x' is unknown, choose one of"):
        ReadSettings(**{name: "x"})  # type: ignore[arg-type]
