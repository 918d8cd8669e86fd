"""Names of one process, and what dead ones left."""

import os
import subprocess
import sys
from pathlib import Path

from crowdseq.storage.atomic import AtomicFile
from crowdseq.storage.private import _here, is_running, private_path, private_paths


def dead_process() -> int:
    """The number of a process that has ended."""
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    return child.pid


def test_two_names_for_one_target_differ(tmp_path: Path) -> None:
    assert private_path(tmp_path / "run") != private_path(tmp_path / "run")


def test_only_the_names_of_a_target_are_found(tmp_path: Path) -> None:
    mine = private_path(tmp_path / "run")
    for path in (mine, private_path(tmp_path / "run.2"), tmp_path / ".run.part", tmp_path / "run.part"):
        path.touch()
    assert private_paths(tmp_path / "run") == [mine]


def test_long_names_that_begin_alike_share_no_private_names(tmp_path: Path) -> None:
    first, second, short = (tmp_path / ("x" * 100 + end) for end in ("-first", "-second", ""))
    made = {target: private_path(target) for target in (first, second, short)}
    for path in made.values():
        path.touch()
    assert {target: private_paths(target) for target in made} == {
        target: [path] for target, path in made.items()
    }


def test_a_name_that_is_not_cut_stands_in_its_private_names_as_it_is(tmp_path: Path) -> None:
    assert private_path(tmp_path / ("x" * 100)).name.startswith("." + "x" * 100 + f".{_here()}.")


def test_a_process_is_told_from_one_that_has_ended() -> None:
    assert is_running(os.getpid())
    assert not is_running(dead_process())


def test_what_a_killed_writer_left_is_removed_by_the_next(tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    live = private_path(target)
    dead = live.with_name(live.name.replace(f".{os.getpid()}.", f".{dead_process()}."))
    elsewhere = dead.with_name(f".out.json.00000000.{dead_process()}.00000000.part")
    for path in (live, dead, elsewhere):
        path.write_text("half")
    with AtomicFile(target) as file:
        file.write(b"whole")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([live.name, elsewhere.name, "out.json"])
