"""What the tables of the zoo say of small, made-up results."""

from typing import Any

import pytest

from crowdseq_research.zoo.cells import ROWS
from crowdseq_research.zoo.crowds import find_crowd
from crowdseq_research.zoo.tables import crowd_scores, kind_weights, score_table, summary_table


def cells(name: str, **scores: float) -> list[dict[str, Any]]:
    crowd = find_crowd(name)
    return [
        {
            "key": {"data": name, "kind": crowd.kind, "draw": draw, "row": row},
            "score": scores.get(row.replace("-", "_"), 0.5) + 0.1 * draw,
            "calibration": 0.1,
            "settled_tokens": 0 if row == "mace" else 3,
        }
        for row in ROWS
        for draw in range(2)
    ]


def test_draws_are_averaged_and_crowds_keep_their_order() -> None:
    scores = crowd_scores([*cells("two-mid", mace=0.7), *cells("amt-50")])
    assert [one.name for one in scores] == ["amt-50", "two-mid"]
    assert scores[1].score["mace"] == pytest.approx(0.75)
    assert scores[0].empty == {"mace"}
    assert score_table(scores).rows[1][1] == "two-mid"


def test_a_crowd_without_all_cells_is_left_out() -> None:
    assert crowd_scores(cells("two-mid")[:-1]) == []


def test_the_summary_counts_first_level_and_below() -> None:
    scores = crowd_scores([*cells("two-mid", mace=0.7, bsc=0.695), *cells("amt-50", majority_vote=0.6)])
    table = {row[0]: row[1:] for row in summary_table(scores).rows}
    assert table["mace"][2:6] == (1, 1, 1, 2)
    assert table["bsc"][2:5] == (0, 1, 1)
    assert table["majority-vote"][4] == 0
    assert table["majority-vote"][-1] == "two-mid"


def test_every_kind_weighs_the_same() -> None:
    scores = crowd_scores([*cells("amt-50"), *cells("amt-100"), *cells("two-mid")])
    assert kind_weights(scores) == [0.5, 0.5, 1.0]
