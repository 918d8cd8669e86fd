"""Python objects to a corpus and back."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given

from crowdseq.core.corpus import Corpus
from crowdseq.errors import FormatError, SettingsError
from strategies import corpora

ADA = {"id": "s1", "doc": "d", "tokens": ["Ada", "slept"], "annotations": {"ann": ["B-PER", "O"]}}


@given(corpora())
def test_records_bring_the_corpus_back(corpus: Corpus) -> None:
    again = Corpus.from_records(corpus.to_records(), scheme=corpus.scheme)
    assert again == corpus
    assert Corpus.from_records(corpus, scheme=corpus.scheme) == corpus


@given(corpora())
def test_a_corpus_is_indexed_and_iterated(corpus: Corpus) -> None:
    listed = list(corpus)
    assert [one.id for one in listed] == list(corpus.text.ids)
    assert [one.gold for one in listed] == list(corpus.gold)
    assert corpus[: len(corpus)] == corpus
    assert [one.id for one in corpus[1::2]] == list(corpus.text.ids)[1::2]
    for number in range(-len(corpus), len(corpus)):
        assert corpus[number] == listed[number]
    for number, one in enumerate(listed):
        ballot = corpus.annotations.ballots[number]
        assert list(one.annotations) == [corpus.annotators[voter] for voter in ballot.voters]
        assert [corpus.scheme.ids(tags).tolist() for tags in one.annotations.values()] == ballot.tags.tolist()
    with pytest.raises(IndexError):
        corpus[len(corpus)]


def test_every_shape_of_crowd_jsonl_is_taken() -> None:
    corpus = Corpus.from_records(
        [
            {**ADA, "crowdseq": 1, "gold": ["B-PER", None], "columns": {"pos": ["N", "V"]}, "split": "test"},
            {"id": 2, "tokens": ("Bo",), "annotations": {"ann": None, 7: np.array(["O"], object)}},
            {"tokens": [], "annotations": None, "gold": None},
            {**ADA, "annotations": {"bob": ["O", "O"]}},
        ]
    )
    assert corpus.annotators == ("7", "ann", "bob")
    first, second, third = corpus
    assert first.annotations == {"ann": ("B-PER", "O"), "bob": ("O", "O")}
    assert (first.gold, first.columns, first.extras) == (
        ("B-PER", None),
        {"pos": ("N", "V")},
        {"split": "test"},
    )
    assert (second.id, dict(second.annotations)) == ("2", {"7": ("O",)})
    assert third.tokens == ()


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ("Ada slept", r"records\[1\]: a record is a dictionary, this is a str"),
        ({"text": "Ada"}, r"records\[1\]: 'tokens' is missing, there is text"),
        ({"token": "Ada", "label": "O"}, r"there is token, label, a table .* crowdseq\.Corpus\.from_frame"),
        ({"tokens": "Ada"}, "'tokens' must be a list of texts"),
        ({"tokens": [1]}, "a token must be a text"),
        ({"id": 1.5, "tokens": []}, "'id' must be a text, not 1.5"),
        ({"tokens": ["a"], "gold": "O"}, "'gold' must be a list of labels, or None"),
        ({"tokens": ["a"], "annotations": [["O"]]}, "'annotations' must be a dictionary"),
        ({"tokens": ["a"], "annotations": {"w": "O"}}, "annotator w: a list is expected"),
        (
            {"id": "x", "tokens": ["a"], "annotations": {"w": ["O", "O"]}},
            r"records\[1\]: x: annotator w: 2 labels",
        ),
        ({"tokens": ["a"], "annotations": {"w": [3]}}, "annotator w: a label must be a text or null"),
        (ADA, "annotator ann labelled this sentence before.*duplicates='first'"),
    ],
)
def test_a_faulty_record_is_told_with_its_place(record: Any, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        Corpus.from_records([ADA, record])


def test_all_faulty_records_are_told_at_once_but_not_a_thousand() -> None:
    with pytest.raises(FormatError) as told:
        Corpus.from_records([{}] * 1000)
    lines = str(told.value).splitlines()
    assert len(lines) == 21
    assert lines[-1].startswith("… and 980 more")
    assert len(told.value.problems) == 1000


@pytest.mark.parametrize(
    ("records", "message"),
    [
        (ADA, "put it in a list"),
        ("crowd.jsonl", r"to read a file use crowdseq\.read"),
        (7, "a list of dictionaries, not a int"),
    ],
)
def test_what_is_no_list_of_records_is_named(records: Any, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        Corpus.from_records(records)


def test_the_lines_of_a_file_are_records() -> None:
    record = {"tokens": ["a"], "annotations": {"w": ["B-like"]}}
    assert Corpus.from_records([record]).scheme.kind == "IOB2"
    marked = Corpus.from_records([{"crowdseq": 1, "crowdseq_scheme": "plain", **record}, record])
    assert (marked.scheme.kind, marked[0].extras) == ("plain", {})


def test_nothing_makes_an_empty_corpus() -> None:
    assert len(Corpus.from_records([])) == 0
