"""Crowd JSONL, read and written."""

import gzip
import json
from pathlib import Path

import pytest

from builders import corpus
from crowdseq.core.building import CorpusBuilder, Record
from crowdseq.errors import AnnotationError
from crowdseq.formats import read, write
from file_fixtures import Faults, Put

LINE = '{"id": "s1", "tokens": ["Ada", "met"], "annotations": {"w1": ["B-PER", "O"], "w2": ["O", null]}}\n'


def test_a_line_is_a_sentence_with_its_votes(put: Put) -> None:
    found = read(put("c.jsonl", LINE)).corpus
    assert found.sentences[0].tokens == ("Ada", "met")
    assert found.annotators == ("w1", "w2")
    assert found.scheme.names(found.annotations.ballots[0].tags[1]) == ("O", None)
    assert found.gold[0] is None


def test_gold_alone_is_enough(put: Put) -> None:
    found = read(put("c.jsonl", '{"tokens": ["Ada"], "gold": ["B-PER"]}\n{"tokens": ["Bo"]}\n')).corpus
    assert (found.gold[0], found.gold[1], found.annotators) == (("B-PER",), None, ())


def test_extra_keys_and_columns_come_back(put: Put, tmp_path: Path) -> None:
    record = {"id": "a", "tokens": ["x"], "gold": None, "annotations": {}, "columns": {"pos": ["NN"]}}
    extra = {"split": "test", "nested": {"deep": [1, 2.5, None, True, "é"]}}
    put("c.jsonl", json.dumps(record | extra) + "\n")
    write(read("c.jsonl").corpus, tmp_path / "d.jsonl")
    (line,) = (tmp_path / "d.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line) == {"crowdseq": 1} | record | extra


def test_only_the_first_line_carries_the_version(tmp_path: Path) -> None:
    write(corpus("a/O", "b/O"), tmp_path / "c.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "c.jsonl").read_text().splitlines()]
    assert [line.get("crowdseq") for line in lines] == [1, None]


def test_a_file_of_a_newer_form_is_refused(faults: Faults) -> None:
    found = faults("c.jsonl", '{"crowdseq": 2, "tokens": []}\n')
    assert found == ["c.jsonl:1: was written in form 2, update crowdseq to read it"]


def test_an_annotator_with_null_did_not_see_the_sentence(put: Put) -> None:
    found = read(put("c.jsonl", '{"tokens": ["a"], "annotations": {"w1": null, "w2": ["O"]}}\n')).corpus
    assert found.annotators == ("w2",)


def test_numbers_as_ids_are_read_as_text_and_told(put: Put) -> None:
    imported = read(put("c.jsonl", '{"id": 7, "doc": 3, "tokens": ["a"], "gold": ["O"]}\n'))
    assert (imported.corpus.sentences[0].id, imported.corpus.sentences[0].doc) == ("7", "3")
    assert imported.report.finding("number-as-id") is not None


def test_blank_lines_are_no_records(put: Put) -> None:
    assert len(read(put("c.jsonl", f"\n{LINE}\n  \n")).corpus) == 1


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[1]", "a JSON object is expected, this is a list"),
        ('"x"', "a JSON object is expected, this is a text"),
        ("{}", "'tokens' is missing"),
        ('{"tokens": "ab"}', "'tokens' must be a list of texts"),
        ('{"tokens": [1]}', "a token must be a text"),
        ('{"tokens": [["a"]]}', "a token must be a text"),
        ('{"id": true, "tokens": []}', "True: 'id' must be a text"),
        ('{"id": "a", "doc": ["x"], "tokens": []}', "a: 'doc' must be a text"),
        ('{"id": "a", "tokens": ["x"], "gold": "O"}', "a: 'gold' must be a list of labels or null"),
        ('{"id": "a", "tokens": ["x"], "gold": [1]}', "a: gold: a label must be a text or null"),
        ('{"id": "a", "tokens": ["x"], "annotations": []}', "a: 'annotations' must be an object with a list"),
        (
            '{"id": "a", "tokens": ["x"], "annotations": {"w": {"x": 1}}}',
            "a: annotator w: a list is expected",
        ),
        ('{"id": "a", "tokens": ["x"], "columns": {"pos": []}}', "a: column pos: 0 values for 1 token"),
        ('{"id": "a", "tokens": ["x"], "columns": {"pos": [1]}}', "a: column pos: a value must be a text"),
    ],
)
def test_a_record_of_the_wrong_shape_is_named(faults: Faults, line: str, message: str) -> None:
    found = faults("c.jsonl", f"{LINE}{line}\n")
    assert len(found) == 1
    assert found[0].startswith("c.jsonl:2: ")
    assert message in found[0].replace("annotator gold", "gold")


def test_gzip_is_told_by_content_and_written_by_name(tmp_path: Path) -> None:
    world = corpus("Ada/B-PER/O met/O/O")
    write(world, tmp_path / "c.jsonl.gz")
    data = (tmp_path / "c.jsonl.gz").read_bytes()
    assert gzip.decompress(data).startswith(b'{"crowdseq":1,')
    (tmp_path / "plain-name").write_bytes(data)
    assert read(tmp_path / "plain-name").corpus == world


def test_equal_corpora_give_equal_bytes(tmp_path: Path) -> None:
    for name in ("a.jsonl.gz", "b.jsonl.gz"):
        write(corpus("Ada/B-PER/O met/O/O"), tmp_path / name)
    assert (tmp_path / "a.jsonl.gz").read_bytes() == (tmp_path / "b.jsonl.gz").read_bytes()


@pytest.mark.parametrize("value", [float("nan"), "\ud83d", {1, 2}])
def test_what_json_cannot_hold_is_refused_and_nothing_is_written(tmp_path: Path, value: object) -> None:
    builder = CorpusBuilder()
    builder.add(Record(["a"], "s1", gold=["O"], extras={"odd": value}))
    with pytest.raises(AnnotationError, match="sentence 's1' cannot be written as JSON"):
        write(builder.build(), tmp_path / "c.jsonl")
    assert list(tmp_path.iterdir()) == []
