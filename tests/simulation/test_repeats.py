"""What was got wrong once is got wrong again, as often as asked."""

import numpy as np
import pytest

from crowdseq.core.corpus import Corpus
from crowdseq.simulation.annotators import simulate
from crowdseq.simulation.mentions import Repeats
from simulation.outcomes import SPURIOUS, gold_corpus, only, outcomes, plain_corpus, repeated_alike


@pytest.fixture(scope="module")
def gold() -> Corpus:
    """Few names in long documents with room around them, so that most mentions come back."""
    return gold_corpus(21, names=6, documents=10, sentences=300, lengths=(3,), gaps=(5,))


def test_full_consistency_repeats_every_error(gold: Corpus) -> None:
    assert repeated_alike(simulate(gold, consistency=1.0, slips=0.0)) > 0.97


def test_without_consistency_errors_repeat_by_chance_only(gold: Corpus) -> None:
    two_types = simulate(gold, consistency=0.0, slips=0.0, weights=only(type=1.0), spread=0.0)
    # The mention is wrong again in half of all cases, and then has one of two wrong types.
    assert repeated_alike(two_types) < 0.4


@pytest.mark.parametrize("consistency", [0.3, 0.6, 0.9])
def test_errors_repeat_as_often_as_asked(gold: Corpus, consistency: float) -> None:
    crowd = simulate(gold, consistency=consistency, slips=0.0, weights=only(missed=1.0), spread=0.0)
    again = repeated_alike(crowd, "missed")
    assert again == pytest.approx(consistency + (1 - consistency) * 0.5, abs=0.04)


def test_precision_does_not_change_along_a_document(gold: Corpus) -> None:
    crowd = simulate(gold, consistency=0.7, annotators=8)
    seen: set[tuple[object, ...]] = set()
    first: list[bool] = []
    later: list[bool] = []
    for outcome in outcomes(crowd):
        if outcome.kind != SPURIOUS:
            key = (outcome.annotator, outcome.mention)
            (later if key in seen else first).append(outcome.kind == "right")
            seen.add(key)
    assert np.mean(first) == pytest.approx(np.mean(later), abs=0.05)


def test_a_made_up_mark_comes_back_with_its_words() -> None:
    gold = gold_corpus(22, lengths=(1,), documents=4)

    def share_marked_again(consistency: float) -> float:
        crowd = simulate(gold, consistency=consistency, weights=only(spurious=1.0, missed=1.0), slips=0.0)
        marks = [
            (outcome.annotator, outcome.mention) for outcome in outcomes(crowd) if outcome.kind == SPURIOUS
        ]
        return 1 - len(set(marks)) / len(marks)

    assert share_marked_again(1.0) > share_marked_again(0.0) + 0.15


def test_a_plain_tag_that_is_wrong_once_is_wrong_again() -> None:
    gold_tags = plain_corpus(3)

    def alike(consistency: float) -> float:
        crowd = simulate(gold_tags, consistency=consistency, annotators=1)
        words = np.char.add(crowd.text.token_ids.astype("U8"), "@")
        keys = np.char.add(
            words, np.char.add(crowd.text.document_of[crowd.text.sentence_of].astype("U8"), "@")
        )
        keys = np.char.add(keys, gold_tags.gold_tags.astype("U8")).tolist()
        last: dict[str, int] = {}
        same = []
        for key, tag in zip(keys, crowd.annotations.tags.tolist(), strict=True):
            if key in last:
                same.append(last[key] == tag)
            last[key] = tag
        return float(np.mean(same))

    assert alike(1.0) > 0.98
    assert alike(0.0) < 0.5


def test_an_item_shares_the_lot_of_the_one_before_it_in_its_group() -> None:
    repeats = Repeats.of(np.array([4, 9, 4, 4, 9, 4]))
    assert repeats.sources(np.zeros(6), 1.0).tolist() == [0, 1, 0, 0, 1, 0]
    assert repeats.sources(np.zeros(6), 0.0).tolist() == [0, 1, 2, 3, 4, 5]
    # In the order of the groups: the third of the first group starts anew, the fourth follows it.
    draws = np.array([0.0, 0.0, 0.9, 0.0, 0.0, 0.0])
    assert repeats.sources(draws, 0.5).tolist() == [0, 1, 0, 3, 1, 3]
