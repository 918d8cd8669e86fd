"""A short version of `scripts/kill_reviewers.py`."""

from pathlib import Path

import pytest

from kill_reviewers import kill_often


@pytest.mark.parametrize("seed", [1, 2])
def test_no_answered_decision_is_lost_when_the_process_is_killed(tmp_path: Path, seed: int) -> None:
    tally = kill_often(tmp_path, 6, seed)
    assert tally.answered > 20
    assert (tally.lost, tally.faults) == (0, 0)
