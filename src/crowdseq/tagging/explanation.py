"""What a tagger has learnt, and why it chose a tag: features with their weights, strongest first."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from crowdseq.tagging.features import COLUMN, PAIRS, WORDS
from crowdseq.tagging.scoring import StreamWeights


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
