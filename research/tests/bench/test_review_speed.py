"""The measurement of the review app, on a tiny run; what it finds here says nothing of speed."""

from pathlib import Path

import pytest

from crowdseq_research.bench.review_speed.__main__ import main
from crowdseq_research.bench.review_speed.crowd import LANES, LONG_TOKENS, made_run, records
from crowdseq_research.bench.review_speed.page import speed_page


def test_the_synthetic_crowd_is_the_same_each_time_and_has_five_votes() -> None:
    first, again = list(records(30)), list(records(30))
    assert first == again
    assert all(len(record["annotations"]) == 5 for record in first)
    assert all(
        len(tags) == len(record["tokens"]) for record in first for tags in record["annotations"].values()
    )
    assert (LANES, LONG_TOKENS) == (20, 5_000)


def test_a_run_is_made_once(tmp_path: Path) -> None:
    run = made_run(tmp_path, 10)
    before = (run / "manifest.json").stat().st_mtime_ns
    assert made_run(tmp_path, 10) == run
    assert (run / "manifest.json").stat().st_mtime_ns == before
    assert [path.name for path in tmp_path.iterdir()] == [run.name]


def test_a_tiny_run_is_measured_from_its_opening_to_many_reviewers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "speed.md"
    words = ["--sentences", "40", "--reviewers", "2", "--rate", "10", "--minutes", "0.01", "--keys", "0"]
    main([*words, "-o", str(out), "--work", str(tmp_path / "work")])
    text = out.read_text(encoding="utf-8")
    assert capsys.readouterr().out.strip() == text.strip()
    rows = [line.split("|")[1].strip() for line in text.splitlines() if line.startswith("| ")]
    assert {"Disputes page", "Mentions, the first fifty", "Decision", "answers 5xx or lost"} <= set(rows)
    assert "| answers 5xx or lost | 0 |" in text
    assert "Answers by status: 200:" in text
    assert "$" not in text


def test_a_goal_that_is_missed_is_told() -> None:
    opening = {
        "seconds": 7.0,
        "cpu": 2.0,
        "mentions_at_once": 1.0,
        "mentions_at_once_cpu": 0.5,
        "megabytes": 900,
    }
    slow = {"name": "Decision", "first": 301.0, "first_cpu": 9.0, "later": 20.0, "later_cpu": 8.0}
    recipe = {"sentences": 9, "commit": "abc", "cores": 2, "python": "3", "nice": 0}
    busy = {"busy_before": 0.1, "busy_after": 0.2}
    text = speed_page({"recipe": recipe | busy, "opening": opening, "asked": [slow], "load": None})
    assert "| from the command to the link | 7.0 s | 2.0 s | 5 s | no |" in text
    assert "| memory (PSS) then | 900 MB |  | 1,500 MB | yes |" in text
    assert "| Decision | 301 | 9 | 20 | 8 | no |" in text
