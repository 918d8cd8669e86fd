"""StateCompanion: a network over the frozen states of a language model, one for each fold."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

import numpy as np

from crowdseq.arrays import IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.errors import AnnotationError
from crowdseq.neural.encoder import one_thread, seeded
from crowdseq.neural.folders import ModelFolder
from crowdseq.neural.inputs import token_inputs
from crowdseq.neural.network import (
    Network,
    SentenceInputs,
    flat_weights,
    set_weights,
    tell,
    train_network,
)
from crowdseq.neural.settings import NetworkSettings, Rows
from crowdseq.neural.states import frozen_states
from crowdseq.numerics.em import Progress

_STAGE = "training the network"


@dataclass(frozen=True)
class MakeCompanion:
    """How one is made for a corpus; cache: a folder where states are kept for a run that is resumed."""

    model: ModelFolder
    settings: NetworkSettings
    cache: Path | None = None

    def __call__(self, corpus: Corpus, progress: Progress) -> "StateCompanion":
        return StateCompanion(partial(self._read, corpus, progress), self.settings, progress)

    def _read(self, corpus: Corpus, progress: Progress) -> SentenceInputs:
        states = frozen_states(self.model, corpus.text, self.cache, progress)
        with one_thread():
            inputs = token_inputs(states, corpus.text, self.settings.components)
        return SentenceInputs(inputs, corpus.offsets)


@dataclass(frozen=True, eq=False)
class StateCompanion:
    """A `Companion`. read: the text with the model, which takes long; not done before the first training."""

    read: Callable[[], SentenceInputs]
    settings: NetworkSettings
    progress: Progress

    @cached_property
    def data(self) -> SentenceInputs:
        return self.read()

    @property
    def weight(self) -> float:
        return self.settings.weight

    @property
    def trainings(self) -> int:
        return len(self.settings.epochs)

    def train(self, believed: Rows, folds: IntArray, number: int, learned: Rows | None) -> tuple[Rows, Rows]:
        told = np.empty(believed.shape, np.float64)
        n_folds, epochs = int(folds.max(initial=0)) + 1, self.settings.epochs[number]
        rows = []
        self.progress(_STAGE, 0, n_folds * epochs)
        for fold in range(n_folds):
            with seeded(self.settings.seed, number, fold):
                network = Network(self.data.inputs.shape[1], believed.shape[1], self.settings)
                if learned is not None:
                    _check_size(learned[fold], network)
                    set_weights(network, learned[fold])
                done = iter(range(fold * epochs + 1, (fold + 1) * epochs + 1))
                train_network(
                    network,
                    self.data,
                    believed,
                    np.flatnonzero(folds != fold),
                    (epochs, self.settings.rates[number]),
                    lambda done=done: self.progress(_STAGE, next(done), n_folds * epochs),  # type: ignore[misc]
                )
                tell(network, self.data, np.flatnonzero(folds == fold), told)
                rows.append(flat_weights(network))
        return told, np.stack(rows)


def _check_size(weights: Rows, network: Network) -> None:
    wanted = sum(one.numel() for one in network.parameters())
    if len(weights) != wanted:
        raise AnnotationError(f"a network of {len(weights)} weights was kept, this run has {wanted}")
