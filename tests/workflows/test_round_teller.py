"""What a run over shards says of each round."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import crowdseq
from crowdseq.aggregation.contract import RunContext
from crowdseq.engines.local import LocalEngine
from crowdseq.engines.ordering import store_corpus
from crowdseq.engines.ray_placed import Traffic
from crowdseq.workflows.recipes import make_recipe
from crowdseq.workflows.sharded.running import RoundTeller


def _teller(engine: Any, told: list[str], *times: float) -> RoundTeller:
    clock: Callable[[], float] = iter(times).__next__
    return RoundTeller(lambda stage, *_: told.append(stage), engine, 1_000, clock)


def test_a_round_tells_its_objective_and_how_fast_it_was() -> None:
    told: list[str] = []
    teller = _teller(LocalEngine(), told, 0.0, 2.0, 2.5)
    teller("round", 7, -12.34)
    teller("start", 2, -1_000.0)
    assert told == ["round 7: objective -12.3, 500 tokens/s", "start 2: objective -1,000.0, 2,000 tokens/s"]


def test_with_ray_it_tells_what_went_between_driver_and_workers() -> None:
    told: list[str] = []
    engine = SimpleNamespace(traffic=Traffic(), actors=[None, None])
    teller = _teller(engine, told, 0.0, 1.0, 2.0)
    engine.traffic.out, engine.traffic.back = 3_000_000, 1_500_000
    teller("round", 1, -1.0)
    engine.traffic.out, engine.traffic.replaced = 4_000_000, 1
    teller("round", 2, -1.0)
    assert [line.partition("tokens/s, ")[2] for line in told] == [
        "2 workers, 3.0 MB to them, 1.5 MB back",
        "2 workers, 1.0 MB to them, 0.0 MB back, 1 replaced",
    ]


@pytest.mark.parametrize(
    ("name", "settings", "what"),
    [
        ("bsc", {"rounds": 2}, "round"),
        ("dawid-skene", {"rounds": 2}, "round"),
        ("hmm-crowd", {"rounds": 2}, "round"),
        ("ibcc", {"rounds": 2}, "round"),
        ("mace", {"restarts": 2, "rounds": 2}, "start"),
        ("sa-slc", {"rounds": 2, "steps": 2, "folds": 2, "tagger_features": "basic"}, "round"),
        ("sembler", {"rounds": 2, "features": "basic", "iterations": 2}, "round"),
    ],
)
def test_every_method_with_rounds_tells_them(
    tmp_path: Path, name: str, settings: dict[str, Any], what: str
) -> None:
    stored = store_corpus(crowdseq.demo_corpus()[:100], tmp_path / "shards", 500)
    told: list[tuple[str, int]] = []
    context = RunContext(out=tmp_path / "out", note=lambda *one: told.append(one[:2]))
    more = {} if name == "mace" else {"tolerance": 0.0}
    make_recipe(name, settings | more).aggregate_stored(stored, context)
    assert told == [(what, 1), (what, 2)]
