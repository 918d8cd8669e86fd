"""Methods side by side, each in a process of its own."""

import os
from typing import Any, cast

import numpy as np
import pytest

from builders import random_corpus
from crowdseq.core.corpus import Corpus
from crowdseq.errors import Advice, Problem, SettingsError
from crowdseq.numerics.em import quiet
from crowdseq.workflows import comparing
from crowdseq.workflows.comparing import Comparison, Row, compare, parse_method_settings
from crowdseq.workflows.peak_memory import peak_megabytes


@pytest.mark.parametrize("jobs", [1, 2])
def test_spawned_processes_compare_methods(jobs: int) -> None:
    world = random_corpus(1, sentences=30, documents=6)
    rows = compare(Comparison(world, ["majority-vote", "dawid-skene"], test=world), jobs=jobs)
    assert [row.method for row in rows] == ["majority-vote", "dawid-skene"]
    for row in rows:
        assert row.error is None
        assert row.consensus is not None
        assert row.consensus["f1"] > 0.3
        assert row.tagger is not None
        assert row.memory_mb is not None
        assert row.memory_mb > 10


def test_each_door_words_the_error_of_a_method() -> None:
    fault = Problem("a column is missing:", advice=Advice("say {columns}", columns="token,column:pos"))
    row = Row("majority-vote", error=str(fault), fault=fault)
    told = row.worded(lambda name, value: f"--{name} {value}")
    assert told.error == "a column is missing: say --columns token,column:pos"
    assert told.as_dict()["error"] == told.error
    assert "fault" not in told.as_dict()


def test_a_failing_method_stops_no_other() -> None:
    world = random_corpus(1, sentences=10).without_gold()
    rows = compare(Comparison(world, ["gold", "majority-vote"], tagger=False))
    assert rows[0].error is not None
    assert "gold" in rows[0].error
    assert rows[1].error is None
    assert rows[1].consensus is None


def test_an_unknown_method_is_told_before_time_is_spent() -> None:
    with pytest.raises(SettingsError, match="unknown"):
        compare(Comparison(random_corpus(1), ["guessing"]))


def test_a_method_draws_with_a_seed_of_its_own() -> None:
    world, drawn = random_corpus(2, sentences=30), {"ties": "random"}
    alone = compare(
        Comparison(world, ["majority-vote"], tagger=False, seed=7, settings={"majority-vote": drawn})
    )
    own = compare(
        Comparison(world, ["majority-vote"], tagger=False, settings={"majority-vote": drawn | {"seed": "7"}})
    )
    assert [alone[0].error, own[0].error] == [None, None]
    assert alone[0].consensus == own[0].consensus
    assert own[0].consensus != compare(Comparison(world, ["majority-vote"], tagger=False))[0].consensus


class Fatal:
    """Ends the process that unpacks it."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os._exit, (9,)


def test_a_process_that_dies_takes_no_other_with_it() -> None:
    world = random_corpus(1, sentences=10)
    dying = comparing._Task(world, "ibcc", {}, cast(Corpus, Fatal()), 0, False)
    fine = comparing._Task(world, "majority-vote", {}, None, 0, False)
    rows = {row.method: row for row in comparing._rows([dying, fine], 1, quiet)}
    assert "ended from outside" in str(rows["ibcc"].error)
    assert rows["majority-vote"].error is None
    assert rows["majority-vote"].consensus is not None


def test_every_method_is_announced_and_reported() -> None:
    told: list[tuple[str, int, int]] = []
    wanted = Comparison(random_corpus(1, sentences=5), ["majority-vote", "ibcc"], tagger=False)
    compare(wanted, progress=lambda *step: told.append(step))
    first, second = "majority-vote (1 of 2)", "ibcc (2 of 2)"
    assert told == [(first, 0, 1), (first, 1, 1), (second, 0, 1), (second, 1, 1)]


def test_settings_reach_their_method_alone() -> None:
    world = random_corpus(1, sentences=40, accuracy=0.5)
    wanted = parse_method_settings(("ibcc.rounds=1", "dawid-skene.smoothing=1e3", "ibcc.share-prior=2"))
    assert wanted == {"ibcc": {"rounds": "1", "share_prior": "2"}, "dawid-skene": {"smoothing": "1e3"}}
    rows = compare(
        Comparison(world, ["ibcc", "majority-vote"], tagger=False, settings={"ibcc": wanted["ibcc"]})
    )
    expected = [
        comparing.compare_one(world, "ibcc", None, 0, False, rounds=1, share_prior=2.0),
        comparing.compare_one(world, "majority-vote", None, 0, False),
    ]
    assert [row.calibration for row in rows] == [row.calibration for row in expected]
    assert rows[0].calibration != comparing.compare_one(world, "ibcc", None, 0, False).calibration


@pytest.mark.parametrize(
    "text", ["rounds=5", ".rounds=5", "ibcc.rounds", "guessing.rounds=5", "ibcc.length=5", "ibcc.rounds=0"]
)
def test_settings_that_fit_no_method_are_refused(text: str) -> None:
    with pytest.raises(SettingsError):
        parse_method_settings((text,))


def test_settings_of_a_method_that_is_not_compared_are_refused() -> None:
    with pytest.raises(SettingsError, match="not compared"):
        compare(Comparison(random_corpus(1), ["majority-vote"], settings={"ibcc": {"rounds": 5}}))


def test_memory_is_that_of_the_method_and_not_of_who_asked() -> None:
    ballast = np.ones(300_000_000 // 8)
    row = compare(Comparison(random_corpus(1, sentences=5), ["majority-vote"], tagger=False))[0]
    assert ballast.sum() > 0
    assert row.memory_mb is not None
    assert row.memory_mb < peak_megabytes() - 100


def test_compiling_is_done_before_the_clock_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []

    def failing(corpus: Corpus, *_: object, **__: object) -> None:
        seen.append(len(corpus))
        raise ZeroDivisionError

    monkeypatch.setattr(comparing, "learn", failing)
    world = random_corpus(1, sentences=50)
    with pytest.raises(ZeroDivisionError):
        comparing._row(comparing._Task(world, "ibcc", {}, None, 0, False))
    assert seen == [20, 50]
