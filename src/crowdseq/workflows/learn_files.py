"""learn on files: from what a person asked for to a run folder."""

import os
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from crowdseq.formats import ImportReport, read
from crowdseq.workflows.learning import LearnPlan
from crowdseq.workflows.reading import CrowdRequest, read_crowd
from crowdseq.workflows.recipes import Resources, check_options, make_recipe, parse_settings
from crowdseq.workflows.run import Run
from crowdseq.workflows.runs.saving import open_target, run_paths


@dataclass(frozen=True, kw_only=True)
class LearnRequest(CrowdRequest):
    """Crowd files, the method with its settings as typed (`name=value`), and the run folder to write.

    seed, threads, max_memory, silence: None where nobody asked for a value; one that contradicts a typed
    setting of the same name is refused. dev: a file with gold by which the best round is chosen. resume: go
    on with an unfinished run. tagger, targets: as `learn` has them. excel_safe: as `Run.save` has it.
    """

    out: Path
    method: str = "sa-slc"
    settings: tuple[str, ...] = ()
    seed: int | None = None
    threads: int | None = None
    max_memory: float | None = None
    silence: str | None = None
    dev: str | None = None
    resume: bool = False
    tagger: bool = True
    targets: str = "hard"
    force: bool = False
    excel_safe: bool = False

    def plan(self) -> LearnPlan:
        """What was asked for, checked."""
        settings = self._settings()
        recipe = make_recipe(self.method, settings, self.seed or 0)
        return LearnPlan(recipe, Resources.of(settings), self.tagger, self.targets)

    def _settings(self) -> dict[str, Any]:
        """The settings of the method, with those that have an option of their own."""
        typed = parse_settings(self.settings)
        own = {name: getattr(self, name) for name in ("seed", "threads", "max_memory", "silence")}
        check_options(typed, {name: value for name, value in own.items() if value is not None})
        wanted = {"threads": self.threads or os.cpu_count() or 1} | typed
        extra = {name: own[name] for name in ("max_memory", "silence") if own[name] is not None}
        return wanted | extra


@dataclass(frozen=True)
class SavedRun:
    """A run that lies in its folder: itself, its files by name, and what reading its input found."""

    run: Run
    paths: dict[str, str]
    report: ImportReport | None = None

    def as_dict(self) -> dict[str, Any]:
        """What `learn` prints as JSON."""
        return self.run.metrics | {"paths": self.paths}


def learn_files(request: LearnRequest) -> SavedRun:
    """Learn from crowd files and write a run folder; what can be refused is refused before they are read."""
    with open_target(request.out, force=request.force, resume=request.resume) as target:
        plan = request.plan()
        corpus, report = read_crowd(request)
        with request.listener.progress() as progress:
            dev = read(request.dev).corpus if request.dev else None
            run = plan.run(corpus, progress=progress, checkpoints=target.checkpoints, dev=dev)
        source = {"inputs": report.as_dict()["files"], "selection": asdict(request.reading.selection)}
        run = replace(run, source=source)
        run.save_at(target, excel_safe=request.excel_safe)
    return SavedRun(run, run_paths(request.out), report)
