"""Methods side by side, each in a process of its own."""

import pytest

from builders import random_corpus
from crowdseq.errors import SettingsError
from crowdseq.workflows.comparing import compare


@pytest.mark.parametrize("jobs", [1, 2])
def test_spawned_processes_compare_methods(jobs: int) -> None:
    world = random_corpus(1, sentences=30, documents=6)
    rows = compare(world, ["majority-vote", "dawid-skene"], test=world, jobs=jobs)
    assert [row.method for row in rows] == ["majority-vote", "dawid-skene"]
    for row in rows:
        assert row.error is None
        assert row.consensus is not None
        assert row.consensus["f1"] > 0.3
        assert row.tagger is not None
        assert row.memory_mb is not None
        assert row.memory_mb > 10


def test_a_failing_method_stops_no_other() -> None:
    world = random_corpus(1, sentences=10).without_gold()
    rows = compare(world, ["gold", "majority-vote"], tagger=False)
    assert rows[0].error is not None
    assert "gold" in rows[0].error
    assert rows[1].error is None
    assert rows[1].consensus is None


def test_an_unknown_method_is_told_before_time_is_spent() -> None:
    with pytest.raises(SettingsError, match="unknown"):
        compare(random_corpus(1), ["guessing"])
