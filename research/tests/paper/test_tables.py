"""Tables of folds, corpora, the real crowd and the annotators."""

from math import sqrt
from statistics import mean, stdev
from typing import Any

import pytest
from scipy import stats

from cell_worlds import expertise_cell, grid_cell
from crowdseq_research.paper.tables.corpus_tables import dataset_table, turk_table
from crowdseq_research.paper.tables.expertise_tables import (
    example_table,
    expertise_cells,
    expertise_table,
    label_order,
    mean_error,
    vectors,
)
from crowdseq_research.paper.tables.fold_tables import compare_folds, fold_reading, fold_scores, fold_table
from crowdseq_research.paper.tables.grid_tables import NOT_RUN
from crowdseq_research.paper.tables.quick_tables import quick_tables


def fold_cells(method: str, values: list[float]) -> list[dict[str, Any]]:
    return [grid_cell(("bc2gm", 5, 0.5), method, value, fold=fold) for fold, value in enumerate(values)]


@pytest.mark.parametrize(
    ("theirs", "verdict"),
    [
        ([60.0, 61.0, 62.5], "better"),
        ([80.0, 81.0, 80.5], "worse"),
        ([60.0, 71.0, 80.0], ""),
        ([69.0, 70.0, 71.0], ""),
    ],
)
def test_a_paired_t_test_says_who_is_better(theirs: list[float], verdict: str) -> None:
    ours = [70.0, 71.0, 72.0]
    assert compare_folds(ours, theirs) == verdict
    gaps = [one - other for one, other in zip(ours, theirs, strict=True)]
    if stdev(gaps):
        t = mean(gaps) / (stdev(gaps) / sqrt(3))
        assert (2 * stats.t.sf(abs(t), df=2) < 0.05) == bool(verdict)


def test_folds_are_shown_with_spread_mark_and_the_paper_beside() -> None:
    ours, theirs = [70.0 + fold / 10 for fold in range(10)], [60.0 + (fold % 3) for fold in range(10)]
    table = fold_table(fold_scores(fold_cells("sa-slc", ours) + fold_cells("mace", theirs)))
    rows = {row[0]: row[2] for row in table.rows}
    assert rows["SA-SLC"] == f"{mean(ours):.2f} ± {stdev(ours):.2f} / 64.71 ± 1.07"
    assert rows["MACE"] == f"{mean(theirs):.2f} ± {stdev(theirs):.2f} ● / 61.98 ± 0.71 ●"
    assert rows["DS"] == f"{NOT_RUN} / 58.33 ± 1.17 ●"


def test_the_reading_of_folds_counts_the_marks() -> None:
    ours = fold_cells("sa-slc", [70.0 + fold / 10 for fold in range(10)])
    behind, level = fold_cells("mace", [60.0 + (fold % 3) for fold in range(10)]), fold_cells("bsc", [1.0])
    ahead = fold_cells("sembler", [80.0 + (fold % 3) for fold in range(10)])
    told = fold_reading(fold_scores(ours + behind + ahead + level))
    assert told == "By this test SA-SLC is on BC2GM better than 1 and worse than 1 of 2 others."
    assert fold_reading({}) == ""


def test_a_part_of_the_folds_says_how_many() -> None:
    table = fold_table(fold_scores(fold_cells("sa-slc", [70.0, 71.0, 73.0])))
    assert "(3 folds) / 64.71" in str(table.rows[-1][2])


def test_corpora_are_counted_beside_the_paper() -> None:
    counts = {"sentences": 5, "documents": 400, "tokens": 9, "entities": 2, "borrowed": 1}
    cell = {
        "key": {"data": "ncbi_disease"},
        "parts": dict.fromkeys(("train", "dev", "test"), counts),
        "labels": 3,
        "has_documents": True,
    }
    rows = dataset_table([cell]).rows
    assert rows[2] == ("NCBI-disease", "train", 400, "400", 5, 1, 9, 2, "3 (3)")
    assert rows[0][3] == NOT_RUN
    assert quick_tables([cell])[0].rows[0] == ("ncbi_disease", "train", 400, 5, 9, 2)


def test_the_real_crowd_has_the_paper_beside_its_own_size_only() -> None:
    scores = dict.fromkeys(("precision", "recall", "f1", "macro_precision", "macro_recall", "macro_f1"), 0.5)
    key = {"data": "amt", "method": "sa-slc", "settings": {}, "sentences": 3000}
    cell = {"key": key, "test": scores, "consensus": scores}
    rows = {row[0]: row for row in turk_table([cell], 3000).rows}
    assert rows["SA-SLC"][1:4] == ("50.00 / 72.71", "50.00 / 60.02", "50.00 / 64.14")
    assert rows["MACE"][3] == f"{NOT_RUN} / 51.32"
    assert turk_table([cell], None).rows[5][3] == NOT_RUN


def test_rows_of_alpha_stand_in_the_order_of_the_paper() -> None:
    assert label_order(["O", "B-LOC", "I-LOC", "B-ORG", "I-ORG"]) == ["B-ORG", "I-ORG", "B-LOC", "I-LOC", "O"]
    cell = expertise_cell(0.7, 0.9)
    assert vectors(cell, "local", "estimated")[0] == pytest.approx([0.3, 0.7, 0.0])
    found = expertise_cells([cell], "bc2gm")
    assert expertise_table(found, "local").rows[0] == ("a01", "default preset", "4", "0.30", "0.70", "0.00")
    assert expertise_table(found, "local").rows[2][3:] == ("", "", "")
    assert [row[1] for row in expertise_table(found, "local").rows[:2]] == ["default preset", "with gold"]
    other = expertise_table(found | {"paper preset": expertise_cell(0.7, 0.8)}, "local")
    assert [row[1] for row in other.rows[2:4]] == ["with gold, default preset", "with gold, paper preset"]


def test_the_error_of_a_row_is_that_of_the_right_label_where_both_are_known() -> None:
    cell = expertise_cell(0.7, 0.9)
    assert mean_error(cell, "local") == pytest.approx(0.2)
    assert mean_error(cell, "repeat") == pytest.approx(0.2)


def test_the_example_shows_marked_tokens_and_words_only_when_given() -> None:
    chance = {"votes": 3.0, "shares": {"B-LOC": 0.25, "O": 0.75}}
    nothing: dict[str, Any] = {"votes": 0.0, "shares": {}}
    cell = {
        "gold": ["O", "B-LOC"],
        "consensus": ["O", "B-LOC"],
        "confidence": [0.9, 0.8],
        "annotators": [
            {
                "annotator": "w1",
                "tags": ["O", None],
                "local": chance,
                "repeat": {"B-LOC": nothing, "O": chance},
            }
        ],
    }
    table = example_table(cell)
    assert table.columns[:2] == ("", "token 2")
    assert table.rows[1][1] == "B-LOC (80 %)"
    assert table.rows[2][2:] == ("0.25 of 3", "no votes", "0.25 of 3")
    assert example_table(cell, ("in", "Utopia")).columns[1] == "Utopia"


def test_quick_scores_name_all_that_was_cut() -> None:
    cell = grid_cell(("demo", 5, 0.5), "mace", 50.0, sentences=300, fold=2)
    assert quick_tables([cell])[0].rows[0] == ("demo", 300, "5", "0.5", "2", "mace", "50.00", "50.00")
