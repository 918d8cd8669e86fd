"""One decision for all places of a mention, with a preview, exceptions and one undo."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from crowdseq.errors import AnnotationError
from crowdseq.store.decisions import ConflictError
from crowdseq.workflows.reviewing.desk import Desk
from crowdseq.workflows.reviewing.filtering import QueueFilter
from crowdseq.workflows.reviewing.guideline import Example, GuidelineBook, GuidelineEntry
from crowdseq.workflows.reviewing.settling import MentionBoard, Settlement
from review_worlds import do, saved, words


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with Desk.open(saved(tmp_path / "run")) as opened:
        yield opened


@pytest.fixture
def board(desk: Desk) -> MentionBoard:
    return MentionBoard(desk)


def settlement(board: MentionBoard, label: str | None, **more: object) -> Settlement:
    number = board.find(["Washington"])
    assert number is not None
    disputes = board.mention(number).disputes
    known: dict[str, object] = {"id": "batch", "reviewer": "bea", "disputes": disputes, "label": label}
    return Settlement(**known | more)  # type: ignore[arg-type]


def test_mentions_are_ordered_by_gain_and_count_what_is_open(desk: Desk, board: MentionBoard) -> None:
    page = board.page()
    assert page.total == 2
    first = page.rows[0]
    assert (first.surface, first.disputes, first.matching) == (("Washington",), 3, 3)
    assert dict(first.readings) == {"LOC": 5, "PER": 4, None: 1}
    assert page.rows[0].gain > page.rows[1].gain
    do(desk, "accept", 0)
    assert next(row for row in board.page().rows if row.surface == ("Washington",)).matching == 2
    assert [row.surface for row in board.page(QueueFilter(kind="boundary")).rows] == [("New", "York")]
    assert sorted(row.dispute for row in board.contexts(first.mention).rows) == [1, 3]


def test_a_preview_says_what_would_change_and_what_a_person_decided(desk: Desk, board: MentionBoard) -> None:
    do(desk, "accept", 1)
    preview = board.preview(settlement(board, "LOC").disputes, "LOC")
    told = {place.row.dispute: (place.after, place.changes, place.is_kept) for place in preview.places}
    assert told == {
        0: (((0, 1, "LOC"),), False, False),
        1: (((1, 2, "LOC"),), True, True),
        3: (((1, 2, "LOC"),), False, False),
    }
    assert preview.n_changed == 0
    assert preview.versions == {0: 0, 1: 1, 3: 0}


def test_one_decision_settles_all_but_the_exceptions_and_one_undo_takes_it_back(
    desk: Desk, board: MentionBoard
) -> None:
    before = [words(desk, number) for number in range(5)]
    done = board.settle(settlement(board, "PER", exceptions=frozenset({3})))
    assert len(done.entries) == 2
    assert words(desk, 0) == words(desk, 1) == [("Washington", "PER")]
    assert words(desk, 3) == before[3]
    assert desk.counts()["decided"] == 2
    desk.undo("u", "bea")
    assert [words(desk, number) for number in range(5)] == before
    desk.redo("r", "bea")
    assert desk.counts()["decided"] == 2


def test_what_a_person_decided_stays_unless_asked_for(desk: Desk, board: MentionBoard) -> None:
    do(desk, "label", 1, label="LOC")
    board.settle(settlement(board, "PER"))
    assert words(desk, 1) == [("Washington", "LOC")]
    board.settle(settlement(board, None, id="other", disputes=(1,), again=frozenset({1})))
    assert words(desk, 1) == []
    with pytest.raises(AnnotationError, match="no dispute is left"):
        board.settle(settlement(board, "PER", id="third"))


def test_a_sentence_changed_since_the_preview_is_a_conflict(desk: Desk, board: MentionBoard) -> None:
    preview = board.preview(settlement(board, "PER").disputes, "PER")
    do(desk, "comment", 3, comment="wait")
    with pytest.raises(ConflictError) as caught:
        board.settle(settlement(board, "PER", versions=preview.versions))
    assert [one.state.key.id for one in caught.value.conflicts] == ["s4"]
    assert desk.counts()["decided"] == 0


def test_a_label_takes_the_edges_that_people_draw_for_it(desk: Desk, board: MentionBoard) -> None:
    number = board.find(["New", "York"])
    assert number is not None
    disputes = board.mention(number).disputes
    board.settle(settlement(board, "LOC", disputes=disputes))
    assert words(desk, 2) == [("New York", "LOC")]
    board.settle(settlement(board, "PER", id="b2", disputes=disputes, again=frozenset(disputes)))
    assert words(desk, 2) == [("New York", "PER")]


def test_an_unknown_label_or_mention_is_refused(board: MentionBoard) -> None:
    with pytest.raises(AnnotationError, match="not one of LOC, PER"):
        board.settle(settlement(board, "DATE"))
    with pytest.raises(AnnotationError, match="no mention number 77"):
        board.contexts(77)
    assert board.find(["Nowhere"]) is None


def test_preparing_gives_the_same_page(desk: Desk) -> None:
    board = MentionBoard(desk)
    board.prepare()
    assert board.page() == MentionBoard(desk).page()


def test_an_entry_becomes_part_of_the_guideline_file(desk: Desk, board: MentionBoard) -> None:
    book = GuidelineBook(desk)
    board.settle(settlement(board, "PER", exceptions=frozenset({3})))
    entry = GuidelineEntry(
        id="g1",
        reviewer="bea",
        mention=("Washington",),
        pair=("LOC", "PER"),
        label="PER",
        text="A *person*,\nunless <script>.",
        examples=book.examples([0, 1]),
    )
    added = book.add(entry)
    assert added.examples[1] == Example("Mr", "Washington", "slept", "PER")
    assert book.add(entry) == added, "asked twice, logged once"
    assert book.entries() == (added,)
    page = (desk.folder / "guideline.md").read_text()
    assert "## “Washington”: LOC or PER" in page
    assert r"A \*person\*, unless \<script\>." in page
    assert "- Mr **Washington** slept → PER" in page
    book.remove("g1", id="u1", reviewer="bea")
    assert (desk.folder / "guideline.md").read_text() == "# Guideline\n"


def test_an_entry_about_nothing_is_refused(desk: Desk) -> None:
    with pytest.raises(AnnotationError, match="mention or a pair"):
        GuidelineBook(desk).add(GuidelineEntry(id="g", reviewer="bea"))
