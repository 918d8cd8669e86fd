"""ColumnCollector: further values for each token, gathered sentence by sentence."""

from array import array
from collections.abc import Mapping, Sequence

import numpy as np

from crowdseq.core.names import NumberedNames, counted
from crowdseq.core.text import Column
from crowdseq.errors import AnnotationError

_ABSENT = -1  # a sentence may come without a column that others have


class ColumnCollector:
    """One number for each token in each column; `place` is where the tokens of a sentence begin."""

    def __init__(self) -> None:
        self._columns: dict[str, tuple[NumberedNames, array[int]]] = {}
        self._n_tokens = 0

    def append(self, columns: Mapping[str, Sequence[str]], length: int) -> None:
        """The columns of the next sentence."""
        place = self._n_tokens
        self._n_tokens += length
        for _, ids in self._columns.values():
            ids.extend([_ABSENT] * length)
        self.fill(columns, place)

    def fill(self, columns: Mapping[str, Sequence[str]], place: int) -> None:
        """Columns for a sentence that had come without them."""
        for name, values in columns.items():
            if name not in self._columns:
                self._columns[name] = (NumberedNames(), array("i", [_ABSENT]) * self._n_tokens)
            table, ids = self._columns[name]
            ids[place : place + len(values)] = array("i", map(table.__getitem__, values))

    def differing(self, columns: Mapping[str, Sequence[str]], place: int) -> str | None:
        """The first column that holds something else for the same sentence, if there is one."""
        for name, values in columns.items():
            if name in self._columns and len(values):
                table, ids = self._columns[name]
                held = ids[place : place + len(values)]
                if held[0] != _ABSENT and [table.names[i] for i in held] != list(values):
                    return name
        return None

    def build(self) -> dict[str, Column]:
        """All columns as arrays, by name."""
        return {
            name: Column(tuple(table.names), np.array(ids, np.int32))
            for name, (table, ids) in self._columns.items()
        }


def check_columns(columns: Mapping[str, Sequence[str]], n_tokens: int) -> None:
    """A column has one text for each token."""
    for name, values in columns.items():
        if len(values) != n_tokens:
            sizes = f"{counted(len(values), 'value')} for {counted(n_tokens, 'token')}"
            raise AnnotationError(f"column {name}: {sizes}")
        if not all(isinstance(value, str) for value in values):
            raise AnnotationError(f"column {name}: a value must be a text")
