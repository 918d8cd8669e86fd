"""Several inputs to one corpus: joining, skipping, label sets, reports."""

import json
from pathlib import Path
from typing import Any

import pytest

from crowdseq.core.corpus import Corpus
from crowdseq.errors import AnnotationError, FormatError, OutputExistsError, SettingsError
from crowdseq.formats import ReadSettings, read
from crowdseq.formats.settings import Limits
from crowdseq.workflows.reading import Reading, read_parts
from file_fixtures import Faults, Put


def line(sentence: str, tokens: str, **votes: str) -> str:
    """A record in one line; votes are written with spaces, `?` is null."""
    annotations = {
        name: [None if tag == "?" else tag for tag in tags.split()]
        for name, tags in votes.items()
        if name != "gold"
    }
    gold = votes["gold"].split() if "gold" in votes else None
    record = {"id": sentence, "tokens": tokens.split(), "gold": gold, "annotations": annotations}
    return json.dumps(record) + "\n"


def votes(corpus: Corpus, place: int = 0) -> dict[str, tuple[str | None, ...]]:
    ballot = corpus.annotations.ballots[place]
    rows = zip(ballot.voters.tolist(), ballot.tags, strict=True)
    return {corpus.annotators[who]: corpus.scheme.names(tags) for who, tags in rows}


def test_sentences_of_one_id_are_joined_over_files(put: Put) -> None:
    put("a.jsonl", line("s1", "Ada met", a="B-PER O") + line("s2", "Bo", a="O"))
    put("b.jsonl", line("s2", "Bo", b="B-PER") + line("s1", "Ada met", b="O O"))
    imported = read(["a.jsonl", "b.jsonl"])
    assert votes(imported.corpus) == {"a": ("B-PER", "O"), "b": ("O", "O")}
    assert [(file.name, file.format, file.records) for file in imported.report.files] == [
        ("a.jsonl", "jsonl", 2),
        ("b.jsonl", "jsonl", 2),
    ]


def test_a_folder_of_jsonl_files_is_one_corpus_and_other_files_are_told(put: Put) -> None:
    put("crowd/a.jsonl", line("s1", "Ada", a="O"))
    put("crowd/b.jsonl", line("s1", "Ada", b="O"))
    put("crowd/notes.txt", "# Read me first\n\nNothing to see here, but words.\n")
    imported = read("crowd")
    assert imported.corpus.annotators == ("a", "b")
    left_out = imported.report.finding("files-left-out")
    assert left_out is not None
    assert [str(example) for example in left_out.examples] == ["crowd/notes.txt"]


def test_a_folder_without_a_known_file_is_refused(put: Put, faults: Faults) -> None:
    put("d/photo.png", b"\x89PNG\r\n\x1a\n\0\0\0")
    assert faults("d") == ["d: holds no file in a known format, only photo.png"]


def test_the_same_gold_in_several_files_is_no_contradiction(put: Put) -> None:
    put("a.jsonl", line("s1", "Ada", a="O", gold="B-PER"))
    put("b.jsonl", line("s1", "Ada", b="O", gold="B-PER"))
    assert read(["a.jsonl", "b.jsonl"]).corpus.gold[0] == ("B-PER",)


def test_different_gold_is_one(put: Put) -> None:
    put("a.jsonl", line("s1", "Ada", a="O", gold="B-PER"))
    put("b.jsonl", line("s1", "Ada", b="O", gold="O"))
    with pytest.raises(FormatError, match=r"b.jsonl:1: s1: .*gold.* before \(a.jsonl:1\)"):
        read(["a.jsonl", "b.jsonl"])


def test_extra_keys_that_differ_between_files_are_counted(put: Put) -> None:
    put("a.jsonl", '{"id": "s1", "tokens": ["a"], "gold": ["O"], "time": 1}\n')
    put("b.jsonl", '{"id": "s1", "tokens": ["a"], "time": 2}\n')
    imported = read(["a.jsonl", "b.jsonl"])
    finding = imported.report.finding("extras-replaced")
    assert finding is not None
    assert finding.count == 1


@pytest.mark.parametrize(("policy", "tag"), [("first", "O"), ("newest", "B-PER")])
def test_a_repeated_vote_follows_the_policy_and_is_counted(put: Put, policy: str, tag: str) -> None:
    put("c.jsonl", line("s1", "Ada", w="O") + line("s1", "Ada", w="B-PER"))
    imported = read("c.jsonl", duplicates=policy)
    assert votes(imported.corpus) == {"w": (tag,)}
    finding = imported.report.finding("repeated")
    assert finding is not None
    assert finding.count == 1


def test_bytes_are_read_like_a_file() -> None:
    assert len(read(line("s1", "Ada", w="O").encode()).corpus) == 1


def test_annotators_are_renamed(put: Put) -> None:
    put("c.jsonl", line("s1", "Ada", u17="O", u18="O"))
    assert read("c.jsonl", names={"u17": "ada"}).corpus.annotators == ("ada", "u18")
    with pytest.raises(FormatError, match="annotator ada stands for two annotators of this sentence"):
        read("c.jsonl", names={"u17": "ada", "u18": "ada"})


def test_settings_can_be_given_as_one_thing_and_changed_by_name(put: Put) -> None:
    put("c", line("s1", "Ada", w="O"))
    assert len(read("c", ReadSettings(scheme="IOB2"), format="jsonl").corpus) == 1
    with pytest.raises(SettingsError, match="format 'xml' is unknown, choose one of"):
        read("c", format="xml")


def test_bad_records_are_set_aside_with_their_reason(put: Put, tmp_path: Path) -> None:
    put(
        "c.jsonl",
        line("s1", "Ada", w="O") + '{"id": "s2", "tokens": 3}\n' + "no json\n" + line("s4", "Bo", w="O O"),
    )
    imported = read("c.jsonl", on_error="skip", rejects="bad.jsonl")
    assert len(imported.corpus) == 1
    report = imported.report
    assert (report.n_rejected, report.rejects_file, report.records) == (3, "bad.jsonl", 1)
    rows = [json.loads(row) for row in (tmp_path / "bad.jsonl").read_text().splitlines()]
    assert rows[0] == {
        "file": "c.jsonl",
        "line": 2,
        "reason": "s2: 'tokens' must be a list of texts",
        "raw": '{"id": "s2", "tokens": 3}',
    }
    assert [row["line"] for row in rows] == [2, 3, 4]
    assert "3 faulty records were set aside, see bad.jsonl" in report.lines()


def test_what_was_set_aside_can_be_mended_and_read(put: Put, tmp_path: Path) -> None:
    put("c.jsonl", line("s1", "Ada", w="O O") + line("s2", "Bo", w="O"))
    read("c.jsonl", on_error="skip", rejects="bad.jsonl")
    (row,) = [json.loads(row) for row in (tmp_path / "bad.jsonl").read_text().splitlines()]
    put("mended.jsonl", row["raw"].replace('["O", "O"]', '["O"]') + "\n")
    assert read("mended.jsonl").corpus.sentences[0].id == "s1"


def test_without_bad_records_no_rejects_file_is_made(put: Put, tmp_path: Path) -> None:
    put("c.jsonl", line("s1", "Ada", w="O"))
    assert read("c.jsonl", on_error="skip", rejects="bad.jsonl").report.rejects_file is None
    assert not (tmp_path / "bad.jsonl").exists()


def test_a_rejects_file_is_never_overwritten_unasked(put: Put, tmp_path: Path) -> None:
    put("bad.jsonl", "precious")
    put("c.jsonl", "broken\n" + line("s1", "Ada", w="O"))
    with pytest.raises(OutputExistsError):
        read("c.jsonl", on_error="skip", rejects="bad.jsonl", format="jsonl")
    assert (tmp_path / "bad.jsonl").read_text() == "precious"
    read("c.jsonl", on_error="skip", rejects="bad.jsonl", format="jsonl", force=True)
    assert "broken" in (tmp_path / "bad.jsonl").read_text()


def test_a_reading_that_fails_writes_no_rejects_file(put: Put, tmp_path: Path) -> None:
    put("c.jsonl", line("s1", "Ada", w="O") + "broken\n")
    with pytest.raises(FormatError, match="there is no such file"):
        read(["c.jsonl", "missing.jsonl"], on_error="skip", rejects="bad.jsonl")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c.jsonl"]


def test_rejected_records_without_a_file_are_in_the_report(put: Put) -> None:
    put("c.jsonl", line("s1", "Ada", w="O") + "broken\n")
    (rejected,) = read("c.jsonl", on_error="skip").report.rejected
    assert (rejected.line, rejected.raw) == (2, "broken")


def test_all_faults_of_all_files_come_at_once(put: Put) -> None:
    put("a.jsonl", line("s1", "Ada", w="O O") + "{\n")
    put("b.conll", "# columns: token gold\nAda O\nmet\n")
    with pytest.raises(FormatError) as caught:
        read(["a.jsonl", "b.conll", "missing"])
    assert [(problem.file, problem.line) for problem in caught.value.problems] == [
        ("a.jsonl", 1),
        ("a.jsonl", 2),
        ("b.conll", 3),
        ("missing", 0),
    ]


def test_reading_stops_after_many_faults(put: Put) -> None:
    put("c.jsonl", line("s1", "Ada", w="O") + "broken\n" * 50)
    with pytest.raises(FormatError) as caught:
        read("c.jsonl", limits=Limits(faults=10))
    assert len(caught.value.problems) == 11
    assert str(caught.value.problems[-1]) == "reading stopped after 10 faults, correct these first"


def test_a_label_set_widens_the_scheme(put: Put) -> None:
    put("c.jsonl", line("s1", "Ada", w="B-PER"))
    assert read("c.jsonl", labels=("PER", "LOC")).corpus.scheme.types == ("LOC", "PER")
    tags = ("O", "B-PER", "I-PER", "B-LOC", "I-LOC")
    found = read("c.jsonl", labels=tags).corpus
    assert found.scheme.tags == tags
    assert votes(found) == {"w": ("B-PER",)}


def test_a_plain_label_set_keeps_its_order(put: Put) -> None:
    put("c.jsonl", line("s1", "Ada met", w="NOUN VERB", gold="NOUN VERB"))
    found = read("c.jsonl", labels=("VERB", "X", "NOUN"), scheme="plain").corpus
    assert found.scheme.tags == ("VERB", "X", "NOUN")
    assert (votes(found), found.gold[0]) == ({"w": ("NOUN", "VERB")}, ("NOUN", "VERB"))


def test_an_unknown_label_is_skipped_with_its_record(put: Put) -> None:
    put("c.jsonl", line("s1", "Ada", w="B-PRE") + line("s2", "Bo", w="B-PER"))
    imported = read("c.jsonl", labels=("PER",), on_error="skip")
    assert [sentence.id for sentence in imported.corpus.sentences] == ["s2"]
    assert imported.report.rejected[0].reason.startswith("s1: label 'B-PRE' is not in the label set")


def test_a_forced_format_that_is_wrong_is_named(faults: Faults) -> None:
    found = faults("c.conll", "Ada\tB-PER\nmet\tO\n", format="jsonl")
    assert found[-1] == "c.conll: looks like conll, not jsonl: force the right one with format="


def test_a_guess_by_name_alone_is_admitted(faults: Faults) -> None:
    found = faults("c.jsonl", '{"text": "a"}\n{"text": "b"}\n')
    assert found[0].startswith("c.jsonl:1: 'tokens' is missing")
    assert found[-1].startswith(
        "c.jsonl: was read as jsonl because of its name: if it is something else, say so"
    )


def test_a_doubtful_format_does_not_stop_a_reading_that_skips(put: Put) -> None:
    put("c.tsv", "Ada NOUN\nmet VERB\nBo NOUN\n\nx\ty z\tq\n")
    imported = read("c.tsv", on_error="skip")
    assert len(imported.corpus) == 1
    assert imported.report.finding("format-in-doubt") is not None


def test_a_report_is_plain_data(put: Put) -> None:
    put("c.jsonl", b"\xef\xbb\xbf" + line("s1", "Ada met", w="O I-PER", W="O O").encode())
    made = json.loads(json.dumps(read("c.jsonl", scheme="IOB2").report.as_dict()))
    assert made["slips"] == {"w": 1}
    assert made["look_alike_annotators"] == [["W", "w"]]
    assert made["statuses"] == {"W": {"labelled": 1}, "w": {"labelled": 1}}
    assert {warning["kind"] for warning in made["warnings"]} == {
        "byte-order-mark",
        "slips",
        "look-alike-annotators",
    }


@pytest.mark.parametrize(
    ("tokens", "labels", "message"),
    [
        ('["Ad", null]', '["O", "O"]', "token 1 is 'Ad' here and 'Ada' there"),
        ('["Ad", "a"]', '["O"]', "annotator w2: 1 label for 2 tokens"),
        ('["Ad", "a"]', '["O", 3]', "annotator w2: a label must be a text or null"),
    ],
)
def test_faulty_records_are_not_aligned(put: Put, tokens: str, labels: str, message: str) -> None:
    other = f'{{"id": "s1", "tokens": {tokens}, "annotations": {{"w2": {labels}}}}}\n'
    put("c.jsonl", line("s1", "Ada", w="O") + other)
    with pytest.raises(FormatError, match=message):
        read("c.jsonl")


def test_documents_are_renamed_with_their_sentences(put: Put) -> None:
    put("c.jsonl", '{"id": "d-1", "doc": "d", "tokens": ["x"]}\n{"id": "e", "tokens": ["y"]}\n')
    text = read("c.jsonl", documents={"d": "first", "e": "last"}).corpus.text
    assert (text.ids, text.documents) == (("first-1", "last"), ("first", None))


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (
            {"types": ("XX",)},
            "types= is not used by jsonl and changed nothing",
        ),
        (
            {"layer": "foo"},
            "layer= is not used by jsonl and changed nothing",
        ),
        (
            {"text_field": "foo"},
            "text_field= is not used by jsonl and changed nothing",
        ),
        (
            {"columns": ("a", "b")},
            "columns= is not used by jsonl and changed nothing",
        ),
        (
            {"tokenizer": "whitespace"},
            "tokenizer= is not used by jsonl and changed nothing",
        ),
        (
            {"predictions": True},
            "predictions= is not used by jsonl and changed nothing",
        ),
        (
            {"overlaps": "error"},
            "overlaps= is not used by jsonl and changed nothing",
        ),
    ],
)
def test_a_setting_that_the_format_does_not_use_is_told(
    put: Put, settings: dict[str, Any], told: str
) -> None:
    assert read(put("c.jsonl", line("s1", "Ada", a="O")), **settings).report.lines() == [
        f"a setting was given for nothing: {told}"
    ]


def test_a_setting_that_one_of_several_files_uses_is_not_told(put: Put) -> None:
    files = [put("c.jsonl", line("s1", "Ada", a="O")), put("g.conll", "Ada\tO\n")]
    assert read(files, files_mean="gold").report.finding("unused-files-mean") is None
    told = read(files, text_field="foo").report.finding("unused-text-field")
    assert str(told) == (
        "a setting was given for nothing: text_field= is not used by jsonl, conll and changed nothing"
    )


def test_overlaps_are_taken_apart_in_any_format(put: Put) -> None:
    name = put("c.jsonl", line("s1", "Ada", a="O"))
    assert read(name, overlaps="layers", cut_tokens="error").report.lines() == []


def test_an_input_of_faulty_records_alone_says_how_many_why_and_where(put: Put) -> None:
    name = put("c.jsonl", '{"id": "s1"}\n{"id": "s2"}\n')
    imported = read(name, on_error="skip", rejects="rejected.jsonl")
    assert len(imported.corpus) == 0
    assert imported.report.why_empty() == (
        "all 2 records are faulty and were set aside, see rejected.jsonl; "
        "the first: c.jsonl:1: s1: 'tokens' is missing, there is id: "
        "if this is a tool's export, name it with format="
    )
    assert Path("rejected.jsonl").read_text().count("\n") == 2
    with pytest.raises(AnnotationError, match=r"c\.jsonl: all 2 records are faulty .* see rejected\.jsonl"):
        read_parts((name,), Reading(ReadSettings(on_error="skip", rejects="rejected.jsonl", force=True)))


def test_an_empty_input_says_so(put: Put) -> None:
    assert read(put("c.jsonl", "")).report.why_empty() == "there are no sentences in it"
