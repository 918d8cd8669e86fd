"""Files to shards in two passes: the very files that are made of a corpus in memory."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import crowdseq
from crowdseq.engines.ordering import store_corpus
from crowdseq.errors import FormatError, SettingsError
from crowdseq.formats.parts import loading
from crowdseq.formats.parts.storing import store_files
from crowdseq.formats.settings import ReadSettings

_DEMO = Path(crowdseq.__file__).parent / "data" / "demo.jsonl.gz"


@pytest.fixture(autouse=True)
def _small_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "PORTION_TOKENS", 700)


def _files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def _lines(path: Path, records: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return str(path)


def _demo_records() -> list[dict[str, Any]]:
    records = [json.loads(line) for line in gzip.decompress(_DEMO.read_bytes()).splitlines()]
    for number, record in enumerate(records):
        if number % 3:
            record["note"] = {"number": number}
        if number % 5:
            record["columns"] = {"length": [str(len(token)) for token in record["tokens"]]}
    return records


def _types_of(tags: list[str | None] | None) -> list[str | None] | None:
    return tags and [tag and tag[-3:] for tag in tags]


@pytest.mark.parametrize("shard_tokens", [300, 2_000, 10**6])
def test_shards_of_files_are_those_of_the_corpus_in_memory(tmp_path: Path, shard_tokens: int) -> None:
    source = _lines(tmp_path / "crowd.jsonl", _demo_records())
    stored = store_files(source, tmp_path / "files", shard_tokens).corpus
    store_corpus(crowdseq.read(source), tmp_path / "memory", shard_tokens)
    assert _files(tmp_path / "files") == _files(tmp_path / "memory")
    assert (len(stored.shards) > 1) == (shard_tokens < 10**6)


@pytest.mark.parametrize("scheme", ["IOB1", "BIOES", "plain"])
def test_other_schemes_are_told_and_converted_alike(tmp_path: Path, scheme: str) -> None:
    demo = crowdseq.demo_corpus()
    corpus = demo.as_scheme(scheme) if scheme != "plain" else demo
    records = corpus.to_records()
    if scheme == "plain":
        for record in records:
            record["gold"] = _types_of(record["gold"])
            record["annotations"] = {name: _types_of(tags) for name, tags in record["annotations"].items()}
    source = _lines(tmp_path / "crowd.jsonl", records)
    report = store_files(source, tmp_path / "files", 2_000).report
    store_corpus(crowdseq.read(source), tmp_path / "memory", 2_000)
    assert report.kind == scheme
    assert _files(tmp_path / "files") == _files(tmp_path / "memory")


def test_other_spellings_of_tags_are_told_and_read_alike(tmp_path: Path) -> None:
    records = [
        json.loads(json.dumps(record).replace('"B-', '"B_').replace('"I-', '"I_'))
        for record in _demo_records()
    ]
    source = _lines(tmp_path / "crowd.jsonl", records)
    stored = store_files(source, tmp_path / "files", 2_000)
    store_corpus(crowdseq.read(source), tmp_path / "memory", 2_000)
    assert _files(tmp_path / "files") == _files(tmp_path / "memory")
    assert "tags-in-other-spelling" in {finding.kind for finding in stored.report.findings}
    assert "B-PER" in crowdseq.read(source).scheme.tags


def test_what_reading_finds_is_told_alike(tmp_path: Path) -> None:
    records = _demo_records()
    records[3]["annotations"] = {"Ann ": ["I-PER"] * len(records[3]["tokens"])}
    records[9]["tokens"][0] = " "
    source = _lines(tmp_path / "crowd.jsonl", records)
    from crowdseq.formats import read

    told = store_files(source, tmp_path / "files", 2_000).report
    assert told == read(source).report


def test_bad_records_are_set_aside_alike(tmp_path: Path) -> None:
    records = _demo_records()
    records[4]["tokens"] = records[4]["tokens"][:-1]
    source = _lines(tmp_path / "crowd.jsonl", records)
    with pytest.raises(FormatError, match=":5:"):
        store_files(source, tmp_path / "refused", 2_000)
    skipping = ReadSettings(on_error="skip", rejects=str(tmp_path / "rejected.jsonl"))
    stored = store_files(source, tmp_path / "files", 2_000, settings=skipping)
    assert stored.report.n_rejected == 1
    assert len(stored.corpus) == len(records) - 1
    assert (tmp_path / "rejected.jsonl").read_text().count("\n") == 1


def test_a_document_in_two_portions_of_a_file_is_told(tmp_path: Path) -> None:
    records = _demo_records()
    again = {**records[0], "id": "again"}
    source = _lines(tmp_path / "crowd.jsonl", [*records, again])
    with pytest.raises(FormatError, match=r":502: document 'news-01' goes on here.*line 1"):
        store_files(source, tmp_path / "files", 2_000)


def test_an_id_in_two_parts_is_told(tmp_path: Path) -> None:
    records = _demo_records()
    _lines(tmp_path / "part-0.jsonl", records)
    _lines(tmp_path / "part-1.jsonl", [{**records[0], "doc": "other"}])
    with pytest.raises(FormatError, match=records[0]["id"]):
        store_files(str(tmp_path / "part-*.jsonl"), tmp_path / "files", 2_000)


def test_what_needs_all_of_a_corpus_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="match"):
        store_files(str(_DEMO), tmp_path / "files", 2_000, settings=ReadSettings(match="text"))
