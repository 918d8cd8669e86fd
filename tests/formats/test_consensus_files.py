"""A consensus as files, with its confidence."""

import json
from pathlib import Path

import numpy as np
import pytest

from builders import corpus
from crowdseq.core.consensus import Consensus
from crowdseq.errors import SettingsError
from crowdseq.formats import read, write, write_consensus
from crowdseq.formats.conventions.names import agreements
from crowdseq.formats.table_io.csv_rows import safe_table


def consensus() -> Consensus:
    world = corpus("Ada/B-PER/B-PER met/O/O", "Bo/B-PER/O", docs=["d1", "d2"])
    probabilities = np.array([[0.1, 0.9, 0.0], [1.0, 0.0, 0.0], [0.4, 0.6, 0.0]])
    return Consensus(world, np.array([1, 0, 1], np.int16), probabilities, ())


def test_json_lines_hold_labels_and_confidence(tmp_path: Path) -> None:
    write_consensus(consensus(), tmp_path / "c.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "c.jsonl").read_text().splitlines()]
    assert lines[0] == {
        "crowdseq": 1,
        "id": "s1",
        "doc": "d1",
        "tokens": ["Ada", "met"],
        "labels": ["B-PER", "O"],
        "confidence": [0.9, 1.0],
        "sentence_confidence": 0.9,
        "agreed": [["a1"], ["a1"]],
    }
    assert "crowdseq" not in lines[1]
    assert lines[1]["agreed"] == [[]]


def test_a_consensus_is_read_back_as_gold(tmp_path: Path) -> None:
    write_consensus(consensus(), tmp_path / "c.jsonl")
    imported = read(tmp_path / "c.jsonl")
    assert imported.report.files[0].format == "consensus"
    assert imported.corpus.gold[:] == [("B-PER", "O"), ("B-PER",)]
    assert imported.corpus.sentences[0].extras["confidence"] == [0.9, 1.0]
    assert imported.corpus.sentences[0].extras["agreed"] == [["a1"], ["a1"]]


def test_a_long_table_is_read_back_as_gold(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    write_consensus(consensus(), path, format="long")
    imported = read(path)
    assert imported.report.files[0].format == "long"
    assert imported.corpus.gold[:] == [("B-PER", "O"), ("B-PER",)]
    assert imported.corpus.annotators == ()
    assert [sentence.tokens for sentence in imported.corpus.sentences] == [("Ada", "met"), ("Bo",)]
    left_out = imported.report.finding("columns-left-out")
    assert left_out is not None
    assert "confidence, agreed" in str(left_out)


@pytest.mark.parametrize("form", ["prodigy", "label-studio", "argilla"])
def test_tasks_to_correct_are_read_back_as_predictions(form: str, tmp_path: Path) -> None:
    path = tmp_path / f"c.{form}.json"
    write_consensus(consensus(), path, format=form)
    assert read(path).report.finding("predictions-left-out") is not None
    found = read(path, predictions=True).corpus
    assert found.annotators == ("crowdseq",)
    assert [found.scheme.names(ballot.tags[0]) for ballot in found.annotations.ballots] == [
        ("B-PER", "O"),
        ("B-PER",),
    ]


def test_names_can_be_left_out_where_all_votes_lie_beside(tmp_path: Path) -> None:
    write_consensus(consensus(), tmp_path / "c.jsonl", with_names=False)
    assert "agreed" not in (tmp_path / "c.jsonl").read_text()


def test_only_those_agreed_who_gave_the_settled_label() -> None:
    sentence = "Ada/B-PER/B-PER/O/B-LOC met/O/O/O/O Bo/B-PER/?/B-PER/O"
    world = corpus(sentence, "ran/O/?/?/?", annotators=["w1", "w2", "w3"])
    tags = [world.scheme.index[tag] for tag in ("B-PER", "O", "B-PER", "O")]
    settled = Consensus(world, np.array(tags, np.int16), np.eye(len(world.scheme))[tags], ())
    assert list(agreements(settled)) == [[["w1"], ["w1", "w2", "w3"], ["w2"]], [[]]]


def test_columns_hold_token_and_label_unless_more_is_asked_for(tmp_path: Path) -> None:
    write_consensus(consensus(), tmp_path / "c.conll")
    assert (tmp_path / "c.conll").read_text() == (
        "-DOCSTART-\tO\n\nAda\tB-PER\nmet\tO\n\n-DOCSTART-\tO\n\nBo\tB-PER\n\n"
    )
    assert read(tmp_path / "c.conll").corpus.gold[:] == [("B-PER", "O"), ("B-PER",)]


def test_columns_hold_the_label_last(tmp_path: Path) -> None:
    write_consensus(consensus(), tmp_path / "c.conll", details=True)
    assert (tmp_path / "c.conll").read_text() == (
        '-DOCSTART-\t-X-\t-X-\tO\n\nAda\t0.900000\t["a1"]\tB-PER\nmet\t1.000000\t["a1"]\tO\n\n'
        "-DOCSTART-\t-X-\t-X-\tO\n\nBo\t0.600000\t[]\tB-PER\n\n"
    )
    again = read(tmp_path / "c.conll").corpus
    assert again.gold[:] == [("B-PER", "O"), ("B-PER",)]
    assert again.sentences[0].columns == {
        "confidence": ("0.900000", "1.000000"),
        "agreed": ('["a1"]', '["a1"]'),
    }


@pytest.mark.parametrize("names", [["a b", 'c"d', "é\u2028,["], ["]", "[]", "\\"]])
def test_names_of_any_kind_come_back_from_columns(names: list[str], tmp_path: Path) -> None:
    world = corpus("Ada/B-PER/B-PER/B-PER/B-PER", "met/O/?/O/?", annotators=names)
    settled = Consensus(world, np.array([1, 0], np.int16), np.eye(3)[[1, 0]], ())
    write_consensus(settled, tmp_path / "c.conll", details=True)
    found = [json.loads(row.columns["agreed"][0]) for row in read(tmp_path / "c.conll").corpus.sentences]
    assert found == [sorted(names), [names[1]]]


def test_parts_of_speech_and_chunks_are_still_called_so(tmp_path: Path) -> None:
    (tmp_path / "gold.conll").write_text("Ada\tNNP\t[]\tB-PER\n0.5\t0.500000\tI-NP\tO\n\n")
    assert list(read(tmp_path / "gold.conll").corpus.text.columns) == ["pos", "chunk"]


def test_a_collection_of_brat_has_notes_on_every_span(tmp_path: Path) -> None:
    write_consensus(consensus(), tmp_path / "out", format="brat")
    assert (tmp_path / "out/s1.txt").read_text() == "Ada met"
    assert (tmp_path / "out/s1.ann").read_text() == (
        "T1\tPER 0 3\tAda\n#1\tAnnotatorNotes T1\tconfidence 0.900000, marked by a1\n"
    )
    assert (tmp_path / "out/s2.ann").read_text() == (
        "T1\tPER 0 2\tBo\n#1\tAnnotatorNotes T1\tconfidence 0.600000, marked by nobody\n"
    )
    again = read(tmp_path / "out", tokenizer="whitespace", empty_means="labelled").corpus
    assert again.annotators == ("out",)


def test_a_docbin_has_entities_with_confidence_and_who_agreed(tmp_path: Path) -> None:
    spacy = pytest.importorskip("spacy")
    write_consensus(consensus(), tmp_path / "c.spacy")
    assert read(tmp_path / "c.spacy").corpus.gold[:] == [("B-PER", "O"), ("B-PER",)]
    held = spacy.tokens.DocBin().from_bytes((tmp_path / "c.spacy").read_bytes())
    about = [spacy.util.srsly.msgpack_loads(data, use_list=False) for data in held.user_data]
    assert [one["crowdseq_confidence"] for one in about] == [(0.9,), (0.6,)]
    assert [one["crowdseq_agreed"] for one in about] == [(("a1",),), ((),)]


def test_a_folder_of_a_dataset_holds_a_consensus(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    write_consensus(consensus(), tmp_path / "out", format="datasets")
    (row, _) = parquet.read_table(next((tmp_path / "out").rglob("*.parquet"))).to_pylist()
    assert (row["confidence"], row["agreed"]) == ([0.9, 1.0], [["a1"], ["a1"]])


def test_suggestions_of_argilla_tell_who_agreed(tmp_path: Path) -> None:
    assert write_consensus(consensus(), tmp_path / "c.json", format="argilla") == ()
    records = json.loads((tmp_path / "c.json").read_text())
    assert [json.loads(found["metadata"]["crowdseq"])["agreed"] for found in records] == [[["a1"]], [[]]]


def test_cells_of_a_table_can_be_made_safe_for_spreadsheets(tmp_path: Path) -> None:
    world = corpus("=cmd()/B-PER/B-PER -/O/O", annotators=["@w"])
    settled = Consensus(world, np.array([1, 0], np.int16), np.eye(3)[[1, 0]], ())
    write_consensus(settled, tmp_path / "c.csv", format="long", excel_safe=True)
    lines = (tmp_path / "c.csv").read_text().splitlines()
    assert lines[1:] == [
        's1:0,\'=cmd(),,B-PER,1.000000,"[""@w""]"',
        's1:1,\'-,,O,1.000000,"[""@w""]"',
    ]
    write(world, tmp_path / "w.csv", excel_safe=True)
    assert "s1:0,'@w,B-PER,'=cmd(),B-PER" in (tmp_path / "w.csv").read_text()
    write(world, tmp_path / "raw.csv")
    assert read(tmp_path / "raw.csv").corpus.sentences[0].tokens == ("=cmd()", "-")


def test_safe_cells_are_for_tables_alone(tmp_path: Path) -> None:
    with pytest.raises(
        SettingsError, match="jsonl is no CSV: leave out excel_safe=, which does nothing there"
    ):
        write(consensus().corpus, tmp_path / "c.jsonl", excel_safe=True)


def test_numbers_of_a_safe_table_stay_numbers() -> None:
    assert safe_table('name,skill\n=x,-0.5\n-y,"1,5"\n') == "name,skill\n'=x,-0.5\n'-y,\"1,5\"\n"


def test_a_format_without_room_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        SettingsError, match="text has no room for a consensus, choose one of consensus, conll"
    ):
        write_consensus(consensus(), tmp_path / "c.txt")


@pytest.mark.parametrize("form", ["brat", "datasets", "conll-folder"])
def test_a_folder_does_not_go_to_standard_output(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    what = f"{form} writes a folder, standard output holds none: name one"
    with pytest.raises(SettingsError, match=what):
        write(consensus().corpus, "-", format=form)
    if form != "conll-folder":
        with pytest.raises(SettingsError, match=what):
            write_consensus(consensus(), "-", format=form)
    assert list(tmp_path.iterdir()) == []
