"""Counts of the page: first, level, above the paper, near the ceiling, each with a case that says no."""

import pytest

from cell_worlds import grid_cell
from crowdseq_research.paper.cells.keys import Crowd
from crowdseq_research.paper.page.variant_reading import variants_reading
from crowdseq_research.paper.tables.grid_reading import (
    behind_reading,
    behind_table,
    ceiling_table,
    precision_table,
    published_table,
    rank_table,
    summary_table,
    winners_table,
)
from crowdseq_research.paper.tables.grid_scores import CROWDS, GridScores
from crowdseq_research.paper.tables.grid_tables import NOT_RUN, cost_table, crowd_table
from crowdseq_research.paper.tables.published import METHODS
from crowdseq_research.paper.tables.verdicts import Verdict, judge

CROWD = Crowd("conll2003", 5, 0.5)


def scores_of(ours: float, others: float, ceiling: float | None = None, **further: int) -> GridScores:
    cells = [grid_cell(CROWD, name, ours if name == "sa-slc" else others, **further) for name in METHODS]
    gold = [] if ceiling is None else [grid_cell(CROWD, "gold", ceiling)]
    return GridScores.of_cells(cells + gold)


@pytest.mark.parametrize(
    ("ours", "others", "first", "level"),
    [
        (70.0, 69.0, True, True),
        (69.0, 69.4, False, True),
        (69.0, 69.6, False, False),
        (69.0, 69.0, True, True),
    ],
)
def test_level_is_within_half_a_point(ours: float, others: float, first: bool, level: bool) -> None:
    (verdict,) = judge(scores_of(ours, others))
    assert (verdict.is_first, verdict.is_level) == (first, level)


def test_with_repeats_one_standard_error_of_the_difference_is_level() -> None:
    cells = []
    for repeat, (ours, other) in enumerate(((60.0, 64.0), (62.0, 60.0), (61.0, 62.0))):
        for name in METHODS:
            value = ours if name == "sa-slc" else other if name == "mace" else 10.0
            cells.append(grid_cell(CROWD, name, value, repeat=repeat))
    (verdict,) = judge(GridScores.of_cells(cells))
    assert verdict.first == "mace"
    assert verdict.gap == pytest.approx(1.0)
    assert verdict.error == pytest.approx(3.0 / 3**0.5)  # of 4, -2, 1
    assert verdict.is_level


def test_a_figure_above_our_ceiling_is_left_out_of_the_count() -> None:
    beyond = Verdict(CROWD, 50.0, "sa-slc", 50.0, published=60.21, ceiling=60.0)
    below = Verdict(CROWD, 50.0, "sa-slc", 50.0, published=60.21, ceiling=61.0)
    assert not beyond.is_comparable
    assert below.is_comparable
    assert not below.is_above_published
    assert summary_table([beyond, below], []).rows[3][2] == "0 of 1"
    assert len(published_table([beyond, below], comparable=True).rows) == 1
    assert len(published_table([beyond, below], comparable=False).rows) == 1


def test_the_ceiling_counts_from_half_right_on() -> None:
    poor = Crowd("conll2003", 5, 0.3)
    verdicts = [Verdict(crowd, 96.0, "sa-slc", 96.0, 40.0, ceiling=100.0) for crowd in (CROWD, poor)]
    assert summary_table(verdicts, []).rows[4][2] == "0 of 1"
    assert len(ceiling_table(verdicts).rows) == 1


def test_a_crowd_counts_only_when_all_six_have_been_run() -> None:
    cells = [grid_cell(CROWD, name, 50.0) for name in METHODS if name != "mace"]
    scores = GridScores.of_cells(cells)
    assert judge(scores) == []
    table = crowd_table(scores, "conll2003", 5)
    assert table.rows[2][3] == f"{NOT_RUN} / 46.15"
    assert table.rows[5][3] == "50.00 / 60.21"


def test_folds_and_quick_cells_are_no_part_of_the_grid() -> None:
    cells = [grid_cell(CROWD, "mace", 50.0, fold=1), grid_cell(CROWD, "mace", 50.0, sentences=600)]
    assert not GridScores.of_cells(cells).found


def test_the_first_of_the_six_is_bold_and_the_share_of_the_ceiling_told() -> None:
    table = crowd_table(scores_of(72.0, 60.0, ceiling=80.0), "conll2003", 5)
    rows = {row[0]: row[3] for row in table.rows}
    assert rows["SA-SLC"] == "**72.00** / 60.21"
    assert rows["MVtoken"] == "60.00 / 64.34"
    assert rows["SA-SLC, share of the ceiling"] == "90.0 %"
    assert rows["bsc"] == NOT_RUN
    assert "bsc" not in {row[0] for row in crowd_table(scores_of(1.0, 2.0), "conll2003", 10).rows}


def test_counts_by_p_winners_ranks_and_exceptions_agree() -> None:
    scores = scores_of(60.0, 65.0)
    verdicts = judge(scores)
    assert precision_table(verdicts).rows[2] == ("0.5", 1, 0, 0, "5.00", "")
    assert sum(row[1] for row in winners_table(verdicts).rows) == 1  # type: ignore[misc]
    assert {row[0]: row[2] for row in winners_table(verdicts).rows}["DS"] == 1
    ranks = {row[0]: row[1] for row in rank_table(scores).rows}
    assert ranks["SA-SLC"] == "6.0 / 3.0"
    assert ranks["MACE"] == "3.0 / 6.0"  # five share the places one to five
    assert behind_table(scores, verdicts).rows[0][0] == "CoNLL 2003, K = 5, p = 0.5"


def test_the_consensus_is_judged_beside_the_tagger() -> None:
    cells = [grid_cell(CROWD, name, 70.0 if name == "sa-slc" else 60.0) for name in METHODS]
    cells[0]["consensus"] = {"f1": 0.75, "precision": 0.75, "recall": 0.75}
    by_tagger, by_consensus = (judge(GridScores.of_cells(cells, part)) for part in ("tagger", "consensus"))
    rows = {row[0]: row[2] for row in summary_table(by_tagger, by_consensus).rows}
    assert rows["first by more than 0.5"] == "1 of 1"
    assert rows["consensus alone: first of the six, or level"] == "0 of 1"


@pytest.mark.parametrize(("ours", "clear"), [(60.4, False), (60.6, True)])
def test_a_small_lead_is_not_clear(ours: float, clear: bool) -> None:
    (verdict,) = judge(scores_of(ours, 60.0))
    assert verdict.is_first
    assert verdict.is_clear == clear


def test_variants_are_told_beside_the_five_others() -> None:
    six = [grid_cell(CROWD, name, 70.0 if name == "sa-slc" else 60.0) for name in METHODS]
    paper = grid_cell(CROWD, "sa-slc", 55.0, settings={"preset": "paper"})
    followed = grid_cell(CROWD, "sa-slc", 66.0, followed=True)
    told = variants_reading(GridScores.of_cells([*six, paper, followed]))
    assert "first of the six on 1 of 1 crowds of K = 5 (with its own: 1), -4.00 F1" in told
    assert "it is first on 0 of 1, -15.00 F1" in told
    assert variants_reading(GridScores.of_cells(six)) == ""
    rows = {row[0]: row[3] for row in crowd_table(GridScores.of_cells([*six, followed]), *CROWD[:2]).rows}
    assert rows["sa-slc, then the same CRF"] == "66.00"


@pytest.mark.parametrize(
    ("balance", "told"),
    [
        ((50.0, 90.0), "on 1 SA-SLC marks more wrongly, though it misses less."),
        ((90.0, 50.0), "on 1 SA-SLC misses more."),
        ((50.0, 50.0), "on 1 SA-SLC marks more wrongly and misses more."),
    ],
)
def test_where_it_is_behind_the_page_says_in_what(balance: tuple[float, float], told: str) -> None:
    cells = [grid_cell(CROWD, name, 60.0 if name == "sa-slc" else 65.0) for name in METHODS]
    cells[-1]["tagger"] |= {"precision": balance[0] / 100, "recall": balance[1] / 100}
    scores = GridScores.of_cells(cells)
    assert behind_reading(scores, judge(scores)).endswith(told)
    assert behind_table(scores, judge(scores)).rows[0][3] == f"60.00 ({balance[0]} / {balance[1]})"


def test_sixty_crowds_and_the_middle_of_their_seconds() -> None:
    assert len(CROWDS) == 60
    cells = [
        grid_cell(Crowd("bc2gm", 5, precision), "mace", 1.0) | {"cpu_seconds": seconds}
        for precision, seconds in ((0.1, 2.0), (0.3, 90.0), (0.5, 4.0))
    ]
    assert cost_table(cells).rows[2][1:3] == (NOT_RUN, "4")
