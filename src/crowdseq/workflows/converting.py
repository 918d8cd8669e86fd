"""convert: files in one format to another, one file for each layer where spans overlap."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.errors import Advice, SettingsError
from crowdseq.formats import write, write_consensus
from crowdseq.formats.files import is_sharded_run
from crowdseq.formats.registry import format_for_writing
from crowdseq.formats.spans.capacity import without_gaps
from crowdseq.formats.writing import write_consensus_lines
from crowdseq.storage.atomic import check_free
from crowdseq.workflows.reading import CrowdRequest, Part, read_parts
from crowdseq.workflows.run_folder import load_run
from crowdseq.workflows.runs import SETTINGS

_UNSAFE = re.compile(r"[^A-Za-z0-9_+-]")
_LONGEST_NAME = 60


class Target(NamedTuple):
    """A corpus and the file or folder that it goes to."""

    out: str
    corpus: Corpus


class Written(NamedTuple):
    """One file or folder: its name, what is in it, and a line for everything that it has no room for."""

    out: str
    sentences: int
    annotators: int
    notes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class ConvertRequest(CrowdRequest):
    """Files, or a run folder, and what to write of them.

    target: the format, told by the name of `out` if None. as_scheme: another chunk scheme for the tags.
    consensus: write the consensus of a run folder instead of a crowd; labels_of: that, the sentences that
    reviewers `decided`, or `both`. unlabelled: `outside` writes O for
    tokens that somebody left without a label; otherwise a format that cannot tell the two apart refuses them.
    confidence: of a consensus, and who agreed, also in columns, which hold token and label otherwise.
    """

    out: str
    target: str | None = None
    as_scheme: str | None = None
    consensus: bool = False
    labels_of: str = "consensus"
    unlabelled: str = "error"
    force: bool = False
    excel_safe: bool = False
    confidence: bool = False


def convert_files(request: ConvertRequest) -> list[Written]:
    """Read, choose, write; nothing is written before the listener has heard what reading found."""
    if request.consensus:
        return [_write_consensus(request)]
    parts, report = read_parts(request.crowd, request.reading)
    request.listener.imported(report)
    targets = name_targets(parts, request.out, request.target)
    if len(targets) > 1:
        for target in targets:  # before the first is written, so that all are or none is
            check_free(target.out, force=request.force)
    return [_write_crowd(target, request) for target in targets]


def _write_crowd(target: Target, request: ConvertRequest) -> Written:
    corpus = target.corpus if request.as_scheme is None else target.corpus.as_scheme(request.as_scheme)
    corpus, n_filled = without_gaps(corpus) if request.unlabelled == "outside" else (corpus, 0)
    notes = write(
        corpus, target.out, format=request.target, force=request.force, excel_safe=request.excel_safe
    )
    filled = f"{n_filled:,} tokens that were not labelled were written as outside of any entity"
    told = (*([filled] if n_filled else []), *notes)
    return Written(target.out, len(corpus), len(corpus.annotators), told)


def _write_consensus(request: ConvertRequest) -> Written:
    """The consensus of a run folder in any form that has room for one."""
    if request.as_scheme is not None:
        advice = Advice("leave out {as_scheme}", as_scheme="")
        raise SettingsError("a consensus is written in its own scheme:", advice)
    if len(request.crowd) != 1 or not (Path(request.crowd[0]) / SETTINGS).is_file():
        shown = ", ".join(request.crowd)
        raise SettingsError(
            f"a consensus is that of one run folder, which a run of learn writes, not {shown}"
        )
    if _can_stream(request):
        return _stream(request)
    consensus = _labels(request.crowd[0], request.labels_of)
    notes = write_consensus(
        consensus,
        request.out,
        format=request.target,
        force=request.force,
        excel_safe=request.excel_safe,
        details=request.confidence,
    )
    return Written(request.out, len(consensus.corpus), len(consensus.corpus.annotators), notes)


_TOKENS_AT_A_TIME = 500_000


def _can_stream(request: ConvertRequest) -> bool:
    """Whether a consensus in shards need not be held for this; anything but lines is made of the whole."""
    is_plain = request.labels_of == "consensus" and not request.excel_safe
    form = format_for_writing(request.target or "", request.out).name
    return is_plain and form in ("jsonl", "consensus") and is_sharded_run(Path(request.crowd[0]))


def _stream(request: ConvertRequest) -> Written:
    from crowdseq.workflows.sharded.opening import open_shards

    consensus = open_shards(Path(request.crowd[0])).in_order
    blocks = map(consensus.take, consensus.blocks(_TOKENS_AT_A_TIME))
    write_consensus_lines(blocks, request.out, request.force)
    return Written(request.out, consensus.n_sentences, consensus.n_annotators, ())


def _labels(run: str, which: str) -> Consensus:
    """The consensus of a run folder, or what its reviewers made of it."""
    if which == "consensus":
        return load_run(run).consensus
    from crowdseq.workflows.reviewing.exporting import reviewed_run

    return reviewed_run(run, which)


def name_targets(parts: Sequence[Part], out: str, target: str | None) -> list[Target]:
    """`crowd.jsonl` for one corpus; for several `crowd.LOC.jsonl` and `crowd.ORG+PER.jsonl`."""
    if len(parts) == 1:
        return [Target(out, parts[0].corpus)]
    if out == "-":
        known = " or ".join(",".join(part.types) for part in parts)
        advice = Advice("choose one with {types}: {0}", known, types="")
        raise SettingsError(f"{len(parts)} layers cannot go to standard output", advice)
    stem, ending = _split(out, target)
    names = ["+".join(_UNSAFE.sub("_", kind) for kind in part.types) for part in parts]
    if len({name.lower() for name in names}) < len(names) or max(map(len, names)) > _LONGEST_NAME:
        names = [f"layer{number}" for number in range(1, len(parts) + 1)]
    return [Target(f"{stem}.{name}{ending}", part.corpus) for name, part in zip(names, parts, strict=True)]


def _split(out: str, target: str | None) -> tuple[str, str]:
    """A path to what stands before its ending, and the ending, which tells the format."""
    bare = out.rstrip("/") if out.rstrip("/") else out
    if bare != out:
        return bare, "/"
    form = format_for_writing(target or "", out)
    packed = ".gz" if out.lower().endswith(".gz") else ""
    plain = out[: len(out) - len(packed)]
    for ending in (f".{extension}" for extension in form.extensions):
        if plain.lower().endswith(ending):
            return plain[: -len(ending)], out[len(plain) - len(ending) :]
    suffix = Path(plain).suffix
    return plain[: len(plain) - len(suffix)], suffix + packed
