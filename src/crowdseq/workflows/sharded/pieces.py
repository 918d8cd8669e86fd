"""Pieces: some shards of a corpus settled by themselves, on any machine, and put together to a run.

Only where a shard needs no more of the others than totals that each piece can count by itself is the result
that of the whole, to the bit; other methods are refused.
"""

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crowdseq.aggregation.contract import Aggregator, RunContext, describe_settings
from crowdseq.aggregation.stored import StoredConsensus, consensus_path, judge_stored
from crowdseq.engines.choosing import open_engine
from crowdseq.engines.local import LocalEngine
from crowdseq.engines.shard_files import StoredCorpus, is_stored
from crowdseq.errors import Advice, FormatError, OutputExistsError, Problem, SettingsError
from crowdseq.methods.gold import Gold, GoldShard, wanted_gold
from crowdseq.methods.majority_vote import MajorityVote
from crowdseq.storage.folders import AtomicFolder, claimed
from crowdseq.storage.json_file import JsonFile
from crowdseq.storage.private import remove_tree
from crowdseq.tagging.crf import CrfTrainer
from crowdseq.tagging.sequence_tagger import SequenceTagger
from crowdseq.workflows.learning.plan import LearnPlan
from crowdseq.workflows.reading import SILENT, Listener
from crowdseq.workflows.recipes import Resources, make_recipe
from crowdseq.workflows.runs.saving import open_target, run_paths
from crowdseq.workflows.sharded.learning import check_whole, given_shards
from crowdseq.workflows.sharded.measuring import ShardedRun
from crowdseq.workflows.sharded.running import train_stored_tagger
from crowdseq.workflows.sharded.saving import link_files, save_sharded

if TYPE_CHECKING:
    from crowdseq.workflows.learning.from_files import LearnRequest

PIECE = "piece.json"
_FORMAT = "crowdseq piece"
_AGAIN = Advice("settle that piece again")


def learn_piece(request: "LearnRequest", piece: str) -> tuple[int, ...]:
    """Settle every n-th shard of a folder of shards, as `piece` says (`3/20`); gives their numbers."""
    part, count = _parsed(piece)
    plan, shards = request.plan(), given_shards(request)
    settle = _settler(plan.recipe)
    if shards is None:
        raise SettingsError(
            "a piece is one of a folder of shards, which `crowdseq shard` writes; give that alone"
        )
    if plan.resources.engine != "local":
        raise SettingsError("a piece is settled by this process:", Advice("leave out {engine}", engine=""))
    stored = shards.corpus
    numbers = tuple(range(part - 1, len(stored.shards), count))
    check_whole(stored, numbers)
    with claimed(request.out):
        _check_free(request.out, request.force)
        with AtomicFolder(request.out) as made, request.listener.progress() as progress:
            begun = time.perf_counter()
            settle(stored, RunContext(progress, LocalEngine(plan.resources.threads), out=made.path), numbers)
            told = {
                "format": _FORMAT,
                "fingerprint": stored.fingerprint,
                "method": plan.recipe.name,
                "settings": describe_settings(plan.recipe),
                "shards": numbers,
                "sha256": {str(number): _digest(made.path, number) for number in numbers},
                "seconds": time.perf_counter() - begun,
            }
            made.write(PIECE, json.dumps(told, indent=1).encode() + b"\n")
    return numbers


def _parsed(piece: str) -> tuple[int, int]:
    part, _, count = piece.partition("/")
    with suppress(ValueError):
        if 1 <= int(part) <= int(count):
            return int(part), int(count)
    raise SettingsError(f"piece is '{piece}', say which of how many: 3/20")


Settle = Callable[[StoredCorpus, RunContext, Sequence[int]], None]


def _settler(recipe: Aggregator) -> Settle:
    """How a method settles some of the shards; SettingsError for one that learns from all together."""
    if isinstance(recipe, MajorityVote):
        return recipe.write_shards
    if isinstance(recipe, Gold):
        return _write_gold
    raise SettingsError(
        f"method {recipe.name} learns from all shards together, pieces settled apart would be something "
        "else: run it on all of them, from the disk or with the engine ray"
    )


def _write_gold(stored: StoredCorpus, context: RunContext, numbers: Sequence[int]) -> None:
    for number in numbers:
        shard = GoldShard(stored.shards[number])
        if shard.n_known() < stored.shards[number].tokens:
            what = "holds tokens without gold, which a tagger that learned from all shards has to fill in:"
            advice = Advice("run gold on all shards")
            raise FormatError(Problem(what, str(stored.shards[number].path), advice=advice))
        shard.write(context.folder, None)


def _digest(folder: Path, number: int) -> str:
    with consensus_path(folder, number).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _check_free(folder: Path, force: bool) -> None:
    if not folder.exists():
        return
    if not force:
        advice = Advice("choose another folder or say {force} to replace it", force="")
        raise OutputExistsError(f"{folder} exists already", advice)
    if not (folder / PIECE).is_file():
        raise OutputExistsError(
            f"{folder} is no piece, it will not be replaced", Advice("not even with {force}", force="")
        )


@dataclass(frozen=True, kw_only=True)
class MergeRequest:
    """A folder of shards, pieces of which each shard is in one, and the run folder to write."""

    shards: Path
    pieces: tuple[Path, ...]
    out: Path
    tagger: bool = True
    targets: str = "hard"
    threads: int = 1
    max_memory: float | None = None
    force: bool = False
    excel_safe: bool = False
    listener: Listener = SILENT
    command: str | None = None


@dataclass(frozen=True)
class MergedRun:
    """The run that pieces were put together to, and its files by name."""

    run: ShardedRun
    paths: dict[str, str]

    def as_dict(self) -> dict[str, Any]:
        """What `merge` prints as JSON."""
        return self.run.metrics | {"paths": self.paths}


def merge_pieces(request: MergeRequest) -> MergedRun:
    """Check that the pieces are all there and fit, judge the annotators, train the tagger, write the run."""
    with open_target(request.out, force=request.force) as target:
        stored, pieces = _opened(request)
        recipe = make_recipe(pieces[0].text("method"), pieces[0].object("settings"))
        resources = Resources(request.threads, request.max_memory)
        plan = LearnPlan(recipe, resources, request.tagger, request.targets)
        settled, states = target.checkpoints / "consensus", target.checkpoints / "states"
        seconds = sum(piece.number("seconds") for piece in pieces)
        try:
            for piece in pieces:
                link_files(piece.path.parent, settled, "consensus-")
            with (
                request.listener.progress() as progress,
                open_engine(resources.wish(plan.megabytes(stored.facts)), states, progress) as engine,
            ):
                begun = time.perf_counter()
                progress("judging annotators", 0, 1)
                consensus = judge_stored(stored, settled, engine)
                context = RunContext(progress, engine, out=settled)
                tagger = _tagger(recipe, consensus, context, request.targets) if request.tagger else None
                seconds += time.perf_counter() - begun
                run = ShardedRun.of(consensus, tagger, recipe, seconds)
                run = replace(run, source=_source(request, stored))
                save_sharded(run, target, excel_safe=request.excel_safe)
        finally:
            remove_tree(target.checkpoints)
    return MergedRun(run, run_paths(request.out))


def _source(request: MergeRequest, stored: StoredCorpus) -> dict[str, Any]:
    inputs = [{"name": str(request.shards), "format": "shards", "fingerprint": stored.fingerprint}]
    typed = {"command": request.command} if request.command else {}
    return {"inputs": inputs, "pieces": len(request.pieces), **typed}


def _tagger(
    recipe: Aggregator, consensus: StoredConsensus, context: RunContext, targets: str
) -> SequenceTagger:
    """As the method itself would train it."""
    if isinstance(recipe, Gold):
        stored = consensus.corpus
        return recipe.trainer().fit_stored(stored.shards, wanted_gold, stored.facts.scheme, context.engine)
    return train_stored_tagger(consensus, targets, CrfTrainer(), context)


def _opened(request: MergeRequest) -> tuple[StoredCorpus, list[JsonFile]]:
    """The shards and what the pieces say, all of which must fit."""
    if not is_stored(request.shards):
        raise FormatError(Problem("is no folder of shards", str(request.shards)))
    stored = StoredCorpus.open(request.shards)
    check_whole(stored)
    pieces = [_piece(folder, stored) for folder in request.pieces]
    first = (pieces[0].text("method"), pieces[0].object("settings"))
    held: dict[int, Path] = {}
    for piece in pieces:
        if (piece.text("method"), piece.object("settings")) != first:
            raise piece.fault(f"was settled by another method or other settings than {pieces[0].path.parent}")
        for number in piece.content["shards"]:
            if number in held:
                raise piece.fault(f"holds shard {number}, which {held[number]} holds too")
            held[number] = piece.path.parent
    lost = [str(number) for number in range(len(stored.shards)) if number not in held]
    if lost:
        shown = ", ".join(lost[:10]) + (", …" if len(lost) > 10 else "")
        what = f"{len(lost):,} of {len(stored.shards):,} shards are in no piece ({shown}), settle them too"
        raise FormatError(Problem(what, str(request.shards)))
    return stored, pieces


def _piece(folder: Path, stored: StoredCorpus) -> JsonFile:
    piece = JsonFile.read(folder / PIECE, _AGAIN)
    if piece.text("format") != _FORMAT:
        raise piece.fault("is no piece")
    if piece.text("fingerprint") != stored.fingerprint:
        raise piece.fault(f"is a piece of other shards than {stored.folder}")
    for number, digest in piece.object("sha256").items():
        path = consensus_path(folder, int(number))
        if not path.is_file() or _digest(folder, int(number)) != digest:
            raise FormatError(Problem("is missing or damaged", str(path), advice=_AGAIN))
    return piece
