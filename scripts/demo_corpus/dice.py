"""Chance that comes out the same on every Python."""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

Item = TypeVar("Item")


class Dice:
    """Chance from `Random.random()` alone: the one draw that Python promises never to change."""

    def __init__(self, *seed: object) -> None:
        self._random = Random("/".join(map(str, seed))).random

    def hit(self, probability: float) -> bool:
        return self._random() < probability

    def below(self, count: int) -> int:
        return int(self._random() * count)

    def pick(self, items: Sequence[Item]) -> Item:
        return items[self.below(len(items))]

    def weighted(self, weights: dict[Item, float]) -> Item:
        left = self._random() * sum(weights.values())
        for item, weight in weights.items():
            left -= weight
            if left < 0:
                return item
        return item
