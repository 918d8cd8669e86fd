"""What the network sees of a token: its state, that of the word in its document, and how it is written."""

import numpy as np
import torch

from crowdseq.arrays import IntArray
from crowdseq.core.text import Text
from crowdseq.neural.settings import Rows

N_FLAGS = 8


def token_inputs(states: Rows, text: Text, components: int) -> Rows:
    """(T, D) states to (T, I) inputs of about unit size."""
    reduced = principal_components(states, components)
    means, counts = document_means(reduced, text)
    written = np.array([case_flags(word) for word in text.words], np.float32).reshape(-1, N_FLAGS)
    first = np.zeros((text.n_tokens, 1), np.float32)
    first[text.offsets[:-1][text.lengths > 0]] = 1.0
    repeated = np.log(counts)[:, None]
    parts = [reduced, means, written[text.token_ids], first, repeated]
    return np.concatenate(parts, axis=1, dtype=np.float32)


def principal_components(states: Rows, components: int) -> Rows:
    """(T, D) to (T, at most `components`): the directions in which states differ most, which keep their
    strength beside each other; together they have unit size. The sign of a direction is that of its largest
    part, so that it does not hang on how it was found."""
    given = torch.from_numpy(np.asarray(states, np.float32))
    centred = given - given.mean(dim=0)
    spreads, directions = torch.linalg.eigh((centred.T @ centred).double() / max(len(given), 1))
    chosen = directions.flip(1)[:, :components]
    chosen = chosen * torch.sign(chosen.gather(0, chosen.abs().argmax(dim=0, keepdim=True)))
    scale = spreads.flip(0)[:components].mean().clamp_min(1e-12).sqrt()
    return np.asarray((centred @ (chosen / scale).float()).numpy())


def document_means(rows: Rows, text: Text) -> tuple[Rows, IntArray]:
    """(T, D) the mean row of each word in its document, and (T,) how often it stands there."""
    documents = np.repeat(text.document_of, text.lengths).astype(np.int64)
    keys = documents * len(text.words) + text.token_ids
    _, groups, sizes = np.unique(keys, return_inverse=True, return_counts=True)
    totals = np.zeros((len(sizes), rows.shape[1]), np.float64)
    np.add.at(totals, groups, rows)
    return np.asarray((totals / sizes[:, None])[groups], np.float32), sizes[groups]


def case_flags(word: str) -> tuple[bool, ...]:
    """How a word is written."""
    return (
        word[:1].isupper(),
        word.isupper() and len(word) > 1,
        word.islower(),
        any(letter.isupper() for letter in word[1:]) and not word.isupper(),
        any(letter.isdigit() for letter in word),
        word.isdigit(),
        not any(letter.isalnum() for letter in word),
        any(letter in "-./'’&" for letter in word) and len(word) > 1,
    )
