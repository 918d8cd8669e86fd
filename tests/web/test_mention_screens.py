"""Screens of mentions without a browser: what they show, settle, and find elsewhere."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from builders import corpus
from crowdseq.errors import UsageError
from crowdseq.store.decisions import ConflictError
from crowdseq.web.desk.desk import ReviewDesk
from crowdseq.web.desk.elsewhere import Elsewhere
from crowdseq.web.desk.mention_views import Ticked, screen_rows, screen_view, settle_places, spot_view
from crowdseq.web.desk.queue import wishes_of
from crowdseq.workflows.reviewing.acting import Act
from review_worlds import do, saved, words

PEOPLE = ["ann", "bob", "cy"]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[ReviewDesk]:
    with ReviewDesk.open(saved(tmp_path / "run")) as opened:
        yield opened


def asked(id: str = "batch-1") -> Act:
    return Act(id=id, reviewer="bea", kind="marks", sentence=0, shown={"page": "mentions"})


def ticked(desk: ReviewDesk, number: int, *marks: tuple[int, int, str]) -> Ticked:
    view = screen_view(desk, [number])[0]
    return Ticked(tuple(view["place"]), number, view["version"], marks)


def test_a_place_stands_as_suggested_and_turns_to_what_is_likely(desk: ReviewDesk) -> None:
    view = screen_view(desk, [0])[0]
    assert view["readings"] == [((0, 1, "LOC"),), ((0, 1, "PER"),), ()]
    assert view["wall"] == [0, 3]
    blind = screen_view(desk, [0], blind=True)[0]
    assert (blind["chosen"], blind["confidence"]) == (False, None)


def test_what_a_person_decided_stands_as_decided(desk: ReviewDesk) -> None:
    do(desk, "label", 0, label="PER")
    view = screen_view(desk, [0])[0]
    assert view["readings"][0] == ((0, 1, "PER"),)
    assert (view["open"], view["who"]) == (False, "bea")


def test_rows_leave_out_what_is_decided_and_what_does_not_fit(desk: ReviewDesk) -> None:
    rows, total = screen_rows(desk, wishes_of({}), 0, 50)
    assert sorted(number for row in rows for number in row["disputes"]) == [0, 1, 2, 3]
    assert total == len(rows)
    do(desk, "accept", 1)
    assert 1 not in {n for row in screen_rows(desk, wishes_of({}), 0, 50)[0] for n in row["disputes"]}
    found, _ = screen_rows(desk, wishes_of({"words": "york"}), 0, 50)
    assert [row["words"] for row in found] == [["New York"]]
    pair, _ = screen_rows(desk, wishes_of({"first": "LOC", "second": "PER", "state": "any"}), 0, 50)
    assert sorted(n for row in pair for n in row["disputes"]) == [0, 1]
    only, _ = screen_rows(desk, wishes_of({"state": "any"}), 0, 50, mention=0, wide=True)
    assert [row["words"] for row in only] == [["Washington"]]
    with pytest.raises(UsageError, match="no mention 7"):
        screen_rows(desk, wishes_of({}), 0, 50, mention=7)


def test_places_are_settled_each_as_shown_once_and_undone_as_one(desk: ReviewDesk) -> None:
    before = [words(desk, number) for number in range(5)]
    some = [ticked(desk, 0, (0, 1, "PER")), ticked(desk, 3)]
    assert len(settle_places(desk, some, asked()).entries) == 2
    assert (words(desk, 0), words(desk, 3)) == ([("Washington", "PER")], [("Bo", "PER")])
    assert len(settle_places(desk, some, asked()).entries) == 2  # the answer was lost, and asked for again
    assert desk.store.history(10)[0].entry.seq == 2
    desk.undo("undo-1", "bea")
    assert [words(desk, number) for number in range(5)] == before


def test_a_place_changed_by_others_is_a_conflict_and_nothing_is_settled(desk: ReviewDesk) -> None:
    some = [ticked(desk, 0), ticked(desk, 3)]
    do(desk, "comment", 3, comment="wait")
    with pytest.raises(ConflictError):
        settle_places(desk, some, asked())
    with pytest.raises(ConflictError):  # and still, when it is sent again
        settle_places(desk, some, asked())
    assert desk.counts()["decided"] == 0


def test_two_places_of_a_sentence_see_each_other(tmp_path: Path) -> None:
    crowd = corpus("Ada/O/B-PER/B-PER/O Bo/O/B-PER/O/B-LOC ran/O/O/O/O", annotators=PEOPLE)
    with ReviewDesk.open(saved(tmp_path / "run", crowd)) as desk:
        places = [ticked(desk, 0, (0, 2, "PER")), ticked(desk, 1, (1, 2, "LOC"))]
        settle_places(desk, places, asked())
        assert words(desk, 0) == [("Bo", "LOC")]  # the first one gave way to what was said of the second
        assert desk.counts()["decided"] == 2


@pytest.fixture
def towns(tmp_path: Path) -> Iterator[ReviewDesk]:
    """Exeter is disputed once, taken for a person by all in two places, and part of a longer name in one."""
    crowd = corpus(
        "see/O/O/O/O Exeter/O/B-PER/B-PER/B-LOC",
        "in/O/O/O/O Exeter/O/B-PER/B-PER/B-PER now/O/O/O/O",
        "to/O/O/O/O Exeter/O/O/O/O",
        "Exeter/O/B-ORG/B-ORG/B-ORG City/O/I-ORG/I-ORG/I-ORG",
        annotators=PEOPLE,
    )
    with ReviewDesk.open(saved(tmp_path / "towns", crowd)) as opened:
        yield opened


def test_undisputed_places_that_read_otherwise_are_found_and_followed(towns: ReviewDesk) -> None:
    elsewhere = Elsewhere(towns)
    assert elsewhere.spots() == []
    do(towns, "label", 0, label="LOC")
    assert elsewhere.spots() == [(1, 1, 2, "LOC"), (2, 1, 2, "LOC")]
    view = spot_view(towns, elsewhere.spots())
    assert [one["readings"] for one in view] == [
        [((1, 2, "LOC"),), ((1, 2, "PER"),), ()],
        [((1, 2, "LOC"),), ()],
    ]
    towns.undo("undo-1", "bea")
    assert elsewhere.spots() == []
    towns.redo("redo-1", "bea")
    assert len(elsewhere.spots()) == 2


def test_what_was_decided_or_passed_over_elsewhere_is_not_asked_for_again(towns: ReviewDesk) -> None:
    elsewhere = Elsewhere(towns)
    do(towns, "label", 0, label="LOC")
    place = Ticked((1, 1, 2), None, 0, ((1, 2, "PER"),))
    settle_places(towns, [place], asked())
    assert elsewhere.spots() == []  # decided in both ways now: no rule
    towns.undo("undo-1", "bea")
    elsewhere.pass_over([(1, 1, 2)])
    assert elsewhere.spots() == [(2, 1, 2, "LOC")]


def test_one_decision_is_not_spread_over_many_places_on_which_all_agree(tmp_path: Path) -> None:
    crowd = corpus(
        "see/O/O/O/O Exeter/O/B-LOC/B-LOC/O ./O/O/I-LOC/O",
        *["it/O/O/O/O ends/O/O/O/O ./O/O/O/O"] * 8,
        annotators=PEOPLE,
    )
    with ReviewDesk.open(saved(tmp_path / "stops", crowd)) as desk:
        do(desk, "marks", 0, marks=((1, 2, "LOC"), (2, 3, "LOC")))
        assert Elsewhere(desk).spots() == []


def test_what_was_accepted_unread_says_nothing_about_other_places(towns: ReviewDesk) -> None:
    do(towns, "label", 0, label="LOC", shown={"page": "finish"})
    assert Elsewhere(towns).spots() == []


def slow_spots(desk: ReviewDesk) -> set[tuple[int, int, int, str]]:
    """What waits elsewhere, found by looking at everything."""
    fresh = Elsewhere(desk)
    return set(fresh.spots())


def test_what_waits_is_the_same_whether_it_is_followed_or_found_anew(towns: ReviewDesk) -> None:
    elsewhere = Elsewhere(towns)
    acts: list[tuple[str, int, tuple[tuple[int, int, str], ...]]] = [
        ("marks", 0, ((1, 2, "LOC"),)),
        ("marks", 1, ((1, 2, "PER"),)),
        ("undo", 0, ()),
        ("marks", 2, ((1, 2, "LOC"),)),
        ("marks", 3, ((0, 1, "LOC"),)),
        ("undo", 0, ()),
        ("undo", 0, ()),
        ("undo", 0, ()),
    ]
    for step, (kind, sentence, marks) in enumerate(acts):
        if kind == "undo":
            towns.undo(f"undo-step-{step}", "bea")
        else:
            end = marks[0][1]
            do(towns, kind, sentence=sentence, begin=end - 1, end=end, marks=marks)
        assert set(elsewhere.spots()) == slow_spots(towns), step
        assert elsewhere.count() == len(elsewhere.spots())
    assert elsewhere.count() == 0
