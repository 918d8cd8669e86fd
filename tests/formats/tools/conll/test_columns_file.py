"""CoNLL columns, read and written."""

from pathlib import Path

import pytest

from builders import corpus
from crowdseq.core.building import CorpusBuilder, Record
from crowdseq.core.corpus import Corpus
from crowdseq.errors import AnnotationError, FormatError, SettingsError
from crowdseq.formats import read, write
from file_fixtures import Faults, Put

PLAIN = "Ada\tB-PER\nmet\tO\n\nBo\tB-PER\n"
WIDE = "# columns: token ann1 ann2 gold\nAda B-PER O B-PER\nmet ? O O\n\nBo ? O ?\n"


def votes(found: Corpus, sentence: int) -> dict[str, tuple[str | None, ...]]:
    ballot = found.annotations.ballots[sentence]
    return {
        found.annotators[who]: found.scheme.names(tags)
        for who, tags in zip(ballot.voters.tolist(), ballot.tags, strict=True)
    }


def test_the_last_column_of_a_plain_file_is_gold(put: Put) -> None:
    found = read(put("g.conll", PLAIN)).corpus
    assert [sentence.tokens for sentence in found.sentences] == [("Ada", "met"), ("Bo",)]
    assert found.gold[:] == [("B-PER", "O"), ("B-PER",)]
    assert [sentence.id for sentence in found.sentences] == ["s1", "s2"]
    assert found.sentences[0].doc is None


def test_columns_between_are_kept_under_their_customary_names(put: Put) -> None:
    four = read(put("g.conll", "Ada NNP B-NP B-PER\nmet VBD B-VP O\n")).corpus
    assert four.sentences[0].columns == {"pos": ("NNP", "VBD"), "chunk": ("B-NP", "B-VP")}
    five = read(put("h.conll", "Ada x y z B-PER\n")).corpus
    assert five.sentences[0].columns == {"column2": ("x",), "column3": ("y",), "column4": ("z",)}


def test_tokens_alone_are_text_without_labels(put: Put) -> None:
    found = read(put("g.conll", "Ada\nmet\n\nBo\n")).corpus
    assert (len(found), found.gold[0], found.annotators) == (2, None, ())


def test_a_first_line_names_the_columns(put: Put) -> None:
    found = read(put("w.conll", WIDE)).corpus
    assert votes(found, 0) == {"ann1": ("B-PER", None), "ann2": ("O", "O")}
    assert votes(found, 1) == {"ann2": ("O",)}
    assert found.gold[:] == [("B-PER", "O"), None]


def test_columns_can_be_named_in_the_settings(put: Put) -> None:
    name = put("w.conll", "Ada NNP B-PER O\n")
    found = read(name, columns=("token", "column:pos", "annotator:w 1", "-")).corpus
    assert votes(found, 0) == {"w 1": ("B-PER",)}
    assert found.sentences[0].columns == {"pos": ("NNP",)}


@pytest.mark.parametrize(
    "columns",
    [
        ("gold",),
        ("token", "token"),
        ("token", "gold", "gold"),
        ("token", "w", "w"),
        ("token", "column:"),
        ("token", "annotator:"),
    ],
)
def test_columns_that_make_no_sense_are_refused(put: Put, columns: tuple[str, ...]) -> None:
    put("w.conll", "Ada O O\n")
    with pytest.raises(SettingsError, match="column"):
        read("w.conll", columns=columns)


def test_a_wrong_first_line_is_refused(faults: Faults) -> None:
    (fault,) = faults("w.conll", "# columns: gold w1\nAda O\n")
    what = "no column is called 'token', say which one holds the tokens"
    assert fault == f"w.conll:1: the line '# columns:' is wrong: {what}"


def test_annotators_hidden_in_columns_are_not_taken_for_parts_of_speech(faults: Faults) -> None:
    (fault,) = faults("w.conll", "Ada\tB-PER\tO\nBo\tO\tB-PER\n")
    assert fault.startswith(
        "w.conll: column 2 holds the same kind of labels as the last one: say what each column is"
    )


def test_documents_are_parted_by_their_start_lines_with_or_without_a_blank(put: Put) -> None:
    text = "-DOCSTART- -X- O\n\na x O\n\nb x O\n\n-DOCSTART- -X- O\nc x O\n-DOCSTART-\nd x O\n"
    found = read(put("g.conll", text)).corpus
    assert [(s.tokens, s.doc) for s in found.sentences] == [
        (("a",), "d1"),
        (("b",), "d1"),
        (("c",), "d2"),
        (("d",), "d3"),
    ]


def test_files_named_together_keep_their_ids_apart(put: Put) -> None:
    put("train.conll", "-DOCSTART- O\n\na O\n")
    put("dev.conll", "-DOCSTART- O\n\nb O\n")
    found = read(["train.conll", "dev.conll"]).corpus
    assert [(s.id, s.doc) for s in found.sentences] == [("train-s1", "train-d1"), ("dev-s1", "dev-d1")]


def test_a_folder_holds_one_annotator_a_file_and_gold(put: Put) -> None:
    put("crowd/ann1.conll", "Ada B-PER\nmet O\n\nBo ?\n")
    put("crowd/ann2.conll", "Ada O\nmet O\n\nBo B-PER\n")
    put("crowd/gold.conll", "Ada B-PER\nmet O\n\nBo B-PER\n")
    found = read("crowd").corpus
    assert votes(found, 0) == {"ann1": ("B-PER", "O"), "ann2": ("O", "O")}
    assert votes(found, 1) == {"ann2": ("B-PER",)}
    assert found.gold[1] == ("B-PER",)


def test_files_can_be_declared_annotators_and_folders_gold(put: Put) -> None:
    put("d/a.conll", "Ada B-PER\n")
    put("d/b.conll", "Ada O\n")
    assert read(["d/a.conll", "d/b.conll"], files_mean="annotator").corpus.annotators == ("a", "b")
    found = read("d/a.conll", files_mean="gold").corpus
    assert (found.annotators, found.gold[0]) == ((), ("B-PER",))


def test_two_files_of_gold_over_one_text_are_suspicious(put: Put) -> None:
    put("a.conll", "Ada B-PER\n")
    put("b.conll", "Ada O\n")
    with pytest.raises(
        FormatError, match=r"b\.conll: has the same text as a\.conll: if each is one annotator"
    ):
        read(["a.conll", "b.conll"])


def test_files_of_a_folder_with_other_texts_are_refused_with_both_places(put: Put, faults: Faults) -> None:
    put("d/a.conll", "Ada B-PER\nmet O\n")
    put("d/b.conll", "Bo O\nmet O\n")
    (fault,) = faults("d")
    assert fault.startswith(
        "d/b.conll:1: s1: the id was used before (d/a.conll:1) for another text: token 1 is 'Bo'"
    )


def test_a_sentence_that_lost_a_line_is_set_aside_as_a_whole(put: Put) -> None:
    name = put("g.conll", b"a O\nb\xe9 O\nc O\n\nd O\n\n\xe9 O\n\ne O\n")
    imported = read(name, on_error="skip", columns=("token", "gold"))
    assert [(s.id, s.tokens) for s in imported.corpus.sentences] == [("s2", ("d",)), ("s4", ("e",))]
    reasons = [rejected.reason for rejected in imported.report.rejected]
    assert reasons.count("a line of this sentence cannot be read") == 2


def test_a_gold_corpus_is_written_in_plain_columns(tmp_path: Path) -> None:
    notes = write(corpus("Ada/B-PER met/O", "Bo/?", docs=["x", "y"]), tmp_path / "g.conll")
    assert (tmp_path / "g.conll").read_text() == (
        "-DOCSTART-\tO\n\nAda\tB-PER\nmet\tO\n\n-DOCSTART-\tO\n\nBo\t?\n\n"
    )
    assert notes == (
        "sentence ids and names of documents have no place in plain CoNLL, a reader will number them",
    )


def test_a_crowd_is_written_with_everything_that_is_known(tmp_path: Path) -> None:
    builder = CorpusBuilder()
    builder.add(
        Record(
            ["#", "New York"],
            "a-1",
            "a",
            {"Ann Smith": ["O", "B-LOC"], "gold": [None, "O"]},
            ["O", "B-LOC"],
            {"pos": ["SYM", "NNP"]},
            {"split": "test"},
        )
    )
    world = builder.build()
    assert write(world, tmp_path / "w.conll") == ()
    assert (tmp_path / "w.conll").read_text() == (
        "# columns: token\tcolumn:pos\tannotator:Ann Smith\tannotator:gold\tgold\n"
        '# sentence: {"id": "a-1", "doc": "a", "split": "test"}\n'
        "#\tSYM\tO\t?\tO\n"
        "New York\tNNP\tB-LOC\tO\tB-LOC\n\n"
    )
    assert read(tmp_path / "w.conll").corpus == world


@pytest.mark.parametrize(
    "token", ["a\tb", "a\nb", "a\rb", "", "-DOCSTART-", "# columns: x", "# sentence: {}", "\ufeffa"]
)
def test_a_token_that_cannot_stand_in_a_column_is_refused(tmp_path: Path, token: str) -> None:
    builder = CorpusBuilder()
    builder.add(Record(["x", token], "s7", gold=["O", "O"]))
    with pytest.raises(
        AnnotationError, match=r"CoNLL cannot hold the token .* \(sentence s7\), write JSONL instead"
    ):
        write(builder.build(), tmp_path / "g.conll")
    assert list(tmp_path.iterdir()) == []


def test_a_label_that_means_unlabelled_is_refused(tmp_path: Path) -> None:
    builder = CorpusBuilder()
    builder.add(Record(["x"], gold=["?"]))
    with pytest.raises(AnnotationError, match=r"CoNLL cannot hold the label '\?'"):
        write(builder.build("plain"), tmp_path / "g.conll")


def test_what_is_lost_is_said(tmp_path: Path) -> None:
    builder = CorpusBuilder()
    builder.add(Record(["x"], gold=["O"], extras={"split": "a"}, columns={"lemma": ["x"]}))
    builder.add(Record([], gold=[]))
    builder.add(Record(["y"], gold=["O"]))
    notes = write(builder.build(), tmp_path / "g.conll")
    assert notes[0] == "1 tokens lack a value in some column, written as _"
    assert notes[2:] == (
        "extra keys have no place in plain CoNLL and were left out: split",
        "the names of the columns are not written: lemma",
        "1 sentences without tokens were left out",
    )


def test_an_annotator_who_said_nothing_is_said_to_be_lost(tmp_path: Path) -> None:
    builder = CorpusBuilder()
    builder.add(Record(["x"], annotations={"a": ["O"], "b": [None]}))
    builder.add(Record([], annotations={"a": []}))
    assert write(builder.build(), tmp_path / "g.conll") == (
        "2 times an annotator labelled nothing in a sentence, which CoNLL reads as not seen",
    )


def test_a_folder_is_written_and_read_back(tmp_path: Path) -> None:
    world = corpus("Ada/B-PER/B-PER/O met/O/O/?", "Bo/B-PER/?/O", annotators=["../x", "w1"], docs=["a", "b"])
    write(world, tmp_path / "out", format="conll-folder")
    assert sorted(path.name for path in (tmp_path / "out").glob("[!.]*")) == [
        "annotator-0001.conll",
        "gold.conll",
        "w1.conll",
    ]
    assert read(tmp_path / "out").corpus == world


def test_annotators_never_share_a_file_name(tmp_path: Path) -> None:
    names = ["gold", "W1", "w1", "annotator-0002", "a/b", "", "CON"][:5]
    world = corpus("x/O/O/O/O/O", annotators=names, gold=False)
    write(world, str(tmp_path / "out") + "/")
    assert len(list((tmp_path / "out").glob("[!.]*"))) == 5
    assert read(tmp_path / "out").corpus == world
