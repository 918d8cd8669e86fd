"""Text and marks for writers: the user's own characters while they hold; from tool to tool and back."""

import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from builders import corpus
from crowdseq.core.building import CorpusBuilder, Record
from crowdseq.core.corpus import Corpus
from crowdseq.core.spans import Span
from crowdseq.core.text import Sentence
from crowdseq.errors import CrowdseqError
from crowdseq.formats import Limits, read, write
from crowdseq.formats.spans.align import Mark
from crowdseq.formats.spans.from_corpus import crowds, restore
from file_fixtures import Faults, Put
from formats.marked_files import plain, span_worlds
from tool_samples import own

TOOLS = ("label-studio", "doccano-zip", "argilla", "prodigy")


def sentence(tokens: str, **extras: Any) -> Sentence:
    return Sentence("s", None, tuple(tokens.split()), {}, extras)


def test_tokens_without_a_text_stand_with_spaces_between() -> None:
    found = restore(sentence("Ada met ."))
    assert (found.text, found.starts, found.ends) == ("Ada met .", [0, 4, 8], [3, 7, 9])


def test_the_text_is_taken_where_the_tokens_are_found_in_it() -> None:
    assert restore(sentence("Ada met .", text="Ada  met.")).starts == [0, 5, 8]
    assert restore(sentence("Ada met .", text="another text")).text == "Ada met ."
    assert restore(sentence("Ada met .", text=3)).text == "Ada met ."


@pytest.mark.parametrize(
    "offsets", [None, [[0, 3]], [[0, 3], [4, 7], [9, 9]], [["0", 3], [5, 8], [8, 9]], "x"]
)
def test_offsets_that_do_not_fit_are_not_believed(offsets: Any) -> None:
    assert restore(sentence("Ada met .", text="Ada  met.", offsets=offsets)).starts == [0, 5, 8]


def test_offsets_that_fit_come_before_a_search() -> None:
    assert restore(sentence("b", text="ab b", offsets=[[3, 4]])).starts == [3]


def test_marks_are_given_back_as_they_were_while_they_stand_for_the_same_spans() -> None:
    found = restore(sentence("Ada met Bo", text="Ada met Bo"))
    kept = [[0, 4, "PER"], [1, 3, "X"], [8, 9, "PER"]]  # white space, an overlap, half a token
    spans = [Span(0, 1, "PER"), Span(2, 3, "PER")]
    assert found.marks(spans, kept) == [Mark(0, 4, "PER"), Mark(1, 3, "X"), Mark(8, 9, "PER")]


def test_after_a_change_only_the_marks_that_still_hold_are_given_back() -> None:
    found = restore(sentence("Ada met Bo", text="Ada met Bo"))
    kept = [[0, 4, "PER"], [8, 9, "PER"]]
    assert found.marks([Span(0, 1, "PER"), Span(1, 2, "X")], kept) == [Mark(0, 4, "PER"), Mark(4, 7, "X")]


@pytest.mark.parametrize(
    "kept", [None, 3, {"a": 1}, [3], [[0, 3]], [[0, "3", "X"]], [[0, 99, "PER"]], [[0, 3, 3]]]
)
def test_an_extra_key_of_the_same_name_may_hold_anything(kept: Any) -> None:
    found = restore(sentence("Ada met", text="Ada met"))
    assert found.marks([Span(0, 1, "PER")], kept) == [Mark(0, 3, "PER")]


def test_a_corpus_with_strange_extra_keys_is_written() -> None:
    builder = CorpusBuilder()
    extras = {"text": ["x"], "spans": "y", "gold_spans": 3, "offsets": {}, "meta": 7}
    builder.add(Record(["Ada"], "s", None, {"a": ["B-PER"]}, ["O"], {}, extras))
    (crowd,) = crowds(builder.build())
    assert (crowd.restored.text, crowd.votes, crowd.gold) == ("Ada", {"a": [Mark(0, 3, "PER")]}, [])


def test_names_of_annotators_are_changed_in_the_kept_spans_too(put: Put) -> None:
    first = read(own("two-annotators") / "doccano", names={"ann2": "eve"}).corpus
    write(first, put("again.zip", b""), format="doccano-zip", force=True)
    assert read("again.zip").corpus.sentences[1].extras["spans"]["eve"] == [[2, 12, "ORG"], [22, 30, "LOC"]]


def converted(world: Corpus, tool: str, folder: str) -> Corpus:
    path = Path(folder) / tool
    write(world, path, format=tool, force=True)
    return read(path, format=tool, empty_means="labelled", scheme="IOB2").corpus


@pytest.mark.parametrize("first", TOOLS)
@pytest.mark.parametrize("second", TOOLS)
@given(world=span_worlds(with_gold=False, seen=True))
@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow])
def test_from_tool_to_tool_and_back_nothing_changes(first: str, second: str, world: Corpus) -> None:
    if not len(world):
        return
    with tempfile.TemporaryDirectory() as folder:
        there = converted(world, first, folder)
        back = converted(converted(there, second, folder), first, folder)
    assert plain(there) == plain(world)
    assert plain(back) == plain(world)
    by_id = {one.id: one.extras for one in there.sentences}
    assert {one.id: one.extras for one in back.sentences} == by_id


@pytest.mark.parametrize("tool", TOOLS)
def test_the_synthetic_documents_survive_every_tool(tool: str, tmp_path: Path) -> None:
    first = read(own("two-annotators") / "label-studio" / "export.json").corpus
    found = converted(first, tool, str(tmp_path))
    assert plain(found) == plain(first)
    assert [one.extras for one in found.sentences] == [one.extras for one in first.sentences]


def _cut(data: bytes, place: int, _: bytes) -> bytes:
    return data[:place]


def _swap(data: bytes, place: int, other: bytes) -> bytes:
    return data[:place] + other + data[place + 1 :]


def _insert(data: bytes, place: int, other: bytes) -> bytes:
    return data[:place] + other + data[place:]


@pytest.mark.parametrize("tool", TOOLS)
@given(
    change=st.sampled_from([_cut, _swap, _insert]),
    where=st.floats(0, 1),
    other=st.sampled_from(
        [b"\0", b"\n", b'"', b"{", b"]", b"[", b"\\", b"\xe9", b"9", b"-", b".5", b"null", b",", b""]
    ),
)
@settings(max_examples=80)
def test_no_damage_to_a_good_file_brings_down_a_reader(
    tool: str, change: Callable[[bytes, int, bytes], bytes], where: float, other: bytes
) -> None:
    world = corpus("Ada/B-PER/O met/O/O Bo/B-PER/I-PER", "🚀/O/B-X x/O/I-X", docs=["d", "d"])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "c"
        write(world, path, format=tool)
        data = path.read_bytes()
    for others in ({}, {"on_error": "skip"}, {"format": tool, "empty_means": "labelled"}):
        try:
            read(change(data, int(where * len(data)), other), **others)  # type: ignore[arg-type]
        except CrowdseqError as error:
            assert str(error)  # noqa: PT017


@pytest.mark.parametrize("value", [None, 3, True, "x", [], {}, [[]], [{}], {"a": []}, [None], 1e300, -1, "٣"])
@pytest.mark.parametrize("tool", ["label-studio", "argilla", "prodigy", "doccano", "label-studio-min"])
def test_a_strange_value_in_any_field_is_no_surprise(tool: str, value: Any) -> None:
    whole = json.loads(_example(tool))
    for path in list(_paths(whole)):
        try:
            read(json.dumps(_changed(whole, path, value)).encode(), format=tool)
        except CrowdseqError as error:
            assert str(error)  # noqa: PT017


def _example(tool: str) -> str:
    folder = own("two-annotators")
    if tool in ("prodigy", "doccano"):
        name = {"prodigy": "prodigy/export.jsonl", "doccano": "doccano/ann1.jsonl"}[tool]
        return (folder / name).read_text("utf-8").split("\n")[0]
    name = {
        "label-studio": "label-studio/export.json",
        "label-studio-min": "label-studio/export.JSON_MIN.json",
        "argilla": "argilla/records.to_list.json",
    }[tool]
    first: str = json.dumps(json.loads((folder / name).read_text("utf-8"))[0])
    return first


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Any:
    """Ways to every value inside, of lists only the first."""
    yield path
    inner = (
        value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ()
    )
    for key, item in inner:
        yield from _paths(item, (*path, key))


def _changed(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    copied = dict(value) if isinstance(value, dict) else list(value)
    copied[path[0]] = _changed(value[path[0]], path[1:], new)
    return copied


def test_cells_of_any_length_quotes_over_lines_and_formulas_are_text(put: Put) -> None:
    long = "word " * 40_000 + '=cmd() "quoted"\nnext line'
    label = json.dumps([{"start": 0, "end": 4, "text": "word", "labels": ["=SUM(1)"]}])
    cells = ["1", long, label, "7", "1"]
    row = ";".join('"' + cell.replace('"', '""') + '"' for cell in cells)
    found = read(put("e.csv", f"id;text;label;annotator;annotation_id\n{row}\n")).corpus
    assert found.sentences[0].extras["text"] == long
    assert found.scheme.types == ("=SUM(1)",)


@pytest.mark.parametrize("tool", ["label-studio", "label-studio-csv", "doccano", "argilla", "prodigy"])
def test_what_is_no_file_or_has_too_long_lines_is_refused(put: Put, faults: Faults, tool: str) -> None:
    os.mkfifo(Path(put("x", b"")).resolve().parent / "pipe")
    (found,) = faults("pipe", format=tool)
    assert found.startswith("pipe: is a named pipe, not a file")
    if tool in ("doccano", "prodigy"):
        (found,) = faults(
            "long", b'{"text": "' + b"a" * 2000 + b'"}', format=tool, limits=Limits(line_bytes=1000)
        )
        assert "the line is longer than 1,000 bytes, split the record" in found
