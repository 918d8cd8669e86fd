"""Frozen states of a language model for all tokens of a text, kept on disk for a run that is resumed."""

import hashlib
from collections.abc import Hashable, Sequence
from pathlib import Path

import numpy as np
import torch

from crowdseq.core.text import Text
from crowdseq.errors import Advice, FormatError
from crowdseq.neural.encoder import Encoder, answered, batches, one_thread
from crowdseq.neural.folders import ModelFolder
from crowdseq.neural.pieces import Window
from crowdseq.neural.settings import Rows
from crowdseq.numerics.em import Progress
from crowdseq.storage.atomic import AtomicFile
from crowdseq.storage.tensors import encode_tensors, read_tensors

CACHE_FILE = "states.safetensors"
_BATCH = 2000  # pieces
_STAGE = "reading the text with the model"


def frozen_states(model: ModelFolder, text: Text, cache: Path | None, progress: Progress) -> Rows:
    """(T, D) of half precision: the mean of some layers, of all pieces of a word."""
    key = _key(model, text)
    kept = None if cache is None else _kept(cache / CACHE_FILE, key)
    if kept is not None and len(kept) == text.n_tokens:
        return kept
    # Each sentence alone, as measured; what its document says of a word is an input of its own.
    states = read_states(Encoder.load(model), text.tokens, None, progress)
    if cache is not None:
        cache.mkdir(parents=True, exist_ok=True)
        with AtomicFile(cache / CACHE_FILE, force=True) as file:
            file.write(encode_tensors({"states": states.view(np.uint16)}, {"key": key}))
    return states


def read_states(
    encoder: Encoder,
    sentences: Sequence[Sequence[str]],
    documents: Sequence[Hashable] | None,
    progress: Progress,
) -> Rows:
    """(T, D) of all words, sentence after sentence."""
    states = np.zeros((sum(map(len, sentences)), encoder.width), np.float16)
    windows = encoder.windows(sentences, documents)
    done = 0
    with one_thread(), torch.no_grad():
        for batch in batches(windows, _BATCH):
            states[answered(batch)] = encoder.word_states(_middle(encoder, batch), batch).numpy()
            done += len(batch)
            progress(_STAGE, done, len(windows))
    return states


def _middle(encoder: Encoder, batch: Sequence[Window]) -> torch.Tensor:
    """The mean of three layers around the middle: the last ones know more of the task that a model was
    trained for than of the word."""
    layers = encoder.model(**encoder.inputs(batch), output_hidden_states=True).hidden_states
    depth = len(layers) - 1
    chosen = [layers[place] for place in sorted({depth // 3, depth // 2, 2 * depth // 3})]
    # Models of characters have wider places in between, and only in the end a state for each of them.
    fitting = [layer for layer in chosen if layer.shape[1] == layers[-1].shape[1]] or [layers[-1]]
    return torch.stack(fitting).mean(dim=0)


def _key(model: ModelFolder, text: Text) -> str:
    digest = hashlib.sha256(model.digest.encode())
    digest.update("\n".join(text.words).encode("utf-8", "surrogatepass"))
    for array in (text.token_ids, text.offsets):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _kept(path: Path, key: str) -> Rows | None:
    """What was kept for the same text and model; anything else is made again."""
    if not path.is_file():
        return None
    try:
        file = read_tensors(path, Advice("remove it"))
    except FormatError:
        return None
    if file.texts.get("key") != key or "states" not in file.arrays:
        return None
    return np.asarray(file.arrays["states"].view(np.float16))
