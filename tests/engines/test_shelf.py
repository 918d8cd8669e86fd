"""A shelf keeps workers within a bound of memory; what leaves it comes back as it was."""

import gc
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crowdseq.engines.engine import asks_only
from crowdseq.engines.shelf import Bound, Shelf
from crowdseq.engines.spilling import Spill, megabytes_of
from crowdseq.errors import CrowdseqError


class Heavy:
    """A worker of a megabyte, with texts."""

    def __init__(self, number: int) -> None:
        self.numbers = np.full(125_000, float(number))
        self.texts = tuple(f"{number} {place}" for place in range(1000))

    def add(self, number: float) -> float:
        self.numbers += number
        return float(self.numbers.sum())

    def grow(self) -> None:
        self.more = np.zeros(125_000)

    @asks_only
    def total(self) -> float:
        return float(self.numbers.sum())


def shelf_of(tmp_path: Path, megabytes: float) -> Shelf:
    shelf = Shelf(Bound(megabytes))
    for place in range(4):
        shelf.add(place, tmp_path / str(place), Heavy(place))
    return shelf


def on_disk(tmp_path: Path) -> list[str]:
    return sorted(path.name for path in tmp_path.iterdir())


def test_a_worker_weighs_its_arrays_and_texts() -> None:
    assert megabytes_of(Heavy(1)) == pytest.approx(1.064)


@pytest.mark.parametrize("megabytes", [0.0, 2.5, 100.0])
def test_what_is_asked_does_not_depend_on_the_memory(tmp_path: Path, megabytes: float) -> None:
    shelf = shelf_of(tmp_path, megabytes)
    for turn in range(1, 4):
        told = [shelf.ask(place, 2 * turn, "add", (1.0,), save=False) for place in range(4)]
        assert [one.given for one in told] == [125_000.0 * (place + turn) for place in range(4)]
        told = [shelf.ask(place, 2 * turn + 1, "total", (), save=False) for place in range(4)]
        assert [one.given for one in told] == [125_000.0 * (place + turn) for place in range(4)]
        assert all(one.seconds is None for one in told)


def test_those_that_came_first_stay_in_memory(tmp_path: Path) -> None:
    shelf = shelf_of(tmp_path, 2.5)
    assert on_disk(tmp_path) == ["2", "3"]
    shelf.ask(0, 1, "grow", (), save=False)
    assert on_disk(tmp_path) == ["1", "2", "3"]
    assert shelf.ask(1, 2, "total", (), save=False).given == 125_000.0


def test_there_is_less_room_where_the_process_needs_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = [500.0]
    monkeypatch.setattr("crowdseq.engines.shelf.own_megabytes", lambda: taken[0])
    shelf = Shelf(Bound(100.0, 600.0))
    for place in range(4):
        shelf.add(place, tmp_path / str(place), Heavy(place))
    assert on_disk(tmp_path) == []
    taken[0] = 601.5  # the other workers fit beside the rest
    shelf.ask(0, 1, "add", (0.0,), save=False)
    assert on_disk(tmp_path) == ["2", "3"]


def test_a_state_is_kept_when_it_is_wanted_and_before_the_turn(tmp_path: Path) -> None:
    shelf = shelf_of(tmp_path, 100.0)
    assert on_disk(tmp_path) == []
    shelf.ask(0, 1, "add", (1.0,), save=True)
    shelf.ask(0, 2, "add", (1.0,), save=False)
    other = Shelf(Bound(100.0))
    assert other.take_up(0, tmp_path / "0", 3) == 1
    assert other.ask(0, 3, "total", (), save=False).given == 125_000.0
    assert other.take_up(1, tmp_path / "1", 3) is None


def test_what_leaves_the_memory_needs_no_collector(tmp_path: Path) -> None:
    spill = Spill(tmp_path)
    spill.save(Heavy(3), 0)
    gc.disable()
    try:
        worker: Any = spill.load(1)
        seen = weakref.ref(worker)
        spill.drop()
        del worker
        assert seen() is None
    finally:
        gc.enable()


def test_a_state_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "0").write_text("a file where the folder should be")
    with pytest.raises(CrowdseqError, match="cannot be written"):
        Spill(tmp_path / "0").save(Heavy(0), 1)
