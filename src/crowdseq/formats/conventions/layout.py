"""What folders around files mean: an annotator with a file for each document, or a document with one for each
annotator."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import NamedTuple

from crowdseq.errors import Advice, Problem
from crowdseq.formats.conventions.roles import is_gold
from crowdseq.formats.files.sources import Folder, Source
from crowdseq.formats.findings.collector import Collector

_BY_FOLDER, _BY_FILE = (
    "folders are annotators, files are documents",
    "folders are documents, files are annotators",
)


class _Entry(NamedTuple):
    """One file: its folders, what it is called, and how its text begins."""

    source: Source
    above: tuple[str, ...]
    stem: str
    text: str


def place_files(folder: Folder, texts: Mapping[str, str], collector: Collector) -> dict[str, Source]:
    """The files that `texts` names, by their names, with owner and document where the folders tell them.

    texts: how the text of each file begins, which tells what two files share.
    """
    entries, name = _entries(folder, texts)
    means = collector.settings.files_mean
    if len(entries) < 2 and means != "document":
        return {}
    is_deep = any(entry.above for entry in entries)
    if means == "gold":
        is_one = len({entry.text for entry in entries}) == 1
        return {} if is_one else {entry.source.name: _of(entry, "", _path(entry)) for entry in entries}
    if means == "document":
        return _by_folder(entries, name)
    is_one = len({entry.text for entry in entries}) == 1
    if not is_deep or (is_one and len({entry.stem for entry in entries}) == len(entries)):
        return {}  # files side by side, or all over one text under names of their own: each is an annotator
    by_file = means == "annotator" or _n_shared_inside(entries) > _n_shared_across(entries)
    _tell(_BY_FILE if by_file else _BY_FOLDER, entries, collector, is_told=means == "auto")
    return _by_file(entries) if by_file else _by_folder(entries, name)


def _entries(folder: Folder, texts: Mapping[str, str]) -> tuple[list[_Entry], str]:
    """All files, without folders that all of them are in, and the name of the innermost of those."""
    found = []
    for member in folder.members:
        if member.name in texts:
            parts = PurePath(member.name).relative_to(PurePath(folder.name)).parts
            found.append(_Entry(member, parts[:-1], member.stem, texts[member.name]))
    name = folder.stem
    while found and found[0].above and len({entry.above[:1] for entry in found}) == 1:
        name = found[0].above[0]
        found = [entry._replace(above=entry.above[1:]) for entry in found]
    return found, name


def _path(entry: _Entry) -> str:
    return "/".join([*entry.above, entry.stem])


def _of(entry: _Entry, owner: str, document: str) -> Source:
    return replace(entry.source, owner="" if is_gold(owner) else owner, document=document)


def _by_folder(entries: Sequence[_Entry], name: str) -> dict[str, Source]:
    """The outermost folder is the annotator, as in brat; all below it tells the document."""
    return {
        entry.source.name: _of(
            entry, entry.above[0] if entry.above else name, "/".join([*entry.above[1:], entry.stem])
        )
        for entry in entries
    }


def _by_file(entries: Sequence[_Entry]) -> dict[str, Source]:
    return {
        entry.source.name: _of(entry, entry.stem, "/".join(entry.above)) for entry in entries if entry.above
    }


def _n_shared_inside(entries: Sequence[_Entry]) -> int:
    """How many files have the text of another one in their folder."""
    counts = Counter((entry.above, entry.text) for entry in entries)
    return sum(count for count in counts.values() if count > 1)


def _n_shared_across(entries: Sequence[_Entry]) -> int:
    """How many files have the text of one of the same name in another folder."""
    by_name: dict[tuple[tuple[str, ...], str], Counter[str]] = defaultdict(Counter)
    for entry in entries:
        by_name[entry.above[1:], entry.stem][entry.text] += 1
    return sum(count for texts in by_name.values() for count in texts.values() if count > 1)


def _tell(what: str, entries: Sequence[_Entry], collector: Collector, *, is_told: bool) -> None:
    if is_told:
        by_file = what == _BY_FILE
        advice = Advice(
            "if that is wrong, say {files_mean} (or gold)", files_mean="document" if by_file else "annotator"
        )
        shown = f"{len(entries):,} files such as {entries[0].source.name}"
        collector.warn("folders-guessed", f"{what};", Problem(shown), advice=advice)
