"""The sums of one round of SA-SLC: four shards give what one gives, to the last digits."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crowdseq
from crowdseq.aggregation.canonical import Canonical
from crowdseq.aggregation.crf_truth import CrfTruth
from crowdseq.arrays import FloatArray, IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.formats import read
from crowdseq.methods.sa_slc import SaSlc
from crowdseq.methods.sa_slc.exchange import Plausible
from crowdseq.methods.sa_slc.joint_em import JointEm
from crowdseq.methods.sa_slc.rounds import prepare
from crowdseq.methods.sa_slc.starting import first_state
from crowdseq.tagging.weight_frame import WeightFrame
from shard_worlds import as_it_stands, quarter

CLOSE = 1e-12


@pytest.fixture(scope="module", params=["demo", "amt"])
def world(request: pytest.FixtureRequest) -> Corpus:
    if request.param == "demo":
        return Canonical.of(crowdseq.demo_corpus(), whole_documents=True).corpus
    data: Path = request.getfixturevalue("shared_data")
    crowd = read(data / "amt_conll2003" / "crowd.jsonl.gz").corpus
    return Canonical.of(crowd, whole_documents=True).corpus


def common_order(frame: WeightFrame) -> IntArray:
    """(W,) the weights sorted by what they stand for, whatever the shards that named it first."""
    found: list[IntArray] = []
    for stream, start in zip(frame.streams, frame.pair_starts[:-1].tolist(), strict=True):
        ranks = np.argsort(np.argsort(np.array(stream.pieces, dtype=object)))
        rows = (ranks[:, None] * len(stream.offsets) + np.arange(len(stream.offsets))).ravel()
        codes = np.repeat(rows, np.diff(stream.bounds)) * frame.n_labels + stream.labels
        found.append(np.argsort(codes) + start)
    return np.concatenate([*found, np.arange(frame.n_pairs, frame.n_weights)])


def sums_of_a_round(session: JointEm[FloatArray]) -> Mapping[str, Any]:
    """Objective, gradient and all other sums from the votes and some made-up weights."""
    truth, state = session.truth, first_state(session)
    assert isinstance(truth, CrfTruth)
    order = common_order(truth.crf.frame)
    weights = np.empty((truth.n_folds, truth.n_parameters))
    weights[:, order] = np.random.default_rng(0).normal(0.0, 0.1, weights.shape)
    session.placed.each("aim", state.version.number)
    aims = session.placed.each("truth.aim_past", 1)
    edges = state.pairs.sum(axis=0) - state.pairs[1]
    value, gradient = truth.crf.objective(aims, edges, 2.0)(weights[1])
    truth.score(weights)
    sums = session.placed.each("sum_up", state.version.number, True, True)
    tables, regard = session._tables(sums, 1.0), session._regard(sums, state, Plausible(0.9, 0.4))
    version = session.versions.new()
    found = session.placed.each("believe", state.version.number, version.number, regard, own=tables)
    words = session._word_sums([one.words for one in sums])
    return {
        "objective": value,
        "gradient": gradient[order],
        "pairs": state.pairs,
        "counts": session.kinds.add_up([one.counts for one in sums]),
        "apart": sum(one.apart_counts.sum(axis=0) for one in sums),
        "spans": sum(one.spans for one in sums),
        "words": session.words.add_up([one.words.by_type for one in sums]),
        "word total": words[0].total / words[0].n_tokens,
        "believed pairs": sum(one.pairs for one in found),
        "clamped": sum(one.clamped for one in found),
        "free": sum(one.free for one in found),
        "belief": session.cut.join_tokens([rows[0] for rows in session.placed.each("rows", version.number)]),
    }


@pytest.fixture(scope="module")
def both(world: Corpus) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """The sums of one shard and of four."""
    found = []
    for size in (world.n_tokens, quarter(world)):
        session, _ = prepare(as_it_stands(world, size), SaSlc(shard_tokens=size, enough_marks=0.0).settings)
        assert len(session.cut.shards) == (1 if size == world.n_tokens else 4)
        found.append(sums_of_a_round(session))
    return found[0], found[1]


@pytest.mark.parametrize(
    "name",
    [
        "objective",
        "gradient",
        "pairs",
        "counts",
        "apart",
        "words",
        "word total",
        "believed pairs",
        "clamped",
        "free",
    ],
)
def test_sums_agree_to_the_last_digits(both: tuple[Mapping[str, Any], Mapping[str, Any]], name: str) -> None:
    one, four = np.asarray(both[0][name]), np.asarray(both[1][name])
    assert one.shape == four.shape
    assert np.abs(one - four).max() <= CLOSE * np.abs(one).max()


def test_the_same_spans_are_found(both: tuple[Mapping[str, Any], Mapping[str, Any]]) -> None:
    assert both[0]["spans"].tolist() == both[1]["spans"].tolist()
    assert both[0]["spans"].min() > 0


def test_what_is_believed_of_each_token_agrees(both: tuple[Mapping[str, Any], Mapping[str, Any]]) -> None:
    """Belief in the order of the corpus, so also the coupling with mentions in other shards."""
    np.testing.assert_allclose(both[0]["belief"], both[1]["belief"], rtol=0, atol=1e-10)
