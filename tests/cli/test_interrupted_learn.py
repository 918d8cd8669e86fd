"""Whoever interrupts `learn` is told how to go on."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from crowdseq.cli.learn import command
from crowdseq.workflows.learning import from_files


@pytest.mark.parametrize("is_kept", [True, False])
def test_an_interrupted_run_names_the_way_on(
    is_kept: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_: from_files.LearnRequest) -> None:
        if is_kept:
            (tmp_path / "run.part").mkdir()
            (tmp_path / "run.part" / "checkpoint.safetensors").touch()
        raise KeyboardInterrupt

    monkeypatch.setattr(from_files, "learn_files", interrupted)
    told = CliRunner().invoke(command, ["crowd.jsonl", "-o", str(tmp_path / "run")])
    assert told.exit_code != 0
    assert ("run.part holds what was learned so far: go on with --resume" in told.stderr) == is_kept
