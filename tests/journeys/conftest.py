"""Running the real command in a folder of its own."""

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from crowdseq.workflows.demonstrating import demo_corpus


@dataclass(frozen=True)
class Outcome:
    """What a command printed and how it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Shell = Callable[..., Outcome]


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """`shell("check", "file")` runs `crowdseq check file` in an empty folder."""

    def run(*arguments: str, stdin: str | None = None) -> Outcome:
        done = subprocess.run(
            [sys.executable, "-m", "crowdseq", *arguments],
            cwd=tmp_path,
            input=stdin.encode() if stdin is not None else b"",
            capture_output=True,
            timeout=300,
            check=False,
        )
        return Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


@pytest.fixture
def small_crowd(tmp_path: Path) -> Path:
    """Sixty sentences of the demo corpus as a file."""
    from crowdseq.formats import write

    path = tmp_path / "crowd.jsonl"
    write(demo_corpus().select(range(60)), path)
    return path
