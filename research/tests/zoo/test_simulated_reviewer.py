"""The simulated reviewer: keys are counted as the pages have them, and gold is what comes out."""

import pytest

from crowdseq.core.building import CorpusBuilder, Record
from crowdseq.core.corpus import Corpus
from crowdseq_research.zoo.review_keys import (
    ShownPlace,
    keys_at_dispute,
    keys_on_screen,
    keys_to_edit,
    wrong_places,
)
from crowdseq_research.zoo.simulated_reviewer import keys_to, review, table

PER, LOC = (1, 3, "PER"), (1, 3, "LOC")


@pytest.mark.parametrize(
    ("now", "wanted", "lanes", "keys"),
    [
        ((PER,), (PER,), (), 1),  # Enter
        ((PER,), (LOC,), ((LOC,),), 1),  # a lane
        ((PER,), (), (), 1),  # n
        ((PER,), (LOC,), (), 2),  # Alt+digit, Enter
        ((), (PER,), (), 2),
        ((PER,), ((1, 2, "PER"),), (), 2),  # an edge, Enter
        ((PER,), ((0, 2, "LOC"),), (), 4),
        ((PER,), ((1, 2, "PER"), (2, 3, "PER")), (), 2),  # split, Enter
        (((1, 2, "PER"), (2, 3, "PER")), (PER,), (), 2),  # merge, Enter
    ],
)
def test_a_place_costs_the_keys_that_its_page_asks_for(now, wanted, lanes, keys) -> None:  # type: ignore[no-untyped-def]
    assert keys_at_dispute(now, wanted, lanes, (1, 3)) == keys


def test_no_key_is_needed_where_nothing_is_wrong() -> None:
    assert keys_to_edit((PER,), (PER,), (1, 3)) == 0


def test_wrong_places_leave_out_what_is_right() -> None:
    assert wrong_places((PER, (5, 6, "LOC")), ((2, 4, "PER"), (5, 6, "LOC"))) == [(1, 4)]


def _crowd(times: int, undisputed: int = 0) -> Corpus:
    """So many sentences in which two of three take a place for a person, or all of them do."""
    builder = CorpusBuilder()
    for number in range(times + undisputed):
        last = "B-LOC" if number < times else "B-PER"
        labels = {"ann": ["O", "B-PER"], "bob": ["O", "B-PER"], "cy": ["O", last]}
        builder.add(Record(("in", "Exeter"), f"s{number}", None, labels, ["O", "B-LOC"]))
    return builder.build()


def _shown(*readings: tuple, wanted: tuple) -> ShownPlace:  # type: ignore[type-arg]
    return ShownPlace((1, 3), (0, 5), readings, wanted)


@pytest.mark.parametrize(
    ("place", "keys"),
    [
        (_shown((PER,), (LOC,), wanted=(PER,)), 0),
        (_shown((PER,), (LOC,), wanted=(LOC,)), 1),  # its key
        (_shown((PER,), (LOC,), (), wanted=()), 2),  # its key twice, or its key and n
        (_shown((PER,), (), wanted=(LOC,)), 2),  # its key, Alt+digit
        (_shown((PER,), (LOC,), wanted=((1, 4, "LOC"),)), 2),  # its key, an edge
        (_shown((PER,), (LOC,), wanted=((1, 6, "LOC"),)), None),  # beyond its neighbours
    ],
)
def test_a_place_of_a_screen_costs_the_keys_that_turn_and_change_it(place: ShownPlace, keys: int) -> None:
    assert place.keys() == keys


def test_a_screen_is_settled_with_the_fewest_keys() -> None:
    wrong = [_shown((PER,), (LOC,), wanted=(LOC,))] * 3
    right, lost = _shown((PER,), (LOC,), wanted=(PER,)), _shown((PER,), wanted=((1, 9, "PER"),))
    assert keys_on_screen([right], ["LOC", "PER"]) == (1, [True])  # Enter
    assert keys_on_screen([wrong[0], right], ["LOC", "PER"]) == (2, [True, True])
    assert keys_on_screen([*wrong, right], ["LOC", "PER"]) == (3, [True] * 4)  # all LOC, one back, Enter
    assert keys_on_screen([right, lost], ["LOC", "PER"]) == (2, [True, False])  # left open, Enter


def test_one_mention_in_many_places_is_settled_with_two_keys() -> None:
    curves = review(_crowd(6), "majority-vote")
    assert {curve[-1][1] for curve in curves.values()} == {1.0}
    keys = {name: curve[-1][0] for name, curve in curves.items()}
    assert keys["mention by mention"] == 2  # a label for all, Enter
    assert keys["place by place, by the queue"] == keys["place by place, random order"] == 6
    assert keys["sentence by sentence"] == 6 * (1 + 1 + 1)  # to the token, its label, go on


def test_undisputed_places_of_the_same_words_are_mended_too() -> None:
    curves = review(_crowd(6, undisputed=3), "majority-vote")
    ends = {name: (curve[-1][0], round(curve[-1][1], 9)) for name, curve in curves.items()}
    assert ends["mention by mention"] == (3, 1.0)  # and one more Enter
    assert ends["mentions, disputed only"] == (2, round(6 / 9, 9))
    assert ends["place by place, by the queue"] == (6, round(6 / 9, 9))


def test_the_table_tells_the_share_of_the_keys_of_the_queue() -> None:
    rows = table(review(_crowd(6), "majority-vote"))
    assert "| 100% |" in rows[2]
    assert keys_to([(0, 0.0), (4, 0.6)], 0.7) is None
