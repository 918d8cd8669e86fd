"""Rows of labels, one for each token of a sentence, to the numbers under which a corpus is collected."""

from collections.abc import Sequence
from dataclasses import dataclass
from struct import pack
from typing import Any, TypeAlias

import numpy as np

from crowdseq.arrays import IntArray
from crowdseq.core.names import NumberedNames, check_label
from crowdseq.errors import SchemeError

Tags: TypeAlias = Sequence[str | None]

_MOST_LABELS = np.iinfo(np.int16).max
_NOT_MET = -2  # -1 is a token without a label


class TooManyLabels(SchemeError):
    """Said of the whole input, not of one row."""


@dataclass(frozen=True, eq=False)
class NumberedTags(Sequence[str | None]):
    """The tags of a sentence as numbers into a table of names, which many sentences share and may grow."""

    names: list[str]
    numbers: IntArray

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self.names[number] for number in self.numbers[index].tolist()]
        return self.names[self.numbers[index]]


class LabelRows:
    """Labels numbered in the order of their first appearance, and rows of them as 16-bit integers."""

    def __init__(self) -> None:
        self._numbers = NumberedNames(check_label, none_is=-1)
        self._table: list[str] = []
        self._translation: IntArray = np.empty(0, np.int16)
        self._are_all_met = False

    @property
    def names(self) -> list[str]:
        """Every label that was met."""
        return self._numbers.names

    def packed(self, tags: Tags) -> bytes:
        """One row; TypeError for a label that is no text, SchemeError for one that is none."""
        if isinstance(tags, NumberedTags):
            return self._translated(tags).tobytes()
        row = list(map(self._numbers.__getitem__, tags))
        self._check_count()
        return pack(f"{len(row)}h", *row)

    def _translated(self, tags: NumberedTags) -> IntArray:
        """By a table of numbers that is made once: there are as many rows as annotators and sentences."""
        if tags.names is not self._table or len(tags.names) != len(self._translation):
            self._table = tags.names
            self._translation = np.array([self._numbers.get(name, _NOT_MET) for name in tags.names], np.int16)
            self._are_all_met = False
        if not self._are_all_met:
            for number in tags.numbers.tolist():
                self._translation[number] = self._numbers[tags.names[number]]
                self._check_count()
            self._are_all_met = _NOT_MET not in self._translation
        return self._translation[tags.numbers]

    def _check_count(self) -> None:
        if len(self.names) > _MOST_LABELS:
            raise TooManyLabels(f"there are more than {_MOST_LABELS} different labels, too many to hold")
