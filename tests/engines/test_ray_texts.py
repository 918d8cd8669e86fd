"""Texts of answers arrive as they were, and equal ones are one object."""

import pickle
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crowdseq.engines.ray_texts import packed


@dataclass(frozen=True, eq=False)
class Answer:
    name: str
    texts: tuple[str, ...]
    numbers: NDArray[np.float64]


def sent(thing: object) -> object:
    return pickle.loads(pickle.dumps(packed(thing)))


def test_long_tuples_of_texts_arrive_once() -> None:
    texts = ("", "a word", "\U0001f600", *(f"piece {place}" for place in range(300)))
    first, second = (sent((Answer("words", texts, np.arange(3.0)), 1.5)) for _ in range(2))
    assert isinstance(first, tuple)
    assert isinstance(second, tuple)
    answer, other = first[0], second[0]
    assert answer.texts == texts
    assert type(answer.texts) is tuple
    assert answer.name == "words"
    assert answer.numbers.tolist() == [0.0, 1.0, 2.0]
    assert first[1] == 1.5
    assert all(one is two for one, two in zip(answer.texts, other.texts, strict=True))


def test_everything_else_stays_what_it_is() -> None:
    few, mixed = ("a", "b"), (*("a" * 300), 1)
    answer = Answer("words", few, np.zeros(2))
    for thing in (few, mixed, answer, [few], {"a": few}, None, 3):
        assert packed(thing) is thing
