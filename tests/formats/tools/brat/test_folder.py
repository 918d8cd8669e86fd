"""brat standoff: folders of annotators, spans of characters, and the way back."""

import io
import re
import tempfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import corpus
from corpus_worlds import crowds
from crowdseq.core.corpus import Corpus
from crowdseq.errors import AnnotationError, FormatError, OutputExistsError
from crowdseq.formats import read, write
from file_fixtures import Faults, Put
from tool_samples import expected_rows, own, rows_of


def test_the_two_annotators_are_read() -> None:
    imported = read(own("two-annotators/brat"))
    assert imported.report.files[0].format == "brat"
    assert rows_of(imported.corpus) == expected_rows()
    trimmed = imported.report.finding("spans-trimmed")
    assert trimmed is not None
    assert trimmed.count == 1


def test_the_settings_of_a_collection_beside_its_annotators_are_no_document(put: Put) -> None:
    text = "Vigo, 4 mar (EFE).- Ana Lund llega a Oslo.\nEl puerto de Vigo espera.\n"
    put("c/annotation.conf", "[entities]\nLOC\nPER\n[relations]\n[events]\n[attributes]\n")
    for who, places in {
        "ann1": ["LOC 0 4", "PER 20 28", "LOC 37 41"],
        "ann2": ["LOC 0 4", "PER 24 28"],
    }.items():
        put(f"c/{who}/doc-29.txt", text)
        lines = [f"T{n}\t{place}\t{_covered(text, place)}\n" for n, place in enumerate(places, 1)]
        put(f"c/{who}/doc-29.ann", "".join(lines))
    imported = read("c")
    assert (len(imported.corpus), imported.corpus.annotators) == (1, ("ann1", "ann2"))
    assert imported.report.findings == ()
    first, second = (sum(tag.startswith("B-") for tag in row) for row in _said(imported.corpus, 0).values())
    assert (first, second) == (3, 2)


def _covered(text: str, place: str) -> str:
    _, start, end = place.split()
    return text[int(start) : int(end)]


def test_annotations_without_text_are_refused(put: Put, faults: Faults) -> None:
    for who in "AB":
        put(f"c/{who}/log-2.ann", "T1\tPER 0 3\tAna\n")
    found = faults("c")
    assert len(found) == 2
    assert found[0].endswith("A/log-2.ann: log-2: its text is missing: put log-2.txt beside it")


def test_a_covered_text_that_is_longer_than_its_span_is_named(put: Put, faults: Faults) -> None:
    put("c/A/d.ann", "T1\tNP 0 3\t~~~~\nT2\tNP 5 7\t~~~\n")
    put("c/A/d.txt", "~~~~ ~~~ ~~~\n")
    (found,) = faults("c")
    assert found.startswith(
        "c/A/d.ann: d: annotator A: the span 0-3 covers '~~~' in the text, but '~~~~' in the"
    )


def _said(world: Corpus, place: int) -> dict[str, tuple[str, ...]]:
    ballot = world.annotations.ballots[place]
    rows = zip(ballot.voters.tolist(), ballot.tags, strict=True)
    return {world.annotators[who]: tuple(str(tag) for tag in world.scheme.names(row)) for who, row in rows}


def test_lines_that_mark_no_span_are_counted(put: Put) -> None:
    put("c/a/d.txt", "Ada met Bo")
    put(
        "c/a/d.ann",
        "T1\tPER 0 3\tAda\nT2\tPER 8 10\tBo\nR1\tKnows Arg1:T1 Arg2:T2\nA1\tSure T1\n#1\tNote T1\thm\n"
        "E1\tMeet:T1 Who:T2\nN1\tReference T1 X:1\tx\n*\tEquiv T1 T2\n\n",
    )
    imported = read("c")
    left_out = imported.report.finding("brat-lines-left-out")
    assert left_out is not None
    assert left_out.count == 6
    assert _said(imported.corpus, 0) == {"a": ("B-PER", "O", "B-PER")}


def test_gold_stands_in_a_folder_of_this_name(put: Put) -> None:
    put("c/gold/d.txt", "Ada slept")
    put("c/gold/d.ann", "T1\tPER 0 3\tAda\n")
    put("c/a/d.ann", "T1\tPER 0 3\tAda\n")
    found = read("c").corpus
    assert found.gold[0] == ("B-PER", "O")
    assert found.annotators == ("a",)


def test_a_flat_folder_is_one_annotator_and_folders_given_together_join(put: Put) -> None:
    for name in ("ann", "bob"):
        put(f"{name}/batch/d.txt", "Ada")
        put(f"{name}/batch/d.ann", "T1\tPER 0 3\tAda\n")
    flat = read(["ann/batch", "bob/batch"]).corpus
    assert (len(flat), flat.annotators) == (1, ("ann/batch", "bob/batch"))
    assert read("ann/batch", files_mean="gold").corpus.gold[0] == ("B-PER",)


def test_a_zip_of_the_folders_is_read_as_they_are(put: Put) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path in sorted(own("two-annotators/brat").rglob("*.*")):
            archive.writestr(f"{path.parent.name}/{path.name}", path.read_bytes())
    assert rows_of(read(put("crowd.zip", packed.getvalue())).corpus) == expected_rows()


def test_folders_that_share_nothing_are_doubted(put: Put) -> None:
    for name in ("batch1", "batch2"):
        put(f"c/{name}/{name}.txt", "Ada")
        put(f"c/{name}/{name}.ann", "T1\tPER 0 3\tAda\n")
    assert read("c").report.finding("nothing-shared") is not None


def test_texts_that_differ_are_named(put: Put, faults: Faults) -> None:
    put("c/a/d.txt", "Ada")
    put("c/b/d.txt", "Adb")
    put("c/b/e.txt", "fine")
    for document in ("a/d", "b/d"):
        put(f"c/{document}.ann", "")
    (found, *_) = faults("c", empty_means="labelled")
    assert (
        found
        == "c/b/d.txt: d: differs from c/a/d.txt from character 3 on: all annotators must have the same text"
    )


def test_an_empty_file_asks_what_it_means(put: Put, faults: Faults) -> None:
    put("c/a/d.txt", "Ada")
    put("c/a/d.ann", "")
    (found,) = faults("c")
    assert found.startswith("c/a/d.ann: d: 1 document has no span, and this format does not tell")
    assert _said(read("c", empty_means="labelled").corpus, 0) == {"a": ("O",)}
    missing = read("c", empty_means="missing")
    assert missing.corpus.annotators == ()
    assert missing.report.statuses["a"] == {"unknown": 1}


@pytest.mark.parametrize(
    "line", ["T1\tPER -1 3\tAda", "T1\tPER 0 3.0\tAda", "T1\tPER 0 ١\tA", "T1\tPER 0 1_0", "x", "T1"]
)
def test_a_line_that_is_wrong_is_named(put: Put, faults: Faults, line: str) -> None:
    put("c/a/d.txt", "Ada slept")
    put("c/a/d.ann", f"T2\tPER 0 3\tAda\n{line}\n")
    (found,) = faults("c")
    assert found.startswith("c/a/d.ann:2: d: ")
    assert "is no line of brat, expected 'T1 tab TYPE start end tab text'" in found


@pytest.mark.parametrize(
    ("places", "what"),
    [
        ("3 1", "the span 3-1 ends before it starts, correct it"),
        ("0 99", "the span 0-99 lies outside the text, which has 9 characters"),
        ("0 3;4 9", "the span 0-9 has gaps, say discontinuous='drop' (or split)"),
        (f"0 {'9' * 5000}", "has too many digits"),
    ],
)
def test_offsets_that_cannot_be_are_named(put: Put, faults: Faults, places: str, what: str) -> None:
    put("c/a/d.txt", "Ada slept")
    put("c/a/d.ann", f"T1\tPER {places}\n")
    (found,) = faults("c")
    assert what in found


def test_parts_of_a_span_with_a_gap_can_be_taken(put: Put) -> None:
    put("c/a/d.txt", "left and right lung")
    put("c/a/d.ann", "T1\tX 0 4;15 19\tleft lung\nT2\tY 9 14\tright\n")
    assert _said(read("c", discontinuous="split").corpus, 0) == {"a": ("B-X", "O", "B-Y", "B-X")}
    assert _said(read("c", discontinuous="drop").corpus, 0) == {"a": ("O", "O", "B-Y", "O")}


def test_offsets_count_characters_and_the_covered_text_proves_utf_16(put: Put) -> None:
    put("c/a/d.txt", "🚀 Ada 👩‍🚀 e\u0301 שלום")
    put("c/a/d.ann", "T1\tPER 2 5\tAda\n")
    put("c/b/d.ann", "T1\tPER 3 6\tAda\n")
    imported = read("c")
    assert set(_said(imported.corpus, 0).values()) == {_said(imported.corpus, 0)["a"]}
    assert imported.report.finding("offsets-utf-16") is not None


def test_line_ends_count_as_they_stand(put: Put) -> None:
    put("c/a/d.txt", b"Ada\r\nmet\r\nBo")
    put("c/a/d.ann", "T1\tPER 10 12\tBo\n")
    found = read("c").corpus
    assert _said(found, 0) == {"a": ("O", "O", "B-PER")}
    assert [s.tokens for s in read("c", sentences="newline").corpus.sentences] == [
        ("Ada",),
        ("met",),
        ("Bo",),
    ]


def test_a_file_alone_says_what_it_needs(faults: Faults) -> None:
    (found,) = faults("d.ann", "T1\tPER 0 3\tAda\n")
    assert found.startswith(
        "d.ann: spans of brat need their text: name the folder that holds the .ann and .txt"
    )


def test_what_was_read_is_written_back_byte_for_byte(tmp_path: Path) -> None:
    original = own("two-annotators/brat")
    assert write(read(original).corpus, tmp_path / "again", format="brat") == ()
    files = sorted(path.relative_to(original) for path in original.rglob("*.*"))
    assert files == sorted(
        path.relative_to(tmp_path / "again") for path in (tmp_path / "again").rglob("[!.]*.*")
    )
    for file in files:
        assert (tmp_path / "again" / file).read_bytes() == (original / file).read_bytes()


words = st.text(st.characters(codec="utf-8", exclude_categories=["Z", "C", "M"]), min_size=1, max_size=5)
safe_names = st.text(st.characters(codec="ascii", categories=["Ll", "Nd"]), min_size=1, max_size=5)


@settings(max_examples=40)
@given(crowds(tokens=words, kinds=["spans"], docs=False, unlabelled=False, annotators=safe_names))
def test_brat_holds_spans_of_a_crowd_and_gold(world: Corpus) -> None:
    world = world.where(
        lambda s: bool(len(world.annotations.ballots[int(s.id[1:])].voters) or world.gold[int(s.id[1:])])
    )
    if not len(world) or "gold" in world.annotators:
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "crowd"
        write(world, path, format="brat")
        found = read(path, tokenizer="whitespace", empty_means="labelled", labels=world.scheme.tags).corpus
    places = [found.text.ids.index(name) for name in world.text.ids]
    again = found.select(places)
    assert [s.tokens for s in again.sentences] == [s.tokens for s in world.sentences]
    assert again.gold[:] == world.gold[:]
    assert [_said(again, n) for n in range(len(again))] == [_said(world, n) for n in range(len(world))]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "crowd"
        write(found, path, format="brat")
        assert (
            read(path, tokenizer="whitespace", empty_means="labelled", labels=world.scheme.tags).corpus
            == found
        )


@pytest.mark.parametrize(
    ("sentence", "scheme", "what"),
    [
        ("Ada/NOUN slept/VERB", "plain", "the labels are not spans, brat cannot hold them"),
        (
            "Ada/B-PER slept/?",
            "IOB2",
            "token 2), which brat",
        ),
    ],
)
def test_what_brat_cannot_hold_is_refused(tmp_path: Path, sentence: str, scheme: str, what: str) -> None:
    with pytest.raises(AnnotationError, match=re.escape(what)):
        write(corpus(sentence, gold=False, scheme=scheme), tmp_path / "c", format="brat")
    assert not (tmp_path / "c").exists()


def test_names_that_are_no_file_names_are_numbered(tmp_path: Path) -> None:
    world = corpus("Ada/B-PER", annotators=["../x"], gold=False)
    notes = write(world, tmp_path / "c", format="brat")
    assert [path.name for path in (tmp_path / "c").glob("[!.]*")] == ["annotator-00001"]
    assert "of annotators, 1 had a name that cannot be one of a file: numbered instead" in notes


def test_an_old_export_is_replaced_on_request_and_other_files_are_not(tmp_path: Path) -> None:
    world = corpus("Ada/B-PER", gold=False)
    write(world, tmp_path / "c", format="brat")
    write(world, tmp_path / "c", format="brat", force=True)
    (tmp_path / "c" / "a1" / "photo.png").write_bytes(b"")
    with pytest.raises(OutputExistsError, match=r"photo\.png"):
        write(world, tmp_path / "c", format="brat", force=True)


def test_too_many_digits_are_no_traceback(put: Put) -> None:
    put("c/a/d.txt", "Ada")
    put("c/a/d.ann", f"T1\tPER 0 {'9' * 10000}\n")
    with pytest.raises(FormatError):
        read("c")


def test_files_of_other_kinds_beside_the_annotators_are_told(put: Put) -> None:
    put("mix/ann2/d.txt", "Ada slept")
    put("mix/ann2/d.ann", "T1\tPER 0 3\tAda\n")
    put("mix/ann2/never-opened.txt", "Bo ran")
    put("mix/annotation.conf", "[entities]\nPER\n")
    put("mix/ann1.jsonl", '{"id": 1, "text": "Ada slept", "label": [[0, 3, "PER"]]}\n')
    found = read("mix").report.finding("files-beside-brat")
    assert found is not None
    what = "files of a folder were left out, which is read as brat: name them too to read them (2 times)"
    assert str(found) == f"{what}: mix/ann1.jsonl; mix/ann2/never-opened.txt"


def test_a_text_in_one_folder_serves_all_and_is_not_left_out(put: Put) -> None:
    put("c/a/d.txt", "Ada slept")
    put("c/b/d.ann", "T1\tPER 0 3\tAda\n")
    assert read("c").report.finding("files-beside-brat") is None


def test_folders_around_those_of_the_annotators_are_left_out(tmp_path: Path) -> None:
    for who, end in (("ana", 3), ("bob", 9)):
        folder = tmp_path / "download" / "export" / "data" / who
        folder.mkdir(parents=True)
        (folder / "d.txt").write_text("Ada Byron slept")
        (folder / "d.ann").write_text(f"T1\tPER 0 {end}\t{'Ada Byron'[:end]}\n")
    assert read(tmp_path / "download").corpus.annotators == ("ana", "bob")


def test_parts_of_one_annotators_work_stay_parts(tmp_path: Path) -> None:
    for part, text in (("first", "Ada slept"), ("second", "Bo slept")):
        folder = tmp_path / "all" / "ana" / part
        folder.mkdir(parents=True)
        (folder / "d.txt").write_text(text)
        (folder / "d.ann").write_text(f"T1\tPER 0 {text.index(' ')}\t{text.split()[0]}\n")
    found = read(tmp_path / "all").corpus
    assert found.annotators == ("ana",)
    assert {one.id for one in found} == {"first/d", "second/d"}
