"""Crowds by number: the same for good, and each as it says."""

from pathlib import Path

import pytest

from crowdseq_research.zoo.drawn_check import DRAWN, GRADED, page
from crowdseq_research.zoo.figures import crowd_digest
from crowdseq_research.zoo.graded_crowds import GRADES, grade_crowd


def test_every_combination_is_there_once() -> None:
    assert len(GRADES) == len(set(GRADES)) == 4 * 4 * 4 * 3


@pytest.mark.parametrize("number", [0, 100, len(GRADES) - 1])
def test_a_crowd_by_degrees_is_what_its_number_says(shared_data: Path, number: int) -> None:
    text, _, count, sentences = GRADES[number]
    drawn = grade_crowd(shared_data, number)
    assert drawn.peculiar[0] == text
    assert len(drawn.corpus) == sentences
    assert len(drawn.corpus.annotators) == count
    assert crowd_digest(drawn.corpus) == crowd_digest(grade_crowd(shared_data, number).corpus)


def cell(number: int, ours: float, theirs: float) -> dict[str, object]:
    names = ("majority-vote, silence auto", "dawid-skene", "ibcc", "hmm-crowd", "bsc", "sa-slc, preset 0.1")
    scores = dict.fromkeys(names, theirs) | {"sa-slc": ours}
    return {"number": number, "peculiar": ["x"], "scores": scores, "calibration": None, "commit": "abc"}


@pytest.mark.parametrize("series", [DRAWN, GRADED])
def test_a_page_counts_who_is_close_and_leaves_out_crowds_that_misled_all(series: object) -> None:
    text = page(series, [cell(3, 0.9, 0.8), cell(4, 0.8, 0.85), cell(5, 0.1, 0.2)])  # type: ignore[arg-type]
    assert "Numbers 3 to 5, 3" in text
    assert "On 1 of them" in text
    assert "| sa-slc | 0.850 | 1 (50%) | 1 | 0.050 |" in text
    assert text.index("| 5: x |") < text.index("| 4: x |") < text.index("| 3: x |")
