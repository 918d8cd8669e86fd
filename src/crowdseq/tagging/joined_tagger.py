"""JoinedTagger: a CRF joined by a reader that sees the same sentences in another way."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from crowdseq.arrays import FloatArray
from crowdseq.errors import AnnotationError, SettingsError
from crowdseq.numerics.chains.chain import Lattice
from crowdseq.tagging.sequence_tagger import Context
from crowdseq.tagging.tagger import Tagger


class Reader(Protocol):
    """What joins the CRF of a tagger."""

    def log_probabilities(
        self, sentences: Sequence[Sequence[str]], context: Context | None = None
    ) -> FloatArray:
        """(T, M) of the tags of all tokens, sentence after sentence."""

    def files(self) -> Mapping[str, bytes]:
        """All that it is made of, by file name, for the folder of the tagger."""


@dataclass(frozen=True, eq=False, repr=False)
class JoinedTagger(Tagger):
    """A tagger whose scores are a log-linear mean: the CRF's by 1 - weight, the reader's by weight.

    Reasons (`why`, `top_weights`) are those of the CRF: a reader cannot give any.
    """

    reader: Reader = field(kw_only=True)
    weight: float = field(default=0.5, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.0 <= self.weight < 1.0:
            raise SettingsError(f"weight is {self.weight}, it must be at least 0 and below 1")

    @classmethod
    def join(cls, crf: Tagger, reader: Reader, weight: float) -> "JoinedTagger":
        """A tagger and a reader that answers in the same tags."""
        return cls(
            crf.scheme, crf.features, crf.streams, crf.transitions, crf.inner, reader=reader, weight=weight
        )

    def __repr__(self) -> str:
        return super().__repr__().replace("<Tagger:", "<JoinedTagger:")

    def lattice(self, sentences: Sequence[Sequence[str]], context: Context | None = None) -> Lattice:
        text = super().lattice(sentences, context)
        told = self.reader.log_probabilities(sentences, context)
        if told.shape != (len(text.unary), len(self.scheme)) or not np.isfinite(told).all():
            raise AnnotationError(f"the reader told {told.shape} of {len(text.unary)} tokens")
        share = 1.0 - self.weight
        scores = share * text.unary + self.weight * told[:, self._outer]
        return Lattice(scores, text.offsets, share * text.transitions, text.starts, text.ends)
