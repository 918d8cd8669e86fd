"""Records in, a checked corpus out."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import random_corpus
from crowdseq.core import assembly
from crowdseq.core.building import CorpusBuilder, Record
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import LabelScheme
from crowdseq.errors import AnnotationError, CrowdseqError, SchemeError, SettingsError
from strategies import corpora


def _build(*records: Record, duplicates: str = "error", scheme: LabelScheme | str | None = None) -> Corpus:
    builder = CorpusBuilder(duplicates=duplicates)
    for record in records:
        builder.add(record)
    return builder.build(scheme)


def _records(corpus: Corpus) -> list[Record]:
    """A corpus as the records that would make it again."""
    records = []
    for sentence, ballot, gold in zip(corpus.sentences, corpus.annotations.ballots, corpus.gold, strict=True):
        votes = {
            corpus.annotators[voter]: corpus.scheme.names(tags)
            for voter, tags in zip(ballot.voters.tolist(), ballot.tags, strict=True)
        }
        records.append(Record(sentence.tokens, sentence.id, sentence.doc, votes, gold))
    return records


@given(corpora())
def test_a_corpus_is_rebuilt_from_its_own_views(corpus: Corpus) -> None:
    assert _build(*_records(corpus), scheme=corpus.scheme) == corpus


@given(corpora(), st.randoms(use_true_random=False))
def test_the_order_of_annotators_and_of_their_files_leaves_no_trace(corpus: Corpus, random: Any) -> None:
    pieces = []
    for record in _records(corpus):
        pieces.append(replace(record, annotations={}))
        pieces.extend(
            replace(record, gold=None, annotations={name: tags}) for name, tags in record.annotations.items()
        )
    later = [piece for piece in pieces if piece.annotations]
    random.shuffle(later)
    first = [piece for piece in pieces if not piece.annotations]
    assert _build(*first, *later, scheme=corpus.scheme) == corpus


@given(corpora(), st.sampled_from(["first", "newest"]))
def test_reading_the_same_records_twice_changes_nothing(corpus: Corpus, duplicates: str) -> None:
    records = _records(corpus)
    assert _build(*records, *records, duplicates=duplicates, scheme=corpus.scheme) == corpus


@given(corpora(kinds=("IOB2", "BIOES", "BILOU", "plain")))
def test_views_of_one_sentence_agree_with_the_flat_votes(corpus: Corpus) -> None:
    votes = corpus.annotations.votes()
    listed = [
        (int(start) + place, int(voter), int(tag))
        for start, ballot in zip(corpus.offsets, corpus.annotations.ballots, strict=False)
        for voter, tags in zip(ballot.voters, ballot.tags, strict=True)
        for place, tag in enumerate(tags)
        if tag >= 0
    ]
    flat = list(zip(votes.tokens.tolist(), votes.annotators.tolist(), votes.labels.tolist(), strict=True))
    assert flat == sorted(listed)
    assert corpus.annotations.n_votes == len(listed)


def _twice(duplicates: str) -> Corpus:
    first = Record(["x", "y"], "s", gold=["O", "O"], annotations={"a": ["O", "O"], "b": ["O", "O"]})
    second = Record(["x", "y"], "s", gold=["O", "B-P"], annotations={"a": ["B-P", "O"], "c": ["O", "O"]})
    return _build(first, second, duplicates=duplicates)


@pytest.mark.parametrize(
    ("duplicates", "tags", "gold"),
    [("first", ("O", "O"), ("O", "O")), ("newest", ("B-P", "O"), ("O", "B-P"))],
)
def test_a_sentence_labelled_twice_follows_the_policy(
    duplicates: str, tags: tuple[str, ...], gold: tuple[str, ...]
) -> None:
    corpus = _twice(duplicates)
    ballot = corpus.annotations.ballots[0]
    assert corpus.annotators == ("a", "b", "c")
    assert ballot.voters.tolist() == [0, 1, 2]
    assert corpus.scheme.names(ballot.tags[0]) == tags
    assert corpus.gold[0] == gold


def test_fault_12_labelling_a_sentence_twice_is_an_error_that_names_both_places() -> None:
    builder = CorpusBuilder()
    builder.add(Record(["x"], "s", annotations={"w3": ["O"]}, place="one.jsonl:4"))
    with pytest.raises(
        AnnotationError, match=r"annotator w3 labelled this sentence before \(one.jsonl:4\), .*duplicates="
    ):
        builder.add(Record(["x"], "s", annotations={"w3": ["O"]}, place="two.jsonl:9"))


def test_a_vote_given_again_is_told_with_where_the_sentence_began() -> None:
    builder = CorpusBuilder()
    builder.add(Record(["Ada"], id="1", annotations={"a": ["O"]}, place="f:1"))
    builder.add(Record(["Ada"], id="1", annotations={"b": ["O"]}, place="f:2"))
    with pytest.raises(AnnotationError, match=r"annotator b .* before \(the sentence stands first in f:1\)"):
        builder.add(Record(["Ada"], id="1", annotations={"b": ["O"]}, place="f:3"))


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        (["x", "z"], r"for another text: token 2 is 'z' here and 'y' there"),
        (["x"], r"token 2 is the end here and 'y' there"),
        (["x", "y", "the end"], r"token 3 is 'the end' here and the end there"),
    ],
)
def test_fault_12_one_id_for_two_texts_is_an_error_at_the_first_difference(
    tokens: list[str], message: str
) -> None:
    with pytest.raises(AnnotationError, match=message):
        _build(Record(["x", "y"], "s", place="f:1"), Record(tokens, "s"))


def test_the_same_gold_in_several_files_is_no_contradiction() -> None:
    files = [Record(["x"], "s", gold=["B-P"], annotations={name: ["O"]}) for name in ("a", "b")]
    assert _build(*files).gold[0] == ("B-P",)
    with pytest.raises(AnnotationError, match=r"^gold labelled this sentence before"):
        _build(*files, Record(["x"], "s", gold=["O"]))


@pytest.mark.parametrize("kind", ["IOB1", "IOB2", "plain"])
def test_a_corpus_is_the_same_when_built_a_few_cells_at_a_time(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = _records(random_corpus(8, kind=kind, unlabelled=0.1))
    whole = _build(*records)
    monkeypatch.setattr(assembly, "_CELLS_AT_A_TIME", 7)
    assert _build(*records) == whole


def test_three_passes_of_one_annotator_leave_only_the_newest() -> None:
    passes = [Record(["x"], "s", annotations={"a": [tag]}) for tag in ("O", "B-P", "I-P")]
    corpus = _build(*passes, duplicates="newest")
    assert corpus.annotations.tags.tolist() == corpus.scheme.ids(["I-P"]).tolist()
    assert len(corpus.annotations.voters) == 1


def test_a_later_record_tells_the_document_and_columns_that_the_first_did_not_know() -> None:
    corpus = _build(
        Record(["x"], "s", annotations={"a": ["O"]}),
        Record(["y"], "t", doc="d1"),
        Record(["x"], "s", doc="d1", columns={"pos": ["N"]}, annotations={"b": ["O"]}),
    )
    assert [sentence.doc for sentence in corpus.sentences] == ["d1", "d1"]
    assert corpus.text.documents == ("d1",)
    assert corpus.sentences[0].columns == {"pos": ("N",)}
    assert corpus.sentences[1].columns == {}


@pytest.mark.parametrize(
    ("later", "message"),
    [
        (Record(["x"], "s", doc="d2"), "in document 'd2' here and in 'd1' before"),
        (Record(["x"], "s", columns={"pos": ["V"]}), "column pos is not what it was before"),
    ],
)
def test_a_later_record_may_not_contradict_the_first(later: Record, message: str) -> None:
    with pytest.raises(AnnotationError, match=message):
        _build(Record(["x"], "s", doc="d1", columns={"pos": ["N"]}), later)


@pytest.mark.parametrize(("duplicates", "split"), [("first", "dev"), ("newest", "test"), ("error", "test")])
def test_extra_fields_of_several_records_are_joined(duplicates: str, split: str) -> None:
    corpus = _build(
        Record(["x"], "s", extras={"split": "dev", "old": 1}),
        Record(["x"], "s", extras={"split": "test", "new": 2}),
        duplicates=duplicates,
    )
    assert corpus.sentences[0].extras == {"split": split, "old": 1, "new": 2}


def test_sentences_without_an_id_get_one_that_nobody_uses() -> None:
    corpus = _build(Record(["Yes"]), Record(["Yes"], "s1"), Record(["Yes"], "s3"), Record(["No"]))
    assert corpus.text.ids == ("s2", "s1", "s3", "s4")


def test_sentences_without_a_document_are_documents_of_their_own() -> None:
    corpus = _build(Record(["x"]), Record(["y"], doc="d"), Record(["z"]), Record(["w"], doc="d"))
    assert corpus.text.documents == (None, "d", None)
    assert corpus.text.document_of.tolist() == [0, 1, 2, 1]


_FAULTY: list[tuple[Mapping[str, Any], str]] = [
    ({"annotations": {"w3": ["O"] * 12}}, "annotator w3: 12 labels for 2 tokens"),
    ({"annotations": {"w3": None}}, "annotator w3: labels must be a list"),
    ({"annotations": {"w3": "OO"}}, "annotator w3: labels must be a list"),
    ({"annotations": {"w3": ["O", 7]}}, "annotator w3: a label must be a text or null"),
    ({"annotations": {"w3": ["O", ["O"]]}}, "annotator w3: a label must be a text or null"),
    ({"annotations": {"w3": ["O", " "]}}, "annotator w3: a label is empty"),
    ({"annotations": {"w3": ["O", "B-"]}}, "annotator w3: label 'B-' names no entity type"),
    ({"annotations": {"w3": ["O", "B-\t"]}}, "holds a control character"),
    ({"annotations": {3: ["O", "O"]}}, "annotator 3 is not named by a text"),
    ({"annotations": {" ": ["O", "O"]}}, "the name of an annotator is empty"),
    ({"annotations": {"a\x1b": ["O", "O"]}}, "holds a control character"),
    ({"gold": ["O"]}, "annotator gold: 1 label for 2 tokens"),
    ({"tokens": ["x", 5]}, "a token must be a text"),
    ({"tokens": "xy"}, "tokens must be a list"),
    ({"id": 5}, "the id 5 is not a text"),
    ({"doc": 5}, "the document 5 is not a text"),
    ({"columns": {"pos": ["N"]}}, "column pos: 1 value for 2 tokens"),
    ({"columns": {"pos": ["N", None]}}, "column pos: a value must be a text"),
]


@pytest.mark.parametrize(("fields", "message"), _FAULTY)
def test_a_faulty_record_is_refused_and_leaves_no_trace(fields: Mapping[str, Any], message: str) -> None:
    good = Record(["x", "y"], "s", annotations={"a": ["B-P", "O"]})
    builder = CorpusBuilder()
    builder.add(good)
    with pytest.raises(CrowdseqError, match=message):
        builder.add(Record(**{"tokens": ["x", "y"], **fields}))
    assert builder.build() == _build(good)


def test_an_unknown_policy_for_duplicates_is_wrong_use() -> None:
    with pytest.raises(
        SettingsError, match="duplicates cannot be 'last', choose one of error, first, newest"
    ):
        CorpusBuilder(duplicates="last")


def test_more_labels_than_can_be_numbered_are_refused() -> None:
    labels = [f"L{number}" for number in range(40_000)]
    with pytest.raises(SchemeError, match="more than 32767 different labels"):
        CorpusBuilder().add(Record(labels, annotations={"a": labels}))


@pytest.mark.parametrize("scheme", [None, "IOB2", "plain"])
def test_fault_17_a_corpus_of_nothing_is_a_corpus(scheme: str | None) -> None:
    empty = _build(scheme=scheme)
    assert (len(empty), empty.n_tokens, empty.annotators) == (0, 0, ())
    hollow = _build(Record([], annotations={"a": []}, gold=[]), Record(["x"]), scheme=scheme)
    assert hollow.text.lengths.tolist() == [0, 1]
    assert hollow.gold[0] == ()
    assert hollow.annotations.ballots[0].tags.shape == (1, 0)
    assert hollow.annotations.ballots[1].tags.shape == (0, 1)


def test_tags_in_a_foreign_spelling_are_respelt_and_counted() -> None:
    builder = CorpusBuilder()
    builder.add(Record(["x", "y"], annotations={"a": ["S-P", "O"], "b": ["B-P", "E-P"]}))
    corpus = builder.build("IOB2")
    assert corpus.scheme.names(corpus.annotations.ballots[0].tags[1]) == ("B-P", "I-P")
    assert builder.spelling is not None
    assert builder.spelling.respelt == {"S-P": 1, "E-P": 1}


def test_a_vote_costs_few_bytes() -> None:
    builder = CorpusBuilder()
    rng = np.random.default_rng(0)
    words = [f"w{number}" for number in range(5000)]
    for _ in range(4000):
        tokens = [words[i] for i in rng.integers(0, 5000, 15).tolist()]
        builder.add(Record(tokens, annotations={f"a{k}": ["O"] * 14 + ["B-P"] for k in range(5)}))
    corpus = builder.build()
    crowd, text = corpus.annotations, corpus.text
    arrays = (crowd.voters, crowd.row_offsets, crowd.tags, crowd.lengths, text.token_ids, text.offsets)
    # One million sentences of 15 tokens and 5 annotators are 75 million votes: 4 bytes each make 300 MB.
    assert sum(array.nbytes for array in arrays) / crowd.n_votes < 4
