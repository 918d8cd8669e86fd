"""Commands of other distributions: found by entry point when called, and one line where they are missing."""

import importlib.metadata
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass

import click
import pytest

from crowdseq.cli.main import COMMANDS, ELSEWHERE, crowdseq, main


@dataclass(frozen=True)
class Entry:
    """An entry point that loads this."""

    loaded: object

    def load(self) -> object:
        return self.loaded


def only(**commands: object) -> Callable[..., list[Entry]]:
    """A stand-in for `entry_points` in an environment that has these commands and no others."""
    return lambda *, group, name: (
        [Entry(commands[name])] if group == "crowdseq.commands" and name in commands else []
    )


@pytest.mark.parametrize("name", sorted(ELSEWHERE))
def test_a_command_that_is_not_installed_says_in_one_line_what_to_install(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(importlib.metadata, "entry_points", only())
    monkeypatch.setattr(sys, "argv", ["crowdseq", name, "--help"])
    with pytest.raises(SystemExit) as leaving:
        main()
    assert leaving.value.code == 2
    assert capsys.readouterr().err == (
        f"crowdseq: {name} comes with crowdseq-research, which is not installed: "
        "pip install crowdseq-research\n"
    )


def test_a_command_of_somebody_else_works_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    command = click.Command("theirs")
    monkeypatch.setattr(importlib.metadata, "entry_points", only(theirs=command, learn=command))
    context = click.Context(crowdseq)
    assert crowdseq.get_command(context, "theirs") is command
    assert crowdseq.get_command(context, "nobodys") is None
    assert crowdseq.get_command(context, "learn") is not command, "nobody replaces a command of ours"


@pytest.mark.parametrize("words", ["--help", "check --help"])
def test_entry_points_are_not_looked_up_for_commands_of_ours(words: str) -> None:
    code = (
        "import sys; from crowdseq.cli.main import crowdseq; "
        f"crowdseq.main({words.split()!r}, standalone_mode=False); "
        "sys.exit('importlib.metadata' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "bench" in COMMANDS
