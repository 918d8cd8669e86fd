"""Closed standard streams: a line where there is somewhere to say it, the right code, never a traceback."""

import subprocess
import sys
from pathlib import Path

import pytest

CLOSED = {"in": "0<&-", "out": "1>&-", "err": "2>&-", "all": "0<&- 1>&- 2>&-"}


def run(command: str, closed: str, folder: Path) -> tuple[int, str]:
    """The code of a command whose streams are closed, and what it said."""
    shell = f'{{ "{sys.executable}" -m crowdseq {command} 2>&3 {CLOSED[closed]}; }} 3>&1'
    done = subprocess.run(
        ["sh", "-c", shell], cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("command", "code", "closed"),
    [
        ("--help", 0, "all"),
        ("formats", 0, "out"),
        ("check crowd.jsonl", 0, "all"),
        ("check gone.jsonl", 3, "all"),
        ("check gone.jsonl", 3, "err"),
        ("learn crowd.jsonl -m majority-vote --no-tagger -o run", 0, "in"),
        ("learn crowd.jsonl -m majority-vote --no-tagger -o run", 0, "err"),
        ("learn crowd.jsonl -m majority-vote --no-tagger -o run", 0, "all"),
        ("lern", 2, "err"),
        ("report gone", 3, "all"),
    ],
)
def test_a_command_ends_as_it_would(command: str, code: int, closed: str, tmp_path: Path) -> None:
    record = (
        '{"id": "a", "tokens": ["Ada", "x"], "annotations": {"w": ["B-PER", "O"], "v": ["B-PER", "O"]}}\n'
    )
    (tmp_path / "crowd.jsonl").write_text(record)
    found, said = run(command, closed, tmp_path)
    assert found == code, said
    assert "Traceback" not in said
    assert (tmp_path / "crowd.jsonl").read_text() == record


def test_what_needs_a_closed_stream_says_so(tmp_path: Path) -> None:
    (tmp_path / "crowd.jsonl").write_text('{"tokens": ["x"], "annotations": {"w": ["O"]}}\n')
    assert run("check -", "in", tmp_path) == (
        3,
        "crowdseq: <stdin>: standard input is closed, name a file or send one there\n",
    )
    code, said = run("convert crowd.jsonl -o - --to conll", "out", tmp_path)
    assert (code, said.splitlines()[-1]) == (2, "crowdseq: standard output is closed, name a file with --out")
