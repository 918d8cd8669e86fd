"""One process at a time writes a run; what it kept for the case of a kill is gone in the end."""

from pathlib import Path

import pytest

from builders import random_corpus
from crowdseq.errors import OutputBusyError, OutputExistsError
from crowdseq.workflows.learning import learn
from crowdseq.workflows.run import Run
from crowdseq.workflows.run_folder import load_run
from crowdseq.workflows.runs.saving import open_target


@pytest.fixture
def run() -> Run:
    return learn(random_corpus(3, sentences=5), "majority-vote", tagger=False)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def kept(folder: Path) -> None:
    (folder / "run.part").mkdir()
    (folder / "run.part" / "checkpoint.safetensors").write_text("a round")


def test_a_second_process_is_refused_at_once(tmp_path: Path, run: Run) -> None:
    with open_target(tmp_path / "run") as target:
        with (
            pytest.raises(OutputBusyError, match="is being written by process"),
            open_target(tmp_path / "run"),
        ):
            pass
        with pytest.raises(OutputBusyError):
            run.save(tmp_path / "run")
        run.save_at(target)
    assert names(tmp_path) == ["run"]


def test_an_unfinished_run_is_gone_on_with_or_dropped(tmp_path: Path) -> None:
    kept(tmp_path)
    with pytest.raises(OutputExistsError, match=r"run\.part holds an unfinished run: go on with resume="):
        open_target(tmp_path / "run").__enter__()
    with open_target(tmp_path / "run", resume=True) as target:
        assert names(target.checkpoints) == ["checkpoint.safetensors"]
    with open_target(tmp_path / "run", force=True) as target:
        assert not target.checkpoints.exists()
    assert names(tmp_path) == []


def test_rounds_are_gone_when_the_run_stands(tmp_path: Path, run: Run) -> None:
    kept(tmp_path)
    with open_target(tmp_path / "run", resume=True) as target:
        run.save_at(target)
    assert names(tmp_path) == ["run"]


def test_rounds_of_a_run_that_stands_are_not_taken_for_an_unfinished_one(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept(tmp_path)
    monkeypatch.setattr("crowdseq.workflows.runs.saving.RunTarget.drop_checkpoints", lambda _: None)  # a kill
    with open_target(tmp_path / "run", resume=True) as target:
        run.save_at(target)
    monkeypatch.undo()
    assert names(tmp_path) == ["run", "run.part"]
    with pytest.raises(OutputExistsError, match="run is finished"):
        open_target(tmp_path / "run", resume=True).__enter__()
    assert names(tmp_path) == ["run"]


def test_rounds_of_a_newer_run_are_kept(tmp_path: Path, run: Run) -> None:
    run.save(tmp_path / "run")
    kept(tmp_path)
    (tmp_path / "run.part" / "finished").write_text("another run")
    with open_target(tmp_path / "run", force=True, resume=True) as target:
        assert (target.checkpoints / "checkpoint.safetensors").exists()


def test_a_link_to_a_run_stays_a_link(tmp_path: Path, run: Run) -> None:
    run.save(tmp_path / "run")
    (tmp_path / "newest").symlink_to("run")
    run.save(tmp_path / "newest", force=True)
    assert (tmp_path / "newest").is_symlink()
    assert load_run(tmp_path / "newest").consensus.tags[0] == run.consensus.tags[0]
    assert names(tmp_path) == ["newest", "run"]
