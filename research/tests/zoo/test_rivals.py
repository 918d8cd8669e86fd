"""The settings of the rivals: development crowds are no crowds of the zoo, and the best setting is chosen."""

from pathlib import Path

import pytest

from crowdseq import demo_corpus
from crowdseq_research.cells.cell_file import CellFile
from crowdseq_research.zoo import rivals
from crowdseq_research.zoo.crowds import ZOO, Crowd
from crowdseq_research.zoo.real_crowds import draw_documents
from crowdseq_research.zoo.rivals import DRAW, Search, development_crowds, every, rivals_page


@pytest.fixture
def search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Search:
    crowd = draw_documents(demo_corpus(), 60, 0)
    kinds = [("a", crowd), ("a", crowd), ("b", draw_documents(demo_corpus(), 60, 1))]
    monkeypatch.setattr(rivals, "development_crowds", lambda _: kinds)
    return Search(CellFile(tmp_path / "cells.jsonl"), tmp_path, lambda *_: None)


def test_development_crowds_are_drawn_with_other_seeds() -> None:
    assert max(crowd.draws for crowd in ZOO) <= DRAW


def test_a_crowd_that_the_zoo_takes_whole_is_never_developed_on_whole() -> None:
    asked = []

    def make(_: Path, draw: int) -> object:
        asked.append(draw)
        return demo_corpus()

    zoo = [Crowd("x", "kind", make), Crowd("y", "kind", make, draws=5)]  # type: ignore[arg-type]
    (_, whole), (_, drawn) = development_crowds(Path(), zoo)
    assert asked == [DRAW, DRAW]
    assert len(whole) < 0.9 * len(demo_corpus())
    assert len(drawn) >= len(whole)


def test_the_best_alternative_is_kept_and_unknown_settings_are_left_out(
    search: Search, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = (every(unit=("token", "span"), ties=("entity-first", "o-first")), every(unheard_of=(1, 2)))
    monkeypatch.setitem(rivals.STEPS, "majority-vote", steps)
    tried = search.choose("majority-vote")
    assert len(tried) == 5
    assert tried[-1].mean == max(one.mean for one in tried)
    assert set(tried[-1].kinds) == {"a", "b"}
    page = rivals_page({"majority-vote": tried})
    assert "unit=span, ties=o-first" in page
    assert "unheard_of" not in page


def test_what_was_tried_is_not_tried_again(search: Search, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(rivals.STEPS, "majority-vote", (every(ties=("entity-first", "o-first")),))
    first = search.choose("majority-vote")
    monkeypatch.setattr(rivals, "learn", None)
    assert search.choose("majority-vote") == first


def test_every_rival_has_steps_and_settings_of_its_own() -> None:
    from crowdseq_research.zoo.rows import ROWS

    assert {row.method for row in ROWS.values()} - {"sa-slc"} == set(rivals.STEPS)
