"""Run: what `learn` gives back and `load` opens, and what it tells about itself in numbers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crowdseq.aggregation.contract import Aggregator, Learned
from crowdseq.arrays import IntArray
from crowdseq.core.consensus import AnnotatorReports, Consensus, Remark
from crowdseq.evaluation.calibration import entity_tokens, measure_calibration
from crowdseq.evaluation.remarks import remarks_of
from crowdseq.evaluation.scores import score_tags
from crowdseq.evaluation.verdicts import with_verdicts

if TYPE_CHECKING:
    from crowdseq.evaluation.suggestions import Suggestion
    from crowdseq.workflows.runs.saving import RunTarget


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
SHARDED_VERSION = 2  # of a run folder whose crowd lies in shards, which version 1 does not know


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


def judged(consensus: Consensus, recipe: Aggregator) -> Consensus:
    """The consensus with a verdict on every annotator."""
    silence = "abstains" if getattr(recipe, "silence", "auto") == "abstains" else "auto"
    return with_verdicts(consensus, silence=silence, is_truth=recipe.name == "gold")


def run_remarks(run: Outcome) -> tuple[Remark, ...]:
    """What a run says of its crowd and its consensus; nothing where the crowd was not asked."""
    known = (*_remarks_on_words(run.source), *_remarks_on_model(run.consensus))
    if run.recipe.name == "gold":
        return known
    silence, kinship = getattr(run.recipe, "silence", "labelled"), getattr(run.recipe, "kinship", False)
    return (*remarks_of(run.consensus, silence=str(silence), kinship=bool(kinship)), *known)


def _remarks_on_words(source: Mapping[str, Any]) -> tuple[Remark, ...]:
    """Which word vectors were used and why."""
    if not ("vectors" in source or "unlabelled" in source):
        return ()
    from crowdseq.workflows.knowing.choosing import remarks_of_record  # few runs have any

    return remarks_of_record(source)


def _remarks_on_model(consensus: Consensus) -> tuple[Remark, ...]:
    """Whether a language model counts for the consensus, and why."""
    names = ("agreement_without_model", "model_in_rounds")
    numbers = {name: consensus.parameters[name] for name in names if name in consensus.parameters}
    if len(numbers) < len(names):
        return ()
    from crowdseq.aggregation.companions import LEAST_AGREEMENT  # few runs have one

    found, is_used = numbers.values()
    text = (
        f"the language model is {'used' if is_used else 'not used'} for the consensus: without it the text "
    )
    text += f"alone agrees with the consensus by {found:.3f}, and {LEAST_AGREEMENT} is what it takes"
    return (Remark("language-model", text, "note", numbers),)


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


@dataclass(frozen=True, repr=False)
class Run(Outcome):
    """What was learned: `consensus`, `annotators` and `tagger`, with the recipe and the time it took.

    `remarks` and `suggestions` tell what to look at. `save` writes it as a run folder with its report,
    `crowdseq.load` opens that again.

    >>> import crowdseq, pathlib, tempfile
    >>> run = crowdseq.learn(crowdseq.demo_corpus(), "majority-vote", tagger=False)
    >>> folder = pathlib.Path(tempfile.mkdtemp()) / "run"
    >>> run.save(folder)
    >>> (folder / "report.html").exists()
    True
    >>> crowdseq.load(folder).consensus.tags == run.consensus.tags
    True
    """

    @property
    def annotators(self) -> AnnotatorReports:
        """The reports on all annotators; in a notebook they are shown as a table."""
        return AnnotatorReports(self.consensus.annotators)

    @cached_property
    def metrics(self) -> dict[str, Any]:
        """What the run tells about itself in numbers, as `metrics.json` holds it; computed once."""
        return run_metrics(self)

    @cached_property
    def remarks(self) -> tuple[Remark, ...]:
        """What the run says of its crowd and its consensus in plain words, the warnings first."""
        return tuple(Remark(**one) for one in self.metrics["remarks"])

    def save(self, folder: str | Path, *, force: bool = False, excel_safe: bool = False) -> None:
        """Write the run folder; an existing one is replaced only with `force`, once the new one is whole.

        excel_safe: in its tables, an apostrophe before names that a spreadsheet would take for a formula.
        """
        from crowdseq.workflows.runs.saving import save_target  # it needs all formats and the report

        with save_target(Path(folder), force=force) as target:
            self.save_at(target, excel_safe=excel_safe)

    def save_at(self, target: "RunTarget", *, excel_safe: bool = False) -> None:
        """The same into a folder that this process holds already."""
        from crowdseq.workflows.runs.saving import save_outcome

        save_outcome(self, self.metrics, target, excel_safe=excel_safe)

    def __repr__(self) -> str:
        corpus = self.consensus.corpus
        ending = "without a tagger" if self.tagger is None else "with a tagger"
        counts = f"{len(corpus)} sentences, {len(corpus.annotators)} annotators"
        return f"<Run: {self.recipe.name}, {counts}, {ending}>"

    def _repr_html_(self) -> str:
        """The consensus and the annotators in a notebook."""
        return self.consensus._repr_html_() + self.annotators._repr_html_()
