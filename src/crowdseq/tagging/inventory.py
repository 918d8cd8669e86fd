"""The pieces that a training text shows, stream by stream, and which of its values have which."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TypeAlias

import numpy as np

from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.core.ragged import offsets_of
from crowdseq.tagging.entries import Inventory, count_shown
from crowdseq.tagging.features import EDGE, PAIRS, TEMPLATES, WORDS, FeatureSettings, Template
from crowdseq.tagging.streams import Passage, Stream, further_streams, pair_stream

# For every stream how many tokens show each of its pieces.
Totals: TypeAlias = Mapping[str, Mapping[str, int]]


def take_stock(
    passage: Passage, settings: FeatureSettings, totals: Totals | None = None
) -> tuple[Inventory, ...]:
    """All streams that the settings ask for, with the pieces that occur often enough.

    totals: counts of the pieces in a longer text that the passage is a part of.
    """
    found = [_words(passage, settings, _Often.of(totals, WORDS, settings.min_count))]
    for template in settings.pairs:
        often = _Often.of(totals, PAIRS + template, max(settings.pair_min_count, settings.min_count))
        found.append(_pairs(pair_stream(passage, template), template, settings, often))
    for name, stream in further_streams(passage, settings).items():
        offsets = settings.stream_offsets[name]
        pieces = [value if isinstance(value, tuple) else (str(value),) for value in stream.table]
        often = _Often.of(totals, name, settings.min_count)
        found.append(_assemble(name, offsets, stream.ids, pieces, -1, often, None))
    return tuple(found)


def count_pieces(passage: Passage, settings: FeatureSettings) -> Totals:
    """What `take_stock` of a longer text needs to know of this part of it."""
    everything = replace(settings, min_count=1, pair_min_count=1)
    return {inventory.name: inventory.shown for inventory in take_stock(passage, everything)}


@dataclass(frozen=True, eq=False)
class _Often:
    """Which pieces are shown by at least so many tokens: of the passage, or of the text with these counts."""

    least: int
    totals: Mapping[str, int] | None

    @classmethod
    def of(cls, totals: Totals | None, stream: str, least: int) -> "_Often":
        return cls(least, None if totals is None else totals[stream])

    def __call__(self, pieces: Sequence[str], shown: FloatArray | IntArray) -> BoolArray:
        """(P,) pieces and how many tokens of the passage show each to (P,) whether they stay."""
        if self.totals is not None:
            shown = np.array([self.totals[piece] for piece in pieces], np.int64)
        return np.asarray(shown >= self.least)


def word_pieces(word: str, templates: Sequence[str]) -> list[str]:
    """All pieces of a word under the named templates, each as name=value."""
    return [label + value for label, pieces in _makers(tuple(templates)) for value in pieces(word)]


@cache
def _makers(templates: tuple[str, ...]) -> tuple[tuple[str, Template], ...]:
    return tuple((f"{name}=", TEMPLATES[name]) for name in templates)


def _words(passage: Passage, settings: FeatureSettings, often: _Often) -> Inventory:
    used, ids = np.unique(passage.token_ids, return_inverse=True)
    templates = tuple(settings.windows)
    pieces: list[Sequence[str]] = [word_pieces(passage.words[i], templates) for i in used.tolist()]
    pieces.append([EDGE])
    reached = {name: frozenset(offsets) for name, offsets in settings.windows.items()}
    reached[EDGE] = frozenset(settings.edges)
    return _assemble(WORDS, settings.word_offsets, ids.astype(np.int32), pieces, len(used), often, reached)


def _pairs(stream: Stream, template: str, settings: FeatureSettings, often: _Often) -> Inventory:
    """Pairs that are too rare lose their value at once: there are many of them."""
    counts = np.bincount(stream.ids[stream.ids >= 0], minlength=len(stream.table))
    kept = np.flatnonzero(often([str(pair) for pair in stream.table] if often.totals else (), counts))
    number = np.full(len(stream.table) + 1, -1, dtype=np.int32)  # the last entry serves the missing value -1
    number[kept] = np.arange(len(kept))
    pieces = tuple(str(stream.table[i]) for i in kept.tolist())
    everything = np.arange(len(kept) + 1, dtype=np.int64)
    offsets = settings.pairs[template]
    reach = np.ones((len(kept), len(offsets)), dtype=np.bool_)
    return Inventory(
        PAIRS + template,
        offsets,
        number[stream.ids],
        -1,
        everything,
        everything[:-1].astype(np.int32),
        pieces,
        reach,
    )


def _assemble(
    name: str,
    offsets: tuple[int, ...],
    ids: IntArray,
    pieces_of_values: Sequence[Sequence[str]],
    edge: int,
    often: _Often,
    reached: dict[str, frozenset[int]] | None,
) -> Inventory:
    index: dict[str, int] = {}
    entries = [index.setdefault(piece, len(index)) for pieces in pieces_of_values for piece in pieces]
    bounds = offsets_of(np.fromiter(map(len, pieces_of_values), dtype=np.int64, count=len(pieces_of_values)))
    value_pieces = np.array(entries, dtype=np.int32)
    names = tuple(index)
    kept = often(names, count_shown(ids, bounds, value_pieces, len(names)))
    if edge >= 0:
        kept[index[EDGE]] = True
    bounds, value_pieces = _keep(bounds, value_pieces, kept)
    names = tuple(piece for piece, stays in zip(names, kept.tolist(), strict=True) if stays)
    value_pieces, names = _most_shared_first(value_pieces, names)
    return Inventory(name, offsets, ids, edge, bounds, value_pieces, names, _reach(names, offsets, reached))


def _keep(bounds: IntArray, value_pieces: IntArray, kept: BoolArray) -> tuple[IntArray, IntArray]:
    stays = kept[value_pieces]
    number = np.cumsum(kept, dtype=np.int32) - 1
    running = offsets_of(stays)
    return running[bounds], number[value_pieces[stays]].astype(np.int32)


def _most_shared_first(value_pieces: IntArray, names: tuple[str, ...]) -> tuple[IntArray, tuple[str, ...]]:
    """Pieces numbered anew: what many values have then lies together, and stays in the cache."""
    order = np.argsort(-np.bincount(value_pieces, minlength=len(names)), kind="stable")
    number = np.empty(len(names), dtype=np.int32)
    number[order] = np.arange(len(names), dtype=np.int32)
    return number[value_pieces], tuple(names[place] for place in order.tolist())


def _reach(
    names: Sequence[str], offsets: tuple[int, ...], reached: dict[str, frozenset[int]] | None
) -> BoolArray:
    """(P, O) by the template that the name of a piece begins with; everywhere if nothing is said."""
    if reached is None:
        return np.ones((len(names), len(offsets)), dtype=np.bool_)
    rows = {name: [offset in seen for offset in offsets] for name, seen in reached.items()}
    table = [rows[name.partition("=")[0]] for name in names]
    return np.array(table, dtype=np.bool_).reshape(len(names), len(offsets))
