"""PairView: the agreement of every two annotators who share tokens."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from crowdseq.arrays import FloatArray
from crowdseq.evaluation.measures import PairAgreement, plain
from crowdseq.evaluation.pair_totals import PairTotals, SparseFigures


@dataclass(frozen=True, eq=False)
class PairView(Sequence[PairAgreement]):
    """The pairs who share tokens, made when asked for."""

    annotators: tuple[str, ...]
    labels: tuple[str, ...]
    types: tuple[str, ...]
    totals: PairTotals
    figures: tuple[FloatArray, FloatArray, FloatArray, FloatArray]  # shared, observed, cohen, span F1
    by_label: SparseFigures
    by_type: SparseFigures

    @classmethod
    def of(
        cls, totals: PairTotals, annotators: tuple[str, ...], labels: tuple[str, ...], types: tuple[str, ...]
    ) -> "PairView":
        figures = (totals.shared(), totals.observed(), totals.cohen(), totals.span_f1())
        return cls(annotators, labels, types, totals, figures, totals.label_cohen(), totals.type_f1())

    def mean_cohen(self) -> float | None:
        """The mean of Cohen's kappa over the pairs for which it is known (Light 1971)."""
        kappas = self.figures[2]
        known = kappas[~np.isnan(kappas)]
        return float(known.mean()) if len(known) else None

    def __len__(self) -> int:
        return len(self.totals.first)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return tuple(self[number] for number in range(*index.indices(len(self))))
        number = range(len(self))[index]
        shared, observed, kappa, f1 = (figure[number] for figure in self.figures)
        return PairAgreement(
            self.annotators[self.totals.first[number]],
            self.annotators[self.totals.second[number]],
            int(shared),
            plain(observed),
            plain(kappa),
            plain(f1),
            self.by_label.row(number, self.labels),
            self.by_type.row(number, self.types),
        )
