"""A tagger trained over shards is the tagger trained on the whole, for every set of features."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from crowdseq import demo_corpus
from crowdseq.core.corpus import Corpus
from crowdseq.engines.local import LocalEngine
from crowdseq.tagging.crf import CrfTrainer


@pytest.fixture(scope="module")
def world() -> Corpus:
    return demo_corpus().select(np.arange(40))


@pytest.mark.parametrize("features", ["basic", "rich", "full"])
def test_a_tagger_of_many_shards_is_that_of_one(world: Corpus, features: str) -> None:
    trainer = CrfTrainer(features=features, max_iterations=8)
    whole, cut = (replace(trainer, shard_tokens=size).fit(world, world.gold_tags) for size in (10**6, 60))
    sentences = list(world.text.tokens)
    for one, other in zip(whole.marginals_many(sentences), cut.marginals_many(sentences), strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-6)


def test_training_over_shards_gives_the_same_bits_again(world: Corpus) -> None:
    trainer = CrfTrainer(features="full", max_iterations=5, shard_tokens=60)
    first, again = (trainer.fit(world, world.gold_tags) for _ in range(2))
    sentences = list(world.text.tokens)
    for one, other in zip(first.marginals_many(sentences), again.marginals_many(sentences), strict=True):
        assert (one == other).all()


def test_a_trainers_own_threads_hold_in_a_local_engine(
    world: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    used: list[int] = []
    place = LocalEngine.place

    def noted(engine: LocalEngine, *given: Any) -> Any:
        used.append(engine.threads)
        return place(engine, *given)

    monkeypatch.setattr(LocalEngine, "place", noted)
    trainer = CrfTrainer(features="basic", max_iterations=1, threads=2)
    trainer.fit(world, world.gold_tags, engine=LocalEngine(1))
    assert used == [2]
