"""From raw tokens to label scores, looks of words worked out once; and the features behind a chosen tag."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, repeat
from typing import TYPE_CHECKING

import numpy as np

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.core.ragged import offsets_of
from crowdseq.numerics.blocks import Block
from crowdseq.numerics.features.piece_rows import PieceRows, ValueWeights, pair_columns, score_values
from crowdseq.tagging.features import COLUMN, PAIRS, WORDS
from crowdseq.tagging.inventory import word_pieces

if TYPE_CHECKING:
    from crowdseq.tagging.piece_index import PairNumbers, PieceIndex

_FEW_WORDS = 200  # so many new words are looked up before an index by bytes can be built


@dataclass(frozen=True, eq=False)
class StreamWeights:
    """What a model knows of one stream: its pieces, and the weights of (piece, offset, label) pairs.

    Pair bounds and labels are as in `numerics.features.grouped`; weights stand beside the labels.
    """

    name: str
    offsets: tuple[int, ...]
    pieces: tuple[str, ...]
    pair_bounds: IntArray
    pair_labels: IntArray
    pair_weights: FloatArray

    @cached_property
    def index(self) -> dict[str, int]:
        """Piece to its number."""
        return {piece: number for number, piece in enumerate(self.pieces)}

    @cached_property
    def pair_numbers(self) -> "PairNumbers":
        """Of a stream of pairs."""
        from crowdseq.tagging.piece_index import PairNumbers  # a tagger that is only trained looks up nothing

        return PairNumbers(self.pieces)

    @property
    def window(self) -> IntArray:
        return np.array(self.offsets, dtype=np.int64)

    def rows(self, pieces_of_values: Iterable[Sequence[str]], n_labels: int) -> FloatArray:
        """(V * O, M) summed weights of each value seen from each offset; unknown pieces add nothing."""
        values = list(pieces_of_values)
        lengths = offsets_of(np.fromiter(map(len, values), dtype=np.int64, count=len(values)))
        unknown = repeat(-1)
        found = np.fromiter(
            map(self.index.get, chain.from_iterable(values), unknown), np.int32, count=int(lengths[-1])
        )
        known = found >= 0
        return self.rows_of_numbers(offsets_of(known)[lengths], found[known], n_labels)

    def rows_of_words(self, words: Sequence[str], templates: Sequence[str], n_labels: int) -> FloatArray:
        """(V * O, M) rows of words, as they look under the templates."""
        ascii_words = [word for word in words if word.isascii()]
        index = self._piece_index(templates) if len(ascii_words) >= _FEW_WORDS else None
        if index is None:
            return self.rows([word_pieces(word, templates) for word in words], n_labels)
        fast = self.rows_of_numbers(*index.find(ascii_words), n_labels)
        if len(ascii_words) == len(words):
            return fast
        rows = np.empty((len(words), len(self.offsets) * n_labels))
        by_bytes = np.fromiter(map(str.isascii, words), dtype=np.bool_, count=len(words))
        rows[by_bytes] = fast.reshape(len(ascii_words), -1)
        others = [word_pieces(word, templates) for word in words if not word.isascii()]
        rows[~by_bytes] = self.rows(others, n_labels).reshape(len(others), -1)
        return rows.reshape(-1, n_labels)

    def _piece_index(self, templates: Sequence[str]) -> "PieceIndex | None":
        """None for templates that it does not know."""
        from crowdseq.tagging.piece_index import PieceIndex  # a tagger that is only trained looks up nothing

        if not PieceIndex.knows(templates):
            return None
        if "by_bytes" not in self.__dict__:
            object.__setattr__(self, "by_bytes", PieceIndex(self.pieces, templates))
        kept: PieceIndex = self.__dict__["by_bytes"]
        return kept

    def _columns(self, n_labels: int) -> IntArray:
        # The label count is that of the model this belongs to, so there is only ever one answer to keep.
        if "columns" not in self.__dict__:
            found = pair_columns(len(self.offsets), n_labels, self.pair_bounds, self.pair_labels)
            object.__setattr__(self, "columns", found)
        kept: IntArray = self.__dict__["columns"]
        return kept

    def _whole(self, n_labels: int) -> tuple[PieceRows, FloatArray]:
        if "whole" not in self.__dict__:
            columns = self._columns(n_labels)
            often = np.ones(len(self.pieces), dtype=np.bool_)  # any piece may be met often
            pieces = PieceRows.of_pairs(len(self.offsets), self.pair_bounds, columns, often)
            found = (pieces, pieces.places(columns).lay_out(self.pair_weights))
            object.__setattr__(self, "whole", found)
        kept: tuple[PieceRows, FloatArray] = self.__dict__["whole"]
        return kept

    def rows_of_numbers(self, bounds: IntArray, pieces: IntArray, n_labels: int) -> FloatArray:
        """The same from piece numbers: value v has pieces[bounds[v]:bounds[v + 1]]."""
        n_values = len(bounds) - 1
        rows = np.empty((n_values, len(self.offsets) * n_labels))
        known, whole = self._whole(n_labels)
        values = ValueWeights(bounds, pieces, known, self._columns(n_labels), self.pair_weights, whole)
        score_values(values, rows, Block(0, 0, n_values))
        return rows.reshape(-1, n_labels)


@dataclass(frozen=True)
class Reason:
    """A feature, and what it adds to the score of a tag and of its strongest rival."""

    feature: str
    weight: float
    rival_weight: float = 0.0

    @property
    def gain(self) -> float:
        """How far it favours the tag over the rival."""
        return self.weight - self.rival_weight


@dataclass(frozen=True)
class Explanation:
    """Why a token got its tag: the tag, its probability, the next most probable tag, and the reasons."""

    tag: str
    probability: float
    rival: str
    reasons: tuple[Reason, ...]


def feature_name(stream: str, piece: str, offset: int) -> str:
    """A feature as people read it: suffix=ing, word=Mr. [-1], word pair=Bill Clinton, pos=NNP [+1]."""
    if stream.startswith(PAIRS):
        shown = f"{stream.removeprefix(PAIRS)} pair=" + piece.replace("\x1f", " ")
    elif stream == WORDS:
        shown = piece
    else:
        shown = f"{stream.removeprefix(COLUMN)}={piece}"
    return f"{shown} [{offset:+d}]" if offset else shown


def strongest(streams: Sequence[StreamWeights], labels: Sequence[int], count: int) -> list[Reason]:
    """The `count` features with the highest weights for any of some labels, each feature once."""
    best: dict[str, Reason] = {}
    for reason in (found for label in labels for found in _strongest(streams, label, count)):
        if reason.feature not in best or reason.weight > best[reason.feature].weight:
            best[reason.feature] = reason
    return sorted(best.values(), key=lambda reason: -reason.weight)[:count]


def _strongest(streams: Sequence[StreamWeights], label: int, count: int) -> Iterator[Reason]:
    for stream in streams:
        pairs = np.flatnonzero(stream.pair_labels == label)
        top = pairs[np.argsort(-stream.pair_weights[pairs], kind="stable")[:count]]
        places = np.searchsorted(stream.pair_bounds, top, side="right") - 1
        for pair, place in zip(top.tolist(), places.tolist(), strict=True):
            piece, offset = divmod(place, len(stream.offsets))
            name = feature_name(stream.name, stream.pieces[piece], stream.offsets[offset])
            yield Reason(name, float(stream.pair_weights[pair]))


def reasons(
    stream: StreamWeights, pieces: Sequence[Sequence[str]], label: int, rival: int
) -> Iterator[Reason]:
    """What one token sees of a stream; pieces: those seen from each of the stream's offsets."""
    for place, (offset, shown) in enumerate(zip(stream.offsets, pieces, strict=True)):
        for piece in shown:
            number = stream.index.get(piece)
            if number is None:
                continue
            at = number * len(stream.offsets) + place
            own = slice(stream.pair_bounds[at], stream.pair_bounds[at + 1])
            weights = dict(
                zip(stream.pair_labels[own].tolist(), stream.pair_weights[own].tolist(), strict=True)
            )
            if label in weights or rival in weights:
                name = feature_name(stream.name, piece, offset)
                yield Reason(name, weights.get(label, 0.0), weights.get(rival, 0.0))
