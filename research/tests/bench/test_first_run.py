"""What the measurement of the first run makes up and tells; the commands take too long for a test."""

from pathlib import Path

from crowdseq.workflows.reading import read
from crowdseq_research.bench.first_run import CACHED, FIRST, FURTHER, SENTENCES, first_run_page, small_crowd


def test_leaving_out_a_type_leaves_fewer_labels_and_all_else(tmp_path: Path) -> None:
    whole = read(small_crowd(tmp_path / "whole.jsonl", ()))
    fewer = read(small_crowd(tmp_path / "fewer.jsonl", ("MISC",)))
    assert len(whole.text.tokens) == len(fewer.text.tokens) == SENTENCES
    assert (len(whole.scheme), len(fewer.scheme)) == (9, 7)
    assert whole.annotators == fewer.annotators


def test_the_page_tells_medians_and_which_goals_are_reached() -> None:
    recipe = {
        "sentences": 60,
        "repeats": 3,
        "commits": {"before": "aaa", "now": "bbb"},
        "cores": 2,
        "python": "3.11",
        "packages": {"numba": "0.1"},
    }
    before = {FIRST: [20.0, 22.0, 30.0], FURTHER: [15.0] * 3, CACHED: [2.0] * 3}
    now = {FIRST: [9.0, 7.0, 6.0], FURTHER: [1.5, 1.5, 4.0], CACHED: [1.75, 1.75, 1.0]}
    pairs = [{"before": 10.0, "now": 11.0}, {"before": 10.0, "now": 10.2}, {"before": 10.0, "now": 10.4}]
    page = first_run_page(
        {"recipe": recipe, "cpu_seconds": {"before": before, "now": now}, "amt_pairs": pairs}
    )
    lines = {line.split("|")[1].strip(): line for line in page.splitlines() if line.startswith("|")}
    assert [cell.strip() for cell in lines[FIRST].split("|")[2:6]] == ["22.0", "7.0", "at most 8", "yes"]
    assert lines[FURTHER].rstrip(" |").endswith("yes")
    assert lines[CACHED].rstrip(" |").endswith("no")
    assert "1.04" in lines["median of the ratios"]
