"""Formats are found by name and by content."""

import gzip
import importlib
import json
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import crowdseq.formats
from builders import corpus
from crowdseq.errors import FormatError
from crowdseq.formats import FORMATS, list_formats, read, write
from crowdseq.formats.format import NO, Format, Sample
from crowdseq.formats.registry import _OF_FOLDERS, looks_like
from file_fixtures import Faults, Put

TOLD: list[tuple[str, str | None]] = [
    ('{"tokens": ["a"], "gold": ["O"]}\n', "jsonl"),
    ('{"id": 1, "tokens": [], "annotations": {}}', "jsonl"),
    ('[{"id": 1, "tokens": ["a"], "annotations": {}}]', "jsonl"),
    ('{\n  "id": 1,\n  "tokens": [\n    "a"\n  ],\n  "gold": null\n}\n', "jsonl"),
    ('{"tokens": ["a"], "labels": ["O"], "confidence": [1.0]}\n', "consensus"),
    ("Ada\tB-PER\nmet\tO\n", "conll"),
    ("Ada NNP B-NP B-PER\nmet VBD B-VP O\n\n", "conll"),
    ("-DOCSTART- -X- O\n\nAda x O\n", "conll"),
    ("# columns: token w1\nAda O\n", "conll"),
    ("I\tPRON\nsaw\tVERB\nher\tPRON\nI\tPRON\nran\tVERB\n", "conll"),
    ("S-PER O\n", "conll"),
    ("1\tHeute\theute\tADV\t_\t_\t0\troot\t_\t_\n2\tist\tsein\tAUX\t_\t_\t1\tcop\t_\t_\n", "conll-u"),
    ("T1\tPER 0 12\tAda Lovelace\nT2\tLOC 36 42\tLondon\n", None),
    ("Just a sentence.\nAnd another one, longer than that.\n", None),
    ("task,worker,label\nd1:3,ann1,B-PER\n", "long"),
    ('{"text": "Ada", "label": [[0, 3, "PER"]]}\n', "doccano"),
    ('{"text": "Ada", "label": [], "Comments": []}\n', "doccano"),
    ('[{"id": 1, "annotations": [{"result": []}], "data": {"text": "a"}}]', "label-studio"),
    ('[{"text": "a", "label": [], "annotator": 1, "annotation_id": 2}]', "label-studio-min"),
    ("id,text,label,annotator,annotation_id\n", "label-studio-csv"),
    ("-DOCSTART- -X- O\nAda -X- _ B-PER\n", "label-studio-conll"),
    ('[{"id": "d1", "fields": {"text": "a"}, "responses": {"ner": []}}]', "argilla"),
    ('[{"id": "d1", "text": "a", "ner.responses": [[]]}]', "argilla"),
    ('{"text": "Ada", "_input_hash": 1, "tokens": [{"text": "Ada"}], "spans": []}\n', "prodigy"),
    ("", None),
    ("\0\1\2\3", None),
]


def format_of(text: str, name: str = "some-file") -> str | None:
    found, _ = looks_like(Sample(name, text.encode(), text, True))
    return found.name if found else None


def test_every_module_with_a_format_is_registered() -> None:
    modules = [
        importlib.import_module(module.name)
        for module in pkgutil.walk_packages(crowdseq.formats.__path__, "crowdseq.formats.")
    ]
    found = {form.name for module in modules for form in vars(module).values() if isinstance(form, Format)}
    assert found == set(FORMATS)
    assert all(form.name == name for name, form in FORMATS.items())
    assert [form.name for form in list_formats()] == list(FORMATS)


def test_every_format_that_takes_a_folder_as_one_thing_is_asked_about_folders() -> None:
    asked = [name for name, form in FORMATS.items() if form.recognise_folder is not None]
    assert asked == list(_OF_FOLDERS)


def test_the_first_of_the_surest_formats_is_taken() -> None:
    names = ("f", "f.jsonl", "f.conll", "f.txt", "f.ann", "f.spacy")
    samples = [Sample(name, text.encode(), text, True) for text, _ in TOLD for name in names]
    for sample in samples:
        sure = [form.recognise(sample) if form.read else NO for form in list_formats()]
        likely, certainty = looks_like(sample)
        assert certainty == max(sure)
        assert likely is (list_formats()[sure.index(max(sure))] if max(sure) else None)


def test_reading_our_own_form_loads_no_tool() -> None:
    code = (
        "import sys; from crowdseq.formats import read\n"
        'read(b\'{"tokens": ["Ada"], "gold": ["B-PER"], "annotations": {}}\')\n'
        "print(*(name for name in sys.modules if name.startswith('crowdseq.formats.tools.')))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert {name.split(".")[3] for name in loaded.split()} == {"native"}


def test_every_format_says_what_it_is_in_one_line() -> None:
    for form in list_formats():
        assert 10 < len(form.summary) < 100
        assert "\n" not in form.summary
        assert form.read or form.read_folder or form.write or form.write_folder or form.write_consensus


@pytest.mark.parametrize(("text", "name"), TOLD)
def test_the_format_is_told_from_the_content(text: str, name: str | None) -> None:
    assert format_of(text) == name


@pytest.mark.parametrize(
    ("file", "name"), [("a.jsonl", "jsonl"), ("a.conll.gz", "conll"), ("a.txt", "text"), ("A.TSV", "conll")]
)
def test_an_empty_file_is_what_its_name_says(file: str, name: str) -> None:
    assert format_of("", file) == name


def test_a_text_file_with_columns_is_no_prose() -> None:
    assert format_of("Ada\tB-PER\nmet\tO\n", "a.txt") == "conll"
    assert format_of("Ada met Bo.\nThey spoke.\n", "a.txt") == "text"


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"BZh91AY", "is packed with bzip2, which cannot be read here: unpack it first"),
        (b"\xfd7zXZ\x00\x00", "is packed with xz, which cannot be read here: unpack it first"),
        (b"", "is empty, and its name does not tell a format"),
        (b"<xml/>", "the format cannot be told, it begins with '<xml/>': say it with format= ("),
    ],
)
def test_a_file_of_no_known_format_is_described(faults: Faults, data: bytes, what: str) -> None:
    (found,) = faults("thing", data)
    assert found.startswith(f"thing: {what}")


def test_a_format_that_only_writes_cannot_be_forced_for_reading(faults: Faults) -> None:
    (found,) = faults("c.conll", "Ada O\n", format="conll-folder")
    assert found.startswith("c.conll: a file cannot be read as conll-folder")


def test_plain_text_becomes_sentences_without_labels(put: Put) -> None:
    imported = read(put("a.txt", "Ada met Bo.\n\nThey spoke.\n"), format="text")
    assert [(s.tokens, s.doc) for s in imported.corpus.sentences] == [
        (("Ada", "met", "Bo", "."), "d1"),
        (("They", "spoke", "."), "d2"),
    ]
    cut = read("a.txt", format="text", tokenizer="whitespace").corpus
    assert cut.sentences[0].tokens == ("Ada", "met", "Bo.")


def test_a_packed_file_is_recognised_by_what_is_inside(put: Put) -> None:
    put("thing", gzip.compress(b"Ada\tB-PER\nmet\tO\n"))
    assert read("thing").report.files[0].format == "conll"


def test_the_doubt_about_a_broken_first_line_is_no_pretty_printing(faults: Faults) -> None:
    found = faults("c.jsonl", '{"id": "s1",\n{"id": "s2", "tokens": [], "gold": []}\n')
    assert found[0].startswith("c.jsonl:1: not JSON (")
    assert len(found) == 1


def test_a_first_line_longer_than_the_head_is_recognised(put: Put) -> None:
    record = {"tokens": ["word"] * 20_000, "annotations": {"w": ["O"] * 20_000}}
    assert len(read(put("thing", json.dumps(record))).corpus.sentences[0].tokens) == 20_000


def test_what_was_written_is_recognised_without_its_name(tmp_path: Path) -> None:
    world = corpus("Ada/B-PER/O met/O/O", docs=["d"])
    for form in ("jsonl", "conll"):
        write(world, tmp_path / "some-name", format=form, force=True)
        assert read(tmp_path / "some-name").report.files[0].format == form


def test_a_missing_format_in_an_error_is_followed_by_all_that_can_be_read() -> None:
    known = ", ".join(form.name for form in list_formats() if form.read)
    with pytest.raises(FormatError, match=rf"\({known}\)"):
        read(b"<xml/>")
