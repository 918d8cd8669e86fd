"""Clusters of words as features."""

import numpy as np
import pytest

from crowdseq.errors import SettingsError
from crowdseq.tagging.clusters import Clusters, cluster_words
from crowdseq.tagging.streams import Passage

WORDS = ("paris", "Paris", "rome", "00", "x")
TABLES = {2: np.array([0, 1, 0, 1, 0], np.uint16), 4: np.array([0, 1, 2, 3, 0], np.uint16)}


def clusters() -> Clusters:
    return Clusters("vectors", WORDS, TABLES, (-2, 0), ((2,), (0,)))


def shown(source: Clusters, *sentences: str) -> list[tuple[str, ...]]:
    stream = source.stream(Passage.of_sentences([sentence.split() for sentence in sentences]))
    return [() if number < 0 else stream.table[number] for number in stream.ids.tolist()]


def test_a_word_is_found_as_written_then_without_case_then_with_digits_as_0() -> None:
    told = shown(clusters(), "Paris PARIS Rome", "47 unknown")
    assert told == [("2:1", "4:1"), ("2:0", "4:0"), ("2:0", "4:2"), ("2:1", "4:3"), ()]


def test_rounds_see_a_part() -> None:
    seen = clusters().in_rounds
    assert seen is not None
    assert seen.offsets == (0,)
    assert shown(seen, "rome") == [("2:0",)]
    assert clusters().in_tagger_alone.in_rounds is None


def test_an_empty_text_shows_nothing() -> None:
    assert shown(clusters()) == []
    assert shown(clusters(), "nothing known") == [(), ()]


def test_tables_must_fit_the_words() -> None:
    with pytest.raises(SettingsError, match="do not fit"):
        Clusters("vectors", WORDS, {2: np.array([0, 1, 2, 0, 0], np.uint16)}, (0,), ((2,), (0,)))
    with pytest.raises(SettingsError, match="do not fit"):
        Clusters("vectors", WORDS[:2], TABLES, (0,), ((2,), (0,)))


def test_sizes_that_leave_hardly_a_word_for_each_are_left_out() -> None:
    rows = np.random.default_rng(0).normal(size=(300, 5)).astype(np.float32)
    assert list(cluster_words(rows, (8, 64, 256), 0, lambda *_: None)) == [8, 64]
    few = cluster_words(rows[:9], (64,), 0, lambda *_: None)
    assert list(few) == [2]
    assert len(few[2]) == 9
