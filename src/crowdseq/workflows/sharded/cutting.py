"""shard: a crowd of any size to a folder of shards, of which a small part is in memory at any time."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crowdseq.core.building import Record
from crowdseq.engines.shard_files import StoredCorpus, is_stored
from crowdseq.engines.shards import SHARD_TOKENS
from crowdseq.errors import Advice, AnnotationError, OutputExistsError, SettingsError
from crowdseq.formats.findings.import_report import ImportReport
from crowdseq.formats.parts.storing import Choice, Stored, store_files
from crowdseq.storage.folders import AtomicFolder, claimed
from crowdseq.workflows.reading import CrowdRequest, Selection, check_fields


@dataclass(frozen=True, kw_only=True)
class ShardRequest(CrowdRequest):
    """Crowd files, the folder that the shards go to, and how many tokens a shard holds at most."""

    out: Path
    shard_tokens: int = SHARD_TOKENS
    force: bool = False


@dataclass(frozen=True)
class Sharded:
    """The shards in their folder, and what reading found."""

    corpus: StoredCorpus
    report: ImportReport

    def as_dict(self) -> dict[str, Any]:
        """What `shard` prints as JSON."""
        facts, sizes = self.corpus.facts, [shard.tokens for shard in self.corpus.shards]
        return {
            "format_version": 1,
            "folder": str(self.corpus.folder),
            "shards": len(sizes),
            "sentences": facts.n_sentences,
            "tokens": facts.n_tokens,
            "words": facts.n_words,
            "annotators": len(facts.annotators),
            "largest_shard": max(sizes, default=0),
            "fingerprint": self.corpus.fingerprint,
        }


def shard_files(request: ShardRequest) -> Sharded:
    """Read, check, cut and write; the folder appears when it is whole."""
    if request.shard_tokens < 1:
        raise SettingsError(f"shard_tokens is {request.shard_tokens}, it must be at least 1")
    with claimed(request.out):
        _check_free(request.out, request.force)
        with AtomicFolder(request.out) as made:
            stored = store_crowd(request, made.path, request.shard_tokens)
    return Sharded(StoredCorpus.open(request.out), stored.report)


def store_crowd(request: CrowdRequest, folder: Path, shard_tokens: int) -> Stored:
    """The chosen part of some files as shards in a new folder; the listener hears what reading found."""
    settings, selection = request.reading
    with request.listener.progress() as progress:
        stored = store_files(
            request.crowd,
            folder,
            shard_tokens,
            settings=settings,
            choice=choice_of(selection),
            progress=progress,
        )
    request.listener.imported(stored.report)
    if len(stored.corpus) == 0:
        raise AnnotationError(f"{', '.join(request.crowd)}: {stored.report.why_empty()}")
    return stored


def choice_of(selection: Selection) -> Choice:
    """What `Selection.apply` does to a corpus in memory."""

    def wanted(record: Record) -> bool:
        own = {**record.extras, "id": record.id, "doc": record.doc}
        return all(key in own and str(own[key]) == value for key, value in selection.where)

    def kept(everybody: set[str], present: set[str]) -> Iterable[str]:
        there = present if selection.where else everybody
        unknown = sorted({*selection.annotators, *selection.without} - there)
        if unknown:
            shown = ", ".join(sorted(there)[:20])
            raise AnnotationError(f"annotator '{unknown[0]}' is not in the data, which has {shown}")
        return (set(selection.annotators) or there) - set(selection.without)

    def check(fields: set[str], count: int) -> None:
        check_fields(fields, selection.where)
        if selection.where and not count:
            told = ", ".join("=".join(pair) for pair in selection.where)
            raise SettingsError(f"no record has {told}, nothing is left")

    return Choice(wanted=wanted, kept=kept, check=check)


def _check_free(folder: Path, force: bool) -> None:
    if not folder.exists():
        return
    if folder.is_file():
        raise OutputExistsError(f"{folder} is a file, name a folder for the shards")
    if not force:
        advice = Advice("choose another folder or say {force} to replace it", force="")
        raise OutputExistsError(f"{folder} exists already", advice)
    if not is_stored(folder) and any(folder.iterdir()):
        advice = Advice("not even with {force}", force="")
        raise OutputExistsError(f"{folder} is no folder of shards, it will not be replaced", advice)
