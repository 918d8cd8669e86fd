"""simulate, from the shell: what it prints, in which format it writes, and what it could not do."""

from pathlib import Path

import pytest

from crowdseq.simulation.realised import Realised, RealisedAnnotator
from journeys.conftest import Shell

GOLD = "Ada B-PER\nslept O\n\nBob B-PER\nmet O\nCleo B-PER\n\n"


@pytest.fixture(autouse=True)
def gold(tmp_path: Path) -> None:
    (tmp_path / "gold.conll").write_text(GOLD * 20)
    (tmp_path / "small.conll").write_text(GOLD)


def test_a_crowd_of_profiles_alone_has_no_mean(shell: Shell, tmp_path: Path) -> None:
    done = shell("simulate", "gold.conll", "-o", "made.jsonl", "-k", "0", "--profiles", "expert")
    assert done.code == 0, done.err
    assert "40 sentences, 1 annotator, mean precision n/a, mean recall n/a" in done.out
    assert (tmp_path / "made.jsonl").is_file()


def test_the_format_may_be_named(shell: Shell, tmp_path: Path) -> None:
    assert shell("simulate", "gold.conll", "-o", "made.xyz").code == 2
    done = shell("simulate", "gold.conll", "-o", "made.xyz", "--to", "jsonl")
    assert done.code == 0, done.err
    assert (tmp_path / "made.xyz").read_text().startswith("{")


def test_what_cannot_be_had_is_told(shell: Shell) -> None:
    few = shell("simulate", "small.conll", "-o", "few.jsonl", "-p", "0.1")
    assert few.code == 0
    assert "note: a mean precision of 0.1 cannot be had" in few.err
    wide = shell("simulate", "gold.conll", "-o", "wide.jsonl", "-p", "0.02", "--recall", "0.95")
    assert "note: a mean recall of 0.95 cannot be had" in wide.err
    plain = shell("simulate", "gold.conll", "-o", "plain.jsonl")
    assert "note:" not in plain.err


def test_annotators_who_marked_nothing_are_counted() -> None:
    marks, silent = (
        RealisedAnnotator(name, None, 0.5, 0.5, sentences=2, mentions=4, marks=number, right=number // 2)
        for name, number in (("a", 4), ("b", 0))
    )
    told = Realised(0.5, (marks, silent)).notes(None)
    assert told == ["1 of 2 annotators marked nothing, and have no precision"]
