"""Consensus and AnnotatorReport: what came out."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from itertools import pairwise
from typing import Any

import numpy as np

from crowdseq.arrays import FloatArray, IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.core.ragged import Ragged
from crowdseq.core.spans import Span, find_spans
from crowdseq.errors import AnnotationError

COPIED, UNJUDGED, SPAM = "suspected copy", "cannot be judged", "spam"  # how flags begin
_UNKNOWN = "too little evidence"


@dataclass(frozen=True, eq=False)
class AnnotatorReport:
    """How one annotator did, measured against the consensus in the same way for every method.

    skill: agreement with the truth beyond chance (1 perfect, 0 chance, below 0 against the grain), drawn
    towards the crowd where there is little evidence; None when nobody else labelled the same text.
    interval: 95 % for the skill. confusion (M, M): expected counts, truth by given tag.
    spam: share of this annotator's votes that do not depend on the text. flags: what a lead should look at.
    verdict: `good`, `watch`, `drop` or `too little evidence`, with its reason in plain words and the numbers
    behind it in `evidence`; None before anybody has judged (`learn` and `load` do).

    >>> import crowdseq
    >>> run = crowdseq.learn(crowdseq.demo_corpus(), "majority-vote", tagger=False)
    >>> [report.annotator for report in run.annotators if report.skill < 0.4]
    ['gus', 'hal']
    >>> run.annotators[0].verdict, run.consensus.report("gus").reason[:13]
    ('good', 'marks nothing')
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
    confusion: FloatArray = field(repr=False)
    flags: tuple[str, ...] = ()
    verdict: str | None = None
    reason: str = ""
    evidence: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def further_flags(self) -> tuple[str, ...]:
        """The flags without what the reason tells already (nothing to compare, copies), and without the word
        spam where there is too little evidence for any verdict: that accuses nobody."""
        if not self.reason:
            return self.flags
        left_out = [SPAM] if self.verdict == _UNKNOWN else []
        if "measure" not in self.evidence:
            left_out.append(UNJUDGED)
        elif self.evidence.get("kin"):
            left_out.append(COPIED)
        return tuple(flag for flag in self.flags if not flag.startswith(tuple(left_out)))


class AnnotatorReports(tuple[AnnotatorReport, ...]):
    """The reports on all annotators: a tuple, shown as a table in a notebook."""

    __slots__ = ()

    def to_frame(self, backend: str | None = None) -> Any:
        """A row for each annotator, the columns as the fields of `AnnotatorReport`.

        Without the confusion and the evidence.

        backend: as in `Corpus.to_frame`.
        """
        from crowdseq.core.frame_writing import frame_of_annotators

        return frame_of_annotators(self, backend)

    def __repr__(self) -> str:
        shown = ", ".join(f"{one.annotator}: {_told(one.skill)}" for one in self[:_SHOWN])
        return f"<{len(self)} annotators with their skill: {shown}{', …' if len(self) > _SHOWN else ''}>"

    def _repr_html_(self) -> str:
        """The table of annotators in a notebook."""
        page: str = import_module("crowdseq.reports.notebook").annotators_html(self)
        return page


_SHOWN = 8


def _told(skill: float | None) -> str:
    return "unknown" if skill is None else f"{skill:.2f}"


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


@dataclass(frozen=True, order=True)
class SettledSpan(Span):
    """A span of a consensus; confidence: that of its least sure token."""

    confidence: float


@dataclass(frozen=True, eq=False, repr=False)
class Consensus:
    """The settled tags of a corpus with their probabilities and a report on every annotator.

    What is told by sentence: `tags`, `confidence`, `posteriors`, `spans`. What is told for all tokens in one
    row: tag_ids (T,), valid under the scheme; token_confidence (T,); probabilities (T, M), whose rows sum to
    one. parameters hold what only the method knows, by name, among it `remarks`, a list of them as
    dictionaries; history is its objective, round by round.

    >>> import crowdseq
    >>> consensus = crowdseq.learn(crowdseq.demo_corpus(), "majority-vote", tagger=False).consensus
    >>> consensus.tags[0][:4]
    ('O', 'O', 'O', 'B-LOC')
    >>> consensus.confidence[0][:4].tolist()
    [1.0, 0.75, 1.0, 0.75]
    >>> consensus.spans[0]
    (SettledSpan(start=3, end=4, label='LOC', confidence=0.75),)
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
        object.__setattr__(self, "annotators", AnnotatorReports(self.annotators))

    @property
    def tags(self) -> Ragged[tuple[str, ...]]:
        """The settled tags of every sentence."""
        names = self.corpus.scheme.tags
        return Ragged(self.tag_ids, self.corpus.offsets, lambda ids: tuple(names[i] for i in ids.tolist()))

    @property
    def posteriors(self) -> Ragged[FloatArray]:
        """For every sentence a (T, M) array; columns as `corpus.scheme.tags`."""
        return Ragged(self.probabilities, self.corpus.offsets, lambda rows: rows)

    @property
    def confidence(self) -> Ragged[FloatArray]:
        """For every sentence the probability of each of its settled tags, a (T,) array."""
        return Ragged(self.token_confidence, self.corpus.offsets, lambda row: row)

    @cached_property
    def spans(self) -> tuple[tuple[SettledSpan, ...], ...]:
        """The settled spans of every sentence with their confidence, that of their least sure token."""
        corpus, sure = self.corpus, self.token_confidence.tolist()
        table = find_spans(self.tag_ids, corpus.offsets, corpus.scheme)
        rows = [*zip(table.starts.tolist(), table.ends.tolist(), table.types.tolist(), strict=True)]
        bounds = np.searchsorted(table.starts, corpus.offsets).tolist()
        names = corpus.scheme.types
        return tuple(
            tuple(
                SettledSpan(start - first, end - first, names[kind], min(sure[start:end]))
                for start, end, kind in rows[some[0] : some[1]]
            )
            for first, some in zip(corpus.offsets.tolist(), pairwise(bounds), strict=False)
        )

    @cached_property
    def token_confidence(self) -> FloatArray:
        """(T,) the probability of each settled tag, all sentences in one row."""
        return self.probabilities[np.arange(len(self.tag_ids)), self.tag_ids]

    @cached_property
    def sentence_confidence(self) -> FloatArray:
        """(N,) probability that the whole sentence is right, its tokens taken as independent."""
        logs = np.log(np.maximum(self.token_confidence, np.finfo(np.float64).tiny))
        totals = np.concatenate([[0.0], np.cumsum(logs)])[self.corpus.offsets]
        return np.exp(np.diff(totals))

    def report(self, annotator: str) -> AnnotatorReport:
        """The report on one annotator by name."""
        for report in self.annotators:
            if report.annotator == annotator:
                return report
        raise AnnotationError(f"annotator '{annotator}' is not in this consensus")

    def to_frame(self, rows: str = "tokens", backend: str | None = None) -> Any:
        """The settled labels as a data frame.

        rows: `tokens` gives sentence, doc (if there are documents), position, token, label, confidence;
        `spans` gives sentence, doc, start, end (the position after the last token), label, text, confidence.
        backend: as in `Corpus.to_frame`.
        """
        from crowdseq.core.frame_writing import frame_of_consensus

        return frame_of_consensus(self, rows, backend)

    def __repr__(self) -> str:
        corpus = self.corpus
        sure = f", mean confidence {self.token_confidence.mean():.3f}" if corpus.n_tokens else ""
        return (
            f"<Consensus: {len(corpus)} sentences, {corpus.n_tokens} tokens, "
            f"{len(self.annotators)} annotators{sure}>"
        )

    def _repr_html_(self) -> str:
        """A glance at the consensus in a notebook."""
        page: str = import_module("crowdseq.reports.notebook").consensus_html(self)
        return page
