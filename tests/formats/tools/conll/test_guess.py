"""What the columns of a file hold where no line of ours says it: guessed, told, and overruled."""

import pytest

from crowdseq.errors import SettingsError
from crowdseq.formats import read
from file_fixtures import Faults, Put

NAMED = "word\tpos\tner\nAda\tNNP\tB-PER\nmet\tVBD\tO\n"


def test_two_columns_of_labels_and_something_else_at_the_end_are_refused(faults: Faults) -> None:
    rows = "Ada\tB-PER\tB-X\tsure\nmet\tO\tO\tnot sure\n"
    (fault, *_) = faults("w.conll", rows, format="conll")
    told = "columns 2 and 3 hold labels and the last one does not: say which column is what"
    assert fault == f"w.conll: {told}: columns='token=1,gold=2'"


def test_names_and_numbers_of_columns_overrule_the_guess(put: Put) -> None:
    name = put("w.conll", NAMED)
    by_name = read(name, columns=("token=word", "annotator=ner", "column=pos")).corpus
    assert (by_name.annotators, by_name.sentences[0].columns) == (("ner",), {"pos": ("NNP", "VBD")})
    by_number = read(put("v.conll", "Ada B-PER x\nmet O y\n"), columns=("token=1", "gold=2")).corpus
    assert by_number.gold[0] == ("B-PER", "O")


def test_a_row_of_names_is_no_token_when_columns_are_said_in_order(put: Put) -> None:
    found = read(put("w.conll", NAMED), columns=("token", "-", "gold")).corpus
    assert found.sentences[0].tokens == ("Ada", "met")


@pytest.mark.parametrize("columns", [("token=7",), ("token=wort",), ("tokn=1",)])
def test_a_column_that_is_not_there_is_wrong_use(put: Put, columns: tuple[str, ...]) -> None:
    put("w.conll", NAMED)
    with pytest.raises(SettingsError, match="column"):
        read("w.conll", columns=columns)


def test_marks_are_labels_where_the_tags_are_plain(put: Put) -> None:
    name = put("w.conll", "Ada N\nmet V\nher _\nhim N\nran V\nfar _\n")
    assert read(name).corpus.gold[0] == ("N", "V", "_", "N", "V", "_")
    mixed = put("m.conll", "Ada B-X\nmet _\nher O\n")
    assert read(mixed).corpus.gold[0] == ("B-X", None, "O")
    assert read(mixed, scheme="plain").corpus.gold[0] == ("B-X", "_", "O")


def test_what_is_said_to_be_missing_is_all_that_is(put: Put) -> None:
    name = put("m.conll", "Ada B-X\nmet XX\nher O\n")
    assert read(name, missing=("XX",)).corpus.gold[0] == ("B-X", None, "O")


def test_the_last_column_is_the_answer_where_that_is_said(put: Put) -> None:
    name = put("t.conll", "Ada\tB-PER\tO\nmet\tO\tB-PER\n")
    assert read(name, last_column=True).corpus.gold[0] == ("O", "B-PER")


def test_a_comment_may_stand_between_rows_of_a_sentence(put: Put) -> None:
    found = read(put("c.tsv", "Ada\tB-PER\n# page = 7\nmet\tO\n")).corpus
    assert (found.sentences[0].tokens, found.sentences[0].extras) == (("Ada", "met"), {"page": "7"})
