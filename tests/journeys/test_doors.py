"""The commands are doors and no more: each calls one workflow, and what is below knows no options."""

import ast
import re
from pathlib import Path

import click
import pytest

from crowdseq.cli.main import COMMANDS, ELSEWHERE, crowdseq
from crowdseq.cli.terminal import wording_of

SOURCE = Path(__file__).resolve().parents[2] / "src" / "crowdseq"
OWN = sorted(set(COMMANDS) - set(ELSEWHERE))
FLAG = re.compile(r"(?:^|[\s(`'\"])--[a-z]")


def _command(name: str) -> click.Command:
    command = crowdseq.get_command(click.Context(crowdseq), name)
    assert command is not None
    return command


@pytest.mark.parametrize("name", OWN)
def test_a_command_calls_one_workflow(name: str) -> None:
    tree = ast.parse((SOURCE / "cli" / f"{name}.py").read_text("utf-8"))
    imported = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("crowdseq.workflows")
        for alias in node.names
    }
    functions = sorted(one for one in imported if one[0].islower())
    assert len(functions) <= 1, f"{name} calls {', '.join(functions)}"


@pytest.mark.parametrize("name", OWN)
def test_a_command_reads_and_writes_nothing_by_itself(name: str) -> None:
    text = (SOURCE / "cli" / f"{name}.py").read_text("utf-8")
    below = re.findall(r"from crowdseq\.(\w+)", text)
    others = {"web"} if name == "review" else set()  # it opens the other door
    assert set(below) <= {"cli", "workflows", "reports"} | others


def test_nothing_below_the_command_line_names_an_option() -> None:
    """Advice names settings, and each door words them; only `errors.py` shows how in its docstring."""
    below = [path for path in sorted(SOURCE.rglob("*.py")) if path.parent.name != "cli"]
    naming = [
        f"{path.relative_to(SOURCE)}:{node.lineno}: {node.value}"
        for path in below
        if path.name != "errors.py"
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and FLAG.search(node.value)
    ]
    assert naming == []


@pytest.mark.parametrize(
    ("command", "name", "value", "told"),
    [
        ("check", "files_mean", "annotator", "--files-mean annotator"),
        ("check", "format", "conll", "--from conll"),
        ("check", "predictions", "", "--predictions"),
        ("check", "tokenizer", r"regex:\w|x", r"--tokenizer 'regex:\w|x'"),
        ("learn", "force", "", "--force"),
        ("learn", "out", "", "--out"),
        ("learn", "rounds", "5", "--set rounds=5"),
        ("convert", "target", "", "--to"),
        ("agree", "as_scheme", "BIOES", "as scheme BIOES"),
    ],
)
def test_a_setting_is_told_as_the_option_that_sets_it(command: str, name: str, value: str, told: str) -> None:
    assert wording_of(_command(command))(name, value) == told


def test_without_a_command_settings_are_plain_words() -> None:
    assert wording_of(None)("files_mean", "gold") == "files mean gold"
