"""The knowledge experiment: what its cells are, and what its tables make of them."""

from typing import Any

from crowdseq.reports.tables import as_markdown
from crowdseq_research.cells.cell_file import key_of
from crowdseq_research.knowledge.cells import knowledge_keys
from crowdseq_research.knowledge.checks import CHECKED, check_table, summary_table, verdicts
from crowdseq_research.knowledge.running import knowledge_page
from crowdseq_research.knowledge.tables import Found, acceptance_table, crowd_table, tagger_table


def cell(data: str, row: str, seed: int = 0, **values: Any) -> dict[str, Any]:
    return {"key": {"data": data, "row": row, "seed": seed, "part": "dev"}, **values}


def tried(data: str, seed: int, without: float, chosen: float) -> dict[str, Any]:
    return cell(
        data, "vectors", seed, without={"score": without, "agreement": 0.5}, tagger=0.85,
        chosen={"score": chosen, "agreement": 0.6}, used="tagger", coverage={"marked_tokens": 0.9},
        **{"with": {"score": 0.1, "agreement": 0.6}},
    )  # fmt: skip


def test_no_cell_is_listed_twice_and_the_parts_that_judge_are_apart() -> None:
    keys = knowledge_keys()
    assert len({key_of(key) for key in keys}) == len(keys)
    assert {key["part"] for key in keys} == {"dev"}
    assert {key["part"] for key in knowledge_keys(final=True)} == {"test"}


def test_seeds_are_averaged_and_a_loss_is_not_met() -> None:
    found = Found(
        [
            tried("amt-all", 0, 0.8, 0.81),
            tried("amt-all", 1, 0.8, 0.84),
            tried("pico", 0, 0.6, 0.59),
            cell("amt-all", "plain", tagger=0.8),
        ]
    )
    rows = {row[0]: row for row in acceptance_table(found).rows}
    assert rows["AMT consensus val, vectors"][-2:] == ("+0.0250", "met so far")
    assert rows["AMT tagger on CoNLL dev, vectors"][-2:] == ("+0.0500", "met so far")
    assert rows["PICO, medicine by people: consensus, vectors"][-2:] == ("-0.0100", "not met so far")
    assert [row[5] for row in crowd_table(found).rows] == ["20%", "20%"]
    assert len(tagger_table(found).rows) == 1
    assert as_markdown(crowd_table(found)) in knowledge_page(found)


def test_a_page_without_cells_says_so() -> None:
    assert "Not computed yet." in knowledge_page(Found([]))


def checked(data: str, without: float, within: float, *, used: bool) -> dict[str, Any]:
    first, second = {"score": without, "agreement": 0.5}, {"score": within, "agreement": 0.6}
    return cell(
        data, "check", 0, without=first, chosen=second if used else first,
        used="rounds and tagger" if used else "tagger", **{"with": second},
    )  # fmt: skip


def test_a_choice_is_judged_by_what_it_gives_away_and_by_what_it_harms() -> None:
    cells = [
        checked("amt-500", 0.8, 0.81, used=True),
        checked("amt-500", 0.8, 0.79, used=True),
        checked("pico-40-abstracts", 0.5, 0.49, used=False),
        checked("two-bc2gm", 0.5, 0.51, used=False),
    ]
    assert verdicts(cells) == {"right": 2, "gain left": 1, "harm": 1}
    rows = {row[0]: row for row in check_table(cells).rows}
    assert rows["amt-500"][-3:] == ("2 of 2", 0.8, "1 right, 1 harm")
    assert rows["pico-40-abstracts"][5:] == ("20%", "0 of 1", 0.5, "right")
    gains = {row[0]: row[1:] for row in summary_table(cells).rows}
    assert gains["always"] == ("+0.0000", "-0.010", 2)
    assert gains["as chosen"] == ("+0.0000", "-0.010", 1)
    assert gains["if gold were known"] == ("+0.0050", "+0.000", 0)
    told = " ".join(knowledge_page(Found(cells)).split())
    n_draws = sum(len(draws) for _, draws in CHECKED)
    assert f"Of the 4 draws that are computed, of {n_draws}, the choice was right in 2, left a gain" in told
