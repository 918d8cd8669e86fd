"""A run that is killed or interrupted goes on where it was, and nothing is lost."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from crowdseq.formats import write
from crowdseq.workflows.demonstrating import demo_corpus
from journeys.conftest import Shell

ROUNDS = ("--set", "rounds=12", "--set", "tolerance=0", "-q")


@pytest.fixture
def crowd(tmp_path: Path) -> Path:
    path = tmp_path / "crowd.jsonl"
    write(demo_corpus().select(range(200)), path)
    return path


def _heed_interrupts() -> None:
    """Shells start background jobs deaf to Ctrl-C, and children inherit that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def begin(crowd: Path, folder: Path) -> "subprocess.Popen[bytes]":
    """Start a run and wait until its first round is kept."""
    command = [sys.executable, "-m", "crowdseq", "learn", str(crowd), "-o", "run", *ROUNDS]
    process = subprocess.Popen(
        command, cwd=folder, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, preexec_fn=_heed_interrupts
    )
    kept = folder / "run.part" / "checkpoint.safetensors"
    limit = time.monotonic() + 120
    while not kept.exists() and process.poll() is None and time.monotonic() < limit:
        time.sleep(0.01)
    return process


def consensus(folder: Path, name: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / name / "consensus.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.parametrize("blow", [signal.SIGKILL, signal.SIGINT])
def test_a_broken_run_resumes_to_the_same_result(
    shell: Shell, crowd: Path, tmp_path: Path, blow: int
) -> None:
    process = begin(crowd, tmp_path)
    os.kill(process.pid, blow)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == (130 if blow == signal.SIGINT else -signal.SIGKILL)
    assert b"Traceback" not in errors
    assert not (tmp_path / "run").exists()
    refused = shell("learn", str(crowd), "-o", "run", *ROUNDS)
    assert refused.code == 2
    assert "--resume" in refused.err
    assert shell("learn", str(crowd), "-o", "run", "--resume", *ROUNDS).code == 0
    assert shell("learn", str(crowd), "-o", "whole", *ROUNDS).code == 0
    assert consensus(tmp_path, "run") == consensus(tmp_path, "whole")
    assert not list(tmp_path.glob("*.part"))


def test_other_settings_do_not_go_on_from_a_foreign_round(shell: Shell, crowd: Path, tmp_path: Path) -> None:
    process = begin(crowd, tmp_path)
    process.kill()
    process.communicate(timeout=60)
    answer = shell("learn", str(crowd), "-o", "run", "--resume", "--set", "temper=0.9", *ROUNDS)
    assert answer.code == 2
    assert "other data or settings" in answer.err
    answer = shell("learn", str(crowd), "-o", "run", "--resume", "-m", "majority-vote", "-q")
    assert answer.code == 2
    assert "another method" in answer.err
    assert (tmp_path / "run.part" / "checkpoint.safetensors").exists()
