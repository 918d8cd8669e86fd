"""LoneLabels: labels that nobody can be compared with stand; what the text says otherwise is a suggestion."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from crowdseq.aggregation.settling import best_valid_tags
from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.core.consensus import Remark
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import LabelScheme
from crowdseq.core.spans import find_spans
from crowdseq.evaluation.crowd_profile import CrowdProfile


@dataclass(frozen=True, eq=False)
class LoneLabels:
    """What is told of a corpus, and beside it what was found.

    tag_ids (T,): what is told, with the labels of annotators who share no token with anybody as they gave
    them, made valid. posteriors (T, M): how likely each label is, kept or not. found (T,): the tags that text
    and votes suggest. kept (T,): whose labels were kept; nobody's where that was not wanted.
    """

    corpus: Corpus
    tag_ids: IntArray
    posteriors: FloatArray
    found: IntArray
    kept: BoolArray

    @classmethod
    def apart(cls, corpus: Corpus, found: IntArray, posteriors: FloatArray, *, keep: bool) -> "LoneLabels":
        alone = CrowdProfile.of(corpus).alone if keep else np.zeros(len(corpus.annotators), np.bool_)
        given = _lone_labels(corpus, alone)
        kept = given >= 0
        if not kept.any():
            return cls(corpus, found, posteriors, found, kept)
        wanted = np.zeros_like(posteriors)
        wanted[np.arange(len(found)), np.where(kept, given, found)] = 1.0
        tag_ids = best_valid_tags(corpus, wanted, entities_first(corpus.scheme))
        return cls(corpus, tag_ids, posteriors, found, kept)

    def parameters(self) -> dict[str, Any]:
        """What a consensus says of it: nothing where no label was kept."""
        if not self.kept.any():
            return {}
        return {"suggested_tag_ids": self.found, "remarks": [self._remark().as_dict()]}

    def _remark(self) -> Remark:
        names = [
            name
            for name, alone in zip(self.corpus.annotators, CrowdProfile.of(self.corpus).alone, strict=True)
            if alone
        ]
        added, doubted = self.differences
        who = "one annotator only" if len(self.corpus.annotators) == 1 else "annotators who share no token"
        text = (
            f"{who}: labels kept; {added:,} that the text suggests and {doubted:,} that it doubts are listed "
            "apart as suggestions"
        )
        numbers = {"number": float(len(names)), "suggested": float(added), "doubted": float(doubted)}
        return Remark("alone", text, "note", {"annotators": names, **numbers})

    @property
    def differences(self) -> tuple[int, int]:
        """How many spans (of plain tags: labels) were found and are not told, and are told and not found."""
        if self.corpus.scheme.is_plain:
            differ = int((self.kept & (self.found != self.tag_ids)).sum())
            return differ, differ
        told, found = (
            set(zip(table.starts.tolist(), table.ends.tolist(), table.types.tolist(), strict=True))
            for tags in (self.tag_ids, self.found)
            for table in [find_spans(tags, self.corpus.offsets, self.corpus.scheme)]
        )
        return len(found - told), len(told - found)


def entities_first(scheme: LabelScheme) -> list[int]:
    """Label numbers in the order in which ties are decided: an entity before O."""
    return sorted(range(len(scheme)), key=lambda label: label == scheme.outside)


def _lone_labels(corpus: Corpus, alone: BoolArray) -> IntArray:
    """(T,) the label of the annotator who is alone with the token, -1 where there is none."""
    votes, given = corpus.annotations.votes(), np.full(corpus.n_tokens, -1, np.int64)
    theirs = alone[votes.annotators]
    given[votes.tokens[theirs]] = votes.labels[theirs]
    return given
