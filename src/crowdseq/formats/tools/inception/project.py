"""INCEpTION: folders and project ZIPs with a file for each document and annotator, as TSV 3.3 or UIMA CAS."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

from crowdseq.errors import FormatError, Problem
from crowdseq.formats.conventions.roles import is_gold
from crowdseq.formats.files.archives import archive_folder
from crowdseq.formats.files.lines import head_text, read_lines, read_text
from crowdseq.formats.files.sources import Folder, Source, Stream, is_archive, open_source
from crowdseq.formats.findings.collector import Collector
from crowdseq.formats.format import MARKING, NO, SURE, Format, ReadRecord
from crowdseq.formats.json_io.strict import JsonFault, loads
from crowdseq.formats.settings import Limits
from crowdseq.formats.spans.to_records import Marker
from crowdseq.formats.tools.inception.documents import Annotated, records
from crowdseq.formats.tools.inception.uima_parsing import (
    TYPE_SYSTEM,
    XMI_MARK,
    is_json,
    parse_json,
    parse_xmi,
)
from crowdseq.formats.tools.inception.webanno_parsing import MARK, parse

_PROJECT = "exportedproject"
_ANNOTATION, _CURATION = "annotation", "curation"
_BINARY = "annotation_ser"
_INITIAL = "initial_cas"
_ENDINGS = (".tsv", ".json", ".xmi", ".zip")
_LOOKED_AT = 3
_SKIPPED = {"IGNORE": "skipped", "LOCKED": "skipped", "NEW": "unknown"}
_FINISHED = "FINISHED"


@dataclass(frozen=True)
class _Entry:
    """One file: whose, and of which document; document is None where the folder does not tell."""

    source: Source
    document: str | None
    annotator: str | None


def recognise_folder(folder: Folder) -> int:
    """An exported project, or a folder whose first files are TSV 3.3 or CAS."""
    if any(_is_project(_inside(folder, member)) for member in folder.members):
        return SURE
    likely = [member for member in folder.members if member.name.endswith(_ENDINGS[:3])]
    return SURE if any(_is_ours(member) for member in likely[:_LOOKED_AT]) else NO


def _is_ours(member: Source) -> bool:
    try:
        with open_source(member, Limits()) as stream:
            text = head_text(stream, None)
    except FormatError:
        return False
    return text.startswith(MARK) or is_json(text) or XMI_MARK in text[:1000]


def read_folder(folder: Folder, collector: Collector) -> Iterator[tuple[str, ReadRecord]]:
    """A record for each document and person; CURATION_USER is gold, INITIAL_CAS is nobody."""
    _refuse_backup(folder)
    states = _states(folder, collector)
    types = {str(_inside(folder, m).parent): m for m in folder.members if m.name.endswith(TYPE_SYSTEM)}
    marker = Marker(collector, folder.name, proves_empty=False)
    parsed = [
        (entry, found)
        for entry in _entries(folder)
        if _is_wanted(entry, states, collector)
        for found in _parsed(entry.source, types, folder, collector)
    ]
    for entry, found in _with_documents(parsed, folder, collector):
        state = states.get((entry.document or "", entry.annotator or ""), "")
        marker.proves_empty = state == _FINISHED
        name, file = entry.document or "", entry.source.name
        for record in records(found, marker, name, entry.annotator, file, collector):
            yield file, ReadRecord(record, 0, None)
    marker.finish()


def _inside(folder: Folder, member: Source) -> PurePath:
    return PurePath(member.name).relative_to(PurePath(folder.name))


def _is_project(path: PurePath) -> bool:
    return path.name.startswith(_PROJECT) and path.suffix == ".json"


def _entries(folder: Folder) -> Iterator[_Entry]:
    paths = [(_inside(folder, member), member) for member in folder.members]
    is_project = any(_is_project(path) for path, _ in paths)
    for path, member in paths:
        *above, _ = path.parts
        if path.suffix not in _ENDINGS or _is_project(path) or member.stem.lower() == _INITIAL:
            continue
        of_all = is_gold(member.stem)
        if is_project or _ANNOTATION in above or _CURATION in above:
            part = next((part for part in (_ANNOTATION, _CURATION) if part in above), None)
            if part is None:
                continue  # sources, guidelines, logs and binary copies
            above = above[above.index(part) + 1 :]
            of_all = of_all or part == _CURATION
        yield _Entry(member, "/".join(above) or None, None if of_all else member.stem)


def _refuse_backup(folder: Folder) -> None:
    """A backup holds the annotations in a form that only INCEpTION itself can read."""
    is_backup = any(_BINARY in _inside(folder, member).parts for member in folder.members)
    if is_backup and not any(True for _ in _entries(folder)):
        what = (
            "is a backup of an INCEpTION project, whose annotations only INCEpTION can read: export it again "
            "with a format chosen under Settings, Export: WebAnno TSV v3.3 or UIMA CAS JSON"
        )
        raise FormatError(Problem(what, folder.name))


def other_files(folder: Folder) -> list[Source]:
    """Files that nobody left there by INCEpTION; an exported project has sources and logs of its own."""
    if any(_is_project(_inside(folder, member)) for member in folder.members):
        return []
    read = {entry.source.name for entry in _entries(folder)}
    others = [member for member in folder.members if member.name not in read]
    return [m for m in others if not m.name.endswith(TYPE_SYSTEM) and m.stem.lower() != _INITIAL]


def _states(folder: Folder, collector: Collector) -> dict[tuple[str, str], str]:
    """By document and annotator, how far the work on it had come; empty outside of project exports."""
    project = next((m for m in folder.members if _is_project(_inside(folder, m))), None)
    if project is None:
        return {}
    with open_source(project, collector.settings.limits) as stream:
        text = read_text(stream, collector)
    try:
        value: Any = loads(text, depth=collector.settings.limits.depth)
    except JsonFault as fault:
        raise FormatError(Problem(f"not JSON ({fault}), export the project again", project.name)) from None
    found = value.get("annotation_documents") if isinstance(value, dict) else None
    return {
        (str(item.get("name")), str(item.get("user"))): str(item.get("state"))
        for item in (found if isinstance(found, list) else [])
        if isinstance(item, dict)
    }


def _is_wanted(entry: _Entry, states: dict[tuple[str, str], str], collector: Collector) -> bool:
    """Whether the person worked on the document at all, as far as the project tells."""
    state = states.get((entry.document or "", entry.annotator or ""), "")
    if entry.annotator is None or not state:
        return True
    if state in _SKIPPED:
        collector.status(entry.annotator, _SKIPPED[state])
        return False
    if state != _FINISHED:
        what = "documents are not marked as finished, read as they stand"
        collector.warn("documents-in-progress", what, Problem(entry.annotator, entry.source.name))
    return True


def _parsed(
    source: Source, types: dict[str, Source], folder: Folder, collector: Collector
) -> list[Annotated]:
    """The document of one file; what cannot be read is rejected."""
    try:
        with open_source(source, collector.settings.limits) as stream:
            return [_parse(stream, source, types, folder, collector)]
    except FormatError as error:
        for problem in error.problems:
            collector.reject(problem, None)
    return []


def _parse(
    stream: Stream, source: Source, types: dict[str, Source], folder: Folder, collector: Collector
) -> Annotated:
    settings = collector.settings
    text = head_text(stream, settings.encoding)
    if text.startswith(MARK):
        return parse(read_lines(stream, collector), source.name, settings.layer, settings.limits.line_bytes)
    if is_json(text):
        return parse_json(read_text(stream, collector), source.name, collector)
    data = b"".join(stream.blocks())
    if is_archive(data):
        return _packed(data, source, collector)
    if XMI_MARK in text[:1000]:
        here = _inside(folder, source).parent
        holder = next((types[str(p)] for p in (here, *here.parents) if str(p) in types), None)
        return parse_xmi(data, _bytes(holder, collector), source.name, collector)
    raise FormatError(Problem("is neither TSV 3.3 nor a CAS in JSON or XMI, leave it out", source.name))


def _packed(data: bytes, source: Source, collector: Collector) -> Annotated:
    """An XMI and its type system, which INCEpTION packs together."""
    inner = archive_folder(data, source, collector.settings.limits)
    xmi = next((m for m in inner.members if m.name.endswith(".xmi")), None)
    types = next((m for m in inner.members if m.name.endswith(TYPE_SYSTEM)), None)
    content = _bytes(xmi, collector)
    if content is None:
        raise FormatError(Problem("holds no XMI, export the project as TSV, JSON or XMI", source.name))
    return parse_xmi(content, _bytes(types, collector), source.name, collector)


def _bytes(source: Source | None, collector: Collector) -> bytes | None:
    if source is None:
        return None
    with open_source(source, collector.settings.limits) as stream:
        return b"".join(stream.blocks())


def _with_documents(
    parsed: Sequence[tuple[_Entry, Annotated]], folder: Folder, collector: Collector
) -> Iterator[tuple[_Entry, Annotated]]:
    """Files side by side: over one text they are people, over several texts they are documents."""
    texts = {found.text for entry, found in parsed if entry.document is None}
    one_person = folder.stem if collector.settings.files_mean == "annotator" else None
    for entry, found in parsed:
        if entry.document is not None:
            yield entry, found
        elif len(texts) == 1 and len(parsed) > 1:
            yield replace(entry, document=folder.stem), found
        else:
            yield replace(entry, document=entry.source.stem, annotator=one_person), found


FORMAT = Format(
    name="inception",
    summary="INCEpTION: project ZIP, or folders DOCUMENT/ANNOTATOR.tsv (also .json, .xmi); curation = gold",
    settings=(*MARKING, "layer", "files_mean"),
    recognise_folder=recognise_folder,
    read_folder=read_folder,
    other_files=other_files,
)
