"""Casts err as often as their characters say, and copies are copies."""

import numpy as np
import pytest

from crowdseq import demo_corpus
from crowdseq_research.zoo.casts import (
    BAD,
    MID,
    Character,
    Marks,
    Passage,
    blank,
    copy,
    guess,
    read,
    read_with_habits,
    tags_of,
    to_corpus,
    without_overlaps,
)


@pytest.fixture(scope="module")
def passage() -> Passage:
    return Passage.of(demo_corpus())


def shared(first: Marks, second: Marks) -> float:
    """F1 of two people's marks."""
    pairs = [(set(one), set(other)) for one, other in zip(first, second, strict=True)]
    return (
        2 * sum(len(one & other) for one, other in pairs) / sum(len(one) + len(other) for one, other in pairs)
    )


def test_a_character_without_faults_marks_the_gold(passage: Passage) -> None:
    marks = read(passage, Character(0, 0, 0, 0), np.random.default_rng(0))
    assert [tuple(spans) for spans in marks] == list(passage.spans)


def test_misses_are_as_many_as_asked(passage: Passage) -> None:
    marks = read(passage, Character(0.3, 0, 0, 0), np.random.default_rng(0))
    n_gold, n_marked = (sum(map(len, spans)) for spans in (passage.spans, marks))
    assert 0.25 < 1 - n_marked / n_gold < 0.35


def test_other_types_and_bounds_are_as_many_as_asked(passage: Passage) -> None:
    for character, field in ((Character(0, 0.3, 0, 0), 2), (Character(0, 0, 0.3, 0), slice(0, 2))):
        marks = read(passage, character, np.random.default_rng(1))
        pairs = [
            (gold, mark)
            for spans, made in zip(passage.spans, marks, strict=True)
            if len(spans) == len(made)
            for gold, mark in zip(spans, made, strict=True)
        ]
        changed = [gold[field] != mark[field] for gold, mark in pairs]
        assert 0.22 < np.mean(changed) < 0.38


def test_inventions_stand_on_capitalised_words(passage: Passage) -> None:
    marks = read(passage, Character(1, 0, 0, 0.5), np.random.default_rng(0))
    words = [
        tokens[first] for tokens, spans in zip(passage.tokens, marks, strict=True) for first, _, _ in spans
    ]
    assert words
    assert all(word[:1].isupper() for word in words)


def test_habits_make_the_same_error_again(passage: Passage) -> None:
    def split(marks: Marks) -> float:
        fate: dict[tuple[str, ...], set[bool]] = {}
        for tokens, spans, made in zip(passage.tokens, passage.spans, marks, strict=True):
            for span in spans:
                fate.setdefault(tokens[span[0] : span[1]], set()).add(span in made)
        return float(np.mean([len(fates) > 1 for fates in fate.values()]))

    random = np.random.default_rng(0)
    assert split(read_with_habits(passage, BAD, random)) < split(read(passage, BAD, random)) - 0.02


def test_copies_agree_far_more_than_readers(passage: Passage) -> None:
    random = np.random.default_rng(0)
    first, other = read(passage, MID, random), read(passage, MID, random)
    assert shared(first, copy(passage, first, 0.06, random)) > 0.9
    assert shared(first, other) < 0.7
    assert copy(passage, first, 0.0, random) == first


def test_blanks_and_guessers_do_not_read(passage: Passage) -> None:
    assert not any(blank(passage))
    gold = [list(spans) for spans in passage.spans]
    assert shared(gold, guess(passage, 0.1, np.random.default_rng(0))) < 0.1


def test_marks_never_overlap() -> None:
    assert without_overlaps([(2, 4, "A"), (0, 3, "B"), (4, 5, "C")]) == [(0, 3, "B"), (4, 5, "C")]
    assert tags_of([(0, 2, "A"), (2, 3, "A")], 4) == ["B-A", "I-A", "B-A", "O"]


def test_only_those_who_saw_a_sentence_label_it(passage: Passage) -> None:
    marks = read(passage, MID, np.random.default_rng(0))
    turn = np.arange(len(passage.tokens)) % 2 == 0
    crowd = to_corpus(passage, {"a": marks, "b": marks}, {"a": turn, "b": ~turn})
    assert crowd.n_voters.tolist() == [1] * len(crowd)
    assert crowd.gold_tags.tolist() == passage.corpus.gold_tags.tolist()
