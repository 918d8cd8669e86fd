"""Large exports: how long they take beside bare JSON, and how much memory beside their size."""

import json
import time
import tracemalloc
from pathlib import Path

import pytest

from crowdseq.formats import read
from make_label_studio_export import write_export


@pytest.fixture(scope="module")
def export(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("large") / "export.json"
    write_export(path, 2 << 20)
    return path


def test_the_same_seed_gives_the_same_export(export: Path, tmp_path: Path) -> None:
    write_export(tmp_path / "again.json", 2 << 20)
    assert (tmp_path / "again.json").read_bytes() == export.read_bytes()


def test_an_export_takes_not_much_longer_than_its_json(export: Path) -> None:
    def seconds_of_json() -> float:
        begun = time.process_time()
        json.loads(export.read_bytes())
        return time.process_time() - begun

    def seconds_of_reading() -> float:
        begun = time.process_time()
        read(export)
        return time.process_time() - begun

    read(export)  # the first reading compiles and imports
    bare = min(seconds_of_json() for _ in range(5))
    assert min(seconds_of_reading() for _ in range(5)) < 14 * bare  # about 7 on an idle machine


def peak_of_reading(path: Path) -> int:
    tracemalloc.start()
    try:
        read(path)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_grows_by_less_than_four_times_the_size(export: Path, tmp_path: Path) -> None:
    longer = tmp_path / "longer.json"
    write_export(longer, 5 << 20)
    grown = longer.stat().st_size - export.stat().st_size
    assert peak_of_reading(longer) - peak_of_reading(export) < 4 * grown
