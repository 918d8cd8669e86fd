"""INCEpTION folders and project exports: who did what, how far they came, and the curator's gold."""

import io
import json
import zipfile

import pytest

from crowdseq.formats import read
from file_fixtures import Faults, Put
from tool_samples import expected_rows, own, rows_of

HEAD = "#FORMAT=WebAnno TSV 3.3\n#T_SP=webanno.custom.Ner|value\n\n\n"


def tsv(label: str, word: str = "Ada") -> str:
    return f"{HEAD}#Text={word}\n1-1\t0-{len(word)}\t{word}\t{label}\t\n"


def test_the_two_annotators_are_read() -> None:
    imported = read(own("two-annotators/inception"))
    assert imported.report.files[0].format == "inception"
    assert rows_of(imported.corpus) == expected_rows()


WORDS = ["Many", "small", "boats", "lie", "in", "the", "harbour", "."]


def left_by(put: Put, **people: dict[int, str]) -> str:
    """A folder with a file for each person; what they marked by the number of the word."""
    for person, marked in people.items():
        lines = [
            "#FORMAT=WebAnno TSV 3.3",
            "#T_SP=webanno.custom.Pos|value",
            "",
            "",
            f"#Text={' '.join(WORDS)}",
        ]
        start = 0
        for number, word in enumerate(WORDS):
            label = marked.get(number, "_")
            lines.append(f"1-{number + 1}\t{start}-{start + len(word)}\t{word}\t{label}\t")
            start += len(word) + 1
        put(f"case/{person}.tsv", "\n".join(lines) + "\n")
    return "case"


def test_a_curator_who_agrees_is_gold(put: Put) -> None:
    found = read(left_by(put, user1={2: "NN"}, user2={2: "NN"}, curator={2: "NN"})).corpus
    assert found.annotators == ("user1", "user2")
    assert found.gold[0] == ("O", "O", "B-NN", *["O"] * 5)


@pytest.mark.parametrize("second", [{2: "VB"}, {6: "NN"}])
def test_a_curator_who_left_nothing_is_no_gold(put: Put, second: dict[int, str]) -> None:
    folder = left_by(put, user1={2: "NN"}, user2=second, curator={})
    imported = read(folder)
    assert imported.corpus.gold[0] is None
    assert imported.report.finding("empty-curation") is not None
    ballot = imported.corpus.annotations.ballots[0]
    said = [imported.corpus.scheme.names(row) for row in ballot.tags]
    assert [next(i for i, tag in enumerate(row) if tag != "O") for row in said] == [2, *second]
    assert read(folder, empty_means="labelled").corpus.gold[0] == ("O",) * 8


def test_the_same_span_twice_counts_once(put: Put) -> None:
    imported = read(left_by(put, user1={2: "NN|NN"}, user2={2: "NN|NN"}, curator={}))
    twice = imported.report.finding("spans-duplicate")
    assert twice is not None
    assert twice.count == 2


def test_stacked_spans_of_several_labels_are_refused_with_the_way_out(put: Put, faults: Faults) -> None:
    found = faults(left_by(put, user1={2: "ORG|ORGpart"}, user2={2: "ORG|ORGpart"}))
    assert len(found) == 2
    assert all(
        "has several labels (ORG, ORGpart), say several_labels='first' (or joined)" in line for line in found
    )


def test_files_side_by_side_over_several_texts_are_documents(put: Put) -> None:
    put("ann/d1.tsv", tsv("PER"))
    put("ann/d2.tsv", tsv("PER", "Bo"))
    assert [s.id for s in read("ann").corpus.sentences] == ["d1", "d2"]
    assert read("ann").corpus.gold[0] == ("B-PER",)
    assert read("ann", files_mean="annotator").corpus.annotators == ("ann",)


def project(put: Put, states: dict[str, str]) -> str:
    """A project export as INCEpTION packs it, with the state of each annotator."""
    packed = io.BytesIO()
    about = {
        "name": "p",
        "annotation_documents": [{"name": "d1.txt", "user": who, "state": s} for who, s in states.items()],
    }
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("exportedproject123.json", json.dumps(about))
        archive.writestr("source/d1.txt", "Ada")
        archive.writestr("annotation/d1.txt/INITIAL_CAS.tsv", tsv("_"))
        for who in states:
            archive.writestr(f"annotation/d1.txt/{who}.tsv", tsv("_" if who.startswith("empty") else "PER"))
            archive.writestr(f"annotation_ser/d1.txt/{who}.ser", b"\0\1")
        archive.writestr("curation/d1.txt/CURATION_USER.tsv", tsv("PER"))
    return put("project.zip", packed.getvalue())


def test_a_project_tells_who_was_finished(put: Put) -> None:
    states = {"ann": "FINISHED", "empty-bob": "FINISHED", "cy": "IGNORE", "dee": "NEW", "eve": "IN_PROGRESS"}
    imported = read(project(put, states))
    assert rows_of(imported.corpus) == [
        ("d1.txt", "0", "Ada", "ann", "B-PER"),
        ("d1.txt", "0", "Ada", "empty-bob", "O"),
        ("d1.txt", "0", "Ada", "eve", "B-PER"),
    ]
    assert imported.corpus.gold[0] == ("B-PER",)
    assert (imported.report.statuses["cy"], imported.report.statuses["dee"]) == (
        {"skipped": 1},
        {"unknown": 1},
    )
    assert imported.report.finding("documents-in-progress") is not None


def test_an_unfinished_document_without_spans_asks(put: Put, faults: Faults) -> None:
    name = project(put, {"empty-ann": "IN_PROGRESS"})
    (found,) = faults(name)
    assert "say empty_means='labelled' (or missing)" in found
    assert read(name, empty_means="missing").corpus.annotators == ()


def test_a_broken_file_is_set_aside_and_the_others_are_read(put: Put) -> None:
    put("c/d1/ann.tsv", tsv("PER"))
    put("c/d1/bob.tsv", tsv("PER").replace("0-3", "0-4"))
    imported = read("c", on_error="skip")
    assert imported.corpus.annotators == ("ann",)
    assert imported.report.n_rejected == 1


def test_texts_that_differ_between_annotators_are_named(put: Put, faults: Faults) -> None:
    put("c/d1/ann.tsv", tsv("PER"))
    put("c/d1/bob.tsv", tsv("PER", "Bob"))
    (found,) = faults("c")
    assert found.startswith("c/d1/bob.tsv: d1: ")


def test_files_of_other_kinds_in_a_folder_are_told(put: Put) -> None:
    put("c/d/ada.tsv", tsv("PER"))
    put("c/d/INITIAL_CAS.tsv", tsv("PER"))
    put("c/d/TypeSystem.xml", "<x/>")
    put("c/d/bo.jsonl", "{}\n")
    found = read("c").report.finding("files-beside-inception")
    assert found is not None
    assert [str(example) for example in found.examples] == ["c/d/bo.jsonl"]


def test_what_a_project_holds_beside_the_annotations_is_its_own(put: Put) -> None:
    assert read(project(put, {"ada": "FINISHED"})).report.finding("files-beside-inception") is None


def test_a_layer_that_some_documents_lack_is_read_and_one_that_all_lack_is_refused(
    put: Put, faults: Faults
) -> None:
    put("c/d1/ada.tsv", tsv("PER"))
    put("c/d2/ada.tsv", tsv("NN", "Bo").replace("Ner", "Pos"))
    assert len(read("c", layer="Ner", empty_means="labelled").corpus) == 2
    assert faults("c", layer="Nope", empty_means="labelled") == [
        "there is no layer 'Nope', but Ner, Pos: say one of them with layer="
    ]
