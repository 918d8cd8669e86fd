"""Marks of one annotator never get into each other's way, and are right or wrong as they claim."""

from itertools import pairwise

import numpy as np
import pytest

from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import CHUNK_KINDS
from crowdseq.core.spans import SpanTable, find_spans, paint
from crowdseq.simulation.annotators import simulate
from crowdseq.simulation.cast import cast, ordinary_stream, profile_stream
from crowdseq.simulation.marks import Marks
from crowdseq.simulation.mentions import Mentions
from crowdseq.simulation.profiles import ErrorWeights
from crowdseq.simulation.reading import read_and_mark
from crowdseq.simulation.scene import Scene
from crowdseq.simulation.settings import CrowdSettings
from simulation.outcomes import counted, gold_corpus, only

KINDS = ("shrink", "extend", "shift", "type", "split", "merge")


def _crowded(kind: str) -> Corpus:
    """Mentions that touch, or have a token or two between them."""
    return gold_corpus(51, kind=kind, types=("A", "B"), lengths=(1, 2, 3), gaps=(0, 0, 1, 2), sentences=80)


def _rows(table: SpanTable) -> list[tuple[int, int, int]]:
    return list(zip(table.starts.tolist(), table.ends.tolist(), table.types.tolist(), strict=True))


def _marks(gold: Corpus, weights: ErrorWeights, precision: float, seed: int = 0) -> Marks:
    (person,) = cast(CrowdSettings(annotators=1, precision=precision, weights=weights, seed=seed))
    return read_and_mark(Scene.of(gold), person, np.ones(len(gold), np.bool_))


@pytest.mark.parametrize("scheme", CHUNK_KINDS)
@pytest.mark.parametrize("weights", [ErrorWeights(), *(only(**{kind: 1.0}) for kind in KINDS)])
def test_marks_do_not_overlap_and_are_what_they_claim(scheme: str, weights: ErrorWeights) -> None:
    gold = _crowded(scheme)
    true = set(_rows(find_spans(gold.gold_tags, gold.offsets, gold.scheme)))
    for precision in (0.2, 0.7):
        marks = _marks(gold, weights, precision)
        assert set(_rows(marks.right)) <= true
        assert not set(_rows(marks.wrong)) & true
        assert all(before[1] <= after[0] for before, after in pairwise(_rows(marks.all)))
        sentence_of = gold.text.sentence_of
        assert all(sentence_of[start] == sentence_of[end - 1] for start, end, _ in _rows(marks.all))


@pytest.mark.parametrize("scheme", CHUNK_KINDS)
@pytest.mark.parametrize("weights", [ErrorWeights(), *(only(**{kind: 1.0}) for kind in KINDS)])
def test_marks_can_be_read_back_from_their_tags(scheme: str, weights: ErrorWeights) -> None:
    gold = _crowded(scheme)
    for seed in range(5):
        marks = _marks(gold, weights, 0.4, seed)
        tags = paint(marks.all, gold.n_tokens, gold.scheme, gold.offsets)
        assert _rows(find_spans(tags, gold.offsets, gold.scheme)) == _rows(marks.all)


@pytest.mark.parametrize(("scheme", "free"), [("IOB2", 0), ("IO", 1)])
def test_tokens_between_neighbours_are_shared_out_whole(scheme: str, free: int) -> None:
    mentions = Mentions.of(_crowded(scheme))
    gaps = 0
    for number, distance in enumerate(mentions.nearest.tolist()):
        if distance >= 0:
            shared = int(mentions.after[number] + mentions.before[number + 1])
            assert shared == max(distance - free, 0)
            gaps += distance > 0
    assert gaps > 20


def test_no_mention_reaches_out_of_its_sentence() -> None:
    gold = _crowded("IOB2")
    mentions = Mentions.of(gold)
    sentence_of = np.append(gold.text.sentence_of, -1)
    firsts, lasts = mentions.table.starts - mentions.before, mentions.table.ends + mentions.after - 1
    assert (sentence_of[firsts] == mentions.sentences).all()
    assert (sentence_of[lasts] == mentions.sentences).all()


def test_a_slip_never_fuses_two_marks() -> None:
    touching = gold_corpus(52, types=("A",), lengths=(1, 2), gaps=(0,), sentences=60)
    crowd = simulate(touching, slips=0.5, precision=0.95, recall=0.45, spread=0.0)
    for right, marks, _ in counted(crowd, lenient=True).values():
        assert right / marks == pytest.approx(0.95, abs=0.02)


def test_a_better_annotator_gets_right_nearly_all_that_a_worse_one_does() -> None:
    gold = gold_corpus(53)
    worse, better = (set(_rows(_marks(gold, ErrorWeights(), level).right)) for level in (0.4, 0.6))
    assert len(worse - better) < 0.05 * len(worse)


def test_numbers_depend_on_seed_person_and_purpose() -> None:
    draws = [
        ordinary_stream(0, 1).draws("mentions", 4),
        ordinary_stream(0, 1).draws("places", 4),
        ordinary_stream(0, 2).draws("mentions", 4),
        ordinary_stream(1, 1).draws("mentions", 4),
        profile_stream(0, "expert", 1).draws("mentions", 4),
        profile_stream(0, "careful", 1).draws("mentions", 4),
    ]
    assert len({tuple(row.tolist()) for row in draws}) == len(draws)
    assert np.array_equal(draws[0], ordinary_stream(0, 1).draws("mentions", 4))
