"""Running the real command in a folder of its own."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from attacks.door import Door
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


# What commands import anyway: imported once, by the process that is forked for each of them.
PRELOADED = (
    "crowdseq.cli.main",
    "crowdseq.workflows.learning.from_files",
    "crowdseq.workflows.reading",
    "crowdseq.workflows.runs.saving",
    "crowdseq.workflows.tagging",
    "crowdseq.workflows.evaluating",
)


@pytest.fixture(scope="session")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    """Where commands are run, each in a process of its own that need not import the arithmetic anew."""
    folder = tmp_path_factory.mktemp("door")
    with Door(folder, most_seconds=300.0, most_cpu=300, preloaded=PRELOADED) as opened:
        yield opened


@pytest.fixture
def shell(tmp_path: Path, door: Door) -> Shell:
    """`shell("check", "file")` runs `crowdseq check file` in an empty folder."""

    def run(*arguments: str, stdin: str | None = None) -> Outcome:
        done = door.knock(*arguments, folder=tmp_path, stdin=stdin or "")
        return Outcome(done.code, done.out, done.err)

    return run


@pytest.fixture
def new_shell(tmp_path: Path) -> Shell:
    """The same, from nothing: for what hangs on how the program starts."""

    def run(*arguments: str) -> Outcome:
        command = [sys.executable, "-m", "crowdseq", *arguments]
        done = subprocess.run(command, cwd=tmp_path, input=b"", capture_output=True, timeout=300, check=False)
        return Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


@pytest.fixture
def small_crowd(tmp_path: Path) -> Path:
    """Sixty sentences of the demo corpus as a file."""
    from crowdseq.formats import write

    path = tmp_path / "crowd.jsonl"
    write(demo_corpus().select(range(60)), path)
    return path
