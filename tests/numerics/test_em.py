"""Rounds that are repeated until they stop paying."""

from math import nan

import pytest

from crowdseq.numerics.em import Climb, climb


def halve(distance: float) -> tuple[float, float]:
    """Half of the way to 0, and an objective that rises towards 0."""
    return distance / 2, -distance / 2


def test_rounds_end_when_the_objective_stops_changing() -> None:
    end = climb(halve, Climb(1.0), rounds=100, tolerance=0.01)
    assert end.converged
    assert end.history == tuple(-(0.5**n) for n in range(1, len(end.history) + 1))
    changes = [after - before for before, after in zip(end.history, end.history[1:], strict=False)]
    assert changes[-1] <= 0.01 < changes[-2]


def test_so_many_rounds_are_made_however_little_changes() -> None:
    found = climb(lambda state: (state + 1, 1.0), Climb(0), rounds=9, tolerance=0.1, least=5)
    assert (found.state, found.converged) == (5, True)


def test_rounds_end_when_they_are_over() -> None:
    end = climb(halve, Climb(1.0), rounds=3, tolerance=0.0)
    assert (end.state, len(end.history), end.converged) == (0.125, 3, False)


def test_a_round_without_a_finite_objective_is_not_taken() -> None:
    end = climb(
        lambda state: (state + 1, nan if state == 2 else float(state)), Climb(0), rounds=9, tolerance=0.0
    )
    assert (end.state, end.history, end.converged) == (2, (0.0, 1.0), False)


@pytest.mark.parametrize("broken_off", range(1, 6))
def test_going_on_from_what_was_kept_gives_what_an_unbroken_climb_gives(broken_off: int) -> None:
    def judge(state: float) -> float:
        return -abs(state - 0.2)  # the second round is the best

    kept: list[Climb[float]] = []
    whole = climb(halve, Climb(1.0), rounds=5, tolerance=0.0, keep=kept.append, judge=judge)
    assert [len(reached.history) for reached in kept] == [1, 2, 3, 4, 5]
    again = climb(halve, kept[broken_off - 1], rounds=5, tolerance=0.0, judge=judge)
    for end in (whole, again):
        assert (end.state, end.chosen, end.best_score) == (1 / 32, 0.25, judge(0.25))
        assert end.history == whole.history


def test_without_a_judge_the_newest_state_is_chosen() -> None:
    assert climb(halve, Climb(1.0), rounds=2, tolerance=0.0).chosen == 0.25


def test_a_climb_that_has_converged_is_not_gone_on_with() -> None:
    end = climb(halve, Climb(1.0), rounds=100, tolerance=0.01)
    assert climb(halve, end, rounds=100, tolerance=0.01).history == end.history


def test_progress_is_told_after_every_round() -> None:
    told: list[tuple[str, int, int]] = []
    climb(halve, Climb(1.0), rounds=2, tolerance=0.0, progress=lambda *step: told.append(step))
    assert told == [("EM rounds", 1, 2), ("EM rounds", 2, 2)]
