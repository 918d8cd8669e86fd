"""Entries of the guideline and the file that they make."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from crowdseq.errors import AnnotationError
from crowdseq.workflows.reviewing.desk import Desk
from crowdseq.workflows.reviewing.guideline import Example, GuidelineBook, GuidelineEntry
from review_worlds import do, saved


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with Desk.open(saved(tmp_path / "run")) as opened:
        yield opened


def test_an_entry_becomes_part_of_the_guideline_file(desk: Desk) -> None:
    book = GuidelineBook(desk)
    do(desk, "label", 0, label="PER")
    do(desk, "label", 1, label="PER")
    entry = GuidelineEntry(
        id="g1",
        reviewer="bea",
        mention=("Washington",),
        pair=("LOC", "PER"),
        label="PER",
        text="A *person*,\nunless <script>.",
        examples=book.examples([0, 1]),
    )
    added = book.add(entry)
    assert added.examples[1] == Example("Mr", "Washington", "slept", "PER")
    assert book.add(entry) == added, "asked twice, logged once"
    assert book.entries() == (added,)
    page = (desk.folder / "guideline.md").read_text()
    assert "## “Washington”: LOC or PER" in page
    assert r"A \*person\*, unless \<script\>." in page
    assert "- Mr **Washington** slept → PER" in page
    book.remove("g1", id="u1", reviewer="bea")
    assert (desk.folder / "guideline.md").read_text() == "# Guideline\n"


def test_an_entry_about_nothing_is_refused(desk: Desk) -> None:
    with pytest.raises(AnnotationError, match="mention or a pair"):
        GuidelineBook(desk).add(GuidelineEntry(id="g", reviewer="bea"))
