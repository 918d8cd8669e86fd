"""Agreement: how far annotators agree with each other, in all and by label, pair and document."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from crowdseq.errors import AnnotationError


@dataclass(frozen=True)
class Measures:
    """Agreement on some votes; None where it cannot be said.

    tokens: those that two or more labelled (of one label: where someone gave it). cohen: the mean of Cohen's
    kappa over the pairs. fleiss: Fleiss' kappa. alpha: Krippendorff's alpha, nominal. span_f1: exact spans
    that two annotators share, pooled over the pairs.
    """

    tokens: int
    cohen: float | None
    fleiss: float | None
    alpha: float | None
    span_f1: float | None


@dataclass(frozen=True)
class PairAgreement:
    """Two annotators on the tokens that both labelled; all None when there is no such token.

    observed: the share of these tokens with the same label. per_label: kappa of each label against the rest,
    per_type: F1 of the spans of each type, of those that either used.
    """

    first: str
    second: str
    shared_tokens: int
    observed: float | None
    cohen: float | None
    span_f1: float | None
    per_label: Mapping[str, float | None]
    per_type: Mapping[str, float | None]

    @classmethod
    def apart(cls, first: str, second: str) -> "PairAgreement":
        """Two who have no token in common."""
        return cls(first, second, 0, None, None, None, {}, {})


@dataclass(frozen=True)
class DocumentAgreement(Measures):
    """Agreement inside one document; a sentence without a document is told by its own id."""

    document: str
    annotators: int


@dataclass(frozen=True, eq=False)
class Agreement:
    """What annotators agree on.

    mode: how spans were read, `strict` or `lenient`. per_label: each tag against all others. per_type: span
    F1 of each entity type. pairs: those who share tokens; `pair` tells of any two. components: groups of
    annotators who are linked by shared tokens. reason: why the overall figures are None.
    """

    annotators: tuple[str, ...]
    scheme: str
    mode: str
    overall: Measures
    per_label: Mapping[str, Measures]
    per_type: Mapping[str, float | None]
    pairs: Sequence[PairAgreement]
    documents: Sequence[DocumentAgreement]
    components: tuple[tuple[str, ...], ...]
    reason: str | None

    @cached_property
    def _by_names(self) -> dict[tuple[str, str], PairAgreement]:
        return {(pair.first, pair.second): pair for pair in self.pairs}

    def pair(self, one: str, other: str) -> PairAgreement:
        """Two annotators by name, in either order."""
        for name in (one, other):
            if name not in self.annotators:
                raise AnnotationError(f"annotator '{name}' is not in the data")
        first, second = sorted((one, other), key=self.annotators.index)
        return self._by_names.get((first, second)) or PairAgreement.apart(first, second)

    def all_pairs(self) -> Iterator[PairAgreement]:
        """Every two annotators, also those who share nothing."""
        for first, second in combinations(self.annotators, 2):
            yield self._by_names.get((first, second)) or PairAgreement.apart(first, second)

    def summary(self) -> dict[str, float | None]:
        """The overall figures alone."""
        overall = self.overall
        return {
            "cohen": overall.cohen,
            "fleiss": overall.fleiss,
            "alpha": overall.alpha,
            "span_f1": overall.span_f1,
        }

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON; every pair is there, null where two share nothing."""
        return {
            "annotators": list(self.annotators),
            "scheme": self.scheme,
            "mode": self.mode,
            **vars(self.overall),
            "reason": self.reason,
            "per_label": {label: dict(vars(measures)) for label, measures in self.per_label.items()},
            "per_type": dict(self.per_type),
            "pairs": [dict(vars(pair)) for pair in self.all_pairs()],
            "documents": [dict(vars(document)) for document in self.documents],
            "components": [list(group) for group in self.components],
        }


def plain(value: Any) -> float | None:
    """A figure as a plain number; NaN, which cannot be said, is None."""
    return None if np.isnan(value) else float(value)
