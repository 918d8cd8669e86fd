"""The simulated reviewer: keys are counted as the pages have them, and gold is what comes out."""

import pytest

from crowdseq.core.building import CorpusBuilder, Record
from crowdseq.core.corpus import Corpus
from crowdseq_research.zoo.review_keys import keys_at_dispute, keys_to_edit, wrong_places
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


def _crowd(times: int) -> Corpus:
    """So many sentences in which two of three take a place for a person."""
    builder = CorpusBuilder()
    for number in range(times):
        labels = {"ann": ["O", "B-PER"], "bob": ["O", "B-PER"], "cy": ["O", "B-LOC"]}
        builder.add(Record(("in", "Exeter"), f"s{number}", None, labels, ["O", "B-LOC"]))
    return builder.build()


def test_one_mention_in_many_places_is_settled_with_three_keys() -> None:
    curves = review(_crowd(6), "majority-vote")
    assert {curve[-1][1] for curve in curves.values()} == {1.0}
    keys = {name: curve[-1][0] for name, curve in curves.items()}
    assert keys["mention by mention"] == 3
    assert keys["mention by mention, opens by itself"] == 2  # the second reading, Enter
    assert keys["place by place, by the queue"] == keys["place by place, random order"] == 6
    assert keys["sentence by sentence"] == 6 * (1 + 1 + 1)  # to the token, its label, go on


def test_the_table_tells_the_share_of_the_keys_of_the_queue() -> None:
    rows = table(review(_crowd(6), "majority-vote"))
    assert "| 100% |" in rows[2]
    assert keys_to([(0, 0.0), (4, 0.6)], 0.7) is None
