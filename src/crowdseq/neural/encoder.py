"""Encoder: a language model of a local folder; sentences in, a state for every word out."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
import torch
import transformers

from crowdseq.arrays import IntArray
from crowdseq.errors import Advice, FormatError, Problem
from crowdseq.neural.folders import ModelFolder
from crowdseq.neural.pieces import Pieces, Window

LONGEST_WINDOW = 128  # pieces; a model that takes fewer is given fewer


@dataclass(frozen=True, eq=False)
class Encoder:
    """The tokenizer and the weights; `model` gives hidden states (batch, pieces, D)."""

    pieces: Pieces
    model: Any
    size: int

    @classmethod
    def load(cls, folder: ModelFolder) -> "Encoder":
        """From a folder; nothing is downloaded and no code of the folder is run."""
        place, alone = str(folder.path), {"local_files_only": True, "trust_remote_code": False}
        try:
            with silent():
                tokenizer = transformers.AutoTokenizer.from_pretrained(place, **alone)
                model = transformers.AutoModel.from_pretrained(
                    place, use_safetensors=True, dtype=torch.float32, **alone
                )
        except Exception as error:  # what a broken folder raises is anybody's guess
            lines = [line for line in str(error).splitlines() if line.strip()]
            what = f"the model cannot be opened ({lines[0] if lines else type(error).__name__:.200})"
            advice = Advice("give the folder of a whole model with its tokenizer")
            raise FormatError(Problem(what, place, advice=advice)) from None
        if len(tokenizer) <= len(tokenizer.all_special_ids):
            what = "its tokenizer knows no piece of a word"
            raise FormatError(Problem(what, place, advice=Advice("give the folder of a whole model")))
        model.eval()
        pieces = Pieces(tokenizer)
        longest = min(_longest_input(model.config, tokenizer), LONGEST_WINDOW)
        return cls(pieces, model, longest - sum(map(len, pieces.frame)))

    @property
    def width(self) -> int:
        return int(self.model.config.hidden_size)

    def windows(
        self, sentences: Sequence[Sequence[str]], documents: Sequence[Hashable] | None
    ) -> list[Window]:
        """See `Pieces.windows`."""
        return self.pieces.windows(sentences, documents, self.size)

    def inputs(self, batch: Sequence[Window]) -> dict[str, Any]:
        """What the model is called with: windows of one length."""
        before, after = self.pieces.frame
        rows = [[*before, *(piece for word in one.words for piece in word), *after] for one in batch]
        ids = torch.tensor(rows)
        return {"input_ids": ids, "attention_mask": torch.ones_like(ids)}

    def word_states(self, states: Any, batch: Sequence[Window]) -> Any:
        """(batch, pieces, D) to (words that the windows answer for, D): the mean of the pieces of each."""
        before = len(self.pieces.frame[0])
        width = states.shape[1]
        owners: list[int] = []
        places: list[int] = []
        counts: list[int] = []
        n_words = 0
        for row, one in enumerate(batch):
            place = row * width + before
            for number, word in enumerate(one.words, start=one.begin):
                if one.first <= number < one.last:
                    owners.extend([n_words] * len(word))
                    places.extend(range(place, place + len(word)))
                    counts.append(len(word))
                    n_words += 1
                place += len(word)
        flat = states.reshape(-1, states.shape[-1])[torch.tensor(places)]
        total = torch.zeros(n_words, states.shape[-1], dtype=states.dtype)
        total = total.index_add(0, torch.tensor(owners), flat)
        return total / torch.tensor(counts, dtype=states.dtype)[:, None]


def batches(windows: Iterable[Window], pieces: int) -> Iterator[list[Window]]:
    """Windows of one length together, the shortest first, about so many pieces at a time; at least one.

    Nothing is padded: models of characters see padding, and what a word is would hang on its neighbours in a
    batch.
    """
    by_length = sorted(windows, key=lambda window: window.n_pieces)
    for length, alike in groupby(by_length, key=lambda window: window.n_pieces):
        waiting = list(alike)
        size = max(pieces // length, 1)
        yield from (waiting[first : first + size] for first in range(0, len(waiting), size))


def answered(batch: Sequence[Window]) -> IntArray:
    """The numbers of the words that these windows answer for."""
    return np.concatenate([np.arange(one.first, one.last) for one in batch])


@contextmanager
def one_thread() -> Iterator[None]:
    """Sums of torch in one order, whatever the number of threads: so they are the same to the bit."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


@contextmanager
def seeded(*numbers: int) -> Iterator[None]:
    """The same, and torch draws numbers that follow from these alone."""
    with torch.random.fork_rng(devices=[]), one_thread():
        torch.manual_seed(int(np.random.SeedSequence(numbers).generate_state(1)[0]))
        yield


@contextmanager
def silent() -> Iterator[None]:
    """Without the bars and remarks of transformers: only crowdseq speaks to its user."""
    logging = transformers.utils.logging
    level = logging.get_verbosity()
    bars = logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def _longest_input(config: Any, tokenizer: Any) -> int:
    """Pieces that fit into one input, its frame included."""
    known = [int(tokenizer.model_max_length)]
    positions = getattr(config, "max_position_embeddings", None)
    if isinstance(positions, int) and positions > 0:
        padding = config.pad_token_id or 0  # some models count positions from beyond their padding
        known.append(max(positions - padding - 1, positions // 2))
    return min(known)
