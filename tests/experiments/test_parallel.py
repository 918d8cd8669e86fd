"""Cells by several processes: a killed run loses nothing that was finished, and leaves nobody behind."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import cell_worlds
from crowdseq.experiments.cells import CellFile
from crowdseq.experiments.parallel import Workers, compute_all


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
    tests = Path(cell_worlds.__file__).parent
    killed = subprocess.Popen(
        [sys.executable, cell_worlds.__file__, str(tmp_path)], env={**os.environ, "PYTHONPATH": str(tests)}
    )
    wait_for(lambda: len(file.load()) >= 2)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
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


def test_cells_that_are_there_are_not_computed(tmp_path: Path) -> None:
    file = CellFile(tmp_path / "cells.jsonl")
    for key in cell_worlds.KEYS:
        file.append({"key": key, "square": "kept"})
    told: list[tuple[str, int, int]] = []
    workers = Workers(tmp_path, 2, lambda *what: told.append(what))
    cells = compute_all(file, cell_worlds.KEYS, cell_worlds.wait_a_little, workers)
    assert {cell["square"] for cell in cells} == {"kept"}
    assert told == [("8 of 8 cells are there", 8, 8)]
