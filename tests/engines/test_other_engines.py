"""Engines that keep shards on disk or with Ray give the bits of the local one, also when workers die."""

import gc
import os
import signal
import socket
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crowdseq
from crowdseq.aggregation.contract import JointAggregator, RunContext
from crowdseq.core.corpus import Corpus
from crowdseq.engines.disk import DiskEngine
from crowdseq.engines.engine import Engine
from crowdseq.engines.local import LocalEngine
from crowdseq.engines.ordering import cut_canonical, store_corpus
from crowdseq.engines.ray import RayEngine, import_ray
from crowdseq.engines.shelf import Bound
from crowdseq.errors import FormatError, SettingsError
from crowdseq.methods import list_methods
from crowdseq.storage.private import remove_tree
from crowdseq.tagging.crf import CrfTrainer
from crowdseq.tagging.features import feature_settings
from crowdseq.tagging.sequence_tagger import Context
from crowdseq.workflows.sharded.spread_tagging import SpreadTagger, TagHolder

SETTINGS: dict[str, dict[str, Any]] = {
    "bsc": {},
    "dawid-skene": {},
    "hmm-crowd": {},
    "ibcc": {},
    "mace": {"restarts": 2},
    "sa-slc": {"steps": 3, "folds": 2, "tagger_features": "basic"},
    "sembler": {"features": "basic", "iterations": 4},
}


@pytest.fixture(scope="module")
def demo() -> Corpus:
    return crowdseq.demo_corpus()


@pytest.fixture(scope="module")
def results(demo: Corpus) -> dict[str, Any]:
    return {name: outcome(name, demo, LocalEngine()) for name in SETTINGS}


def outcome(name: str, corpus: Corpus, engine: Engine) -> list[Any]:
    made = list_methods()[name](**(SETTINGS[name] | {"rounds": 2, "shard_tokens": corpus.n_tokens // 8}))
    if isinstance(made, JointAggregator):
        learned = made.learn(corpus, RunContext(engine=engine))
        tagger: Any = learned.tagger
        consensus, weights = learned.consensus, [stream.pair_weights for stream in tagger.streams]
    else:
        consensus, weights = made.aggregate(corpus, RunContext(engine=engine)), []
    return [consensus.probabilities, consensus.tag_ids, np.array(consensus.history), *weights]


def same(one: list[Any], two: list[Any]) -> None:
    for mine, theirs in zip(one, two, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_the_demo_has_eight_shards_or_more(demo: Corpus) -> None:
    assert len(cut_canonical(demo, demo.n_tokens // 8).shards) >= 8


@pytest.mark.parametrize("name", sorted(SETTINGS))
@pytest.mark.parametrize("megabytes", [0.0, 3.0])
def test_shards_on_disk_give_the_same_bits(
    demo: Corpus, results: dict[str, Any], tmp_path: Path, name: str, megabytes: float
) -> None:
    same(outcome(name, demo, DiskEngine(tmp_path, 1, Bound(megabytes))), results[name])
    assert not list(tmp_path.iterdir())


@pytest.fixture(scope="module")
def ray(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RayEngine]:
    """One cluster for all tests: to start it takes longer than they do."""
    engine = RayEngine.start(tmp_path_factory.mktemp("ray"), 2)
    yield engine
    engine.close()


@pytest.mark.parametrize("name", sorted(SETTINGS))
def test_two_workers_of_ray_give_the_same_bits(
    demo: Corpus, results: dict[str, Any], ray: RayEngine, name: str
) -> None:
    same(outcome(name, demo, ray), results[name])
    assert ray.traffic.back > 0


class Killing:
    """Shards of an engine whose workers are killed in the middle of some calls, one after the other."""

    def __init__(self, engine: RayEngine, calls: list[str]) -> None:
        self._engine, self.calls, self.threads = engine, calls, engine.threads

    def place(self, make: Any, shards: Any) -> "Killing":
        self._placed = self._engine.place(make, shards)
        return self

    def each(self, call: str, *shared: object, own: Any = None) -> list[Any]:
        if call in self.calls:
            self.calls.remove(call)
            actor = self._engine.actors[len(self.calls) % len(self._engine.actors)]
            os.kill(import_ray().get(actor.process.remote()), signal.SIGKILL)
        return self._placed.each(call, *shared, own=own)


@pytest.mark.parametrize("megabytes", [1_000.0, 1.0])
def test_killed_workers_change_nothing(
    demo: Corpus, results: dict[str, Any], ray: RayEngine, megabytes: float
) -> None:
    ray.bound = Bound(megabytes)  # of those that come in their place: most of their shards are on disk
    killing = Killing(ray, ["truth.crf.evaluate", "believe", "tags"])
    same(outcome("sa-slc", demo, killing), results["sa-slc"])
    assert killing.calls == []
    assert ray.traffic.replaced >= 3


def test_calls_that_were_made_since_states_were_kept_are_made_again(ray: RayEngine) -> None:
    placed = ray.place(Counting, [10, 20, 30])
    placed.each("add", 1)
    placed.each("load", own=[np.zeros(1 << 22)] * 3)  # so much that states are kept with it
    folder = ray.folder / f"placed-{placed.number}"
    assert all((folder / f"{place:05d}" / "00000002.state").exists() for place in range(3))
    assert placed.each("add", 5) == [16, 26, 36]
    assert placed.each("add", 0) == [16, 26, 36]
    os.kill(import_ray().get(ray.actors[0].process.remote()), signal.SIGKILL)
    assert placed.each("add", 1) == [17, 27, 37]


class Keeper:
    """Keeps rounds in memory, and ends a run after the first if it is told so."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.is_ending = folder, True
        self.kept: dict[str, Any] | None = None

    def load(self) -> Mapping[str, Any] | None:
        return self.kept

    def keep(self, arrays: Mapping[str, Any]) -> None:
        self.kept = {name: np.array(values) for name, values in arrays.items()}
        if self.is_ending:
            raise InterruptedError


def test_a_run_that_goes_on_can_lose_workers_too(demo: Corpus, ray: RayEngine, tmp_path: Path) -> None:
    stored = store_corpus(demo, tmp_path / "shards", demo.n_tokens // 8)
    made = list_methods()["sa-slc"](**(SETTINGS["sa-slc"] | {"rounds": 3, "tolerance": 0.0}))

    def probabilities(engine: Engine, keeper: Any = None) -> Any:
        found = made.aggregate_stored(stored, RunContext(engine=engine, out=tmp_path / "out", keeper=keeper))
        return np.concatenate([part.probabilities for part in found.parts()])

    keeper = Keeper(tmp_path / "kept")
    with pytest.raises(InterruptedError):
        probabilities(ray, keeper)
    keeper.is_ending = False
    killing = Killing(ray, ["write"])  # after further rounds were kept
    np.testing.assert_array_equal(probabilities(killing, keeper), probabilities(LocalEngine()))
    assert killing.calls == []


class Counting:
    """A worker that adds up what it is told."""

    def __init__(self, number: int) -> None:
        self.total = number

    def add(self, number: int) -> int:
        self.total += number
        return self.total

    def load(self, numbers: Any) -> None:
        self.numbers = numbers


@pytest.mark.parametrize("document", [False, True])
def test_workers_of_ray_tag_as_one_process_does(demo: Corpus, ray: RayEngine, document: bool) -> None:
    features = replace(feature_settings("basic"), document=document)
    tagger = CrfTrainer(features=features, max_iterations=3).fit(demo, demo.gold_tags)
    spread = SpreadTagger(tagger, ray.place(partial(TagHolder, tagger), range(2)), 2)
    sentences, context = list(demo.text.tokens), Context.of_text(demo.text)
    assert spread.tag_many(sentences, context) == tagger.tag_many(sentences, context)
    for mine, theirs in zip(
        spread.marginals_many(sentences, context), tagger.marginals_many(sentences, context), strict=True
    ):
        np.testing.assert_array_equal(mine, theirs)


class Multiplying:
    """A worker that uses linear algebra on vectors so long that it takes threads."""

    def __init__(self, seed: int) -> None:
        self.values = np.random.default_rng(seed).random(300_000)

    def square(self) -> float:
        return float(self.values @ self.values)


def test_linear_algebra_has_the_same_last_digits_in_workers(ray: RayEngine) -> None:
    here = LocalEngine().place(Multiplying, range(8)).each("square")
    assert ray.place(Multiplying, range(8)).each("square") == here


class Losing:
    """A worker that does not survive what it is asked."""

    def __init__(self, number: int) -> None:
        self.number = number

    def remember(self, numbers: Any) -> None:
        self.numbers = numbers

    def fall(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


def test_an_address_where_nothing_listens_is_refused_at_once(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # not listened on, and nobody else's
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(SettingsError, match=f"no Ray cluster answers at {address}"):
            RayEngine.start(tmp_path, 2, address=address)


def test_a_shard_that_kills_every_worker_is_named(ray: RayEngine) -> None:
    with pytest.raises(FormatError, match="shard 0 is lost: its workers die"):
        ray.place(Losing, [0]).each("fall")


def test_a_shard_of_which_nothing_was_kept_is_named(ray: RayEngine) -> None:
    placed = ray.place(Losing, [0, 1])
    placed.each("remember", own=[np.zeros(1 << 23)] * 2)  # so much that it is not kept to be told again
    remove_tree(ray.folder / f"placed-{placed.number}" / "00001")
    os.kill(import_ray().get(ray.actors[1].process.remote()), signal.SIGKILL)
    with pytest.raises(FormatError, match="shard 1 is lost: nothing of it was kept"):
        placed.each("__repr__")


def test_what_nobody_can_ask_for_is_forgotten_and_never_by_the_collector(ray: RayEngine) -> None:
    placed = ray.place(Losing, range(2))
    placed.each("remember", own=[np.zeros(1 << 23)] * 2)
    folder = ray.folder / f"placed-{placed.number}"
    del placed
    gc.collect()
    assert folder.exists()  # nothing was done yet: the collector must not call Ray
    ray.place(Multiplying, range(2))
    assert not folder.exists()
