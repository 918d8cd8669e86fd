"""Methods side by side, and scores, by command."""

from pathlib import Path

from journeys.conftest import Shell


def test_compare_sets_settings_of_single_methods(shell: Shell, small_crowd: Path) -> None:
    asked = ("compare", str(small_crowd), "-m", "majority-vote,ibcc", "--no-tagger", "--set", "ibcc.rounds=1")
    answer = shell(*asked, "--json")
    assert answer.code == 0
    rows = answer.json
    assert [row["method"] for row in rows] == ["majority-vote", "ibcc"]
    assert all(row["format_version"] == 1 for row in rows)
    assert all(row["error"] is None and row["seconds"] >= 0 for row in rows)
    assert answer.err.splitlines().count("ibcc (2 of 2)") == 1
    assert "1/1" not in answer.err


def test_compare_refuses_settings_before_it_reads(shell: Shell) -> None:
    answer = shell("compare", "nowhere.jsonl", "--set", "ibcc.roundes=1")
    assert answer.code == 2
    assert "ibcc has no setting 'roundes'" in answer.err


def test_evaluate_tells_the_version_of_its_form(shell: Shell, small_crowd: Path) -> None:
    found = shell("evaluate", str(small_crowd), str(small_crowd), "--json").json
    assert found["format_version"] == 1
    assert found["f1"] == 1.0
