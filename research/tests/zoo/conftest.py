"""Rows with the settings that every version of a method has, so that tables are tested by themselves."""

from collections.abc import Iterator

import pytest

from crowdseq_research.zoo.rows import ROWS, known_rows


@pytest.fixture
def plain_rows(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every row is there, with its method's defaults."""
    for name, row in ROWS.items():
        monkeypatch.setitem(ROWS, name, row._replace(settings={}))
    known_rows.cache_clear()
    yield
    known_rows.cache_clear()
