"""Which pieces of words stand beside which labels: counted token by token."""

from itertools import pairwise

import numpy as np
import pytest

from crowdseq.tagging import entries
from crowdseq.tagging.entries import Inventory, active_pairs, value_rows


def _random_inventory(seed: int, n_tokens: int) -> Inventory:
    draw = np.random.default_rng(seed)
    n_values, n_pieces, offsets = 9, 7, (-1, 0, 1)
    owned = [np.sort(draw.choice(n_pieces, draw.integers(0, 4), replace=False)) for _ in range(n_values)]
    bounds = np.concatenate([[0], np.cumsum([len(some) for some in owned])])
    return Inventory(
        "words",
        offsets,
        draw.integers(-1, n_values, n_tokens).astype(np.int32),
        int(draw.integers(-1, n_values)),
        bounds.astype(np.int64),
        np.concatenate(owned).astype(np.int32),
        tuple(f"piece{number}" for number in range(n_pieces)),
        draw.random((n_pieces, len(offsets))) < 0.8,
    )


def _slow(inventory: Inventory, sentences: list[int], support: np.ndarray) -> list[list[int]]:
    """For each piece and offset the labels of all tokens that see it from there."""
    found: list[set[int]] = [set() for _ in range(len(inventory.pieces) * len(inventory.offsets))]
    start = 0
    for length in sentences:
        for token in range(start, start + length):
            for place, offset in enumerate(inventory.offsets):
                seen = token + offset
                inside = start <= seen < start + length
                value = int(inventory.ids[seen]) if inside else inventory.edge
                if value < 0:
                    continue
                first, last = inventory.value_bounds[value], inventory.value_bounds[value + 1]
                for piece in inventory.value_pieces[first:last].tolist():
                    if inventory.reach[piece, place]:
                        labels = np.flatnonzero(support[token] > 0).tolist()
                        found[piece * len(inventory.offsets) + place].update(labels)
        start += length
    return [sorted(labels) for labels in found]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("at_once", [1, 5, 1 << 16])
def test_pairs_are_those_that_a_count_by_hand_finds(
    seed: int, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entries, "_ROWS_AT_ONCE", at_once)
    draw = np.random.default_rng(100 + seed)
    sentences = draw.integers(0, 5, 6).tolist()
    inventory = _random_inventory(seed, sum(sentences))
    support = np.where(draw.random((sum(sentences), 4)) < 0.3, draw.random((sum(sentences), 4)), 0.0)
    offsets = np.concatenate([[0], np.cumsum(sentences)])
    bounds, labels = active_pairs(inventory, value_rows(inventory, offsets), support)
    found = [labels[first:last].tolist() for first, last in pairwise(bounds.tolist())]
    assert found == _slow(inventory, sentences, support)
