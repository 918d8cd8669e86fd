"""doccano: a file for each member, in a folder or a ZIP."""

import io
import json
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from builders import corpus
from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.errors import AnnotationError
from crowdseq.formats import read, write, write_consensus
from file_fixtures import Faults, Put
from formats.marked_files import plain, span_worlds, votes
from tool_samples import expected_rows, own, rows_of

TEXT = "Ada met Bo Li."


def line(*spans: list[Any], text: str = TEXT, **others: Any) -> str:
    return json.dumps({"id": 1, "text": text, "label": list(spans), "Comments": []} | others) + "\n"


def test_the_synthetic_documents_give_the_expected_table() -> None:
    folder = own("two-annotators") / "doccano"
    for inputs in (folder, sorted(folder.iterdir())):
        found = read(inputs).corpus
        assert rows_of(found, {"1": "d1", "2": "d2"}, by_id=True) == expected_rows()
        assert found.sentences[1].extras["spans"]["ann2"] == [[2, 12, "ORG"], [22, 30, "LOC"]]


def test_a_zip_gives_the_expected_table(put: Put) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted((own("two-annotators") / "doccano").iterdir()):
            archive.write(file, file.name)
    found = read(put("export.zip", out.getvalue())).corpus
    assert rows_of(found, {"1": "d1", "2": "d2"}, by_id=True) == expected_rows()


def test_a_lone_export_belongs_to_the_member_of_its_name(put: Put) -> None:
    texts = {"Terry rows to Vigo": [[0, 5, "PERSON"], [14, 18, "LOC"]], "Ana Lund": [[0, 8, "PERSON"]]}
    export = [
        json.dumps({"id": n, "text": text, "label": label}) for n, (text, label) in enumerate(texts.items())
    ]
    imported = read(put("member.jsonl", "\n".join(export) + "\n"))
    assert imported.corpus.annotators == ("member",)
    assert votes(imported.corpus, 1) == {"member": ["B-PERSON", "I-PERSON"]}
    assert imported.report.files[0].format == "doccano"


def test_entities_with_relations_are_read_though_pretty_printed(put: Put) -> None:
    marked = [("PERSON", 0, 3), ("ORG", 12, 20), ("DATE", 24, 28)]
    value = {
        "id": 5,
        "text": "Ada founded Blomyard in 1987.",
        "entities": [
            {"id": n, "label": label, "start_offset": start, "end_offset": end}
            for n, (label, start, end) in enumerate(marked)
        ],
        "relations": [{"id": n, "from_id": 0, "to_id": n, "type": "founded"} for n in (1, 2)],
        "Comments": [],
    }
    imported = read(put("member.jsonl", json.dumps(value, indent=4) + "\n"))
    assert imported.corpus.scheme.types == ("DATE", "ORG", "PERSON")
    relations = imported.report.finding("relations-left-out")
    assert relations is not None
    assert relations.count == 2
    assert imported.report.finding("json-not-in-lines")


def test_columns_made_for_import_are_read_as_gold(put: Put) -> None:
    found = read(put("import.txt", "Vigo\tB-LOC\nwaits\tO\n\nAna\tB-PER\nLund\tI-PER\n")).corpus
    assert found.gold[1] == ("B-PER", "I-PER")


def test_a_file_made_for_import_with_other_keys_is_refused(put: Put, faults: Faults) -> None:
    texts = {"Terry rows": [[0, 5, "PERSON"]], "Ana Lund": [[0, 8, "PERSON"]], "Vigo": [[0, 4, "LOC"]]}
    lines = [json.dumps({"column_data": text, "column_label": label}) for text, label in texts.items()]
    name = put("import.jsonl", "\n".join(lines) + "\n")
    found = faults(name, format="doccano")
    assert [problem.split(": ", 1)[1] for problem in found] == [
        "'text' is missing, there is column_data, column_label: "
        "say text_field= and layer= (the field of the labels)"
    ] * 3
    unnamed = faults(name)
    assert unnamed[0].endswith(
        "there is column_data, column_label: if this is a tool's export, name it with format="
    )
    named = read(name, format="doccano", text_field="column_data", layer="column_label").corpus
    assert votes(named, 1) == {"import": ["B-PERSON", "I-PERSON"]}


def test_an_empty_text_is_not_a_vote_until_the_user_says_so(faults: Faults) -> None:
    (found,) = faults("ann.jsonl", line([0, 3, "PER"]) + line(id=2) + line(id=3))
    assert found == (
        "ann.jsonl:2: 2: 2 documents have no span, and this format does not tell whether they were read "
        "and hold nothing or were never opened: say empty_means='labelled' (or missing)"
    )
    labelled = read("ann.jsonl", empty_means="labelled")
    assert votes(labelled.corpus, 1) == {"ann": ["O"] * 5}
    missing = read("ann.jsonl", empty_means="missing")
    assert votes(missing.corpus, 1) == {}
    assert missing.report.statuses == {"ann": {"labelled": 1, "unknown": 2}}


def test_a_file_shared_by_all_members_is_refused_as_a_crowd(faults: Faults) -> None:
    (found,) = faults("all.jsonl", line([0, 3, "PER"]))
    assert found.startswith("all.jsonl: holds the labels of all members without their names")
    assert read("all.jsonl", files_mean="gold").corpus.gold[0] == ("B-PER", "O", "O", "O", "O")


def test_texts_without_ids_are_joined_by_their_text(put: Put) -> None:
    first, second = ({"text": text, "label": [[0, 1, "X"]]} for text in ("a b", "c d"))
    put("one.jsonl", json.dumps(first) + "\n" + json.dumps(second))
    put("two.jsonl", json.dumps(second) + "\n" + json.dumps(first))
    found = read(["one.jsonl", "two.jsonl"]).corpus
    assert [len(ballot.voters) for ballot in found.annotations.ballots] == [2, 2]


def test_another_text_under_one_id_is_an_error_that_names_the_difference(put: Put, faults: Faults) -> None:
    put("d/one.jsonl", line([0, 3, "PER"]))
    put("d/two.jsonl", line([0, 3, "PER"], text=TEXT.replace(" met", "  met")))
    (found,) = faults("d")
    assert found == (
        "d/two.jsonl:1: 1: the text is not the same as before: from character 5 on it is "
        "' met Bo Li.' here and 'met Bo Li.' there"
    )


@pytest.mark.parametrize(
    ("value", "what"),
    [
        ({"label": []}, "'text' is missing"),
        ({"text": 3, "label": []}, "'text' must be a text"),
        ({"text": "a"}, "'label' is missing, a list of [start, end, label] is expected"),
        ({"text": "a", "label": "x"}, "'label' must be a list of [start, end, label]"),
        ({"text": "a", "label": ["x"]}, "only projects for sequence labelling can be read"),
        ({"text": "a", "label": [[0, 1]]}, "only projects for sequence labelling can be read"),
        ({"text": "a", "label": [[0, 1, 2]]}, "the label of a span must be a text"),
        ({"text": "a", "label": [["0", 1, "X"]]}, "an offset is '0', a whole number is expected"),
        ({"text": "a", "label": [[0, 1.0, "X"]]}, "an offset is 1.0, a whole number is expected"),
        ({"text": "a", "label": [[0, 2, "X"]]}, "lies outside the text, which has 1 characters"),
        ({"text": "a", "entities": [{"label": "X"}]}, "an offset is None, a whole number is expected"),
        ({"text": "a", "entities": {}}, "'entities' must be a list of objects"),
        ({"id": [], "text": "a", "label": []}, "'id' must be a text or a whole number"),
    ],
)
def test_odd_lines_are_named(faults: Faults, value: dict[str, Any], what: str) -> None:
    found = faults("ann.jsonl", json.dumps(value), format="doccano", empty_means="labelled")
    assert found[0].startswith("ann.jsonl:1: ")
    assert what in found[0]


def test_graphemes_are_counted_when_asked_for() -> None:
    family = "👨‍👩‍👧 Ada"
    data = line([2, 5, "PER"], text=family).encode()
    assert votes(read(data, offset_unit="graphemes").corpus) == {"bytes": ["O", "O", "O", "O", "O", "B-PER"]}


def test_offsets_that_only_fit_utf_16_are_not_guessed(faults: Faults) -> None:
    (found,) = faults("ann.jsonl", line([3, 6, "PER"], text="🚀 Ada met"))
    assert "the spans cut words if offsets count characters, and none if they count utf-16" in found
    assert votes(read("ann.jsonl", offset_unit="utf-16").corpus) == {"ann": ["O", "B-PER", "O"]}


@given(span_worlds(seen=True))
def test_a_folder_and_a_zip_hold_a_crowd(world: Corpus) -> None:
    if not len(world):
        return
    with tempfile.TemporaryDirectory() as folder:
        write(world, Path(folder) / "crowd", format="doccano")
        write(world, Path(folder) / "crowd.zip")
        for made in ("crowd", "crowd.zip"):
            found = read(Path(folder) / made, empty_means="labelled", scheme="IOB2").corpus
            assert plain(found) == plain(world)


def test_an_export_written_again_is_read_as_the_same_corpus(tmp_path: Path) -> None:
    first = read(own("two-annotators") / "doccano").corpus
    write(first, tmp_path / "again.zip")
    assert read(tmp_path / "again.zip").corpus == first


def test_a_zip_of_the_same_corpus_has_the_same_bytes(tmp_path: Path) -> None:
    world = corpus("Ada/B-PER/O met/O/O")
    write(world, tmp_path / "a.zip")
    write(world, tmp_path / "b.zip")
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()


@pytest.mark.parametrize("name", ["../x", "all", "gold", "a/b", "C:\\x"])
def test_names_that_are_no_file_names_are_kept_inside(tmp_path: Path, name: str) -> None:
    world = corpus("Ada/B-PER met/O", annotators=[name], gold=False)
    write(world, tmp_path / "c.zip")
    assert all(
        "/" not in member and "\\" not in member for member in zipfile.ZipFile(tmp_path / "c.zip").namelist()
    )
    assert read(tmp_path / "c.zip").corpus.annotators == (name,)


@pytest.mark.parametrize(
    ("world", "what"),
    [
        (corpus("I/PRON saw/VERB", gold=False), "the labels are not spans, doccano cannot hold them"),
        (
            corpus("Ada/B-PER met/?", gold=False),
            r"1 token was not labelled \(first: sentence s1, annotator a1, token 2\), which doccano",
        ),
    ],
)
def test_what_would_be_changed_is_not_written(tmp_path: Path, world: Corpus, what: str) -> None:
    with pytest.raises(AnnotationError, match=what):
        write(world, tmp_path / "c.zip")
    assert not list(tmp_path.iterdir())


def test_losses_are_said(tmp_path: Path) -> None:
    world = corpus("Ada/I-PER met/O", "not/? seen/?", gold=False, scheme="IOB2")
    assert write(world, tmp_path / "c.zip") == (
        "1 spans that break the rules of IOB2 are written as spans",
        "1 sentences that nobody labelled are in no file",
    )


def test_a_consensus_can_be_imported_with_its_confidence(tmp_path: Path) -> None:
    world = corpus("Ada/B-PER met/O", gold=False)
    probabilities = np.array([[0.2, 0.8, 0.0], [1.0, 0.0, 0.0]])
    consensus = Consensus(world, np.array([1, 0], np.int16), probabilities, ())
    write_consensus(consensus, tmp_path / "c.jsonl", format="doccano")
    made = json.loads((tmp_path / "c.jsonl").read_text("utf-8"))
    assert (made["text"], made["label"]) == ("Ada met", [[0, 3, "PER"]])
    assert (made["crowdseq"]["confidence"], made["crowdseq"]["agreed"]) == ([0.8], [["a1"]])
