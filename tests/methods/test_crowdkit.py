"""Majority vote, Dawid-Skene and MACE give what crowd-kit gives (stored, see data/README.md)."""

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crowdseq.arrays import FloatArray
from crowdseq.core.building import CorpusBuilder, Record
from crowdseq.core.corpus import Corpus
from crowdseq.methods.dawid_skene import DawidSkene
from crowdseq.methods.mace import Mace, start_from
from crowdseq.methods.majority_vote import MajorityVote

TABLE = Path(__file__).parent / "data" / "crowdkit.json.gz"


@pytest.fixture(scope="module")
def table() -> Any:
    return json.loads(gzip.decompress(TABLE.read_bytes()))


@pytest.fixture(scope="module")
def world(table: Any) -> Corpus:
    """Every task a sentence of one token, in the order of the tasks."""
    tasks: dict[str, dict[str, list[str]]] = {}
    for task, annotator, label in table["votes"]:
        tasks.setdefault(task, {})[annotator] = [label]
    builder = CorpusBuilder()
    for task in sorted(tasks):
        builder.add(Record([task], task, annotations=tasks[task]))
    return builder.build("plain")


def assert_same(found: FloatArray, expected: list[list[float]]) -> None:
    """Posteriors within 1e-3, and the same label wherever crowd-kit's two best are not tied."""
    wanted = np.array(expected)
    np.testing.assert_allclose(found, wanted, atol=1e-3)
    best = np.sort(wanted, axis=1)
    clear = best[:, -1] - best[:, -2] > 2e-3
    assert clear.mean() > 0.8
    assert (found.argmax(axis=1) == wanted.argmax(axis=1))[clear].mean() >= 0.999


def test_the_majority_is_the_same(table: Any, world: Corpus) -> None:
    assert_same(MajorityVote().aggregate(world).probabilities, table["majority"])


def test_dawid_skene_is_the_same(table: Any, world: Corpus) -> None:
    recipe = DawidSkene(rounds=table["rounds"], tolerance=0.0, smoothing=1e-12)
    assert_same(recipe.aggregate(world).probabilities, table["dawid_skene"])


@pytest.mark.parametrize("estimate", ["vb", "em"])
def test_one_start_of_mace_is_the_same(table: Any, world: Corpus, estimate: str) -> None:
    expected = table[f"mace_{estimate}"]
    recipe = Mace(estimate=estimate)
    crowd, model = recipe.crowd(world)
    knowing = np.array(expected["guessing_and_knowing"])[:, ::-1]
    state = start_from(crowd, model, knowing, np.array(expected["habits"]))
    for _ in range(table["rounds"]):
        state, _ = crowd.step(state)
    assert_same(crowd.spread(state), expected["posteriors"])
