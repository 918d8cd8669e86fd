"""learn over shards: files are cut, or shards are taken as they lie; the run folder holds them and what was
settled of each."""

import json
import os
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crowdseq.engines.shard_files import StoredCorpus, is_stored
from crowdseq.engines.shards import SHARD_TOKENS, CorpusFacts
from crowdseq.errors import Advice, AnnotationError, FormatError, Problem, SettingsError
from crowdseq.formats.files import is_sharded_run
from crowdseq.formats.findings.import_report import ImportReport
from crowdseq.formats.settings import ReadSettings
from crowdseq.storage.atomic import AtomicFile
from crowdseq.storage.private import remove_tree
from crowdseq.workflows.reading import Selection
from crowdseq.workflows.recipes import parse_settings
from crowdseq.workflows.runs.saving import RunTarget
from crowdseq.workflows.sharded import crowd_folder
from crowdseq.workflows.sharded.measuring import ShardedRun
from crowdseq.workflows.sharded.saving import save_sharded
from crowdseq.workflows.sharding import store_crowd

if TYPE_CHECKING:
    from crowdseq.workflows.learning import LearnPlan, LearnRequest

_INPUT, _CUTTING, _SETTLED = "input.json", "cutting", "consensus"
_START_ANEW = Advice("give the same files and settings, or start anew with {force}", force="")
# What a run in memory takes, by tokens, labels and votes: more than any method does, so that what is said to
# fit does.
_BYTES_OF_A_TOKEN, _BYTES_OF_A_LABEL, _BYTES_OF_A_VOTE = 900, 112, 40


@dataclass(frozen=True)
class Shards:
    """The corpus, and what `settings.json` says of where it came from; report: None where nothing was read."""

    corpus: StoredCorpus
    source: dict[str, Any]
    report: ImportReport | None = None


def learn_sharded(
    request: "LearnRequest", plan: "LearnPlan", target: RunTarget
) -> tuple[ShardedRun, ImportReport | None] | None:
    """The run, written; None if the corpus is small enough for memory and should be learned from there."""
    plan = replace(plan, recipe=_cut_alike(request, plan.recipe))
    shards = _given(request) or _cut(request, target, _shard_tokens(plan.recipe))
    if _fits(request, shards.corpus.facts) or _is_small(request, shards.corpus):
        _forget(target)
        return None
    _check_learnable(shards.corpus.facts, plan.recipe.name)
    begun = time.perf_counter()
    out = target.checkpoints / _SETTLED
    out.mkdir(parents=True, exist_ok=True)
    with request.listener.progress() as progress:
        learned = plan.run_stored(shards.corpus, out, progress=progress, checkpoints=target.checkpoints)
        progress("writing the run", 0, 1)
        run = ShardedRun.of(learned.consensus, learned.tagger, plan.recipe, time.perf_counter() - begun)
        typed = {"command": request.command} if request.command else {}
        known = plan.knowledge.record if plan.knowledge else {}
        run = replace(run, source={**known, **shards.source, **typed})
        save_sharded(run, target, excel_safe=request.excel_safe)
    return run, shards.report


def megabytes_in_memory(facts: CorpusFacts) -> float:
    """What a run takes at most that holds the corpus in memory."""
    of_token = _BYTES_OF_A_TOKEN + _BYTES_OF_A_LABEL * len(facts.scheme)
    return 1e-6 * (of_token * facts.n_tokens + _BYTES_OF_A_VOTE * facts.n_votes)


def _fits(request: "LearnRequest", facts: CorpusFacts) -> bool:
    """Whether only the bound on memory asked for shards, and there is no need."""
    is_asked = request.engine != "local" or "-" in request.crowd or _given(request) is not None
    return not is_asked and megabytes_in_memory(facts) <= (request.max_memory or 0.0)


def _is_small(request: "LearnRequest", corpus: StoredCorpus) -> bool:
    """A single shard on this machine is a corpus like any other."""
    return request.engine == "local" and len(corpus.shards) == 1 and "-" not in request.crowd


def _check_learnable(facts: CorpusFacts, method: str) -> None:
    if method == "gold" and not facts.n_gold:
        raise AnnotationError("no sentence has gold tags, which the method gold learns from")
    if method != "gold" and not facts.n_votes:
        raise AnnotationError("no annotator labelled anything; to learn from gold tags use the method gold")


def _shard_tokens(recipe: Any) -> int:
    return int(getattr(recipe, "shard_tokens", SHARD_TOKENS))


def _cut_alike(request: "LearnRequest", recipe: Any) -> Any:
    """The recipe with the size of shards that lie there already; another one that was asked for is refused."""
    given = _given(request)
    if given is None or not hasattr(recipe, "shard_tokens"):
        return recipe
    there = given.corpus.shard_tokens
    if "shard_tokens" in parse_settings(request.settings) and recipe.shard_tokens != there:
        what = f"these shards hold up to {there:,} tokens, not {recipe.shard_tokens:,}:"
        raise SettingsError(what, Advice("cut the corpus again, or leave out {shard_tokens}", shard_tokens=""))
    return replace(recipe, shard_tokens=there)


def _given(request: "LearnRequest") -> Shards | None:
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


def check_whole(corpus: StoredCorpus) -> None:
    """Every shard that is lost or damaged is named."""
    damaged = corpus.verify()
    if damaged:
        advice = Advice("restore it, or cut the corpus again")
        problems = [Problem("is missing or damaged", str(corpus.folder / name), advice=advice) for name in damaged]
        raise FormatError(*problems)


def _cut(request: "LearnRequest", target: RunTarget, shard_tokens: int) -> Shards:
    """Shards beside the run to be; those of an interrupted run are used again."""
    part = target.checkpoints
    crowd, told = crowd_folder(part), _told(request, shard_tokens)
    if is_stored(crowd):
        held = json.loads((part / _INPUT).read_bytes())
        if held["told"] != told:
            raise SettingsError(f"{part} was begun with other files or settings:", _START_ANEW)
        return Shards(StoredCorpus.open(crowd), held["source"])
    cutting = part / _CUTTING
    remove_tree(cutting)
    try:
        stored = store_crowd(request, cutting, shard_tokens)
    except BaseException:
        remove_tree(cutting)
        with suppress(OSError):
            part.rmdir()
        raise
    files = stored.report.as_dict()["files"]
    source = {"inputs": files, "selection": asdict(request.reading.selection)}
    with AtomicFile(part / _INPUT, force=True) as file:
        file.write(json.dumps({"told": told, "source": source}).encode())
    os.rename(cutting, crowd)
    return Shards(StoredCorpus.open(crowd), source, stored.report)


def _told(request: "LearnRequest", shard_tokens: int) -> list[Any]:
    """What must be the same for shards to be used again; files by their name, size and time."""
    files = []
    for name in request.crowd:
        with suppress(OSError):
            found = os.stat(name)
            files.append([name, found.st_size, found.st_mtime_ns])
            continue
        files.append([name, 0, 0])
    return [files, repr(request.reading), shard_tokens]


def _forget(target: RunTarget) -> None:
    """The corpus will be learned from memory: nothing of its shards is needed."""
    for name in (crowd_folder(target.checkpoints), target.checkpoints / _CUTTING):
        remove_tree(name)
    with suppress(OSError):
        (target.checkpoints / _INPUT).unlink()
        target.checkpoints.rmdir()
