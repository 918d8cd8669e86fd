"""The network that reads frozen states: Linear, ReLU, a BiLSTM over the sentence, and softmax."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import nn

from crowdseq.arrays import IntArray
from crowdseq.neural.settings import NetworkSettings, Rows


class Network(nn.Module):
    """(B, T, I) inputs to (B, T, M) log probabilities."""

    def __init__(self, n_inputs: int, n_labels: int, settings: NetworkSettings) -> None:
        super().__init__()
        self.into = nn.Linear(n_inputs, settings.hidden)
        self.along = nn.LSTM(settings.hidden, settings.recurrent, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * settings.recurrent, n_labels)
        self.settings = settings

    def forward(self, inputs: Any, lengths: Any) -> Any:
        if self.training:  # now and then a word is not seen at all
            seen = torch.rand(*inputs.shape[:2], 1) >= self.settings.word_dropout
            inputs = inputs * seen
        inputs = nn.functional.dropout(inputs, self.settings.input_dropout, self.training)
        hidden = torch.relu(self.into(inputs))
        packed = nn.utils.rnn.pack_padded_sequence(hidden, lengths, batch_first=True, enforce_sorted=False)
        found, _ = nn.utils.rnn.pad_packed_sequence(self.along(packed)[0], batch_first=True)
        found = nn.functional.dropout(found, self.settings.output_dropout, self.training)
        return torch.log_softmax(self.out(found), dim=-1)


@dataclass(frozen=True, eq=False)
class Batch:
    """Sentences by number, padded; rows: the places of their tokens in the corpus."""

    inputs: Any
    lengths: Any
    filled: Any
    rows: IntArray


@dataclass(frozen=True, eq=False)
class SentenceInputs:
    """(T, I) inputs and (N + 1,) offsets of the sentences."""

    inputs: Rows
    offsets: IntArray

    def batches(self, sentences: Sequence[int], tokens: int) -> Iterator[Batch]:
        """In this order, about so many tokens at a time; sentences without tokens are left out."""
        waiting: list[int] = []
        size = 0
        for number in sentences:
            length = int(self.offsets[number + 1] - self.offsets[number])
            if not length:
                continue
            if waiting and size + length > tokens:
                yield self._batch(waiting)
                waiting, size = [], 0
            waiting.append(number)
            size += length
        if waiting:
            yield self._batch(waiting)

    def _batch(self, sentences: list[int]) -> Batch:
        ranges = [np.arange(self.offsets[number], self.offsets[number + 1]) for number in sentences]
        lengths = [len(one) for one in ranges]
        padded = np.zeros((len(ranges), max(lengths), self.inputs.shape[1]), np.float32)
        filled = np.zeros(padded.shape[:2], np.bool_)
        for place, one in enumerate(ranges):
            padded[place, : len(one)] = self.inputs[one]
            filled[place, : len(one)] = True
        return Batch(
            torch.from_numpy(padded), torch.tensor(lengths), torch.from_numpy(filled), np.concatenate(ranges)
        )


def train_network(
    network: Network,
    data: SentenceInputs,
    targets: Rows,
    sentences: IntArray,
    plan: tuple[int, float],
    told: Callable[[], None],
) -> None:
    """Towards (T, M) probabilities, on some sentences (numbers); plan: epochs and the first rate of learning.

    told: called after every epoch. Draws from torch's numbers, which the caller has seeded.
    """
    epochs, rate = plan
    wanted = torch.from_numpy(np.asarray(targets, np.float32))
    lengths = np.diff(data.offsets)
    steps = max(epochs * max(int(lengths[sentences].sum()) // network.settings.batch, 1), 1)
    optimiser = torch.optim.AdamW(network.parameters(), lr=rate)
    decay = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: max(1.0 - step / steps, 0.02))
    network.train()
    for _ in range(epochs):
        order = sentences[torch.randperm(len(sentences)).numpy()]
        for batch in data.batches(_alike(order, lengths).tolist(), network.settings.batch):
            found = network(batch.inputs, batch.lengths)[batch.filled]
            loss = -(wanted[batch.rows] * found).sum(dim=1).mean()
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 5.0)
            optimiser.step()
            decay.step()
        told()


def _alike(order: IntArray, lengths: IntArray, window: int = 400) -> IntArray:
    """Shuffled sentences, sorted by length within stretches: so that little is padded. Stretches are long
    enough for batches to differ from epoch to epoch."""
    parts = [
        part[np.argsort(lengths[part], kind="stable")]
        for part in (order[a:b] for a, b in pairwise([*range(0, len(order), window), len(order)]))
    ]
    return np.concatenate(parts) if parts else order


def tell(network: Network, data: SentenceInputs, sentences: IntArray, out: Rows) -> None:
    """Write log probabilities of the tokens of some sentences into out (T, M)."""
    lengths = np.diff(data.offsets)
    ordered = sentences[np.argsort(lengths[sentences], kind="stable")]
    network.eval()
    with torch.no_grad():
        for batch in data.batches(ordered.tolist(), 4 * network.settings.batch):
            out[batch.rows] = network(batch.inputs, batch.lengths)[batch.filled].numpy()


def flat_weights(network: Network) -> Rows:
    """(C,) all weights in one row."""
    with torch.no_grad():
        return np.asarray(nn.utils.parameters_to_vector(network.parameters()).numpy().copy())


def set_weights(network: Network, weights: Rows) -> None:
    """Take up weights that `flat_weights` gave."""
    with torch.no_grad():
        row = torch.from_numpy(np.asarray(weights, np.float32).copy())
        nn.utils.vector_to_parameters(row, network.parameters())
