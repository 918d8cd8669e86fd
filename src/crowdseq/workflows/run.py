"""Run: what `learn` gives back and `load` opens."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from crowdseq.core.consensus import Remark
from crowdseq.workflows.metrics import Outcome, run_metrics
from crowdseq.workflows.runs.saving import RunTarget, save_outcome, save_target


@dataclass(frozen=True)
class Run(Outcome):
    """What was learned, with the recipe and the time it took; `save` writes it as a run folder."""

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
