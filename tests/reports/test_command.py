"""crowdseq report, from a run folder to a page."""

import subprocess
import sys
from pathlib import Path

import pytest

from builders import corpus
from reports.pages import PageReader, run_on


def crowdseq(*arguments: str, cwd: Path) -> "subprocess.CompletedProcess[bytes]":
    command = [sys.executable, "-m", "crowdseq", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, check=False, timeout=120)


@pytest.fixture
def run_folder(tmp_path: Path) -> Path:
    run = run_on(corpus("Ada/B-PER/B-PER/O slept/O/O/O", "Bob/B-PER/B-PER/B-PER ate/O/O/O"))
    run.save(tmp_path / "my run")
    return tmp_path / "my run"


def test_a_report_is_written_beside_the_run(run_folder: Path) -> None:
    done = crowdseq("report", "my run", cwd=run_folder.parent)
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr == b"written to my run-report.html\n"
    page = (run_folder.parent / "my run-report.html").read_text("utf-8")
    assert "Consensus report: my run" in PageReader(page).text


@pytest.mark.parametrize("name", ["..", "../../my run", ".", "{run}"])
def test_it_is_beside_the_run_from_wherever_it_is_asked_for(run_folder: Path, name: str) -> None:
    inside = run_folder / "inner" if name[:2] == ".." else run_folder
    inside.mkdir(exist_ok=True)
    done = crowdseq("report", name.format(run=run_folder), cwd=inside)
    assert done.returncode == 0, done.stderr
    assert (run_folder.parent / "my run-report.html").exists()
    assert not list(inside.glob("*-report.html"))


def test_a_report_goes_to_stdout_with_a_title(run_folder: Path) -> None:
    done = crowdseq("report", str(run_folder), "-o", "-", "--title", "A <b>", cwd=run_folder.parent)
    assert done.returncode == 0
    assert "A <b>" in PageReader(done.stdout.decode()).text


def test_a_page_is_replaced_only_by_force(run_folder: Path) -> None:
    page = run_folder.parent / "my run-report.html"
    page.write_text("mine")
    refused = crowdseq("report", "my run", cwd=run_folder.parent)
    assert refused.returncode == 2
    assert b"exists already" in refused.stderr
    assert page.read_text() == "mine"
    assert crowdseq("report", "my run", "--force", "-q", cwd=run_folder.parent).returncode == 0
    assert page.read_text() != "mine"


def test_what_is_no_run_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "report.html").write_text("mine")
    for out in ((), ("-o", "report.html")):
        done = crowdseq("report", str(tmp_path), *out, cwd=tmp_path)
        assert done.returncode == 3
        assert b"is no finished run folder" in done.stderr
        assert b"report.html" not in done.stderr
        assert done.stderr.count(b"\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
