"""The rival methods on the real AMT crowd: consensus F1 on all sentences and on the test part."""

from pathlib import Path

import numpy as np
import pytest

from crowdseq.aggregation.contract import Aggregator
from crowdseq.core.corpus import Corpus
from crowdseq.evaluation.scores import score_tags
from crowdseq.methods.bsc import Bsc
from crowdseq.methods.crf_ma import CrfMa
from crowdseq.methods.dawid_skene import DawidSkene
from crowdseq.methods.hmm_crowd import HmmCrowd
from crowdseq.methods.ibcc import Ibcc
from crowdseq.methods.mace import Mace
from crowdseq.methods.sa_slc import SaSlc
from crowdseq.methods.sembler import Sembler
from crowdseq.workflows.reading import read

# Recipe, F1 on all 5,980 sentences, F1 on the 3,209 of the test part.
ASKED: list[tuple[Aggregator, float, float]] = [
    (DawidSkene(), 0.740, 0.730),
    (Ibcc(), 0.735, 0.735),
    (Mace(), 0.67, 0.67),
    (HmmCrowd(), 0.740, 0.740),
    (Bsc(), 0.780, 0.770),
    (Sembler(), 0.755, 0.745),
    (CrfMa(), 0.64, 0.62),
]


@pytest.fixture(scope="module")
def amt(shared_data: Path) -> Corpus:
    return read(shared_data / "amt_conll2003" / "crowd.jsonl.gz")


def f1(world: Corpus, tag_ids: np.ndarray[tuple[int, ...], np.dtype[np.int16]], part: str | None) -> float:
    kept = [i for i, sentence in enumerate(world.sentences) if part in (None, sentence.extras.get("split"))]
    gold = np.concatenate([world.gold_tags[world.offsets[i] : world.offsets[i + 1]] for i in kept])
    found = np.concatenate([tag_ids[world.offsets[i] : world.offsets[i + 1]] for i in kept])
    bounds = np.concatenate([[0], np.cumsum(world.text.lengths[kept])])
    score = score_tags(gold, found, bounds, world.scheme).f1
    assert score is not None
    return score


@pytest.mark.parametrize(("recipe", "on_all", "on_test"), ASKED, ids=[row[0].name for row in ASKED])
def test_the_real_crowd_is_read_as_well_as_asked(
    amt: Corpus, recipe: Aggregator, on_all: float, on_test: float
) -> None:
    tags = recipe.aggregate(amt).tag_ids
    assert f1(amt, tags, None) >= on_all
    assert f1(amt, tags, "test") >= on_test


def test_the_default_reads_the_development_part_far_better_than_any_of_them(amt: Corpus) -> None:
    part = np.array([i for i, sentence in enumerate(amt.sentences) if sentence.extras.get("split") == "val"])
    world = amt.select(part)
    assert f1(world, SaSlc().aggregate(world).tag_ids, None) >= 0.825
