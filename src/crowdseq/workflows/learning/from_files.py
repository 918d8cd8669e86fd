"""learn_files: from crowd files to a run folder."""

import os
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crowdseq.formats import ImportReport, read
from crowdseq.formats.files import may_hold_shards
from crowdseq.workflows.reading import CrowdRequest, read_crowd
from crowdseq.workflows.recipes import (
    RESOURCES,
    Resources,
    check_options,
    make_recipe,
    parse_settings,
)
from crowdseq.workflows.run import Run
from crowdseq.workflows.runs.saving import open_target, run_paths

if TYPE_CHECKING:
    from crowdseq.workflows.knowing.knowledge import Knowledge

from crowdseq.workflows.learning.plan import LearnPlan, choose_text_model, gather_knowledge


@dataclass(frozen=True, kw_only=True)
class LearnRequest(CrowdRequest):
    """Crowd files, the method with its settings as typed (`name=value`), and the run folder to write.

    seed, threads, max_memory, engine, workers, address, silence: None where nobody asked for a value; one
    that contradicts a typed setting of the same name is refused. dev: a file with gold by which the best
    round is chosen. resume: go on with an unfinished run. tagger, targets: as `learn` has them. lexicons: as
    typed, `TYPE=FILE`. vectors, unlabelled: as `learn` has them.
    text_model, model: as `learn` has them.
    excel_safe: as `Run.save` has it. command: what was typed, for the recipe of the run.
    """

    out: Path
    method: str = "sa-slc"
    settings: tuple[str, ...] = ()
    seed: int | None = None
    threads: int | None = None
    max_memory: float | None = None
    engine: str | None = None
    workers: int | None = None
    address: str | None = None
    silence: str | None = None
    dev: str | None = None
    resume: bool = False
    tagger: bool = True
    targets: str = "hard"
    lexicons: tuple[str, ...] = ()
    vectors: str | None = None
    unlabelled: tuple[str, ...] = ()
    text_model: str = "crf"
    model: str | None = None
    force: bool = False
    excel_safe: bool = False
    command: str | None = None

    def may_be_sharded(self, plan: LearnPlan) -> bool:
        """Whether the corpus lies in shards, or is to be cut into some before it is learned from."""
        resources = plan.resources
        is_asked = resources.engine != "local" or resources.max_memory is not None
        return is_asked or any(may_hold_shards(Path(name)) for name in self.crowd)

    def settle_piece(self, piece: str) -> tuple[int, ...]:
        """Settle only some shards of a folder of shards (`3/20`: every 20th from the third on), into a piece
        that `merge_pieces` takes; gives their numbers."""
        from crowdseq.workflows.sharded.pieces import learn_piece

        return learn_piece(self, piece)

    def plan(self) -> LearnPlan:
        """What was asked for, checked."""
        settings = self._settings()
        recipe = make_recipe(self.method, settings, self.seed or 0)
        return LearnPlan(
            recipe,
            Resources.of(settings),
            self.tagger,
            self.targets,
            knowledge=self._knowledge(),
            text_model=choose_text_model(self.text_model, self.model, recipe, self.seed or 0),
        )

    def _knowledge(self) -> "Knowledge | None":
        if not (self.lexicons or self.vectors is not None or self.unlabelled):
            return None
        from crowdseq.workflows.knowing.knowledge import typed_lexicons

        return gather_knowledge(typed_lexicons(self.lexicons), self.vectors, self.unlabelled, self.seed or 0)

    def _settings(self) -> dict[str, Any]:
        """The settings of the method, with those that have an option of their own."""
        typed = parse_settings(self.settings)
        own = {name: getattr(self, name) for name in ("seed", "silence", *RESOURCES)}
        check_options(typed, {name: value for name, value in own.items() if value is not None})
        wanted = {"threads": self.threads or os.cpu_count() or 1} | typed
        extra = {name: own[name] for name in own if name not in ("seed", "threads") and own[name] is not None}
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
        if request.may_be_sharded(plan):
            from crowdseq.workflows.sharded.learning import ReadCrowd, learn_sharded  # most fit into memory

            found = learn_sharded(request, plan, target)
            if not isinstance(found, ReadCrowd):
                return SavedRun(found[0], run_paths(request.out), found[1])
            corpus, source, report = found
        else:
            corpus, report = read_crowd(request)
            source = {"inputs": report.as_dict()["files"], "selection": asdict(request.reading.selection)}
        with request.listener.progress() as progress:
            dev = read(request.dev).corpus if request.dev else None
            run = plan.run(corpus, progress=progress, checkpoints=target.checkpoints, dev=dev)
        typed = {"command": request.command} if request.command else {}
        run = replace(run, source={**run.source, **source, **typed})
        run.save_at(target, excel_safe=request.excel_safe)
    return SavedRun(run, run_paths(request.out), report)
