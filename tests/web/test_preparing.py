"""What the first pages need is made in the background as soon as a run is open."""

import socket
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from threading import enumerate as threads

import pytest

from builders import corpus
from crowdseq.evaluation.disputes import mentions
from crowdseq.web.desk import desk as module
from crowdseq.web.desk.desk import ReviewDesk
from crowdseq.web.desk.mention_views import screen_rows
from crowdseq.web.desk.queue import Wishes
from crowdseq.web.room import Room
from crowdseq.web.serving import listen
from web.servers import run_folder

SENTENCES = ("Ada/O/B-PER/B-PER/O met/O/O/O/O Bo/O/B-PER/B-LOC/B-PER", "Bo/O/B-PER/O/B-PER ran/O/O/O/O")
PATIENCE = 60


class Held:
    """Mentions that are made only when they are let go."""

    def __init__(self) -> None:
        self.begun, self.let_go, self.times, self.make = Event(), Event(), 0, mentions

    def __call__(self, *given: object) -> object:
        self.times += 1
        self.begun.set()
        assert self.let_go.wait(PATIENCE)
        return self.make(*given)  # type: ignore[arg-type]


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[Held]:
    made = Held()
    monkeypatch.setattr(module, "mentions", made)
    yield made
    made.let_go.set()
    for thread in threads():
        if thread.name.startswith("prepare"):
            thread.join(PATIENCE)


@pytest.fixture
def room(tmp_path: Path, held: Held) -> Iterator[Room]:
    made = Room(run_folder(corpus(*SENTENCES, annotators=["a1", "a2", "a3"]), tmp_path / "run"))
    yield made
    held.let_go.set()
    made.close()


def test_opening_a_run_begins_to_make_its_mentions_and_does_not_wait_for_them(room: Room, held: Held) -> None:
    desk = room.desk
    assert held.begun.wait(PATIENCE)
    assert len(desk.disputes) == 3  # open, though the mentions are not made


def test_the_pairs_of_labels_are_ready_before_the_mentions(room: Room, held: Held) -> None:
    desk = room.desk
    assert held.begun.wait(PATIENCE)
    made = []
    desk.once("pairs", lambda: made.append("again"))
    assert made == []
    assert {(pair.first, pair.second) for pair in desk.pairs} >= {("LOC", "PER")}


def test_a_page_that_asks_meanwhile_gets_what_is_being_made(room: Room, held: Held) -> None:
    desk = room.desk
    assert held.begun.wait(PATIENCE)
    held.let_go.set()
    rows, _ = screen_rows(desk, Wishes(), 0, 50)
    assert held.times == 1
    assert {word for row in rows for word in row["words"]} == {"Ada", "Bo"}


def test_an_answer_does_not_wait_for_the_browser_to_confirm_its_first_part() -> None:
    listening, _ = listen("127.0.0.1", 0, 1)
    listening.close()
    # asyncio sets TCP_NODELAY only where the protocol is named.
    assert listening.proto == socket.IPPROTO_TCP


def test_another_run_that_is_shown_is_prepared_too(room: Room, held: Held, tmp_path: Path) -> None:
    other = run_folder(corpus(*SENTENCES, annotators=["a1", "a2", "a3"]), tmp_path / "other")
    _ = room.desk
    assert held.begun.wait(PATIENCE)
    held.let_go.set()
    held.begun.clear()
    room.move(other)
    assert held.begun.wait(PATIENCE)
    assert isinstance(room.desk, ReviewDesk)
