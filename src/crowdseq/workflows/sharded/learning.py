"""learn over shards: files are cut, or shards are taken as they lie; the run folder holds them and what was
settled of each."""

import json
import os
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from crowdseq.core.corpus import Corpus
from crowdseq.engines.gathering import InputOrder
from crowdseq.engines.shard_files import StoredCorpus, is_stored
from crowdseq.engines.shards import SHARD_TOKENS, CorpusFacts
from crowdseq.errors import Advice, AnnotationError, CrowdseqError, FormatError, Problem, SettingsError
from crowdseq.formats import read
from crowdseq.formats.files import is_sharded_run, list_inputs
from crowdseq.formats.files.sources import Folder
from crowdseq.formats.findings.import_report import ImportReport
from crowdseq.formats.settings import ReadSettings
from crowdseq.storage.atomic import AtomicFile, cannot_write
from crowdseq.storage.json_file import JsonFile
from crowdseq.storage.private import remove_tree
from crowdseq.workflows.reading import GOLD_ALONE, Selection
from crowdseq.workflows.recipes import parse_settings
from crowdseq.workflows.runs.saving import RunTarget
from crowdseq.workflows.sharded import crowd_folder
from crowdseq.workflows.sharded.cutting import store_crowd
from crowdseq.workflows.sharded.measuring import ShardedRun
from crowdseq.workflows.sharded.running import check_stored
from crowdseq.workflows.sharded.saving import save_sharded

if TYPE_CHECKING:
    from crowdseq.workflows.learning.from_files import LearnRequest
    from crowdseq.workflows.learning.plan import LearnPlan

_INPUT, _CUTTING, _SETTLED = "input.json", "cutting", "consensus"
_START_ANEW = Advice("give the same files and settings, or start anew with {force}", force="")
_DAMAGED = Advice("start anew with {force}", force="")


@dataclass(frozen=True)
class Shards:
    """The corpus, and what `settings.json` says of its origin; report: None where nothing was read."""

    corpus: StoredCorpus
    source: dict[str, Any]
    report: ImportReport | None = None


class ReadCrowd(NamedTuple):
    """A crowd in memory after all, in the order of its input, and where it came from."""

    corpus: Corpus
    source: dict[str, Any]
    report: ImportReport | None


def learn_sharded(
    request: "LearnRequest", plan: "LearnPlan", target: RunTarget
) -> tuple[ShardedRun, ImportReport | None] | ReadCrowd:
    """The run, written; or the corpus, if it is small enough to be learned from in memory."""
    is_local = plan.resources.engine == "local"
    if not is_local:
        check_stored(plan)
    plan = replace(plan, recipe=_cut_alike(request, plan.recipe))
    given = given_shards(request)
    shards = given or _cut(request, target, _shard_tokens(plan.recipe))
    if given is not None:
        check_whole(shards.corpus)
    is_small = len(shards.corpus.shards) == 1 or (given is None and _fits(plan, shards.corpus.facts))
    if is_small and is_local:
        order = InputOrder.of(shards.corpus)
        corpus = order.take(slice(0, len(shards.corpus)))
        _forget(target)
        return ReadCrowd(corpus, shards.source, shards.report)
    try:
        check_stored(plan)
        _check_learnable(shards.corpus.facts, plan.recipe.name)
    except CrowdseqError:
        if not request.resume:
            _forget(target)  # nothing was learned that could be gone on with
        raise
    begun = time.perf_counter()
    out = target.checkpoints / _SETTLED
    out.mkdir(parents=True, exist_ok=True)
    with request.listener.progress() as progress:
        try:
            dev = read(request.dev).corpus if request.dev else None
            learned = plan.run_stored(
                shards.corpus, out, progress=progress, checkpoints=target.checkpoints, dev=dev
            )
        except BaseException:
            _drop_empty(out)
            raise
        progress("writing the run", 0, 1)
        run = ShardedRun.of(learned.consensus, learned.tagger, plan.recipe, time.perf_counter() - begun)
        typed = {"command": request.command} if request.command else {}
        known = plan.knowledge.record if plan.knowledge else {}
        run = replace(run, source={**known, **shards.source, **typed})
        save_sharded(run, target, excel_safe=request.excel_safe)
    return run, shards.report


def _drop_empty(out: Path) -> None:
    """Leave no folder of an unfinished run where none was begun."""
    with suppress(OSError):
        out.rmdir()
        out.parent.rmdir()


def _fits(plan: "LearnPlan", facts: CorpusFacts) -> bool:
    """Whether there was no need for shards: what was only feared to be too large for memory is not."""
    return plan.megabytes(facts) <= (plan.resources.max_memory or 0.0)


def _check_learnable(facts: CorpusFacts, method: str) -> None:
    if method == "gold" and not facts.n_gold:
        raise AnnotationError("no sentence has gold tags, which the method gold learns from")
    if method != "gold" and not facts.n_votes:
        raise AnnotationError("no annotator labelled anything;", GOLD_ALONE)


def _shard_tokens(recipe: Any) -> int:
    return int(getattr(recipe, "shard_tokens", SHARD_TOKENS))


def _cut_alike(request: "LearnRequest", recipe: Any) -> Any:
    """The recipe with the size of shards that lie there already; another that was asked for is refused."""
    given = given_shards(request)
    if given is None or not hasattr(recipe, "shard_tokens"):
        return recipe
    there = given.corpus.shard_tokens
    if "shard_tokens" in parse_settings(request.settings) and recipe.shard_tokens != there:
        what = f"these shards hold up to {there:,} tokens, not {recipe.shard_tokens:,}:"
        raise SettingsError(
            what, Advice("cut the corpus again, or leave out {shard_tokens}", shard_tokens="")
        )
    return replace(recipe, shard_tokens=there)


def given_shards(request: "LearnRequest") -> Shards | None:
    """The shards of a folder that is the input as it lies."""
    settings, selection = request.reading
    if len(request.crowd) != 1 or settings != ReadSettings() or selection != Selection():
        return None
    folder = Path(request.crowd[0])
    folder = crowd_folder(folder) if is_sharded_run(folder) else folder
    if not is_stored(folder):
        return None
    corpus = StoredCorpus.open(folder)
    inputs = [{"name": str(folder), "format": "shards", "fingerprint": corpus.fingerprint}]
    return Shards(corpus, {"inputs": inputs, "selection": asdict(selection)})


def check_whole(corpus: StoredCorpus, numbers: Sequence[int] | None = None) -> None:
    """Every shard that is lost or damaged is named, of all or of some."""
    damaged = corpus.verify(numbers)
    if damaged:
        advice = Advice("restore it, or cut the corpus again")
        problems = [
            Problem("is missing or damaged", str(corpus.folder / name), advice=advice) for name in damaged
        ]
        raise FormatError(*problems)


def _cut(request: "LearnRequest", target: RunTarget, shard_tokens: int) -> Shards:
    """Shards beside the run to be; those of an interrupted run are used again."""
    part = target.checkpoints
    crowd, told = crowd_folder(part), _told(request, shard_tokens)
    if is_stored(crowd):
        held = JsonFile.read(part / _INPUT, _DAMAGED)
        if held.content.get("told") != told:
            raise SettingsError(f"{part} was begun with other files or settings:", _START_ANEW)
        corpus = StoredCorpus.open(crowd)
        check_whole(corpus)
        return Shards(corpus, held.object("source"))
    cutting = part / _CUTTING
    remove_tree(cutting)
    try:
        stored = store_crowd(request, cutting, shard_tokens)
    except BaseException as error:
        remove_tree(cutting)
        with suppress(OSError):
            part.rmdir()
        if isinstance(error, OSError):
            raise cannot_write(str(part), error) from None
        raise
    files = stored.report.as_dict()["files"]
    source = {"inputs": files, "selection": asdict(request.reading.selection)}
    with AtomicFile(part / _INPUT, force=True) as file:
        file.write(json.dumps({"told": told, "source": source}).encode())
    os.rename(cutting, crowd)
    return Shards(StoredCorpus.open(crowd), source, stored.report)


def _told(request: "LearnRequest", shard_tokens: int) -> list[Any]:
    """What must be the same for shards to be used again; files by their name, size and time."""
    files: list[list[Any]] = []
    for item in list_inputs(request.crowd):
        for source in item.members if isinstance(item, Folder) else (item,):
            found = source.path.stat() if source.path is not None and source.path.is_file() else None
            files.append([source.name, *((found.st_size, found.st_mtime_ns) if found else ())])
    return [files, repr(request.reading), shard_tokens]


def _forget(target: RunTarget) -> None:
    """The corpus will be learned from memory: nothing of its shards is needed."""
    for name in (crowd_folder(target.checkpoints), target.checkpoints / _CUTTING):
        remove_tree(name)
    with suppress(OSError):
        (target.checkpoints / _INPUT).unlink()
        target.checkpoints.rmdir()
