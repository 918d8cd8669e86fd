"""The long table of crowd-kit as CSV: rows to sentences and back."""

import csv
import tempfile
from pathlib import Path

import pytest
from hypothesis import given

from builders import corpus
from corpus_worlds import crowds, with_labels
from crowdseq.core.corpus import Corpus
from crowdseq.errors import FormatError
from crowdseq.formats import read, write, write_consensus
from crowdseq.methods.majority_vote import MajorityVote
from file_fixtures import Faults, Put
from tool_samples import expected_rows, own, rows_of

HEADER = "task,worker,label\n"


def test_the_two_annotators_of_crowd_kit_are_read() -> None:
    imported = read(own("two-annotators/crowd-kit/long.csv"))
    nameless = sorted((doc, index, f"{doc}:{index}", who, tag) for doc, index, _, who, tag in expected_rows())
    assert rows_of(imported.corpus) == nameless
    unknown = imported.report.finding("tokens-unknown")
    assert unknown is not None
    assert unknown.count == 17


def test_the_expected_table_itself_is_a_long_table() -> None:
    imported = read(own("two-annotators/expected-long.csv"))
    assert imported.report.files[0].format == "long"
    assert rows_of(imported.corpus) == expected_rows()


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_the_separator_is_found(put: Put, separator: str) -> None:
    rows = "Label,Task,Worker,token\nO,s1:1,a,slept\nB-PER,s1:0,a,Ada\n".replace(",", separator)
    found = read(put("t.csv", rows)).corpus
    assert found.sentences[0].tokens == ("Ada", "slept")
    assert rows_of(found) == [("s1", "0", "Ada", "a", "B-PER"), ("s1", "1", "slept", "a", "O")]


def test_a_token_without_a_row_is_not_labelled(put: Put) -> None:
    found = read(put("t.csv", f"{HEADER}s:2,a,O\ns:0,b,O\n")).corpus
    assert rows_of(found) == [("s", "0", "s:0", "b", "O"), ("s", "2", "s:2", "a", "O")]
    assert found.sentences[0].tokens == ("s:0", "s:1", "s:2")


@pytest.mark.parametrize(
    ("rows", "what"),
    [
        ("x,a,O\n", "t.csv:2: task 'x' does not end in the number of a token, write it as d1:0"),
        ("s:-1,a,O\n", "t.csv:2: task 's:-1' does not end in the number of a token, write it as d1:0"),
        ("s:١,a,O\n", "t.csv:2: task 's:١' does not end in the number of a token, write it as d1:0"),
        ("s:1_0,a,O\n", "t.csv:2: task 's:1_0' does not end in the number of a token, write it as d1:0"),
        ("s:3.0,a,O\n", "t.csv:2: task 's:3.0' does not end in the number of a token, write it as d1:0"),
        ("s:0,a\n", "t.csv:2: 2 cells where the table has 3 columns, correct the row"),
        ("s:0,,O\n", "t.csv:2: s: label 'O' has no annotator, say who gave it"),
        (
            "s:0,a,O\ns:0,a,O\n",
            "t.csv:3: s: annotator a labels token 0 twice, remove one row or say which to keep: "
            "duplicates='first' (or newest)",
        ),
        (
            "s:999999999,a,O\n",
            "t.csv:2: s: token 999999999 is named, but the table has only 1 rows of this sentence, "
            "correct the number",
        ),
        (
            's:0,"a,O\n',
            "t.csv:2: not CSV (unexpected end of data), a quote inside a cell is written twice: "
            "correct the row",
        ),
    ],
)
def test_a_faulty_row_is_named(faults: Faults, rows: str, what: str) -> None:
    assert faults("t.csv", HEADER + rows) == [what]


def test_rows_that_contradict_each_other_are_named(faults: Faults) -> None:
    table = "task,worker,label,token,doc\ns:0,a,O,Ada,d\ns:0,b,O,Bo,d\nt:0,a,O,x,d\nt:0,b,O,x,e\n"
    assert faults("t.csv", table) == [
        "t.csv:3: s: token 0 is 'Bo' here and 'Ada' before, correct one of them",
        "t.csv:5: t: the document is 'e' here and 'd' before",
    ]


def test_other_columns_cannot_be_forced_into_a_long_table(faults: Faults) -> None:
    (found, *_) = faults("t.csv", "a,b\n1,2\n", format="long")
    told = "has no columns task, worker and label, but a, b: say which column is what: columns="
    assert found == f"t.csv:1: {told}'sentence=…,token=…,worker=…,label=…'"


@pytest.mark.parametrize(("keep", "tag"), [("first", "O"), ("newest", "B-X")])
def test_one_of_two_rows_is_kept_on_request(put: Put, keep: str, tag: str) -> None:
    imported = read(put("t.csv", f"{HEADER}s:0,a,O\ns:0,a,B-X\n"), duplicates=keep)
    assert rows_of(imported.corpus) == [("s", "0", "s:0", "a", tag)]
    assert imported.report.finding("repeated-rows") is not None


def test_only_the_faulty_sentence_is_set_aside(put: Put) -> None:
    imported = read(put("t.csv", f"{HEADER}s:0,a,O\ns:0,a,O\nt:0,a,O\n"), on_error="skip")
    assert [s.id for s in imported.corpus.sentences] == ["t"]
    assert imported.report.n_rejected == 1


def test_cells_may_be_long_quoted_over_lines_and_look_like_formulas(put: Put) -> None:
    long, over_lines = "x" * 200_000, 'a\r\nb""c'
    rows = f'task,worker,label,token\ns:0,=SUM(1),O,{long}\ns:1,=SUM(1),=cmd(),"{over_lines}"\n'
    found = read(put("t.csv", rows)).corpus
    assert found.sentences[0].tokens == (long, 'a\r\nb"c')
    assert found.annotators == ("=SUM(1)",)
    write(found, "again.csv")
    assert read("again.csv").corpus == found


@given(crowds())
def test_a_long_table_holds_a_crowd_with_documents_and_gold(world: Corpus) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "c.csv"
        write(world, path)
        assert read(path, **with_labels(world)).corpus == world  # type: ignore[arg-type]


def test_the_first_three_columns_are_those_of_crowd_kit(tmp_path: Path) -> None:
    world = corpus("Ada/B-PER/B-PER/O met/O/O/?", "Bo/?/?/?")
    notes = write(world, tmp_path / "c.csv")
    assert (tmp_path / "c.csv").read_text() == (
        "task,worker,label,token,gold\n"
        "s1:0,a1,B-PER,Ada,B-PER\n"
        "s1:1,a1,O,met,O\n"
        "s1:0,a2,O,Ada,B-PER\n"
        "s2:0,,,Bo,\n"
    )
    assert notes == ("1 tokens that nobody labelled stand in rows without worker and label, for their text",)


def test_a_consensus_says_how_sure_it_is_and_who_agreed(tmp_path: Path) -> None:
    world = corpus("Ada/B-PER/B-PER/O met/O/O/O", annotators=["a", "b", "c"], gold=False, docs=["d"])
    assert write_consensus(MajorityVote().aggregate(world), tmp_path / "c.csv") == ()
    rows = list(csv.reader((tmp_path / "c.csv").read_text().splitlines()))
    assert rows[0] == ["task", "token", "doc", "label", "confidence", "agreed"]
    assert [(row[0], row[1], row[2], row[3], row[5]) for row in rows[1:]] == [
        ("s1:0", "Ada", "d", "B-PER", '["a", "b"]'),
        ("s1:1", "met", "d", "O", '["a", "b", "c"]'),
    ]
    assert 0.5 < float(rows[1][4]) <= float(rows[2][4]) <= 1


def test_a_damaged_spreadsheet_is_one_line(faults: Faults) -> None:
    pytest.importorskip("openpyxl")
    whole = (Path(__file__).parents[1] / "shapes" / "tables" / "spreadsheet.xlsx").read_bytes()
    (cut, *_) = faults("a.xlsx", whole[: len(whole) // 2])
    assert cut.startswith("a.xlsx: the spreadsheet is damaged")


def test_a_table_of_gold_in_a_folder_is_an_annotators(put: Put) -> None:
    rows = "sentence,token,label\n1,Ada,B-PER\n1,ran,O\n"
    put("c/ana.csv", rows)
    put("c/bob.csv", rows.replace("B-PER", "O"))
    assert read("c").corpus.annotators == ("ana", "bob")
    assert read("c/ana.csv").corpus.gold[0] == ("B-PER", "O")


def test_two_columns_of_one_annotator_are_refused(tmp_path: Path) -> None:
    (tmp_path / "wide.csv").write_text("sentence,token,ana,ana\ns1,Ada,B-PER,O\n")
    with pytest.raises(FormatError, match="has two columns called ana, rename one"):
        read(tmp_path / "wide.csv")


def test_an_annotator_without_a_cell_in_a_sentence_did_not_see_it(tmp_path: Path) -> None:
    rows = "s1,Ada,B-PER,O\ns1,met,O,O\ns2,Bo,B-PER,\ns2,left,O,\n"
    (tmp_path / "wide.csv").write_text(f"sentence,token,ana,bob\n{rows}")
    assert [sorted(one.annotations) for one in read(tmp_path / "wide.csv").corpus] == [
        ["ana", "bob"],
        ["ana"],
    ]
