"""The page on simulation shows what the code gives, and a large crowd is made in seconds."""

import re
import time
from pathlib import Path

import numpy as np
import pytest

from crowdseq.simulation.annotators import simulate_crowd
from crowdseq.simulation.profiles import PROFILES
from crowdseq.simulation.settings import CrowdSettings
from crowdseq.simulation.table import realised_table
from simulation.outcomes import gold_corpus, real_gold

PAGE = Path(__file__).resolve().parents[2] / "docs" / "simulation.md"
CORPORA = ("conll2003", "bc2gm", "ncbi_disease", "jnlpba")


def test_the_table_has_a_row_for_each_precision_and_a_column_for_each_corpus() -> None:
    corpora = {"one": gold_corpus(1), "two": gold_corpus(2)}
    lines = realised_table(corpora, precisions=(0.2, 0.6)).splitlines()
    assert lines[0] == "| asked | one | two |"
    assert [line.split(" | ")[0] for line in lines[2:]] == ["| 0.2", "| 0.6"]
    for line in lines[2:]:
        asked, *realised = (float(value) for value in re.findall(r"\d\.\d+(?= [|(])", line))
        assert len(realised) == 2
        assert realised == pytest.approx([asked, asked], abs=0.01)


def _tables() -> dict[int, list[str]]:
    """The tables of the page by their number of annotators."""
    parts = re.split(r"^### K = (\d+)\n", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    bodies = zip(map(int, parts[1::2]), parts[2::2], strict=True)
    return {number: re.findall(r"^\|.*\|$", body, re.MULTILINE) for number, body in bodies}


def test_every_cell_of_the_page_is_within_a_hundredth_of_what_was_asked() -> None:
    tables = _tables()
    assert set(tables) == {5, 10, 15}
    for lines in tables.values():
        assert lines[0] == f"| asked | {' | '.join(CORPORA)} |"
        assert [line.split(" | ")[0] for line in lines[2:]] == [f"| 0.{tenths}" for tenths in range(1, 10)]
        for line in lines[2:]:
            asked, *realised = (float(value) for value in re.findall(r"\d\.\d+(?= [|(])", line))
            assert realised == pytest.approx([asked] * 4, abs=0.01)


def test_rows_of_the_page_come_out_again(shared_data: Path) -> None:
    name = "ncbi_disease"
    column = CORPORA.index(name) + 2
    made = realised_table({name: real_gold(shared_data, name)}, precisions=(0.1, 0.5)).splitlines()
    for line in made[2:]:
        asked, cell = line.split("|")[1:3]
        (row,) = [row for row in _tables()[5] if row.split("|")[1] == asked]
        assert row.split("|")[column] == cell


def test_the_page_tells_of_every_setting_and_every_profile() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for name in (*CrowdSettings.__dataclass_fields__, *PROFILES):
        assert f"`{name}`" in page


def test_eight_thousand_sentences_and_fifteen_annotators_take_seconds() -> None:
    gold = gold_corpus(9, sentences=1000, names=1000, documents=50).select(np.tile(np.arange(1000), 8))
    start = time.process_time()
    made = simulate_crowd(gold, CrowdSettings(annotators=15))
    assert time.process_time() - start < 8  # about two on one core of a small machine
    assert made.realised.on_target
