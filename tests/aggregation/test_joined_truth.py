"""The CRF joined by a companion: here one that knows the answers, or that learns them by heart."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pytest

import crowdseq
from crowdseq.aggregation import companions
from crowdseq.aggregation.contract import RunContext
from crowdseq.aggregation.joined_truth import joined
from crowdseq.aggregation.truth import Potentials
from crowdseq.arrays import FloatArray, IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.methods.sa_slc import SaSlc
from crowdseq.numerics.em import Progress

QUICK = SaSlc(rounds=3, folds=3, steps=5)
CROWD = crowdseq.demo_corpus()[:60]


@pytest.fixture(autouse=True)
def _a_small_crowd_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """So little text tells a CRF too little for a companion to be asked."""
    monkeypatch.setattr(companions, "LEAST_AGREEMENT", 0.0)


@dataclass
class Companion:
    """Tells gold, and remembers how it was trained."""

    corpus: Corpus
    trainings: int = 2
    weight: float = 0.9
    seen: list[tuple[int, float]] = field(default_factory=list)

    def train(
        self, believed: FloatArray, folds: IntArray, number: int, learned: FloatArray | None
    ) -> tuple[FloatArray, FloatArray]:
        assert believed.shape == (self.corpus.n_tokens, len(self.corpus.scheme))
        assert len(folds) == len(self.corpus)
        before = 0.0 if learned is None else float(learned[0, 0])
        self.seen.append((number, before))
        told = np.full(believed.shape, -20.0)
        told[np.arange(len(told)), self.corpus.gold_tags] = 0.0
        return told, np.full((3, 1), before + 1.0)


@dataclass
class Maker:
    made: list[Companion] = field(default_factory=list)

    def __call__(self, corpus: Corpus, progress: Progress) -> Companion:
        progress("making", 1, 1)
        self.made.append(Companion(corpus))
        return self.made[-1]


class Memory:
    """Keeps rounds, and stops the run after some of them."""

    def __init__(self, stop_after: int) -> None:
        self.kept: Mapping[str, FloatArray] | None = None
        self.left = stop_after

    def load(self) -> Mapping[str, FloatArray] | None:
        return self.kept

    def keep(self, arrays: Mapping[str, FloatArray]) -> None:
        self.kept = {name: np.array(value) for name, value in arrays.items()}
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


def test_a_joined_score_is_a_mean_and_rules_stay_rules() -> None:
    table = np.array([[[0.5, -np.inf], [1.0, 2.0]]])
    text = Potentials(np.array([[1.0, 3.0]]), table, np.zeros(2), np.zeros(2), np.zeros(1, np.int64))
    found = joined(text, np.array([[5.0, -1.0]]), 0.25)
    np.testing.assert_allclose(found.unary, [[0.75 * 1 + 0.25 * 5, 0.75 * 3 - 0.25]])
    np.testing.assert_allclose(found.transitions, [[[0.375, -np.inf], [0.75, 1.5]]])


def test_a_companion_that_knows_the_truth_is_believed() -> None:
    maker = Maker()
    plain = QUICK.aggregate(CROWD)
    helped = QUICK.aggregate(CROWD, RunContext(companion=maker))
    right = [(one.tag_ids == CROWD.gold_tags).mean() for one in (plain, helped)]
    assert right[1] > right[0]
    assert len(helped.history) == 3 + 2 * 3
    assert maker.made[0].seen == [(0, 0.0), (1, 1.0)]


def test_where_the_text_alone_finds_little_no_companion_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(companions, "LEAST_AGREEMENT", 1.0)
    maker, plain = Maker(), QUICK.aggregate(CROWD)
    found = QUICK.aggregate(CROWD, RunContext(companion=maker))
    np.testing.assert_array_equal(found.probabilities, plain.probabilities)
    np.testing.assert_array_equal(found.tag_ids, plain.tag_ids)
    assert found.history == plain.history
    assert found.parameters["model_in_rounds"] is False
    assert found.parameters["agreement_without_model"] == plain.parameters["text_agreement"]
    assert maker.made[0].seen == []
    assert "model_in_rounds" not in plain.parameters


@pytest.mark.parametrize("rounds", [1, 3, 4, 6, 8, 11])
def test_a_run_with_a_companion_can_be_resumed_anywhere(rounds: int) -> None:
    whole, memory = QUICK.aggregate(CROWD, RunContext(companion=Maker())), Memory(rounds)
    with pytest.raises(KeyboardInterrupt):
        QUICK.aggregate(CROWD, RunContext(companion=Maker(), keeper=memory))
    resumed = QUICK.aggregate(CROWD, RunContext(companion=Maker(), keeper=memory))
    for told in (whole.parameters, resumed.parameters):
        assert told["model_in_rounds"] is True
    name = "agreement_without_model"
    assert resumed.parameters[name] == whole.parameters[name]
    np.testing.assert_array_equal(whole.probabilities, resumed.probabilities)
    assert whole.history == resumed.history


def test_shards_change_nothing_but_the_last_digits() -> None:
    whole = QUICK.aggregate(CROWD, RunContext(companion=Maker()))
    cut = SaSlc(rounds=3, folds=3, steps=5, shard_tokens=300)
    sharded = cut.aggregate(CROWD, RunContext(companion=Maker()))
    np.testing.assert_allclose(whole.probabilities, sharded.probabilities, atol=2e-3)


def test_in_one_fold_nobody_is_asked() -> None:
    maker = Maker()
    found = SaSlc(rounds=2, folds=1, steps=5).aggregate(CROWD, RunContext(companion=maker))
    assert len(found.history) == 2
    assert maker.made[0].seen == []
