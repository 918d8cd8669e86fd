"""Companion: what reads the text beside the CRF of a truth model, and joins it."""

from typing import Protocol

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.numerics.em import Progress

LEAST_AGREEMENT = 0.8  # F1 of the text alone, as the CRF reads it, with what is believed: else none is asked


class Companion(Protocol):
    """What joins the CRF: for each token of a corpus, log probabilities of its labels.

    weight: how much it counts, from 0 to 1; the CRF counts the rest. trainings: how often it is trained.
    """

    @property
    def weight(self) -> float: ...
    @property
    def trainings(self) -> int: ...
    def train(
        self, believed: FloatArray, folds: IntArray, number: int, learned: FloatArray | None
    ) -> tuple[FloatArray, FloatArray]:
        """From (T, M) what is believed to (T, M) log probabilities, each fold's from the other folds (N,).

        number: the how manieth training it is; learned: what the one before gave beside. That comes with it
        here too, to go on from: one row for each fold.
        """


class CompanionMaker(Protocol):
    """How a companion is made once the corpus stands in its order."""

    def __call__(self, corpus: Corpus, progress: Progress) -> Companion: ...
