"""What goes wrong with Ray is mended or told in one line; a program's own use of Ray is left alone."""

import os
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from crowdseq.engines import ray_hiring
from crowdseq.engines.ray import RayEngine, import_ray
from crowdseq.engines.ray_placed import RayPlaced
from crowdseq.engines.shards import Numbering
from crowdseq.errors import SettingsError, UsageError
from crowdseq.numerics.em import quiet


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    """A program's own connection to Ray, with room for two workers."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    ray = import_ray()
    ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    yield ray
    ray.shutdown()


@pytest.fixture
def engine(ray: Any, tmp_path: Path) -> Iterator[RayEngine]:
    engine = RayEngine.start(tmp_path, 2)
    yield engine
    engine.close()
    assert ray.is_initialized()  # it was not started by us


class Adding:
    """A worker that adds up what it is told."""

    def __init__(self, number: int) -> None:
        self.total = number

    def add(self, number: int) -> int:
        self.total += number
        return self.total


def test_a_program_that_uses_ray_stays_connected(engine: RayEngine) -> None:
    assert engine.is_guest
    assert engine.place(Adding, [1, 2, 3]).each("add", 1) == [2, 3, 4]


def test_another_cluster_than_that_of_the_program_is_refused(engine: RayEngine) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        address = f"127.0.0.1:{other.getsockname()[1]}"
        with pytest.raises(SettingsError, match=r"connected to Ray at .* already"):
            RayEngine.start(engine.folder, 2, address=address)


def test_a_cluster_that_is_too_small_is_told(engine: RayEngine) -> None:
    told: list[tuple[str, int, int]] = []
    engine.workers, engine.patience, engine.tell = 3, 6.0, lambda *one: told.append(one)
    with pytest.raises(SettingsError, match=r"\d of 3 workers of Ray did not start .* 2 processors"):
        engine.place(Adding, [1, 2, 3])
    assert told[-1][0] == "waiting for workers of Ray"
    engine.workers, engine.patience = 2, 60.0  # the others have given their places back
    assert engine.place(Adding, [1, 2, 3]).each("add", 1) == [2, 3, 4]


def test_a_worker_that_is_replaced_keeps_no_place(ray: Any, engine: RayEngine) -> None:
    placed = engine.place(Adding, [1, 2])
    left = ray.get(engine.actors[0].process.remote())
    engine.replace(0)
    assert not _is_running(left)
    assert placed.each("add", 1) == [2, 3]


def _is_running(process: int) -> bool:
    for _ in range(50):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return False
        time.sleep(0.1)
    return True


def test_a_death_says_nothing_where_data_goes(
    ray: Any, engine: RayEngine, capsys: pytest.CaptureFixture[str]
) -> None:
    placed = engine.place(Adding, [1, 2])
    placed.each("add", 1)
    os.kill(ray.get(engine.actors[0].process.remote()), signal.SIGKILL)
    assert placed.each("add", 1) == [3, 4]
    time.sleep(3.0)  # Ray says it when it comes to it
    assert capsys.readouterr().out == ""


class Taking:
    """A worker that is told rows of its own."""

    def __init__(self, _: int) -> None:
        pass

    def take(self, rows: Any) -> float:
        return float(rows.sum())


def test_a_worker_that_came_later_has_nothing_of_what_was_placed_before(engine: RayEngine) -> None:
    rows = Numbering(1 << 16, (np.arange(10),)).split(np.ones(1 << 16))  # so many that lists are told once
    first = engine.place(Taking, [0])
    assert first.each("take", own=rows) == [10.0]
    engine.place(Taking, [0, 1])
    engine.replace(1)
    assert first.each("take", own=rows) == [10.0]


class Failing(SimpleNamespace):
    """Ray with one function that fails the first time."""

    def __init__(self, ray: Any, name: str, error: Exception) -> None:
        def fail_once(*_: Any) -> Any:
            setattr(self, name, getattr(ray, name))
            raise error

        own = {"get": ray.get, "put": ray.put, "exceptions": ray.exceptions}
        super().__init__(**(own | {name: fail_once}))


@pytest.mark.parametrize("kind", ["OutOfMemoryError", "ObjectLostError"])
def test_what_ray_lost_is_made_again(ray: Any, engine: RayEngine, kind: str) -> None:
    placed = engine.place(Adding, [1, 2, 3])
    placed.each("add", 1)
    made = getattr(ray.exceptions, kind)
    error = made("00" * 28, None, "") if kind == "ObjectLostError" else made("killed")
    placed._ray = Failing(ray, "get", error)
    assert placed.each("add", 1) == [3, 4, 5]
    assert engine.traffic.replaced == 1


def test_no_room_for_what_is_told_is_one_line(ray: Any, engine: RayEngine) -> None:
    engine.place(Adding, [1])
    without = Failing(ray, "put", ray.exceptions.ObjectStoreFullError("full"))
    placed: RayPlaced[Adding] = RayPlaced(without, engine, 9, engine.folder, [1])
    with pytest.raises(UsageError, match="no room left"):
        placed.begin(Adding)


def test_workers_of_another_crowdseq_are_refused(engine: RayEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_hiring, "version", lambda _: "0.0.0")
    with pytest.raises(
        SettingsError, match=r"has crowdseq .*, this process 0\.0\.0: all machines need the same"
    ):
        engine.place(Adding, [1])


class Unstartable:
    """An actor that has not what it needs."""

    def __init__(self) -> None:
        raise ImportError("No module named 'crowdseq'")

    def version(self) -> str:
        return ""


def test_workers_that_cannot_start_are_told(ray: Any) -> None:
    make = ray.remote(num_cpus=1)(Unstartable).remote
    with pytest.raises(SettingsError, match=r"cannot start .*No module named 'crowdseq'.* the same crowdseq"):
        ray_hiring.hire(ray, make, 1, quiet, 60.0)
