"""The CSV of MACE: items in lines, annotators in columns."""

import pytest

from crowdseq.formats import read
from file_fixtures import Faults, Put
from tool_samples import rows_of

ITEMS = "B-PER,,O\nI-PER,O,\n\n,B-LOC,B-LOC\n"


def test_lines_are_items_and_empty_lines_part_sentences(put: Put) -> None:
    imported = read(put("m.csv", ITEMS))
    assert imported.report.files[0].format == "mace"
    assert rows_of(imported.corpus) == [
        ("s1", "0", "s1:0", "w1", "B-PER"),
        ("s1", "0", "s1:0", "w3", "O"),
        ("s1", "1", "s1:1", "w1", "I-PER"),
        ("s1", "1", "s1:1", "w2", "O"),
        ("s2", "0", "s2:0", "w2", "B-LOC"),
        ("s2", "0", "s2:0", "w3", "B-LOC"),
    ]
    unknown = imported.report.finding("tokens-unknown")
    assert unknown is not None
    assert unknown.count == 3


def test_a_first_line_may_name_the_annotators(put: Put) -> None:
    imported = read(put("m.csv", "ann,bob,cy\n" + ITEMS))
    assert imported.corpus.annotators == ("ann", "bob", "cy")
    assert imported.report.finding("first-row-names") is not None


def test_plain_labels_are_read_on_request(put: Put) -> None:
    found = read(put("m.csv", "NOUN,,NOUN\nVERB,VERB,\n\nNOUN,NOUN,ADJ\n"), format="mace").corpus
    assert found.scheme.is_plain
    assert (len(found), found.n_tokens, found.annotators) == (2, 3, ("w1", "w2", "w3"))


def test_a_line_of_another_length_is_named(faults: Faults) -> None:
    found = faults("m.csv", "O,O\nO,O,O\n\nO\n", format="mace")
    assert found == [
        "m.csv:2: s1: 3 cells where the file has 2 annotators, correct the line",
        "m.csv:4: s2: 1 cells where the file has 2 annotators, correct the line",
    ]


def test_an_empty_table_is_refused(faults: Faults) -> None:
    assert faults("m.csv", "\n\n", format="mace") == [
        "m.csv: the table is empty, a line for each item is expected"
    ]


@pytest.mark.parametrize("text", ["a,b\nc,d\n", "Ada met Bo, then left.\n", "O\nO\n"])
def test_other_text_is_not_taken_for_mace(put: Put, text: str) -> None:
    assert read(put("a.txt", text)).report.files[0].format != "mace"
