"""Run: what `learn` gives back and `load` opens."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from crowdseq.core.consensus import AnnotatorReports, Remark
from crowdseq.workflows.metrics import Outcome, run_metrics
from crowdseq.workflows.runs.saving import RunTarget, save_outcome, save_target


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
        with save_target(Path(folder), force=force) as target:
            self.save_at(target, excel_safe=excel_safe)

    def save_at(self, target: RunTarget, *, excel_safe: bool = False) -> None:
        """The same into a folder that this process holds already."""
        save_outcome(self, self.metrics, target, excel_safe=excel_safe)

    def __repr__(self) -> str:
        corpus = self.consensus.corpus
        ending = "without a tagger" if self.tagger is None else "with a tagger"
        counts = f"{len(corpus)} sentences, {len(corpus.annotators)} annotators"
        return f"<Run: {self.recipe.name}, {counts}, {ending}>"

    def _repr_html_(self) -> str:
        """The consensus and the annotators in a notebook."""
        return self.consensus._repr_html_() + self.annotators._repr_html_()
