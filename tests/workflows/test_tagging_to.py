"""tag --to: the same tags in another form than the text came in."""

import json
from pathlib import Path

import pytest

import crowdseq
from crowdseq.core.spans import decode
from crowdseq.errors import SettingsError
from crowdseq.formats import read
from crowdseq.workflows.tagging import TagRequest, tag_text

LINES = "Ada Morrow moved to Oslo.\r\n\r\nBen Ashgrove 😀 lives in Merrowby\n"
LONG = "Dr. Ada Morrow met Mr. Ben Ashgrove in Oslo. " * 15


@pytest.fixture(scope="module")
def tagger(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("model") / "tagger"
    run = crowdseq.learn(crowdseq.demo_corpus()[:150], "majority-vote")
    assert isinstance(run.tagger, crowdseq.Tagger)
    run.tagger.save(str(folder))
    return str(folder)


def _tag(tagger: str, path: Path, out: Path, target: str | None = None) -> None:
    tag_text(TagRequest(tagger=tagger, input=str(path), out=str(out), target=target))


def _text(tmp_path: Path, content: str) -> Path:
    path = tmp_path / "article.txt"
    path.write_bytes(content.encode())
    return path


@pytest.mark.parametrize("content", [LINES, LONG, LONG + "\n\n" + LINES, "Oslo", ""])
def test_spans_in_lines_of_json_count_the_characters_of_the_text(
    tagger: str, tmp_path: Path, content: str
) -> None:
    source = _text(tmp_path, content)
    _tag(tagger, source, tmp_path / "out.jsonl")
    _tag(tagger, source, tmp_path / "out.conll")
    records = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    for record in records:
        spans = decode(crowdseq.demo_corpus().scheme, record["labels"])
        words = ["".join(record["tokens"][span.start : span.end]) for span in spans]
        marked = [content[one["start"] : one["end"]] for one in record.get("spans", ())]
        assert ["".join(text.split()) for text in marked] == words
    rows = [line.split("\t") for line in (tmp_path / "out.conll").read_text().splitlines() if line]
    pairs = [[w, t] for r in records for w, t in zip(r["tokens"], r["labels"], strict=True)]
    assert pairs == rows


def test_a_tool_gets_the_whole_text_with_its_spans(tagger: str, tmp_path: Path) -> None:
    source = _text(tmp_path, LONG)
    _tag(tagger, source, tmp_path / "tasks.json", "label-studio")
    _tag(tagger, source, tmp_path / "out.jsonl")
    (task,) = json.loads((tmp_path / "tasks.json").read_text())
    assert task["data"]["text"] == LONG
    values = [region["value"] for region in task["predictions"][0]["result"]]
    assert values
    assert "marked by" not in (tmp_path / "tasks.json").read_text(), "a tagger has no annotators"
    assert all(LONG[value["start"] : value["end"]] == value["text"] for value in values)
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    spans = {(one["start"], one["end"], one["label"]) for line in lines for one in line["spans"]}
    assert {(value["start"], value["end"], value["labels"][0]) for value in values} == spans


@pytest.mark.parametrize("target", ["conll", "consensus", "doccano", "prodigy", "argilla", "long", "brat"])
def test_columns_are_written_in_any_form_that_holds_settled_labels(
    tagger: str, tmp_path: Path, target: str
) -> None:
    source = tmp_path / "gold.conll"
    source.write_text("Ada B-PER\nMorrow I-PER\nleft O\n\nOslo B-LOC\nslept O\n")
    _tag(tagger, source, tmp_path / "out", target)
    _tag(tagger, source, tmp_path / "plain.conll")
    told = [line.split(" ")[-1] for line in (tmp_path / "plain.conll").read_text().splitlines() if line]
    if target in ("conll", "consensus", "long"):
        found = read(tmp_path / "out", format=target).corpus
        assert [tag for tags in found.gold for tag in tags or ()] == told
    assert (tmp_path / "out").exists()


def test_what_cannot_hold_tags_is_refused_before_anything_is_read(tagger: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="answers has no room for tags, choose one of jsonl, consensus"):
        _tag(tagger, tmp_path / "nowhere.txt", tmp_path / "out", "answers")
