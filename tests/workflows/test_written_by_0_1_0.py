"""What version 0.1.0 wrote still opens, with the same content."""

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file

from crowdseq.formats.models.taggers import load_tagger
from crowdseq.workflows.checkpoints import Checkpoint
from crowdseq.workflows.reporting import run_report
from crowdseq.workflows.run_folder import load_run
from crowdseq.workflows.runs.verifying import verify_run
from crowdseq.workflows.tagging import open_tagger

ARCHIVE = Path(__file__).parents[1] / "written_by_0_1_0" / "run_folder.zip"


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("old")
    with zipfile.ZipFile(ARCHIVE) as archive:
        archive.extractall(folder)
    return folder


def test_a_run_has_the_labels_and_posteriors_that_it_had(old: Path) -> None:
    run = load_run(old / "run")
    lines = [json.loads(line) for line in (old / "run/consensus.jsonl").read_text("utf-8").splitlines()]
    assert [list(tags) for tags in run.consensus.tags] == [line["labels"] for line in lines]
    assert list(run.consensus.corpus.text.ids) == [line["id"] for line in lines]
    stored = load_file(old / "run/posteriors.safetensors")["probabilities"]
    np.testing.assert_array_equal(run.consensus.probabilities, stored)
    assert run.recipe.name == "sa-slc"
    assert "<html" in run_report(old / "run")
    assert verify_run(old / "run").problems == ()


def test_a_tagger_tags_the_text_that_it_learned_from_as_it_did(old: Path) -> None:
    run, tagger = load_run(old / "run"), open_tagger(old / "run")
    again = load_tagger(old / "run/tagger")
    sentences = list(run.consensus.corpus.text.tokens)
    tags = tagger.tag_many(sentences)
    assert tags == again.tag_many(sentences)
    same = [
        one == other
        for found, settled in zip(tags, run.consensus.tags, strict=True)
        for one, other in zip(found, settled, strict=True)
    ]
    assert np.mean(same) > 0.97  # it learned these very labels


def test_a_checkpoint_is_read_with_all_its_arrays(old: Path) -> None:
    folder = old / "interrupted.part"
    with safe_open(folder / "checkpoint.safetensors", framework="numpy") as file:
        run, names = file.metadata()["run"], set(file.keys())
    kept = Checkpoint(folder, run).load()
    assert kept is not None
    assert set(kept) == names
    assert len(kept["history"]) == 3
