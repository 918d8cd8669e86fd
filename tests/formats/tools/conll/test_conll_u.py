"""CoNLL-U: where labels may stand, rows that are no words, what is refused."""

import sys

import pytest

from crowdseq.errors import FormatError, MissingExtraError, SettingsError
from crowdseq.formats import read
from file_fixtures import Faults, Put

pytest.importorskip("conllu", reason="conllu is not installed (extra: formats)")


def row(number: str, form: str, misc: str = "_", *further: str) -> str:
    return "\t".join([number, form, form.lower(), "X", "Y", "_", "_", "_", "_", misc, *further]) + "\n"


SENTENCE = (
    "# newdoc id = d1\n# sent_id = a\n# text = Vámonos al mar\n# speaker = Ada\n"
    + row("1-2", "Vámonos", "NER=B-X")
    + row("1", "Vamos", "NER=O|SpaceAfter=No")
    + row("2", "nos", "NER=O")
    + row("3-4", "al")
    + row("3", "a")
    + row("4", "el", "SpaceAfter=No|NER=B-LOC")
    + row("5", "mar", "NER=I-LOC")
    + row("5.1", "azul", "NER=I-LOC")
    + "\n"
)


def test_labels_stand_in_misc_and_only_words_count(put: Put) -> None:
    imported = read(put("a.conllu", SENTENCE))
    (sentence,) = imported.corpus.sentences
    assert (sentence.id, sentence.doc) == ("a", "d1")
    assert sentence.tokens == ("Vamos", "nos", "a", "el", "mar")
    assert imported.corpus.gold[0] == ("O", "O", None, "B-LOC", "I-LOC")
    assert sentence.extras == {"speaker": "Ada", "text": "Vámonos al mar"}
    assert sentence.columns["upos"] == ("X",) * 5
    left_out = imported.report.finding("rows-left-out")
    assert left_out is not None
    assert left_out.count == 3


def test_a_word_without_a_label_is_outside_where_no_outside_is_written(put: Put) -> None:
    text = row("1", "Ada", "NER=B-PER") + row("2", "slept") + "\n" + row("1", "Bo")
    assert read(put("a.conllu", text)).corpus.gold[:] == [("B-PER", "O"), ("O",)]


def test_an_eleventh_column_holds_the_labels(put: Put) -> None:
    text = row("1", "Ada", "_", "B-PER") + row("2", "slept", "_", "O")
    assert read(put("a.conllu", text)).corpus.gold[0] == ("B-PER", "O")


def test_named_columns_are_understood(put: Put) -> None:
    text = "# global.columns = ID FORM UPOS X:NER\n# sent_id = a\n1\tAda\tN\tB-PER\n2\tslept\tV\tO\n"
    imported = read(put("a.conllup", text))
    assert imported.report.files[0].format == "conll-u"
    assert imported.corpus.gold[0] == ("B-PER", "O")


def test_files_of_a_folder_are_annotators_and_join_by_the_id_of_the_sentence(put: Put) -> None:
    head = "# sent_id = a\n"
    put("crowd/ann.conllu", head + row("1", "Ada", "NER=B-PER"))
    put("crowd/bob.conllu", head + row("1", "Ada", "NER=O"))
    found = read("crowd").corpus
    assert (len(found), found.annotators) == (1, ("ann", "bob"))


def test_two_annotators_of_conll_2006_differ_in_parts_of_speech(put: Put, faults: Faults) -> None:
    words = {"Die": "ART", "Boote": "NN", "selbst": "PRF", "niemand": "PIS", "dorthin": "PROAV"}
    for who, changed in (("user1", {}), ("user2", {"selbst": "XXX"})):
        tags = words | changed
        rows = [
            f"{n}\t{word}\t_\t{tag}\t{tag}\t_\t_\t_\t_\t_" for n, (word, tag) in enumerate(tags.items(), 1)
        ]
        put(f"c/{who}.conll", "\n".join(rows) + "\n\n")
    folder = "c"
    refused = faults(folder)
    assert len(refused) == 2
    assert refused[0].endswith(
        "user1.conll: holds no labels: no NER= in MISC and no column behind it, "
        "say which column has them: columns='upos' (or xpos, …, misc:KEY)"
    )
    found = read(folder, columns=("upos",)).corpus
    assert found.scheme.is_plain
    assert found.annotators == ("user1", "user2")
    first = [found.scheme.names(tags) for tags in found.annotations.ballots[0].tags]
    assert (first[0][2], first[1][2]) == ("PRF", "XXX")
    assert first[0][3:5] == first[1][3:5] == ("PIS", "PROAV")


def test_a_broken_sentence_is_named_and_the_next_one_read(faults: Faults) -> None:
    good = row("1", "Ada", "NER=B-PER")
    text = f"{good}\nx{good[1:]}\n1\tAda\n\n# text = none\n\n{good}"
    assert faults("a.conllu", text) == [
        "a.conllu:3: not CoNLL-U (Failed parsing field 'id': 'x' is not a valid ID), correct the sentence",
        "a.conllu:5: row '1' has 2 columns where 10 are expected",
        "a.conllu:7: comments without a sentence, remove them",
    ]
    assert len(read("a.conllu", on_error="skip").corpus) == 2


def test_the_first_row_settles_the_columns_of_the_file(faults: Faults) -> None:
    text = row("1", "Ada", "NER=B-PER") + "\n" + row("1", "Bo", "_", "O") + "\n" + row("1", "A  b", "NER=O")
    assert faults("a.conllu", text) == [
        "a.conllu:3: row '1' has 11 columns where 10 are expected",
        "a.conllu:5: row '1' holds two spaces in a row, correct it",
    ]


def test_named_columns_must_name_the_word(faults: Faults) -> None:
    (found, *_) = faults("a.conllup", "# global.columns = ID NER\n1\tO\n")
    assert found.startswith("a.conllup:1: the line '# global.columns =' names no column ID and FORM")


def test_two_gold_files_of_one_text_are_most_likely_annotators(put: Put) -> None:
    files = [put("a.conllu", row("1", "Ada", "NER=B-PER")), put("b.conllu", row("1", "Ada", "NER=O"))]
    with pytest.raises(FormatError, match=r"has the same text as a\.conllu"):
        read(files)
    assert read(files, files_mean="annotator").corpus.annotators == ("a", "b")


def test_a_column_that_is_not_there_cannot_be_chosen(put: Put) -> None:
    with pytest.raises(SettingsError, match="name the one that holds the labels"):
        read(put("a.conllu", SENTENCE), columns=("nonsense",))


def test_a_missing_extra_is_one_line(put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "conllu", None)
    with pytest.raises(
        MissingExtraError, match=r"reading CoNLL-U needs an extra: pip install 'crowdseq\[formats\]'"
    ):
        read(put("a.conllu", SENTENCE))
