"""A run that version 0.1.0 began is ended by this one, with what 0.1.0 itself would have found."""

import json
import shutil
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest
from safetensors.numpy import load_file

from crowdseq.errors import SettingsError
from crowdseq.formats import read
from crowdseq.workflows.learning import learn
from crowdseq.workflows.run import Run
from crowdseq.workflows.run_folder import load_run

WRITTEN = Path(__file__).parents[1] / "written_by_0_1_0" / "run_folder.zip"


@pytest.fixture
def written(tmp_path: Path) -> Path:
    with ZipFile(WRITTEN) as archive:
        archive.extractall(tmp_path)
    return tmp_path


def gone_on_with(written: Path, **changed: object) -> tuple[Run, list[int]]:
    """The interrupted run, taken up with the settings of the finished one; and the rounds that were made."""
    settings = json.loads((written / "run" / "settings.json").read_text("utf-8"))["settings"]
    settings |= {"preset": "0.1"} | changed
    shutil.copytree(written / "interrupted.part", written / "again.part")
    rounds: list[int] = []

    def note(stage: str, done: int, total: int) -> None:  # noqa: ARG001
        if stage == "EM rounds":
            rounds.append(done)

    crowd = read(str(written / "crowd.jsonl")).corpus
    return learn(crowd, "sa-slc", checkpoints=written / "again.part", progress=note, **settings), rounds


@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupted_run_ends_as_the_finished_one(written: Path, threads: int) -> None:
    run, rounds = gone_on_with(written, threads=threads)
    finished = load_run(written / "run")
    assert rounds[0] == 4
    assert run.consensus.tags == finished.consensus.tags
    # Not to the bit: the fixture comes from another processor, whose vector instructions round otherwise.
    np.testing.assert_allclose(
        run.consensus.probabilities, finished.consensus.probabilities, rtol=1e-11, atol=1e-13
    )
    np.testing.assert_allclose(run.consensus.history, finished.consensus.history, rtol=1e-12)
    assert run.recipe == finished.recipe


def test_it_ends_with_the_same_bits_for_any_number_of_threads(
    written: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = tmp_path_factory.mktemp("other")
    shutil.copytree(written, other, dirs_exist_ok=True)
    one, two = gone_on_with(written, threads=1)[0].consensus, gone_on_with(other, threads=2)[0].consensus
    np.testing.assert_array_equal(one.probabilities, two.probabilities)
    assert one.history == two.history


def test_the_names_in_a_checkpoint_are_those_of_0_1_0(written: Path) -> None:
    before = load_file(written / "interrupted.part" / "checkpoint.safetensors")
    gone_on_with(written)
    after = load_file(written / "again.part" / "checkpoint.safetensors")
    assert {name: (value.dtype, value.ndim) for name, value in after.items()} == {
        name: (value.dtype, value.ndim) for name, value in before.items()
    }


def test_other_settings_do_not_go_on_from_it(written: Path) -> None:
    with pytest.raises(SettingsError, match="other data or settings"):
        gone_on_with(written, coupling=0.4)
