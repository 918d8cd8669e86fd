"""zoo --again: stored cells are computed again, and a difference is an error."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from crowdseq_research import reproduce
from crowdseq_research.zoo import running
from crowdseq_research.zoo.running import Choice, cell_file, stored, zoo_again
from zoo_worlds import zoo_cell

pytestmark = pytest.mark.usefixtures("plain_rows")


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three stored cells; that of MACE is another today."""
    for row in ("mace", "bsc", "ibcc"):
        cell_file(tmp_path).append(zoo_cell("pico", row))

    def compute(key: Mapping[str, Any], _: Path) -> dict[str, Any]:
        return zoo_cell("pico", key["row"], score=0.6 if key["row"] == "mace" else 0.5)

    monkeypatch.setattr(running, "compute_zoo", compute)
    return tmp_path


def again(results: Path, *words: str) -> tuple[int, str]:
    done = CliRunner().invoke(
        reproduce.command, ["zoo", "--data", str(results), "-o", str(results), "-q", *words]
    )
    return done.exit_code, done.output


def test_a_difference_is_listed_and_fails(results: Path) -> None:
    code, told = again(results, "--again", "3")
    assert code == 1
    assert "score: 0.5 then, 0.6 now" in told


def test_equal_cells_pass(results: Path) -> None:
    code, told = again(results, "--again", "3", "--method", "bsc")
    assert code == 0
    assert "bsc, pico, draw = 0" in told


def test_the_same_seed_draws_the_same_cells(results: Path) -> None:
    tables = [zoo_again(results, results, (2, 5), lambda *_: None, Choice()) for _ in range(2)]
    assert tables[0] == tables[1]
    assert len(tables[0].rows) == 2


def test_cells_of_rows_that_are_gone_are_not_shown(results: Path) -> None:
    gone = zoo_cell("pico", "mace")
    gone["key"]["settings"] = {"habit": 7.0}
    cell_file(results).append(gone)
    assert len(stored(results).cells) == 3
