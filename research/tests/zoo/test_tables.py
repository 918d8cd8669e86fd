"""What the tables of the zoo say of small, made-up results."""

import pytest

from crowdseq_research.zoo.page import Shown, zoo_page
from crowdseq_research.zoo.scores import crowd_scores, kind_weights
from crowdseq_research.zoo.tables import kind_table, score_table, summary_table
from zoo_worlds import SHOWN, cells_of, zoo_cell

pytestmark = pytest.mark.usefixtures("plain_rows")


def test_draws_are_averaged_and_crowds_keep_their_order() -> None:
    scores = crowd_scores([*cells_of("two-mid", {"mace": 0.7}), *cells_of("amt-50", {})])
    assert [one.crowd.name for one in scores] == ["amt-50", "two-mid"]
    assert scores[1].rows["mace"].value == pytest.approx(0.71)
    table = score_table(scores)
    assert table.rows[1][:3] == ("two-mid", 600, "3")
    assert table.rows[1][3 + SHOWN.index("mace")] == "**0.710**"


def test_a_row_without_all_draws_is_left_out() -> None:
    cells = cells_of("two-mid", {})[:-1]
    (one,) = crowd_scores(cells)
    assert set(one.rows) == set(SHOWN[:-1])


def test_the_summary_counts_first_level_and_below() -> None:
    cells = [
        *cells_of("two-mid", {"mace": 0.7, "bsc": 0.695}),
        *cells_of("amt-50", {"majority-vote": 0.6}),
    ]
    table = summary_table(crowd_scores(cells))
    rows = {row[0]: dict(zip(table.columns, row, strict=True)) for row in table.rows}
    assert (rows["mace"]["first"], rows["mace"]["within 1 F1"], rows["mace"]["share"]) == (1, 1, "50 %")
    assert (rows["bsc"]["first"], rows["bsc"]["within 1 F1"]) == (0, 1)
    assert rows["mace"]["below majority vote by more than 1 F1"] == 1
    assert rows["mace"]["furthest below it"] == pytest.approx(0.1)
    assert rows["majority-vote"]["where"] == "two-mid"
    assert rows["majority-vote"]["below majority vote by more than 1 F1"] == 0


def test_only_rows_with_all_crowds_are_ranked() -> None:
    cells = [
        *cells_of("two-mid", {"mace": 0.7}),
        zoo_cell("pico", "mace"),
        zoo_cell("pico", "bsc", score=0.4),
    ]
    ranks = {row[0]: row[3] for row in summary_table(crowd_scores(cells)).rows}
    assert ranks["mace"] == "1.00"
    assert ranks["bsc"] == "2.00"
    assert ranks["ibcc"] is None


def test_every_kind_weighs_the_same() -> None:
    scores = crowd_scores([*cells_of("amt-50", {}), *cells_of("amt-200", {}), *cells_of("two-mid", {})])
    assert kind_weights(scores) == [0.5, 0.5, 1.0]
    table = kind_table(scores)
    assert table.rows[0][:3] == ("AMT, few documents", 2, "5")


def test_an_empty_consensus_is_counted_only_where_there_was_something_to_find() -> None:
    empty = crowd_scores([zoo_cell("pico", "mace", settled_tokens=0)])
    assert empty[0].rows["mace"].empty
    nothing = crowd_scores([zoo_cell("pico", "mace", settled_tokens=0, drawn_tokens=0)])
    assert not nothing[0].rows["mace"].empty


def test_what_other_sources_computed_is_marked_and_counted() -> None:
    cells = [zoo_cell("pico", "mace", sources="0" * 16), zoo_cell("pico", "bsc")]
    page = zoo_page(Shown(cells, []))
    assert "Computed with other sources than today's, marked †: 1 of mace" in page
    assert "**0.500**†" in page
    assert "Computed with other sources" not in zoo_page(Shown(cells[1:], []))


def test_verdicts_on_old_cells_are_told_to_be_so() -> None:
    told = "1 of 1 cells of sa-slc were computed with other sources: verdicts are about those"
    assert told in zoo_page(Shown([zoo_cell("pico", "sa-slc", sources="0")], []))
    assert told not in zoo_page(Shown([zoo_cell("pico", "sa-slc")], []))


def test_a_zoo_that_was_not_run_says_so() -> None:
    assert "Not run yet." in zoo_page(Shown([], []))
