"""Charts: what is drawn where."""

import re

import numpy as np
import pytest

from crowdseq.evaluation.calibration import measure_calibration
from crowdseq.reports.html.charts import SkillAxis, confidence_bar, history_chart, reliability_chart
from crowdseq.reports.html.section import join, listed
from crowdseq.reports.tables import count, decimal, percent


def test_a_bar_is_as_long_as_its_parts() -> None:
    bar = confidence_bar(np.array([0.95, 0.95, 0.8, 0.4])).source.replace("\u00a0", " ")
    widths = [float(width) for width in re.findall(r' width="([\d.]+)%"', bar)]
    assert widths == [50.0, 25.0, 25.0]
    assert re.findall(r"band(\d)", bar) == ["0", "1", "3"]
    assert "50 % above 90 %, 25 % 70 to 90 %, 0 % 50 to 70 %, 25 % below 50 %" in bar


def test_a_whisker_lies_on_its_axis() -> None:
    axis = SkillAxis(-0.5)
    assert [axis.x(skill) for skill in (-0.5, 0.25, 1.0, -2.0)] == ["0.00%", "50.00%", "100.00%", "0.00%"]
    drawn = axis.whisker(0.0, 0.25, 0.5).source
    assert 'x1="33.33%" x2="66.67%"' in drawn
    assert 'cx="50.00%"' in drawn


def test_the_diagonal_of_calibration_holds_what_is_as_sure_as_right() -> None:
    confidence = np.repeat([0.25, 0.75], 100)
    right = np.tile(np.repeat([True, False], [25, 75]), 2)
    chart = reliability_chart(measure_calibration(confidence, right).as_dict()["bins"]).source
    dots = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', chart)
    gaps = re.findall(r'y1="([\d.]+)" x2="[\d.]+" y2="([\d.]+)" class="gap"', chart)
    assert len(dots) == 2
    assert gaps[0][0] == gaps[0][1], "a confidence of 25 % was right in 25 %"
    assert float(gaps[1][1]) > float(gaps[1][0]), "75 % was right in 25 %: the dot lies below the line"


def test_bins_of_few_tokens_are_hollow() -> None:
    bins = measure_calibration(np.array([0.95] * 40 + [0.45]), np.array([True] * 41)).as_dict()["bins"]
    chart = reliability_chart(bins).source
    assert chart.count('class="dot few"') == 1
    assert chart.count('class="gap"') == 1


def test_a_rising_history_rises() -> None:
    chart = history_chart([-100.0, -50.0, -40.0]).source
    [points] = re.findall(r'points="([^"]*)"', chart)
    heights = [float(point.split(",")[1]) for point in points.split()]
    assert heights == sorted(heights, reverse=True)


@pytest.mark.parametrize("history", [[1.0, 1.0], [-1e12, 5.0, 7.0], [0.0, 1e-9]])
def test_any_history_can_be_drawn(history: list[float]) -> None:
    assert "nan" not in history_chart(history).source


@pytest.mark.parametrize(
    ("share", "digits", "words"),
    [
        (0.421, 0, "42 %"),
        (0.0, 0, "0 %"),
        (1.0, 1, "100.0 %"),
        (0.001, 0, "<1 %"),
        (0.9999, 0, ">99 %"),
        (0.9999, 1, ">99.9 %"),
        (0.005, 0, "0 %"),
        (None, 0, "n/a"),
    ],
)
def test_percentages_never_claim_all_or_nothing_wrongly(share: float | None, digits: int, words: str) -> None:
    assert percent(share, digits).replace("\u00a0", " ") == words


def test_counts_have_their_noun() -> None:
    assert [count(1, "span"), count(1200, "span")] == ["1 span", "1,200 spans"]
    assert decimal(-0.5) == "−0.50"


@pytest.mark.parametrize(
    ("names", "words"),
    [("", ""), ("a", "a"), ("ab", "a and b"), ("abc", "a, b and c"), ("abcde", "a, b, c and 2 more")],
)
def test_names_are_listed_as_people_do(names: str, words: str) -> None:
    assert re.sub("<[^>]*>", "", join(listed(list(names), limit=3)).source) == words
