"""What a key does to the marks of a place: pure functions from marks to marks."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from crowdseq.errors import AnnotationError
from crowdseq.store.entries import Marks


class Edit(NamedTuple):
    """Within tokens begin to end the marks are exactly these."""

    begin: int
    end: int
    marks: Marks


def inside(marks: Marks, begin: int, end: int) -> Marks:
    """Those that share a token with a range."""
    return tuple(one for one in marks if one[0] < end and begin < one[1])


def with_label(marks: Marks, label: str, begin: int, end: int) -> Marks:
    """The marks of a place with another label; where there is none, the whole place is marked."""
    return tuple((first, last, label) for first, last, _ in marks) or ((begin, end, label),)


def moved(marks: Marks, at: int, side: str, step: int, length: int) -> Marks:
    """The mark number `at` with its `begin` or `end` moved by some tokens; it keeps one token at least."""
    first, last, label = _chosen(marks, at)
    if side == "begin":
        first = max(0, min(first + step, last - 1))
    elif side == "end":
        last = min(length, max(last + step, first + 1))
    else:
        raise AnnotationError(f"a mark has a 'begin' and an 'end', but no {side!r:.40}")
    return (*trimmed(_others(marks, at), first, last), (first, last, label))


def split(marks: Marks, at: int, token: int) -> Marks:
    """The mark number `at` as two that part before a token; in the middle if that is no token of it."""
    first, last, label = _chosen(marks, at)
    if last - first < 2:
        raise AnnotationError("a mark of one token cannot be split")
    middle = token if first < token < last else (first + last) // 2
    return (*_others(marks, at), (first, middle, label), (middle, last, label))


def merged(marks: Marks, at: int) -> Marks:
    """The mark number `at` and the next one as one, with the label of the first and all that lies between."""
    first, _, label = _chosen(marks, at)
    if at + 1 >= len(marks):
        raise AnnotationError("there is no next mark to merge with")
    last = marks[at + 1][1]
    return (*_others(_others(marks, at + 1), at), (first, last, label))


def laid_into(sentence: Marks, place: Edit, *, is_plain: bool = False) -> Edit:
    """An edit that takes in all it touches, so that nothing of the sentence is cut unseen.

    Neighbours that a new mark reaches into give way as far as it reaches.
    """
    new = tuple(sorted(place.marks))
    for before, after in pairwise(new):
        if after[0] < before[1]:
            raise AnnotationError("marks overlap, a sequence can hold only one at a token")
    begin = min([place.begin, *(first for first, _, _ in new)])
    end = max([place.end, *(last for _, last, _ in new)])
    touched = inside(sentence, begin, end)
    begin = min([begin, *(first for first, _, _ in touched)])
    end = max([end, *(last for _, last, _ in touched)])
    # What the place itself held is what was decided about; of what lies beside it the rest stays.
    beside = [one for one in touched if not (one[0] < place.end and place.begin < one[1])]
    for first, last, _ in new:
        beside = list(trimmed(beside, first, last))
    made = Edit(begin, end, tuple(sorted((*beside, *new))))
    if is_plain and sum(last - first for first, last, _ in made.marks) < made.end - made.begin:
        raise AnnotationError("every token has a tag here, choose one instead of nothing")
    return made


def trimmed(marks: Sequence[tuple[int, int, str]], begin: int, end: int) -> Marks:
    """What is left of marks outside of a range."""
    made = []
    for first, last, label in marks:
        pieces = ((first, min(last, begin)), (max(first, end), last))
        made += [(one, other, label) for one, other in pieces if one < other]
    return tuple(made)


def _chosen(marks: Marks, at: int) -> tuple[int, int, str]:
    if not 0 <= at < len(marks):
        raise AnnotationError("there is no mark to change here, set a label first")
    return marks[at]


def _others(marks: Marks, at: int) -> Marks:
    return (*marks[:at], *marks[at + 1 :])
