"""The study of verdicts: casts are drawn as told, the right verdict is fixed by F1, tables count people."""

from pathlib import Path

import numpy as np
import pytest

import crowdseq
from crowdseq.core.building import CorpusBuilder, Record
from crowdseq_research.zoo.verdict_casts import draw_cast
from crowdseq_research.zoo.verdict_cells import right_verdict, true_scores, verdict_keys
from crowdseq_research.zoo.verdict_page import verdict_page
from crowdseq_research.zoo.verdict_tables import by_character, by_few, summary


@pytest.mark.parametrize(
    ("f1", "verdict"), [(0.8, "good"), (0.79, "watch"), (0.4, "watch"), (0.39, "drop"), (0.0, "drop")]
)
def test_the_right_verdict_is_fixed_by_f1(f1: float, verdict: str) -> None:
    assert right_verdict(f1) == verdict


def test_f1_against_the_truth_counts_all_that_somebody_labelled() -> None:
    builder = CorpusBuilder()
    votes = {"ann": ["B-X", "O", "B-X"], "bob": ["O", "O", "O"]}
    builder.add(Record(["a", "b", "c"], "s1", None, votes, ["B-X", "B-X", "O"]))
    builder.add(Record(["d"], "s2", None, {"ann": ["B-X"]}, ["B-X"]))
    spans, f1 = true_scores(builder.build())
    assert spans.tolist() == [3, 2]
    assert f1 == pytest.approx([2 * 2 / 6, 0.0])


def _cell(draw: int, method: str, *people: tuple[str, int, float, str]) -> dict[str, object]:
    rows = [
        {"character": who, "spans": spans, "f1": f1, "verdict": told, "value": f1, "low": f1, "high": f1}
        for who, spans, f1, told in people
    ]
    return {"key": {"draw": draw, "method": method}, "people": rows, "commit": "abc"}


def test_tables_count_people_with_enough_spans() -> None:
    people = (
        ("great", 200, 0.95, "good"),
        ("great", 200, 0.95, "drop"),
        ("blank", 150, 0.0, "too little evidence"),
        ("mid", 40, 0.6, "too little evidence"),
    )
    cells = [_cell(0, "sa-slc", *people), _cell(0, "majority-vote", people[0])]
    row = dict(zip(summary(cells).columns, summary(cells).rows[0], strict=True))
    assert (row["casts"], row["annotators"], row["with 100 spans"]) == (1, 4, 3)
    assert row["right"] == "33.3% (1 of 3)"
    assert row["good called drop"] == "50.0% (1 of 2)"
    assert [line[0] for line in by_character(cells, "sa-slc").rows] == ["great", "blank"]
    assert by_few(cells, "sa-slc").rows[2][:3] == ("30 to 59", 1, 1)
    assert "commit abc" in verdict_page(cells)


def test_every_cast_is_judged_by_both_methods() -> None:
    keys = verdict_keys(20)
    assert len({key["draw"] for key in keys}) == 20
    assert len(keys) == 40


def test_a_cast_is_the_same_whenever_it_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    text = crowdseq.demo_corpus()
    monkeypatch.setattr("crowdseq_research.zoo.verdict_casts.gold_text", lambda *_: text)
    for draw in (0, 9):  # a cast of characters, and one of the package's simulator
        one, other = (draw_cast(Path(), "development", draw) for _ in range(2))
        assert one.characters == other.characters
        assert set(one.characters) == set(one.corpus.annotators)
        assert np.array_equal(one.corpus.annotations.tags, other.corpus.annotations.tags)
