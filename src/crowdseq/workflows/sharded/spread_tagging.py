"""SpreadTagger: a tagger whose sentences are tagged by the workers of an engine."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.core.labels import LabelScheme
from crowdseq.engines.choosing import EngineWish, open_engine
from crowdseq.engines.engine import Placed, asks_only
from crowdseq.tagging.features import FeatureSettings
from crowdseq.tagging.sequence_tagger import Context
from crowdseq.tagging.tagger import Tagger


class TagHolder:
    """A worker with the whole tagger, one of as many as there are."""

    def __init__(self, tagger: Tagger, _: int) -> None:
        self._tagger = tagger

    @asks_only
    def tag(self, part: "tuple[list[Any], Context]") -> list[tuple[str, ...]]:
        """The tags of some sentences."""
        return [tuple(tags) for tags in self._tagger.tag_many(*part)]

    @asks_only
    def marginals(self, part: "tuple[list[Any], Context]") -> list[FloatArray]:
        """Their probabilities."""
        return list(self._tagger.marginals_many(*part))


@dataclass(frozen=True, eq=False)
class SpreadTagger:
    """Gives what its tagger gives; documents are never parted."""

    tagger: Tagger
    placed: Placed[TagHolder]
    workers: int

    @classmethod
    def open(cls, tagger: Tagger, wish: EngineWish, stack: ExitStack) -> "SpreadTagger":
        """With workers that are dismissed when the stack is closed."""
        folder = stack.enter_context(TemporaryDirectory(prefix="crowdseq-"))
        engine: Any = stack.enter_context(open_engine(wish, Path(folder)))
        return cls(tagger, engine.place(partial(TagHolder, tagger), range(engine.workers)), engine.workers)

    @property
    def scheme(self) -> LabelScheme:
        return self.tagger.scheme

    @property
    def features(self) -> FeatureSettings:
        return self.tagger.features

    def tag_many(self, sentences: Sequence[Any], context: Context | None = None, *_: int) -> list[Any]:
        """See `Tagger`; threads are nothing to it."""
        return self._asked("tag", sentences, context or Context())

    def marginals_many(self, sentences: Sequence[Any], context: Context | None = None, *_: int) -> list[Any]:
        """See `Tagger`."""
        return self._asked("marginals", sentences, context or Context())

    def _asked(self, call: str, sentences: Sequence[Any], context: Context) -> list[Any]:
        parts = self._parts(sentences, context)
        told = [([sentences[i] for i in part.tolist()], _chosen(context, part)) for part in parts]
        found: list[Any] = [None] * len(sentences)
        for part, answers in zip(parts, self.placed.each(call, own=told), strict=True):
            for place, one in zip(part.tolist(), answers, strict=True):
                found[place] = one
        return found

    def _parts(self, sentences: Sequence[Any], context: Context) -> list[IntArray]:
        """For each worker the sentences that it gets, about as many tokens for each."""
        keys: dict[Any, int] = {}
        documents = range(len(sentences)) if context.documents is None else context.documents
        units = np.array([keys.setdefault(key, len(keys)) for key in documents], np.int64)
        sizes = np.bincount(units, weights=[len(one) + 1 for one in sentences], minlength=len(keys))
        ends = np.cumsum(sizes)
        owner = np.minimum((ends - sizes) * self.workers // max(float(ends[-1]), 1.0), self.workers - 1)
        return [np.flatnonzero(owner[units] == worker) for worker in range(self.workers)]


def _chosen(context: Context, part: IntArray) -> Context:
    """The context of some sentences."""
    return Context(
        None if context.documents is None else [context.documents[i] for i in part.tolist()],
        {name: [values[i] for i in part.tolist()] for name, values in (context.columns or {}).items()},
    )
