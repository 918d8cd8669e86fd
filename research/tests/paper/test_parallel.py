"""Cells by several processes: a killed run loses nothing that was finished, and leaves nobody behind."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import cell_worlds
from crowdseq_research.cells.cell_file import CellFile
from crowdseq_research.cells.parallel import Workers, compute_all


def start(folder: Path) -> subprocess.Popen[bytes]:
    """The run of `cell_worlds` in a process group of its own."""
    command = [sys.executable, cell_worlds.__file__, str(folder)]
    path = os.pathsep.join([str(Path(cell_worlds.__file__).parent), *filter(None, sys.path)])
    # Slow enough that a busy machine does not finish them before the signal.
    environment = {**os.environ, "PYTHONPATH": path, "CELL_SECONDS": "0.6"}
    return subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, start_new_session=True)


def wait_for(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "waited too long"
        time.sleep(0.02)


def is_running(process: int) -> bool:
    status = Path(f"/proc/{process}/stat")
    try:
        return status.read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_killed_run_goes_on_where_it_was(tmp_path: Path) -> None:
    file, log = CellFile(tmp_path / "cells.jsonl"), tmp_path / "log"
    killed = start(tmp_path)
    wait_for(lambda: len(file.load()) >= 2)
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    workers = {int(line.split()[0]) for line in log.read_text().splitlines()}
    wait_for(lambda: not any(map(is_running, workers)))
    finished = file.load()
    assert 2 <= len(finished) < len(cell_worlds.KEYS)
    log.write_text("")
    with file.path.open("a") as half:
        half.write('{"key": {"data": "no')
    cells = cell_worlds.run(tmp_path)
    assert [cell["square"] for cell in cells] == [number**2 for number in range(8)]
    assert len(log.read_text().splitlines()) == len(cells) - len(finished)


def test_an_interrupt_ends_the_workers_without_a_word(tmp_path: Path) -> None:
    run, log = start(tmp_path), tmp_path / "log"
    wait_for(log.exists)
    os.killpg(run.pid, signal.SIGINT)  # as a terminal does: to all of them
    words = run.communicate()[1].decode()
    workers = {int(line.split()[0]) for line in log.read_text().splitlines()}
    wait_for(lambda: not any(map(is_running, workers)))
    assert run.returncode == -signal.SIGINT
    assert words.count("Traceback") == 1, words
    assert "SpawnProcess" not in words


def test_a_cell_that_fails_is_told_and_those_before_it_are_kept(tmp_path: Path) -> None:
    file, workers = CellFile(tmp_path / "cells.jsonl"), Workers(tmp_path, 1, lambda *_: None)
    keys: list[dict[str, object]] = [
        *cell_worlds.KEYS[:2],
        {"data": "none", "method": "wait", "number": "no number"},
    ]
    with pytest.raises(TypeError):
        compute_all(file, keys, cell_worlds.wait_a_little, workers)
    assert len(file.load()) == 2


def test_cells_that_are_there_are_not_computed(tmp_path: Path) -> None:
    file = CellFile(tmp_path / "cells.jsonl")
    for key in cell_worlds.KEYS:
        file.append({"key": key, "square": "kept"})
    told: list[tuple[str, int, int]] = []
    workers = Workers(tmp_path, 2, lambda *what: told.append(what))
    cells = compute_all(file, cell_worlds.KEYS, cell_worlds.wait_a_little, workers)
    assert {cell["square"] for cell in cells} == {"kept"}
    assert told == [("8 of 8 cells are there", 8, 8)]
