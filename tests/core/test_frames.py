"""Data frames of several libraries to a corpus and back."""

import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from builders import corpus as world_of
from crowdseq.core.consensus import AnnotatorReport, Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.errors import FormatError, MissingExtraError, SettingsError
from strategies import corpora

LIBRARIES = ("pandas", "polars", "pyarrow")
Columns = dict[str, list[Any]]
ROWS: Columns = {
    "sentence": ["s1", "s1", "s1", "s1", "s2"],
    "token": ["Ada", "slept", "Ada", "slept", "Bo"],
    "annotator": ["ann", "ann", "bob", "bob", "ann"],
    "label": ["B-PER", "O", "O", None, "B-PER"],
}


@pytest.fixture(params=LIBRARIES)
def library(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    pytest.importorskip(name)
    return name


def frame(columns: Columns, library: str = "pyarrow") -> Any:
    import narwhals

    return narwhals.from_dict(columns, backend=library).to_native()  # type: ignore[arg-type]


def columns_of(table: Any) -> Columns:
    import narwhals

    held = narwhals.from_native(table, eager_only=True)
    return {
        name: [None if gone else value for value, gone in zip(column, held[name].is_null(), strict=True)]
        for name, column in held.to_dict(as_series=False).items()
    }


def test_a_long_table_is_a_corpus(library: str) -> None:
    corpus = Corpus.from_frame(frame(ROWS, library))
    assert [one.id for one in corpus] == ["s1", "s2"]
    assert corpus[0].annotations == {"ann": ("B-PER", "O"), "bob": ("O", None)}
    assert corpus[1].annotations == {"ann": ("B-PER",)}


def test_a_corpus_comes_back_from_its_table(library: str) -> None:
    world = world_of("Ada/B-PER/B-PER/? met/O/O/? Bo/?/?/?", "x/?/O/O", docs=["d", None])
    table = world.to_frame(library)
    assert type(table).__module__.split(".")[0] == library
    assert Corpus.from_frame(table, scheme=world.scheme) == world


@settings(max_examples=50)
@given(corpora())
def test_every_corpus_of_text_and_labels_comes_back(corpus: Corpus) -> None:
    spoken = corpus.where(lambda one: len(one.tokens) > 0)
    plain = Corpus.from_records(
        [{**one.as_record(), "columns": None} for one in spoken], scheme=corpus.scheme
    )
    again = Corpus.from_frame(plain.to_frame("pyarrow"), scheme=corpus.scheme)
    for mine, other in zip(plain, again, strict=True):
        assert (mine.id, mine.doc, mine.tokens) == (other.id, other.doc, other.tokens)
        assert mine.annotations == other.annotations
        known = mine.gold is not None and any(tag is not None for tag in mine.gold)
        assert other.gold == (mine.gold if known else None)


def test_columns_may_have_other_names() -> None:
    named = {"sentence": "sid", "token": "word", "annotator": "worker", "label": "tag"}
    table = frame({named[name]: values for name, values in ROWS.items()})
    assert Corpus.from_frame(table, named) == Corpus.from_frame(frame(ROWS))
    with pytest.raises(SettingsError, match=r"no column 'sentence', it has sid.*say which one it is"):
        Corpus.from_frame(table)
    some = {"sentence": "sid", "token": "word"}
    with pytest.raises(SettingsError, match=r"columns=\{'annotator': 'worker'\}"):
        Corpus.from_frame(table, some)
    with pytest.raises(SettingsError, match="columns cannot name 'word', choose from sentence"):
        Corpus.from_frame(table, {"word": "token"})
    with pytest.raises(SettingsError, match="no column 'nope' for label, it has sid"):
        Corpus.from_frame(table, {**named, "label": "nope"})


def test_positions_put_shuffled_rows_in_order() -> None:
    shuffled = [4, 3, 0, 2, 1]
    placed = {**ROWS, "position": [1, 2, 1, 2, 1]}
    table = frame({name: [values[row] for row in shuffled] for name, values in placed.items()})
    corpus = Corpus.from_frame(table)
    assert [one.tokens for one in corpus] == [("Bo",), ("Ada", "slept")]
    assert corpus[1].annotations == Corpus.from_frame(frame(ROWS))[0].annotations


def test_missing_values_are_missing_in_every_library(library: str) -> None:
    rows: Columns = {
        "sentence": [1, 1, 2],
        "token": ["a", "b", "c"],
        "annotator": ["7", "7", None],
        "label": [None, "O", None],
        "doc": ["d", "d", None],
        "gold": ["O", None, None],
    }
    first, second = Corpus.from_frame(frame(rows, library))
    assert (first.id, first.doc, first.annotations, first.gold) == ("1", "d", {"7": (None, "O")}, ("O", None))
    assert (second.id, second.doc, second.annotations, second.gold) == ("2", None, {}, None)


def test_whole_numbers_that_became_floats_are_whole_again() -> None:
    rows = {**ROWS, "sentence": [1.0, 1.0, 1.0, 1.0, 2.0], "annotator": [3.0, 3.0, 4.0, 4.0, 3.0]}
    corpus = Corpus.from_frame(frame(rows))
    assert (corpus.text.ids, corpus.annotators) == (("1", "2"), ("3", "4"))


def test_gold_alone_needs_no_annotators() -> None:
    table = frame({"sentence": ["s", "s"], "token": ["Ada", "slept"], "gold": ["B-PER", "O"]})
    assert Corpus.from_frame(table)[0].gold == ("B-PER", "O")


def test_a_lazy_frame_is_collected() -> None:
    polars = pytest.importorskip("polars")
    assert Corpus.from_frame(polars.LazyFrame(ROWS)) == Corpus.from_frame(frame(ROWS))


def test_pandas_categories_are_taken() -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(ROWS).astype({"annotator": "category", "label": "category"})
    assert Corpus.from_frame(table) == Corpus.from_frame(frame(ROWS))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"token": ["Ada", "slept", "Ada", "woke", "Bo"]}, "frame: sentence s1: token 1 is 'woke' in row 3"),
        ({"token": ["Ada", None, "Ada", "slept", "Bo"]}, "sentence s1: row 1 has no token"),
        ({"sentence": ["s1", None, "s1", "s1", "s2"]}, "row 1 does not name its sentence"),
        ({"annotator": ["ann", "ann", "bob", "bob", None]}, "row 4 has the label 'B-PER' and no annotator"),
        ({"doc": ["d", "d", "e", "e", "d"]}, "row 2 is in the document 'e', others in 'd'"),
        ({"gold": ["O", "O", "B-PER", "O", "O"]}, "gold label 0 is 'B-PER' in row 2 and 'O' before"),
        ({"position": [0, 1, 0, None, 0]}, "row 3 has the position None, a whole number is needed"),
        ({"position": [0, 1.5, 0, 1, 0]}, "row 1 has the position 1.5"),
        ({"position": [5, 6, 5, 6, 5]}, "positions begin with 5, count the tokens from 0 or 1"),
        ({"position": [0, 2, 0, 2, 0]}, "no row has token 1, though there is one at 2"),
        (
            {"position": [0, 1, 0, 1, 0], "annotator": ["ann"] * 5},
            "ann labels token 0 twice .row 2.*duplicates=",
        ),
    ],
)
def test_a_faulty_row_is_told_with_its_place(change: Columns, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        Corpus.from_frame(frame({**ROWS, **change}))


@pytest.mark.parametrize(("kept", "label"), [("first", "B-PER"), ("newest", "O")])
def test_repeated_rows_are_kept_as_asked(kept: str, label: str) -> None:
    rows = {**ROWS, "position": [0, 1, 0, 1, 0], "annotator": ["ann"] * 5}
    assert Corpus.from_frame(frame(rows), duplicates=kept)[0].annotations["ann"][0] == label


def test_what_is_no_frame_is_named() -> None:
    with pytest.raises(
        SettingsError, match="a data frame of pandas, polars or pyarrow is expected, not a list"
    ):
        Corpus.from_frame([ROWS])


def test_the_missing_extra_is_told_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "narwhals", None)
    world = world_of("x/O/O")
    for wish in (lambda: Corpus.from_frame(object()), lambda: world.to_frame("pyarrow")):
        with pytest.raises(MissingExtraError, match=r"pip install 'crowdseq\[frames\]'"):
            wish()


def test_a_library_that_is_not_known_or_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SettingsError, match="backend cannot be 'excel', choose one of pandas, polars"):
        world_of("x/O/O").to_frame("excel")
    monkeypatch.setattr("crowdseq.core.frame_writing.find_spec", lambda _: None)
    with pytest.raises(
        SettingsError, match="a data frame needs pandas or polars or pyarrow: pip install pandas"
    ):
        world_of("x/O/O").to_frame()


def _consensus(docs: list[str] | None = None) -> Consensus:
    world = world_of("Ada/B-PER/B-PER Lovelace/I-PER/O", "slept/O/O", docs=docs)
    report = AnnotatorReport("a1", 2, 3, 0.5, (0.25, 0.75), 1.0, 0.5, None, None, np.zeros((3, 3)), ("slow",))
    rows = np.array([[0.25, 0.5, 0.25], [0.25, 0.25, 0.5], [1.0, 0.0, 0.0]])
    return Consensus(world, world.scheme.ids(["B-PER", "I-PER", "O"]), rows, (report,))


def test_a_consensus_is_a_table_of_tokens_or_spans(library: str) -> None:
    consensus = _consensus()
    assert columns_of(consensus.to_frame(backend=library)) == {
        "sentence": ["s1", "s1", "s2"],
        "position": [0, 1, 0],
        "token": ["Ada", "Lovelace", "slept"],
        "label": ["B-PER", "I-PER", "O"],
        "confidence": [0.5, 0.5, 1.0],
    }
    spans = columns_of(_consensus(["d", "d"]).to_frame("spans", library))
    assert spans == {
        "sentence": ["s1"],
        "doc": ["d"],
        "start": [0],
        "end": [2],
        "label": ["PER"],
        "text": ["Ada Lovelace"],
        "confidence": [0.5],
    }
    with pytest.raises(SettingsError, match="rows cannot be 'words', choose tokens or spans"):
        consensus.to_frame("words")


def test_annotators_are_a_table(library: str) -> None:
    reports: Any = _consensus().annotators
    table = columns_of(reports.to_frame(library))
    assert table["annotator"] == ["a1"]
    assert (table["skill_low"], table["skill_high"]) == ([0.25], [0.75])
    assert table["flags"] == ["slow"]
    assert "confusion" not in table
