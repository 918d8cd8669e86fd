"""Views on a corpus, and the promises of its nouns."""

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import corpus, random_corpus
from crowdseq.core.annotations import Annotations
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import CHUNK_KINDS
from crowdseq.core.spans import find_spans
from crowdseq.core.text import Sentence, Text
from crowdseq.errors import AnnotationError
from strategies import corpora

Listed = tuple[Sentence, dict[str, tuple[str | None, ...]], Any]


def _listed(corpus: Corpus) -> list[Listed]:
    """All that a corpus says of each sentence, as plain values."""
    return [
        (
            sentence,
            {
                corpus.annotators[voter]: corpus.scheme.names(tags)
                for voter, tags in zip(ballot.voters.tolist(), ballot.tags, strict=True)
            },
            gold,
        )
        for sentence, ballot, gold in zip(
            corpus.sentences, corpus.annotations.ballots, corpus.gold, strict=True
        )
    ]


@given(corpora(), st.data())
def test_selecting_sentences_is_indexing(corpus: Corpus, data: st.DataObject) -> None:
    size = len(corpus)
    chosen = data.draw(st.lists(st.integers(-size, size - 1), unique_by=lambda i: i % size)) if size else []
    listed = _listed(corpus)
    assert _listed(corpus.select(chosen)) == [listed[place] for place in chosen]
    assert corpus.select(np.array(chosen, np.int32)) == corpus.select(chosen)


@given(corpora(), st.data())
def test_a_mask_selects_what_it_marks(corpus: Corpus, data: st.DataObject) -> None:
    mask = data.draw(st.lists(st.booleans(), min_size=len(corpus), max_size=len(corpus)))
    marked = [place for place, wanted in enumerate(mask) if wanted]
    assert corpus.select(np.array(mask, np.bool_)) == corpus.select(marked)


@given(corpora())
def test_selecting_all_in_order_changes_nothing(corpus: Corpus) -> None:
    assert corpus.select(range(len(corpus))) == corpus
    assert corpus.where(lambda _: True) == corpus


def test_a_sentence_that_is_not_there_cannot_be_selected() -> None:
    with pytest.raises(IndexError):
        corpus("x/O/O").select([1])


@given(corpora(), st.data())
def test_keeping_annotators_drops_the_others_and_nothing_else(corpus: Corpus, data: st.DataObject) -> None:
    names = data.draw(st.lists(st.sampled_from(corpus.annotators), unique=True)) if corpus.annotators else []
    kept = corpus.keep_annotators(names)
    assert kept.annotators == tuple(sorted(names))
    expected = [
        (sentence, {name: tags for name, tags in votes.items() if name in names}, gold)
        for sentence, votes, gold in _listed(corpus)
    ]
    assert _listed(kept) == expected


def test_an_annotator_who_is_not_there_is_named() -> None:
    with pytest.raises(AnnotationError, match="annotator 'zoe' is not in the data, which has a1, a2"):
        corpus("x/O/O/O").keep_annotators(["a1", "zoe"])


@given(corpora())
def test_where_keeps_what_a_test_accepts(corpus: Corpus) -> None:
    kept = corpus.where(lambda sentence: len(sentence.tokens) % 2 == 0)
    assert _listed(kept) == [item for item in _listed(corpus) if len(item[0].tokens) % 2 == 0]


@given(corpora())
def test_forgetting_gold_forgets_only_gold(corpus: Corpus) -> None:
    blind = corpus.without_gold()
    assert not blind.has_gold.any()
    assert [item[:2] for item in _listed(blind)] == [item[:2] for item in _listed(corpus)]
    assert all(gold is None for gold in blind.gold)


@given(corpora(kinds=("IOB2", "BIOES", "BILOU")), st.sampled_from(CHUNK_KINDS[1:]))
def test_another_scheme_holds_the_same_spans(corpus: Corpus, kind: str) -> None:
    other = corpus.as_scheme(kind)
    assert other.scheme.kind == kind
    assert _span_rows(other, other.gold_tags, other.offsets) == _span_rows(
        corpus, corpus.gold_tags, corpus.offsets
    )
    bounds = np.append(corpus.annotations.row_starts, len(corpus.annotations.tags))
    assert _span_rows(other, other.annotations.tags, bounds) == _span_rows(
        corpus, corpus.annotations.tags, bounds
    )


def _span_rows(corpus: Corpus, tags: Any, bounds: Any) -> list[tuple[int, int, int]]:
    table = find_spans(tags, bounds, corpus.scheme, lenient=True)
    return list(zip(table.starts.tolist(), table.ends.tolist(), table.types.tolist(), strict=True))


def test_gold_that_is_missing_is_told_from_gold_that_is_outside() -> None:
    built = corpus("x/O/O y/?/O", "z/?/O", "w/O/O")
    assert list(built.gold) == [("O", None), None, ("O",)]
    assert built.has_gold.tolist() == [True, False, True]
    assert not built.is_gold_complete
    assert built.select([2]).is_gold_complete


def test_a_sentence_nobody_saw_has_an_empty_ballot() -> None:
    built = corpus("x/O/O/?", "y/O/?/?", "z/O/?/O")
    assert built.n_voters.tolist() == [1, 0, 1]
    assert [ballot.voters.tolist() for ballot in built.annotations.ballots] == [[0], [], [1]]


@pytest.mark.parametrize("view", ["sentences", "gold"])
def test_views_slice_like_lists(view: str) -> None:
    items = getattr(random_corpus(1, sentences=5), view)
    assert items[1:4] == list(items)[1:4]
    assert items[-1] == list(items)[-1]
    with pytest.raises(IndexError):
        items[5]


def test_the_arrays_of_a_corpus_cannot_be_changed() -> None:
    built = random_corpus(2)
    for array in (built.annotations.tags, built.gold_tags, built.text.token_ids, built.offsets):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_corpora_differ_by_a_single_vote() -> None:
    assert corpus("x/O/O y/O/O") == corpus("x/O/O y/O/O")
    assert corpus("x/O/O y/O/B-P") != corpus("x/O/O y/B-P/O")
    assert corpus("x/O/O") != corpus("y/O/O")
    assert corpus("x/O/O", docs=["d"]) != corpus("x/O/O")


def _parts(built: Corpus) -> tuple[Text, Annotations]:
    return built.text, built.annotations


def test_parts_that_do_not_fit_each_other_are_no_corpus() -> None:
    one, two = corpus("x/O/O y/O/O"), corpus("x/O/O")
    with pytest.raises(AnnotationError, match="same sentence lengths"):
        Corpus(one.scheme, one.text, two.annotations, one.gold_tags, one.has_gold)
    with pytest.raises(AnnotationError, match="one tag for each token"):
        Corpus(one.scheme, *_parts(one), two.gold_tags, one.has_gold)
    with pytest.raises(AnnotationError, match="outside the label scheme"):
        Corpus(one.scheme, *_parts(one), np.array([0, 9], np.int16), one.has_gold)


def test_annotations_that_do_not_fit_their_sentences_are_refused() -> None:
    def build(voters: list[int], rows: list[int], tags: list[int], lengths: list[int]) -> Annotations:
        return Annotations(("a",), *map(np.array, (voters, rows, tags, lengths)))

    assert build([0], [0, 1], [0, 0], [2]).n_votes == 2
    with pytest.raises(AnnotationError, match="one block of rows for every sentence"):
        build([0], [0, 1, 1], [0, 0], [2])
    with pytest.raises(
        AnnotationError, match="1 tags were given where the annotators' sentences have 2 tokens"
    ):
        build([0], [0, 1], [0], [2])
    with pytest.raises(AnnotationError, match="an annotator who is not listed"):
        build([1], [0, 1], [0, 0], [2])


def test_a_text_from_another_process_is_as_fixed_as_the_original() -> None:
    text = corpus("Ada/B-PER/B-PER slept/O/O").text
    copied = pickle.loads(pickle.dumps(text))
    assert copied.tokens == text.tokens
    # Else every kernel would be compiled a second time for arrays that may be written to.
    assert not copied.offsets.flags.writeable
    assert not copied.token_ids.flags.writeable
