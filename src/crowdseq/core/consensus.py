"""Consensus and AnnotatorReport: what came out."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.core.ragged import Ragged
from crowdseq.errors import AnnotationError


@dataclass(frozen=True, eq=False)
class AnnotatorReport:
    """How one annotator did, measured against the consensus in the same way for every method.

    skill: agreement with the truth beyond chance (1 perfect, 0 chance, below 0 against the grain), drawn
    towards the crowd where there is little evidence; None when nobody else labelled the same text.
    interval: 95 % for the skill. confusion (M, M): expected counts, truth by given tag.
    spam: share of this annotator's votes that look like guessing. flags: what a lead should look at.
    """

    annotator: str
    sentences: int
    tokens: int
    skill: float | None
    interval: tuple[float, float] | None
    precision: float | None
    recall: float | None
    f1: float | None
    spam: float | None
    confusion: FloatArray
    flags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Remark:
    """Something that a run says of its crowd or of itself in plain words.

    kind: a word by which programs know it. level: `note`, or `warning` for what somebody should look at.
    evidence: the numbers and names behind it.
    """

    kind: str
    text: str
    level: str = "note"
    evidence: Mapping[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "level": self.level, "text": self.text, "evidence": dict(self.evidence)}


@dataclass(frozen=True, eq=False)
class Consensus:
    """The settled tags of a corpus with their probabilities and a report on every annotator.

    tag_ids (T,) are valid under the scheme; probabilities (T, M) have rows that sum to one; parameters hold
    what only the method knows, by name, among it `remarks`, a list of them as dictionaries; history is its
    objective, round by round.
    """

    corpus: Corpus
    tag_ids: IntArray
    probabilities: FloatArray
    annotators: tuple[AnnotatorReport, ...]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    history: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        shape = (self.corpus.n_tokens, len(self.corpus.scheme))
        if self.probabilities.shape != shape or len(self.tag_ids) != shape[0]:
            raise AnnotationError(f"a consensus needs one tag and one row of {shape[1]} for each token")
        if not np.allclose(self.probabilities.sum(axis=1), 1.0, rtol=0, atol=1e-6):
            raise AnnotationError("the probabilities of every token must sum to one")
        if len(self.tag_ids) and not 0 <= self.tag_ids.min() <= self.tag_ids.max() < shape[1]:
            raise AnnotationError("a consensus has one tag of the scheme for each token")
        if not self.corpus.scheme.is_valid(self.tag_ids, self.corpus.offsets):
            raise AnnotationError("the tags of a consensus must keep the rules of the scheme")
        for array in (self.tag_ids, self.probabilities):
            array.setflags(write=False)

    @property
    def tags(self) -> Ragged[tuple[str, ...]]:
        """The settled tags of every sentence."""
        names = self.corpus.scheme.tags
        return Ragged(self.tag_ids, self.corpus.offsets, lambda ids: tuple(names[i] for i in ids.tolist()))

    @property
    def posteriors(self) -> Ragged[FloatArray]:
        """For every sentence a (T, M) array; columns as `corpus.scheme.tags`."""
        return Ragged(self.probabilities, self.corpus.offsets, lambda rows: rows)

    @cached_property
    def confidence(self) -> FloatArray:
        """(T,) the probability of each settled tag."""
        return self.probabilities[np.arange(len(self.tag_ids)), self.tag_ids]

    @cached_property
    def sentence_confidence(self) -> FloatArray:
        """(N,) probability that the whole sentence is right, its tokens taken as independent."""
        logs = np.log(np.maximum(self.confidence, np.finfo(np.float64).tiny))
        totals = np.concatenate([[0.0], np.cumsum(logs)])[self.corpus.offsets]
        return np.exp(np.diff(totals))

    def report(self, annotator: str) -> AnnotatorReport:
        """The report on one annotator by name."""
        for report in self.annotators:
            if report.annotator == annotator:
                return report
        raise AnnotationError(f"annotator '{annotator}' is not in this consensus")
