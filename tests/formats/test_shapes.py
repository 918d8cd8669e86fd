"""Small files in the shapes of real exports: two sentences, as two people marked them, in every form."""

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from crowdseq.core.corpus import Corpus
from crowdseq.core.spans import decode
from crowdseq.errors import FormatError, MissingExtraError
from crowdseq.formats import read, write
from crowdseq.formats.registry import FORMATS

HERE = Path(__file__).parent / "shapes"
MANUAL = (Path(__file__).resolve().parents[2] / "docs" / "formats.md").read_text("utf-8")
FIRST, SECOND = ("Ada", "Byron", "met", "Bo", "."), ("They", "left", "Paris", ".")
Marked: TypeAlias = dict[tuple[str, ...], list[tuple[int, int, str]]]
ANA: Marked = {FIRST: [(0, 2, "PER"), (3, 4, "PER")], SECOND: [(2, 3, "LOC")]}
BOB: Marked = {FIRST: [(0, 2, "PER")], SECOND: [(2, 3, "ORG")]}
BOTH: dict[str, Marked] = {"ana": ANA, "bob": BOB}
LATE: dict[str, Marked] = {"ana": ANA, "bob": {SECOND: BOB[SECOND]}}  # who has not seen the first one
ALL = BOTH | {"gold": ANA}
GOLD = {"gold": ANA}


@dataclass(frozen=True)
class Shape:
    """Who marked what, the format, settings that are needed, what must be told, names in the file."""

    who: dict[str, Marked]
    form: str
    settings: dict[str, Any] = field(default_factory=dict)
    told: tuple[str, ...] = ()
    names: dict[str, str] = field(default_factory=dict)


SESSIONS = {"news-ana": "ana", "news-bob": "bob"}
NUMBERS = {"11": "ana", "12": "bob"}
SHAPES = {
    "conll/two-columns.conll": Shape(GOLD, "conll"),
    "conll/three-columns.conll": Shape(GOLD, "conll", told=("columns-guessed",)),
    "conll/conll-2003.txt": Shape(GOLD, "conll"),
    "conll/universal-ner.iob2": Shape(GOLD, "conll", told=("columns-guessed",)),
    "conll/hipe-2022.tsv": Shape(GOLD, "conll", told=("columns-guessed",)),
    "conll/germeval-2014.tsv": Shape(GOLD, "conll", told=("columns-guessed", "comments-left-out")),
    "conll/multiconer.conll": Shape(GOLD, "conll"),
    "conll/wnut-2017.conll": Shape(GOLD, "conll", told=("blank-with-spaces",)),
    "conll/names-and-note.conll": Shape(GOLD, "conll", told=("columns-guessed",)),
    "conll/names-of-annotators.tsv": Shape(BOTH, "conll", told=("columns-guessed",)),
    "conll/columns-line.conll": Shape(BOTH, "conll"),
    "conll/none-where-not-seen.conll": Shape(LATE, "conll", told=("marks-None",)),
    "conll/na-where-not-seen.tsv": Shape(LATE, "conll", told=("marks-NA", "columns-guessed")),
    "conll/underscore-for-outside.conll": Shape(GOLD, "conll", told=("marks-_",)),
    "conll/dash-for-outside.conll": Shape(GOLD, "conll", told=("marks--",)),
    "conll/bioes.conll": Shape(GOLD, "conll"),
    "conll/iob1.conll": Shape(GOLD, "conll"),
    "conll/comments-and-documents.tsv": Shape(GOLD, "conll"),
    "conll/byte-order-mark-and-crlf.conll": Shape(GOLD, "conll", told=("byte-order-mark", "line-ends")),
    "conll/utf-16.conll": Shape(GOLD, "conll", {"encoding": "utf-16"}),
    "conll/folder-for-each-worker": Shape(ALL, "conll", told=("folders-guessed",)),
    "conll/folder-for-each-worker.zip": Shape(BOTH, "conll", told=("folders-guessed",)),
    "conll/folder-for-each-document": Shape(BOTH, "conll", told=("folders-guessed",)),
    "conll/file-for-each-annotator": Shape(ALL, "conll"),
    "conll/other-order": Shape(BOTH, "conll", {"match": "text"}),
    "conll-u/ner-in-misc.conllu": Shape(GOLD, "conll-u"),
    "conll-u/eleventh-column.conllu": Shape(GOLD, "conll-u"),
    "answers/answers.txt": Shape(BOTH, "answers", names={"w1": "ana", "w2": "bob"}),
    "doccano/text-and-label": Shape(BOTH, "doccano"),
    "doccano/data-and-label": Shape(BOTH, "doccano"),
    "doccano/entities-and-relations": Shape(BOTH, "doccano"),
    "doccano/project-for-each-member": Shape(BOTH, "doccano", {"match": "text"}),
    "doccano/annotations-with-users.jsonl": Shape(
        BOTH, "doccano", told=("silence-not-told",), names={"1": "ana", "2": "bob"}
    ),
    "doccano/export.zip": Shape(BOTH, "doccano"),
    "prodigy/sessions.jsonl": Shape(BOTH, "prodigy", names=SESSIONS),
    "prodigy/file-for-each-person": Shape(BOTH, "prodigy", {"files_mean": "annotator"}),
    "prodigy/review.jsonl": Shape(ALL, "prodigy", names=SESSIONS),
    "prodigy/white-space-tokens.jsonl": Shape(BOTH, "prodigy", told=("space-tokens",), names=SESSIONS),
    "prodigy/without-sessions": Shape(BOTH, "prodigy", told=("annotator-unknown",)),
    "prodigy/without-tokens.jsonl": Shape(BOTH, "prodigy", names=SESSIONS),
    "label-studio/numbers.json": Shape(BOTH, "label-studio", names=NUMBERS),
    "label-studio/people-with-email.json": Shape(
        BOTH,
        "label-studio",
        told=("annotators-named",),
        names={"ana@example.org": "ana", "bob@example.org": "bob"},
    ),
    "label-studio/people-with-name.json": Shape(
        BOTH, "label-studio", told=("annotators-named",), names={"Ana Alba": "ana", "Bob Burr": "bob"}
    ),
    "label-studio/ground-truth.json": Shape(ALL, "label-studio", names=NUMBERS),
    "label-studio/json-min.json": Shape(BOTH, "label-studio-min", names=NUMBERS),
    "label-studio/export.csv": Shape(BOTH, "label-studio-csv", names=NUMBERS),
    "tables/sentence-token-annotator-label.csv": Shape(BOTH, "long", told=("columns-guessed",)),
    "tables/other-order-and-semicolons.csv": Shape(BOTH, "long", told=("columns-guessed",)),
    "tables/pandas-with-index.csv": Shape(BOTH, "long", told=("columns-guessed",)),
    "tables/numbered-from-one.tsv": Shape(BOTH, "long", told=("columns-guessed", "tokens-from-one")),
    "tables/names-of-another-language.csv": Shape(
        BOTH, "long", {"columns": ("sentence=satz", "token=wort", "worker=wer", "label=was")}
    ),
    "tables/na-where-not-seen.csv": Shape(LATE, "long", told=("marks-NA",)),
    "tables/crowd-kit.csv": Shape(BOTH, "long"),
    "tables/sentence-number-once.csv": Shape(GOLD, "long", told=("columns-guessed",)),
    "tables/spreadsheet.xlsx": Shape(BOTH, "xlsx", told=("columns-guessed",)),
    "mturk/batch.csv": Shape(BOTH, "mturk"),
    "argilla/records.json": Shape(BOTH, "argilla"),
    "brat/folder-for-each-annotator": Shape(BOTH, "brat"),
    "inception/folder-for-each-document": Shape(BOTH, "inception"),
    "conll/underscore-tags.conll": Shape(GOLD, "conll", told=("tags-in-other-spelling",)),
    "conll/small-letter-tags.conll": Shape(GOLD, "conll", told=("tags-in-other-spelling",)),
    "conll/tags-with-suffix.conll": Shape(GOLD, "conll", told=("tags-in-other-spelling",)),
    "conll/folder-of-windows.zip": Shape(BOTH, "conll", told=("folders-guessed",)),
    "spacy/text-and-entities": Shape(BOTH, "doccano"),
    "spacy/docs-as-json": Shape(BOTH, "doccano", told=("json-not-in-lines",)),
    "label-studio/notes-relations-choices.json": Shape(
        BOTH, "label-studio", told=("results-left-out",), names=NUMBERS
    ),
    "label-studio/html.json": Shape(BOTH, "label-studio", told=("pages-read-as-text",), names=NUMBERS),
    "label-studio/dialogue.json": Shape(BOTH, "label-studio", names=NUMBERS),
    "label-studio/several-texts.json": Shape(
        BOTH, "label-studio", told=("text-field-guessed",), names=NUMBERS
    ),
    "label-studio/storage": Shape(BOTH, "label-studio", names=NUMBERS),
    "tables/column-for-each-annotator.csv": Shape(BOTH, "long", told=("columns-guessed",)),
    "tables/column-for-each-annotator.tsv": Shape(BOTH, "long", told=("columns-guessed",)),
    "tables/column-for-each-annotator.xlsx": Shape(BOTH, "xlsx", told=("columns-guessed",)),
    "tables/title-above.xlsx": Shape(BOTH, "xlsx", told=("columns-guessed", "rows-left-out")),
    "tables/o-left-empty.csv": Shape(BOTH, "long", told=("columns-guessed", "blank-labels")),
    "tables/long-o-left-empty.csv": Shape(BOTH, "long", told=("blank-labels",)),
    "tables/excel-separator-line.csv": Shape(BOTH, "long", told=("columns-guessed",)),
    "tables/e-mail-and-idx.tsv": Shape(
        BOTH,
        "long",
        told=("columns-guessed",),
        names={"ana@example.org": "ana", "bob@example.org": "bob"},
    ),
    "argilla/feedback-1.x.json": Shape(BOTH, "argilla", told=("predictions-left-out",)),
    "argilla/token-classification-1.x.jsonl": Shape(BOTH, "argilla"),
    "huggingface/rows.jsonl": Shape(GOLD, "dataset-jsonl"),
    "huggingface/numbered.jsonl": Shape(
        BOTH, "dataset-jsonl", {"labels": ("O", "B-PER", "I-PER", "B-LOC", "B-ORG")}
    ),
    "huggingface/labels-and-annotator.jsonl": Shape(BOTH, "dataset-jsonl"),
    "brat/zip-with-folder.zip": Shape(BOTH, "brat", told=("folders-guessed",)),
    "brat/zip-of-windows.zip": Shape(BOTH, "brat", told=("folders-guessed",)),
    "brat/span-over-a-line-break": Shape(BOTH, "brat"),
    "inception/project-of-xmi.zip": Shape(BOTH, "inception"),
    "crowdseq/crowd.jsonl": Shape(BOTH, "jsonl"),
    "crowdseq/consensus.jsonl": Shape(GOLD, "consensus"),
}
REFUSED = {
    "inception/backup.zip": "is a backup of an INCEpTION project",
    "conll/utf-16.conll": "the file looks like utf-16: say encoding='utf-16'",
    "conll/other-order": "if files number their sentences each in its own way, say match='text'",
    "tables/names-of-another-language.csv": "is a table with columns satz, wort, wer, was",
    "tables/spans.csv": "is a table of spans (doc, annotator, start, end, label), and only tables with a row",
    "tables/no-sentence.csv": "is a table with columns token, label and none for the sentence: add one",
    "conll/conll-2012.conll": "is CoNLL-2012, whose labels stand in brackets",
    "huggingface/numbered.jsonl": "'ner_tags' holds numbers without names, say them in order with labels=",
    "prodigy/choices.jsonl": "holds labels of whole texts (_view_id 'choice'), not spans: annotate with",
    "spacy/training-pairs.json": "is training data of spaCy as pairs: write each as a line of JSON",
    "spacy/training-2.json": "is training data of spaCy 2: turn it into a DocBin",
}
# Read in a test of their own.
OTHERS = {"conll/hash-as-token.conll", "crowdseq/plain-scheme.jsonl", *REFUSED}


def spans_by_person(corpus: Corpus, names: dict[str, str]) -> dict[str, dict[tuple[str, ...], list[Any]]]:
    """Who marked what, whatever the scheme; only sentences that somebody has seen."""
    found: dict[str, dict[tuple[str, ...], list[Any]]] = {}

    def mark(who: str, tokens: tuple[str, ...], tags: Any) -> None:
        spans = decode(corpus.scheme, tags, lenient=True)
        found.setdefault(names.get(who, who), {})[tokens] = [(s.start, s.end, s.label) for s in spans]

    for number, sentence in enumerate(corpus.sentences):
        ballot = corpus.annotations.ballots[number]
        for voter, row in zip(ballot.voters.tolist(), ballot.tags, strict=True):
            mark(corpus.annotators[voter], sentence.tokens, corpus.scheme.names(row))
        if corpus.gold[number] is not None:
            mark("gold", sentence.tokens, corpus.gold[number])
    return found


def reading(name: str) -> Any:
    if SHAPES[name].form == "xlsx":
        pytest.importorskip("openpyxl")
    return read(HERE / name, **SHAPES[name].settings)


@pytest.mark.parametrize("name", SHAPES)
def test_a_shape_gives_who_marked_what_and_tells_its_guesses(name: str) -> None:
    shape, imported = SHAPES[name], reading(name)
    assert spans_by_person(imported.corpus, shape.names) == shape.who
    assert {file.format for file in imported.report.files} == {shape.form}
    assert set(shape.told) <= {finding.kind for finding in imported.report.findings}
    assert len(imported.corpus) == 2


@pytest.mark.parametrize("name", SHAPES)
def test_a_shape_survives_our_own_form(name: str, tmp_path: Path) -> None:
    found = reading(name).corpus
    write(found, tmp_path / "again.jsonl")
    assert read(tmp_path / "again.jsonl").corpus == found


@pytest.mark.parametrize(
    "name",
    [name for name, shape in SHAPES.items() if FORMATS[shape.form].write or FORMATS[shape.form].write_folder],
)
def test_a_shape_survives_the_form_that_it_came_in(name: str, tmp_path: Path) -> None:
    shape, found = SHAPES[name], reading(name).corpus
    out = tmp_path / "again"
    write(found, out, format=shape.form)
    again = read(out, format=shape.form).corpus if out.is_file() else read(out).corpus
    assert spans_by_person(again, shape.names) == shape.who


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_as_it_stands_says_what_to_do(name: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(HERE / name)
    assert REFUSED[name] in str(caught.value.problems[0])


def test_a_number_sign_is_a_token_where_nothing_is_set_to_a_value() -> None:
    found = read(HERE / "conll/hash-as-token.conll").corpus
    assert found.sentences[0].tokens == ("#", "1")
    assert len(found) == 3


def test_plain_tags_that_look_like_chunks_stay_plain(tmp_path: Path) -> None:
    found = read(HERE / "crowdseq/plain-scheme.jsonl").corpus
    assert found.scheme.is_plain
    asked = read(HERE / "crowdseq/crowd.jsonl", scheme="plain").corpus
    write(asked, tmp_path / "again.jsonl")
    assert read(tmp_path / "again.jsonl").corpus == asked == found


def test_comments_name_sentences_and_documents() -> None:
    found = read(HERE / "conll/comments-and-documents.tsv").corpus.sentences
    assert [(one.id, one.doc, one.extras["year"]) for one in found] == [
        ("letter-1-1", "letter-1", "1843"),
        ("letter-2-1", "letter-2", "1843"),
    ]


def test_a_spreadsheet_without_its_extra_is_one_friendly_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(
        MissingExtraError, match=r"a spreadsheet \(.xlsx\) needs an extra: pip install 'crowdseq\[xlsx\]'"
    ):
        read(HERE / "tables/spreadsheet.xlsx")


def test_every_shape_is_in_the_test_set_and_in_the_manual() -> None:
    files = {path.relative_to(HERE).as_posix() for path in HERE.glob("*/*")}
    assert files == SHAPES.keys() | OTHERS
    assert len(files) >= 40
    assert [name for name in files if f"`{name}`" not in MANUAL] == []
