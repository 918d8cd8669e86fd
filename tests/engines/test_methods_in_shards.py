"""Whole methods over shards: results do not hang on threads or engines, and hardly on the cut."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crowdseq
from crowdseq.aggregation.contract import Aggregator, JointAggregator, RunContext
from crowdseq.core.corpus import Corpus
from crowdseq.engines.engine import Engine
from crowdseq.engines.local import LocalEngine
from crowdseq.formats import read
from crowdseq.methods import list_methods
from shard_worlds import PicklingEngine, PoolEngine, quarter, shuffled

SETTINGS: dict[str, dict[str, Any]] = {
    "bsc": {},
    "crf-ma": {"features": "basic"},
    "dawid-skene": {},
    "hmm-crowd": {"rounds": 3},
    "ibcc": {},
    "mace": {"restarts": 2},
    "sa-slc": {"rounds": 4},
    "sembler": {"features": "basic"},
}
CUT = sorted(SETTINGS)
# A round of these is many steps of an optimiser, in which rounding grows.
FEW_STEPS = {"sa-slc": {"steps": 1}, "sembler": {"iterations": 2}, "crf-ma": {"iterations": 2}}


@pytest.fixture(scope="module")
def demo() -> Corpus:
    return crowdseq.demo_corpus()


def recipe(name: str, corpus: Corpus, **settings: Any) -> Aggregator:
    """The method with shards that cut the corpus into four."""
    return list_methods()[name](**(SETTINGS[name] | {"shard_tokens": quarter(corpus)} | settings))


def test_every_method_that_sums_over_documents_can_be_cut() -> None:
    able = {name for name, made in list_methods().items() if "shard_tokens" in made.__dataclass_fields__}  # type: ignore[attr-defined]
    assert able == set(CUT)
    assert set(list_methods()) - able == {"gold", "majority-vote"}


@pytest.mark.parametrize("name", CUT)
def test_the_first_round_agrees_with_that_of_one_shard(demo: Corpus, name: str) -> None:
    short = {"rounds": 1} | FEW_STEPS.get(name, {})
    one = recipe(name, demo, **(short | {"shard_tokens": demo.n_tokens})).aggregate(demo)
    four = recipe(name, demo, **short).aggregate(demo)
    assert four.history[0] == pytest.approx(one.history[0], rel=1e-12)
    np.testing.assert_allclose(four.probabilities, one.probabilities, atol=1e-8)


@pytest.mark.parametrize("name", CUT)
def test_nearly_all_tags_are_those_of_one_shard(demo: Corpus, name: str) -> None:
    one = recipe(name, demo, shard_tokens=demo.n_tokens).aggregate(demo)
    four = recipe(name, demo).aggregate(demo)
    assert np.mean(one.tag_ids == four.tag_ids) >= 0.999


def test_nearly_all_tags_of_a_real_crowd_are_those_of_one_shard(shared_data: Path) -> None:
    crowd = read(shared_data / "amt_conll2003" / "crowd.jsonl.gz").corpus
    one, four = (
        list_methods()["sa-slc"](rounds=2, shard_tokens=size).aggregate(crowd)  # type: ignore[call-arg]
        for size in (crowd.n_tokens, quarter(crowd))
    )
    assert np.mean(one.tag_ids == four.tag_ids) >= 0.999


# Engines differ in how things travel, not in how long an optimiser runs.
QUICK: dict[str, dict[str, Any]] = {
    "sa-slc": {"steps": 4, "folds": 3, "tagger_features": "basic"},
    "crf-ma": {"iterations": 10},
}


def same_bits(name: str, corpus: Corpus, first: Engine, second: Engine, **settings: Any) -> None:
    made = recipe(name, corpus, **(QUICK.get(name, {}) | {"rounds": 2} | settings))
    results = []
    for engine in (first, second):
        context = RunContext(engine=engine)
        if isinstance(made, JointAggregator):
            learned = made.learn(corpus, context)
            tagger: Any = learned.tagger
            results.append((learned.consensus, [stream.pair_weights for stream in tagger.streams]))
        else:
            results.append((made.aggregate(corpus, context), []))
    (one, one_weights), (two, two_weights) = results
    np.testing.assert_array_equal(one.probabilities, two.probabilities)
    np.testing.assert_array_equal(one.tag_ids, two.tag_ids)
    assert one.history == two.history
    for mine, theirs in zip(one_weights, two_weights, strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.parametrize("name", CUT)
def test_for_a_given_cut_any_number_of_threads_gives_the_same_bits(
    demo: Corpus, name: str, threads: int
) -> None:
    same_bits(name, demo, LocalEngine(), LocalEngine(threads))


@pytest.mark.parametrize("name", CUT)
def test_nothing_is_shared_between_driver_and_shards_but_what_travels(demo: Corpus, name: str) -> None:
    same_bits(name, demo, LocalEngine(), PicklingEngine())


@pytest.fixture
def pool() -> Iterator[PoolEngine]:
    engine = PoolEngine()
    yield engine
    engine.close()


def test_shards_in_other_processes_give_the_same_bits(demo: Corpus, pool: PoolEngine) -> None:
    same_bits("sa-slc", demo, LocalEngine(), pool, shard_tokens=demo.n_tokens // 2 + 400)


@pytest.mark.parametrize("name", CUT)
def test_order_and_names_do_not_matter_to_shards(demo: Corpus, name: str) -> None:
    """To the bit where a method puts the corpus in canonical order, else but for sums in a shard."""
    first, second = (recipe(name, demo, rounds=2).aggregate(one) for one in (demo, shuffled(demo, 1)))
    if name in FEW_STEPS:
        assert first.history == second.history
    elif name != "mace":  # which draws a start for each annotator in the order of their names
        assert second.history == pytest.approx(first.history, rel=1e-9)


def test_a_run_in_shards_goes_on_from_what_was_kept(demo: Corpus) -> None:
    made = recipe("sa-slc", demo, rounds=3, tolerance=0.0)
    kept: list[dict[str, Any]] = []

    class Keeper:
        def load(self) -> dict[str, Any] | None:
            return kept[0] if kept else None

        def keep(self, arrays: Any) -> None:
            kept.append({name: np.array(values) for name, values in arrays.items()})

    whole = made.aggregate(demo, RunContext(keeper=Keeper()))
    assert kept[0]["unary"].shape == (demo.n_tokens, len(demo.scheme))
    again = made.aggregate(demo, RunContext(keeper=Keeper()))
    np.testing.assert_array_equal(whole.probabilities, again.probabilities)
    assert whole.history == again.history
