"""crowdseq review: what it asks for before it opens, and how it ends."""

import os
import signal
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from builders import corpus
from crowdseq.cli.main import crowdseq
from crowdseq.cli.review import command
from crowdseq.errors import FormatError, MissingExtraError, SettingsError
from web.servers import process_of, run_folder


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run_folder(corpus("Ada/B-PER/B-PER/O slept/O/O/O"), tmp_path_factory.mktemp("review") / "run")


def asked(*arguments: str, **options: object) -> click.testing.Result:
    return CliRunner().invoke(command, [*arguments, "--no-browser"], **options)  # type: ignore[arg-type]


def test_without_the_extra_it_says_what_to_install(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'crowdseq\[web\]'"):
        raise asked(str(run)).exception or AssertionError


def test_what_is_no_run_is_told_in_one_line(tmp_path: Path) -> None:
    found = asked(str(tmp_path / "nowhere")).exception
    assert isinstance(found, FormatError)
    assert "there is no such folder" in str(found)


def test_beyond_this_machine_it_asks_for_a_password_and_warns(run: Path, tmp_path: Path) -> None:
    short = tmp_path / "password"
    short.write_text("short\n", encoding="utf-8")
    found = asked(str(run), "--host", "0.0.0.0", "--password-file", str(short))
    assert isinstance(found.exception, SettingsError)
    assert "shorter than 8" in str(found.exception)
    typed = asked(str(run), "--host", "0.0.0.0", input="")
    assert isinstance(typed.exception, SystemExit | click.Abort)
    assert "Password for the other reviewers" in typed.output


def test_a_key_without_a_certificate_is_refused(run: Path) -> None:
    found = asked(str(run), "--key", "x.pem")
    assert found.exit_code == 2
    assert "name the certificate too" in found.output


def test_the_database_is_for_its_owner_alone_and_ctrl_c_ends_cleanly(run: Path) -> None:
    with process_of(run, "--port", "0") as (server, link):
        assert link.startswith("http://127.0.0.1:")
        assert (run / "decisions.sqlite").stat().st_mode & 0o777 == 0o600
        os.kill(server.pid, signal.SIGINT)
        assert server.wait(timeout=30) == 0
        assert server.stderr is not None
        told = server.stderr.read()
    assert "Traceback" not in told
    assert "works once" in told


def test_it_stands_in_the_list_of_commands() -> None:
    assert crowdseq.get_command(click.Context(crowdseq), "review") is command
