"""What a run in shards tells about itself: sums over all shards; remarks and verdicts from a sample."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from crowdseq.aggregation.stored import StoredConsensus
from crowdseq.arrays import FloatArray
from crowdseq.core.consensus import Consensus, Remark
from crowdseq.evaluation.calibration import calibration_counts, calibration_of, entity_tokens
from crowdseq.evaluation.scores import ScoreCounts
from crowdseq.workflows.run import Run, judged, run_metrics, run_remarks
from crowdseq.workflows.sharded.sampling import sample_of, sample_size


@dataclass(frozen=True, repr=False, kw_only=True)
class ShardedRun(Run):
    """A run whose `consensus` is a sample of what lies in shards, in `stored`, with reports on all of it."""

    stored: StoredConsensus
    known: Mapping[str, Any] | None = field(default=None, compare=False)

    @classmethod
    def of(cls, stored: StoredConsensus, tagger: Any, recipe: Any, seconds: float) -> "ShardedRun":
        """With verdicts on all annotators."""
        sample = judged(sample_of(stored), recipe)
        settled = replace(stored, annotators=tuple(sample.annotators))
        return cls(sample, tagger, recipe, seconds, stored=settled)

    @property
    def suggestions(self) -> tuple[Any, ...]:
        """Written shard by shard when the run is saved, and not held."""
        return ()

    @cached_property
    def metrics(self) -> dict[str, Any]:
        """As `metrics.json` holds it."""
        return dict(self.known) if self.known is not None else sharded_metrics(self)


def sharded_metrics(run: ShardedRun) -> dict[str, Any]:
    """As `run_metrics`, with figures on all shards."""
    stored, facts = run.stored, run.stored.corpus.facts
    sample = run_metrics(replace_gold(run))
    totals = Totals()
    for part in stored.parts():
        totals.add(part)
    told = [remark.as_dict() for remark in (*run_remarks(run), *_sampled(run))]
    figures = {
        "sentences": facts.n_sentences,
        "tokens": facts.n_tokens,
        "annotators": len(facts.annotators),
        "mean_confidence": totals.confidence / facts.n_tokens if facts.n_tokens else None,
        "shards": len(stored.corpus.shards),
        "remarks": told,
    }
    return {**sample, **figures, **totals.as_dict(run.consensus)}


def replace_gold(run: ShardedRun) -> Run:
    """The sample without gold, whose scores would be those of the sample."""
    consensus = replace(run.consensus, corpus=run.consensus.corpus.without_gold())
    return Run(consensus, run.tagger, run.recipe, run.seconds, run.source)


def _sampled(run: ShardedRun) -> list[Remark]:
    count, shards = sample_size(run.stored), len(run.stored.corpus.shards)
    if count == shards:
        return []
    tokens = run.consensus.corpus.n_tokens
    text = (
        f"verdicts, remarks and the report are made from {count:,} of {shards:,} shards ({tokens:,} tokens), "
        "a sample drawn at random; labels, scores and annotators' figures are those of all"
    )
    evidence = {"shards": float(count), "of": float(shards), "tokens": float(tokens)}
    return [Remark("sample", text, "note", evidence)]


class Totals:
    """Sums over shards: confidence, and where gold is known scores and calibration."""

    def __init__(self) -> None:
        self.confidence = 0.0
        self._scores: dict[str, ScoreCounts] = {}
        self._calibration: dict[str, FloatArray] = {}

    def add(self, part: Consensus) -> None:
        """One shard more."""
        self.confidence += float(part.token_confidence.sum())
        corpus = part.corpus
        if not corpus.has_gold.any():
            return
        self._score("consensus", part, part.tag_ids, "strict")
        if "raw_tag_ids" in part.parameters:
            self._score("raw", part, part.parameters["raw_tag_ids"], "lenient")
        known, right = corpus.gold_tags >= 0, part.tag_ids == corpus.gold_tags
        chosen = {"all_tokens": known}
        if corpus.scheme.outside >= 0:
            chosen["entity_tokens"] = known & entity_tokens(corpus.gold_tags, part.tag_ids, corpus.scheme)
        for name, tokens in chosen.items():
            counts = calibration_counts(part.token_confidence[tokens], right[tokens])
            self._calibration[name] = self._calibration.get(name, np.zeros_like(counts)) + counts

    def _score(self, name: str, part: Consensus, tags: Any, mode: str) -> None:
        corpus = part.corpus
        counts = ScoreCounts.of(corpus.gold_tags, tags, corpus.offsets, corpus.scheme, mode)
        self._scores[name] = self._scores[name] + counts if name in self._scores else counts

    def as_dict(self, consensus: Consensus) -> dict[str, Any]:
        """What `gold_metrics` tells of a corpus in memory; nothing without gold."""
        modes = {"consensus": "strict", "raw": "lenient"}
        made: dict[str, Any] = {
            name: counts.scores(consensus.corpus.scheme, modes[name]).as_dict()
            for name, counts in self._scores.items()
        }
        if self._calibration:
            made["calibration"] = {
                name: calibration_of(table).as_dict() for name, table in self._calibration.items()
            }
        return made
