"""Names and labels: checked, numbered in the order of their first appearance, told apart from look-alikes.

`counted` puts a number and its noun into words, `listed` some names, `short` a score, `percent` a share.
"""

import unicodedata
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from struct import pack
from typing import Any, TypeAlias

import numpy as np

from crowdseq.arrays import IntArray
from crowdseq.errors import AnnotationError, SchemeError


class NumberedNames(dict[Hashable, int]):
    """A dictionary that numbers what it has not seen; its C look-up is what makes reading fast."""

    def __init__(self, check: Callable[[str], None] | None = None, none_is: int | None = None) -> None:
        super().__init__()
        self.names: list[str] = []
        self._check = check
        if none_is is not None:
            self[None] = none_is

    def __missing__(self, name: Hashable) -> int:
        if not isinstance(name, str):
            raise TypeError(name)
        if self._check is not None:
            self._check(name)
        number = len(self.names)
        self.names.append(name)
        self[name] = number
        return number


def check_label(label: str) -> None:
    """A label is a visible text with something behind its prefix."""
    if not label.strip():
        raise SchemeError("a label is empty, use null for a token without a label")
    if _has_control(label):
        raise SchemeError(f"label {label!r} holds a control character, remove it")
    if label[1:2] == "-" and label[0] in "BIESLU" and not label[2:].strip():
        raise SchemeError(f"label '{label}' names no entity type, write e.g. '{label.strip()}PER'")


def check_name(what: str) -> Callable[[str], None]:
    """A check that a name is a visible text."""

    def check(name: str) -> None:
        if not name.strip():
            raise AnnotationError(f"the name of an {what} is empty, give one")
        if _has_control(name):
            raise AnnotationError(f"{what} {name!r} holds a control character, remove it")

    return check


def _has_control(text: str) -> bool:
    return any(unicodedata.category(character) == "Cc" for character in text)


_LONGEST_COMPARED = 1000


def look_alikes(names: list[str]) -> list[tuple[str, ...]]:
    """Groups of names that differ only in case, Unicode form or outer space."""
    groups: dict[str, list[str]] = {}
    for name in names:
        # Python takes the square of the time for many combining marks in a row.
        is_short = len(name) <= _LONGEST_COMPARED
        key = unicodedata.normalize("NFKC", name).casefold().strip() if is_short else name
        groups.setdefault(key, []).append(name)
    return [tuple(sorted(group)) for group in groups.values() if len(group) > 1]


def made_ids(sentences: Mapping[str | int, int]) -> tuple[str, ...]:
    """The id of every sentence: its own, or s1, s2, … by its number, stepping aside for given ones."""
    ids: list[str] = []
    beyond: dict[int, int] = {}  # from a number that is taken to one that may not be
    for key, number in sentences.items():
        if isinstance(key, str):
            ids.append(key)
            continue
        passed, step = [], number + 1
        while step in beyond or f"s{step}" in sentences:
            passed.append(step)
            step = beyond.get(step, step + 1)
        beyond.update(dict.fromkeys((*passed, step), step + 1))
        ids.append(f"s{step}")
    return tuple(ids)


def counted(count: int, noun: str) -> str:
    """`1 label`, `2 labels`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def listed(names: Sequence[str], most: int = 8) -> str:
    """`ada, bo and 3 more`, where more than most are named."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def short(score: float) -> str:
    """`.05`, `1.00`, `-.05`."""
    return f"{score:.2f}".replace("0.", ".", 1)


def percent(share: float) -> str:
    """`0.4 %`, `12 %`."""
    return f"{100 * share:.1f} %" if share < 0.01 else f"{100 * share:.0f} %"


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
