"""Run folders whose crowd lies in shards: opened, checked, converted, reported, audited and scored."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crowdseq
from crowdseq.aggregation.contract import RunContext
from crowdseq.engines.ordering import store_corpus
from crowdseq.errors import FormatError
from crowdseq.workflows.converting import ConvertRequest, convert_files
from crowdseq.workflows.evaluating import EvaluateRequest, evaluate_files
from crowdseq.workflows.recipes import make_recipe
from crowdseq.workflows.reporting import run_report
from crowdseq.workflows.reviewing.under_review import UnderReview
from crowdseq.workflows.runs.saving import save_target
from crowdseq.workflows.runs.verifying import verify_run
from crowdseq.workflows.sharded import sampling
from crowdseq.workflows.sharded.measuring import ShardedRun
from crowdseq.workflows.sharded.saving import save_sharded


def _save(folder: Path) -> ShardedRun:
    recipe = make_recipe("majority-vote")
    stored = store_corpus(crowdseq.demo_corpus(), folder / "crowd", 1_000)
    consensus = recipe.aggregate_stored(stored, RunContext(out=folder / "consensus"))
    run = ShardedRun.of(consensus, None, recipe, 1.0)
    with save_target(folder / "run") as target:
        save_sharded(run, target)
    return run


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("sharded")
    _save(made)
    return made / "run"


@pytest.fixture(scope="module")
def in_memory() -> crowdseq.Run:
    return crowdseq.learn(crowdseq.demo_corpus(), "majority-vote", tagger=False)


def test_a_run_in_shards_opens_as_the_run_in_memory(folder: Path, in_memory: crowdseq.Run) -> None:
    run = crowdseq.load(folder)
    assert run.consensus.corpus == in_memory.consensus.corpus
    assert run.consensus.tags == in_memory.consensus.tags
    assert np.array_equal(run.consensus.probabilities, in_memory.consensus.probabilities)
    assert [one.verdict for one in run.annotators] == [one.verdict for one in in_memory.annotators]


def test_figures_are_sums_over_all_shards(folder: Path, in_memory: crowdseq.Run) -> None:
    told: dict[str, Any] = json.loads((folder / "metrics.json").read_bytes())
    assert told["shards"] == 8
    assert told["consensus"] == json.loads(json.dumps(in_memory.metrics["consensus"]))
    assert told["mean_confidence"] == pytest.approx(in_memory.metrics["mean_confidence"], rel=1e-12)
    error = in_memory.metrics["calibration"]["entity_tokens"]["error"]
    assert told["calibration"]["entity_tokens"]["error"] == pytest.approx(error, rel=1e-9)


def test_a_large_run_is_looked_at_by_a_sample(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_memory: crowdseq.Run
) -> None:
    monkeypatch.setattr(sampling, "SAMPLE_TOKENS", 2_000)
    run = _save(tmp_path)
    assert run.consensus.corpus.n_tokens < 3_500
    assert [one.kind for one in run.remarks].count("sample") == 1
    assert run.metrics["tokens"] == 7367
    assert [one.sentences for one in run.annotators] == [one.sentences for one in in_memory.annotators]


def test_a_consensus_in_shards_is_written_in_the_order_of_its_input(folder: Path, tmp_path: Path) -> None:
    crowdseq.learn(crowdseq.demo_corpus(), "majority-vote", tagger=False).save(tmp_path / "whole")
    for name in ("sharded", "whole"):
        run = str(folder if name == "sharded" else tmp_path / name)
        convert_files(ConvertRequest(crowd=(run,), out=str(tmp_path / f"{name}.jsonl"), consensus=True))
    assert (tmp_path / "sharded.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


def test_scores_and_report_and_review_need_nothing_else(folder: Path, tmp_path: Path) -> None:
    crowdseq.write(crowdseq.demo_corpus(), tmp_path / "gold.jsonl")
    scores = evaluate_files(EvaluateRequest(gold=str(tmp_path / "gold.jsonl"), predicted=str(folder)))
    assert scores.f1 == json.loads((folder / "metrics.json").read_bytes())["consensus"]["f1"]
    assert "Consensus report: run" in run_report(folder)
    review = UnderReview.open(folder)
    review.store.close()
    assert len(review.run_id) == 64
    assert len(review.corpus) == 501


def test_a_lost_or_damaged_shard_is_named(tmp_path: Path) -> None:
    _save(tmp_path)
    run = tmp_path / "run"
    assert verify_run(run).problems == ()
    damaged = run / "consensus" / "consensus-00003.safetensors"
    damaged.write_bytes(damaged.read_bytes()[:-8] + b"\0" * 8)
    (run / "crowd" / "shard-00002.safetensors").unlink()
    with pytest.raises(FormatError) as caught:
        crowdseq.load(run)
    told = [Path(problem.file).name for problem in caught.value.problems]
    assert sorted(told) == ["consensus-00003.safetensors", "shard-00002.safetensors"]
    assert len(verify_run(run).problems) == 2
