"""Spreadsheets (.xlsx): the rows of every sheet as texts."""

import io
import warnings
from collections.abc import Iterator
from datetime import datetime, time
from typing import Any

from crowdseq.formats.foreign.child import Fault

_MOST_CELLS = 50_000_000
_ROWS_AT_A_TIME = 1000


def prepare() -> None:
    """Import what parses."""
    import openpyxl  # noqa: F401


def parse(parts: list[bytes]) -> Iterator[Any]:
    """[title, [[number, cells], …]], as many of each sheet as there are rows with anything in them."""
    from openpyxl import load_workbook

    warnings.simplefilter("ignore")  # about styles, of which nothing is read
    book = load_workbook(io.BytesIO(parts[0]), read_only=True, data_only=True)
    n_cells = 0
    for sheet in book.worksheets:
        rows: list[Any] = []
        for number, cells in enumerate(sheet.iter_rows(values_only=True), 1):
            n_cells += len(cells)
            if n_cells > _MOST_CELLS:
                raise Fault(f"it has more than {_MOST_CELLS:,} cells")
            texts = [_text(cell) for cell in cells]
            while texts and not texts[-1]:
                texts.pop()
            if texts:
                rows.append([number, texts])
            if len(rows) == _ROWS_AT_A_TIME:
                yield [sheet.title, rows]
                rows = []
        yield [sheet.title, rows]


def _text(value: Any) -> str:
    """A cell as a person sees it: 3 and not 3.0, a day without its midnight."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, datetime) and value.time() == time():
        return str(value.date())
    return str(value)
