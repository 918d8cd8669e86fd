"""The acceptance lines say met or not met for made-up results on both sides of each bound."""

import pytest

from crowdseq_research.zoo.acceptance import Found, Line, acceptance_lines, acceptance_table
from crowdseq_research.zoo.crowds import find_crowd
from crowdseq_research.zoo.rows import BEFORE, OURS, VOTES
from zoo_worlds import zoo_cell

pytestmark = pytest.mark.usefixtures("plain_rows")


def lines(*cells: dict[str, object], final: tuple[dict[str, object], ...] = ()) -> dict[str, Line]:
    return {line.what: line for line in acceptance_lines(Found(cells, final))}


def draws(name: str, row: str, **figures: object) -> list[dict[str, object]]:
    return [zoo_cell(name, row, draw, **figures) for draw in range(find_crowd(name).draws)]


def test_nothing_is_judged_without_cells() -> None:
    assert {line.verdict for line in lines().values()} == {"no cells yet"}


@pytest.mark.parametrize(
    ("score", "verdict"), [(0.58, "**not met**"), (0.585, "met"), (0.61, "met, and the aim")]
)
def test_a_floor_is_met_or_not(score: float, verdict: str) -> None:
    assert lines(zoo_cell("pico", OURS, score=score))["pico"].verdict == verdict


def test_a_floor_needs_every_draw() -> None:
    some = draws("noisy-bad", OURS, score=0.99)[:2]
    assert lines(*some)["noisy-bad"].verdict == "no cells yet"


def test_standing_among_the_others() -> None:
    found = lines(
        zoo_cell("pico", OURS, score=0.55),
        zoo_cell("pico", VOTES, score=0.57),
        zoo_cell("oei", OURS, score=0.55),
        zoo_cell("oei", VOTES, score=0.54),
    )
    assert found["share of crowds, first or within 1.0 F1"].value == 0.5
    worst = found["furthest below majority-vote"]
    assert worst.value == pytest.approx(0.02)
    assert (worst.where, worst.verdict) == ("pico", "**not met**")


def test_an_empty_consensus_is_told_with_its_crowd() -> None:
    line = lines(zoo_cell("pico", OURS, settled_tokens=0))["crowds with an empty consensus"]
    assert (line.value, line.where, line.verdict) == (1.0, "pico", "**not met**")


def test_gains_are_over_the_same_draws() -> None:
    ours = [zoo_cell("amt-100", OURS, draw, score=0.5 + 0.1 * draw) for draw in range(3)]
    before = [zoo_cell("amt-100", BEFORE, draw, score=0.43 + 0.1 * draw) for draw in (1, 2)]
    line = lines(*ours, *before)["AMT, 100 sentences, 20 draws: gain over preset 0.1"]
    assert line.value == pytest.approx(0.07)


def test_one_annotator_keeps_their_labels() -> None:
    name = "one annotator only: F1 against their own labels"
    kept = draws("alone-bad", OURS, score=0.4, like_votes=1.0)
    assert lines(*kept)[name].verdict == "met"
    changed = draws("alone-expert", OURS, like_votes=0.99)
    assert lines(*kept, *changed)[name].verdict == "**not met**"


def test_calibration_is_the_worst_of_its_group() -> None:
    found = lines(
        zoo_cell("pico", OURS, calibration=0.04),
        zoo_cell("oei", OURS, calibration=0.12, sentences=800),
        zoo_cell("weak-ncbi", OURS, calibration=0.19, sentences=99),
    )
    people = found["largest calibration error, people, 500 sentences and more"]
    assert (people.value, people.where, people.verdict) == (0.12, "oei", "**not met**")
    assert found["largest calibration error, labelling functions"].verdict == "met"


def test_the_final_crowd_is_judged_by_its_test_part() -> None:
    final = zoo_cell("amt-all", OURS, score=0.84, parts={"test": 0.82, "val": 0.86})
    found = lines(final=(final,))
    assert found["AMT, test part"].verdict == "**not met**"
    assert found["AMT, all"].verdict == "met"
    assert acceptance_table(list(found.values())).columns[-1] == "verdict"
