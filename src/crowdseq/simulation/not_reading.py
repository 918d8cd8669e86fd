"""Annotators who do not read: marks anywhere, or tags out of a hat."""

import numpy as np

from crowdseq.arrays import BoolArray, IntArray
from crowdseq.core.spans import SpanTable
from crowdseq.simulation.confusions import draw_any
from crowdseq.simulation.fitting import Board
from crowdseq.simulation.scene import Scene
from crowdseq.simulation.streams import Stream


def draw_from_hat(n_tokens: int, n_tags: int, stream: Stream) -> IntArray:
    """(T,) any tag for any token, whether the scheme allows it there or not."""
    return (stream.draws("hat", n_tokens) * n_tags).astype(np.int16)


def mark_blindly(scene: Scene, stream: Stream, seen: BoolArray) -> SpanTable:
    """As many marks as the seen sentences have mentions, of the same lengths and types, but anywhere."""
    text, mentions = scene.corpus.text, scene.mentions
    when, length, kind = stream.draws("blind", 3, text.n_tokens)
    starts = np.arange(text.n_tokens)
    lengths = mentions.lengths[(length * len(mentions)).astype(np.int64)]
    ends = np.minimum(starts + lengths, text.offsets[text.sentence_of + 1])
    when[~seen[text.sentence_of]] = np.inf
    wanted = int(np.count_nonzero(seen[mentions.sentences]))
    kept = np.sort(Board(text.n_tokens, int(mentions.must_part)).fit(when, starts, ends, wanted))
    return SpanTable(starts[kept], ends[kept], draw_any(mentions.type_counts, kind[kept]))
