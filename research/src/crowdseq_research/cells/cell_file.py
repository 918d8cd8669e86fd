"""Cells: single results of an experiment, a JSON line each, kept as they finish and never done twice."""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crowdseq.errors import FormatError, Problem

Compute = Callable[[Mapping[str, Any]], Mapping[str, Any]]
Tell = Callable[[str, int, int], None]


@dataclass(frozen=True)
class CellFile:
    """A file of cells; a cell is known by its `key`, all that decides its result.

    scored: the parts of a cell that hold an F1.
    """

    path: Path
    scored: tuple[str, ...] = ()

    def load(self) -> dict[str, dict[str, Any]]:
        """Key to cell; a last line that was cut off by a kill is left out."""
        if not self.path.exists():
            return {}
        found, wrong = {}, []
        lines = self.path.read_bytes().split(b"\n")
        for number, line in enumerate(lines, start=1):
            if not line:
                continue
            try:
                cell = json.loads(line)
            except ValueError:
                cell = None
            if self._is_cell(cell):
                found[key_of(cell["key"])] = cell
            elif cell is not None or number < len(lines):
                wrong.append(Problem("is no cell of this file, remove the line", str(self.path), number))
        if wrong:
            raise FormatError(*wrong)
        return found

    def _is_cell(self, cell: Any) -> bool:
        if not isinstance(cell, dict) or not isinstance(cell.get("key"), dict):
            return False
        parts = [cell.get(name) for name in self.scored]
        return all(
            isinstance(part, dict) and isinstance(part.get("f1"), float | int | None) for part in parts
        )

    def append(self, cell: Mapping[str, Any]) -> None:
        """One more line, on the disk before we go on."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._mend_tail()
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(cell, ensure_ascii=False) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def _mend_tail(self) -> None:
        """Take away a last line that was cut off by a kill; one that lacks only its end gets it."""
        content = self.path.read_bytes() if self.path.exists() else b""
        tail = content.rpartition(b"\n")[2]
        if not tail:
            return
        with self.path.open("r+b") as file:
            try:
                json.loads(tail)
            except ValueError:
                file.truncate(len(content) - len(tail))
            else:
                file.seek(0, os.SEEK_END)
                file.write(b"\n")


def key_of(key: Mapping[str, Any]) -> str:
    """The same text for the same key."""
    return json.dumps(key, sort_keys=True, ensure_ascii=False)


def compute_missing(
    file: CellFile,
    keys: Sequence[Mapping[str, Any]],
    compute: Compute,
    tell: Tell,
    is_outdated: Callable[[Mapping[str, Any]], bool] = lambda _: False,
) -> list[dict[str, Any]]:
    """The cells of all keys, in their order; only those not in the file yet, or outdated, are computed."""
    found = {name: cell for name, cell in file.load().items() if not is_outdated(cell)}
    for done, key in enumerate(keys, start=1):
        if key_of(key) not in found:
            cell = {"key": dict(key), **compute(key)}
            file.append(cell)
            found[key_of(key)] = cell
        tell(str(key.get("name", "cells")), done, len(keys))
    return [found[key_of(key)] for key in keys]
