"""TransformerReader: a fine-tuned language model with a head; sentences in, log probabilities out."""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import save as to_safetensors

from crowdseq.neural.encoder import Encoder, answered, batches, one_thread, silent
from crowdseq.neural.folders import ModelFolder
from crowdseq.neural.inputs import N_FLAGS, case_flags
from crowdseq.neural.pieces import Window
from crowdseq.neural.settings import Rows
from crowdseq.tagging.sequence_tagger import Context

HEAD = "head.safetensors"
_BATCH = 2000  # pieces


class Head(torch.nn.Module):
    """(words, D) states and how the words are written to (words, M) log probabilities.

    Many models read lower case only: the head knows how a word and its neighbours are written.
    """

    def __init__(self, width: int, n_labels: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.dropout = torch.nn.Dropout(dropout)
        self.out = torch.nn.Linear(width + 3 * N_FLAGS, n_labels)

    def forward(self, states: Any, flags: Any) -> Any:
        seen = torch.cat([self.dropout(states), flags], dim=1)
        return torch.log_softmax(self.out(seen), dim=-1)


@dataclass(frozen=True, eq=False)
class TransformerReader:
    """A `Reader`."""

    encoder: Encoder
    head: Head

    @classmethod
    def load(cls, folder: Path) -> "TransformerReader":
        """From the files that `files` gave."""
        from safetensors.torch import load_file

        encoder = Encoder.load(ModelFolder.of(folder))
        tensors = load_file(folder / HEAD)
        head = Head(encoder.width, len(tensors["out.bias"]))
        head.load_state_dict(tensors)
        return cls(encoder, head.eval())

    def log_probabilities(self, sentences: Sequence[Sequence[str]], context: Context | None = None) -> Rows:
        documents = context.documents if context else None
        flags = flags_of(sentences)
        rows = np.empty((len(flags), self.head.out.out_features), np.float64)
        with one_thread(), torch.no_grad():
            for batch in batches(self.encoder.windows(sentences, documents), _BATCH):
                rows[answered(batch)] = self.told(batch, flags).numpy()
        return rows

    def told(self, batch: Sequence[Window], flags: Rows) -> Any:
        """Log probabilities of the words that these windows answer for; flags (T, F): of all words."""
        states = self.encoder.model(**self.encoder.inputs(batch)).last_hidden_state
        words = self.encoder.word_states(states, batch)
        return self.head(words, torch.from_numpy(flags[answered(batch)]))

    def files(self) -> Mapping[str, bytes]:
        """In the layout of Hugging Face, with the head beside."""
        with tempfile.TemporaryDirectory() as name, silent():
            weights = {key: halved(value) for key, value in self.encoder.model.state_dict().items()}
            self.encoder.model.save_pretrained(name, state_dict=weights, max_shard_size="100GB")
            self.encoder.pieces.tokenizer.save_pretrained(name)
            found = {path.name: path.read_bytes() for path in sorted(Path(name).iterdir()) if path.is_file()}
        return found | {HEAD: to_safetensors(dict(self.head.state_dict()))}


def halved(tensor: Any) -> Any:
    """At half precision where that loses no more than digits: a folder of half the size."""
    half = tensor.half() if tensor.dtype == torch.float32 else tensor
    return half if torch.isfinite(half).all() else tensor


def flags_of(sentences: Sequence[Sequence[str]]) -> Rows:
    """(T, F) how every word, the one before and the one after it are written; zeros beyond a sentence."""
    known: dict[str, tuple[bool, ...]] = {}
    rows = []
    for sentence in sentences:
        own = np.zeros((len(sentence) + 2, N_FLAGS), np.float32)
        for place, word in enumerate(sentence, start=1):
            if word not in known:
                known[word] = case_flags(word)
            own[place] = known[word]
        rows.append(np.concatenate([own[1:-1], own[:-2], own[2:]], axis=1))
    return np.concatenate(rows) if rows else np.zeros((0, 3 * N_FLAGS), np.float32)
