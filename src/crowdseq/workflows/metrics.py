"""What a run tells about itself in numbers: rounds, time, and scores where gold is known."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from crowdseq.aggregation.contract import Aggregator, Learned
from crowdseq.arrays import IntArray
from crowdseq.core.consensus import Consensus, Remark
from crowdseq.evaluation.calibration import entity_tokens, measure_calibration
from crowdseq.evaluation.remarks import remarks_of
from crowdseq.evaluation.scores import score_tags

if TYPE_CHECKING:
    from crowdseq.evaluation.suggestions import Suggestion


@dataclass(frozen=True)
class Outcome(Learned):
    """What was learned, with the recipe, the time it took, and where the data came from."""

    recipe: Aggregator
    seconds: float = 0.0
    source: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def suggestions(self) -> "tuple[Suggestion, ...]":
        """What the text would add to labels that were kept, or doubts of them, in the order of the text.

        Only where annotators share no token with anybody: their labels are the consensus.
        """
        if "suggested_tag_ids" not in self.consensus.parameters:
            return ()
        from crowdseq.evaluation.suggestions import suggestions_of

        return suggestions_of(self.consensus)


FORMAT_VERSION = 1


def run_metrics(run: Outcome) -> dict[str, Any]:
    """The content of `metrics.json`."""
    consensus = run.consensus
    corpus = consensus.corpus
    metrics: dict[str, Any] = {
        "format_version": FORMAT_VERSION,
        "method": run.recipe.name,
        "sentences": len(corpus),
        "tokens": corpus.n_tokens,
        "annotators": len(corpus.annotators),
        "rounds": len(consensus.history),
        "history": list(consensus.history),
        "seconds": round(run.seconds, 3),
        "mean_confidence": float(consensus.token_confidence.mean()) if corpus.n_tokens else None,
    }
    scalars = {name: value for name, value in consensus.parameters.items() if _is_plain(value)}
    if scalars:
        metrics["parameters"] = scalars
    metrics["remarks"] = [remark.as_dict() for remark in run_remarks(run)]
    if corpus.has_gold.any():
        metrics |= gold_metrics(consensus)
    return metrics


def run_remarks(run: Outcome) -> tuple[Remark, ...]:
    """What a run says of its crowd and its consensus; nothing where the crowd was not asked."""
    if run.recipe.name == "gold":
        return ()
    silence, kinship = getattr(run.recipe, "silence", "labelled"), getattr(run.recipe, "kinship", False)
    return remarks_of(run.consensus, silence=str(silence), kinship=bool(kinship))


def gold_metrics(consensus: Consensus) -> dict[str, Any]:
    """Scores of the consensus, of the raw tags before they were made valid if the method keeps them, and
    calibration on the tokens that are part of an entity (in gold or consensus)."""
    corpus = consensus.corpus
    scores: dict[str, Any] = {"consensus": score(consensus, consensus.tag_ids, "strict")}
    raw = consensus.parameters.get("raw_tag_ids")
    if raw is not None:
        scores["raw"] = score(consensus, raw, "lenient")
    known = corpus.gold_tags >= 0
    right = consensus.tag_ids == corpus.gold_tags
    scores["calibration"] = {
        "all_tokens": measure_calibration(consensus.token_confidence[known], right[known]).as_dict(),
    }
    if corpus.scheme.outside >= 0:
        inside = known & entity_tokens(corpus.gold_tags, consensus.tag_ids, corpus.scheme)
        scores["calibration"]["entity_tokens"] = measure_calibration(
            consensus.token_confidence[inside], right[inside]
        ).as_dict()
    return scores


def score(consensus: Consensus, tag_ids: IntArray, mode: str) -> dict[str, Any]:
    """Scores against gold in the form that `evaluate` prints as JSON."""
    corpus = consensus.corpus
    return score_tags(corpus.gold_tags, tag_ids, corpus.offsets, corpus.scheme, mode=mode).as_dict()


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, bool | int | float | str)
