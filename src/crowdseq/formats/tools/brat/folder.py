"""brat standoff: a folder for each annotator, in it a text and an .ann file with spans for each document."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import takewhile
from pathlib import PurePath

from crowdseq.errors import Advice, AnnotationError, FormatError, Problem
from crowdseq.formats.conventions.roles import is_gold
from crowdseq.formats.files.lines import read_lines, read_text
from crowdseq.formats.files.sources import Folder, Source, Stream, open_source
from crowdseq.formats.findings.collector import Collector, problem_of
from crowdseq.formats.format import MARKING, NO, SURE, Format, ReadRecord, Sample
from crowdseq.formats.spans.kept_text import Document, differ_in_form
from crowdseq.formats.spans.resolve import Region
from crowdseq.formats.spans.to_records import Marker
from crowdseq.formats.tools.brat.writing import write_consensus_folder, write_folder

_ANNOTATIONS, _TEXT, _CONFIGURATION = ".ann", ".txt", ".conf"
_SPAN = re.compile(r"T\S*\t(\S+) ([0-9]+ [0-9]+(?:;[0-9]+ [0-9]+)*)(?:\t(.*))?", re.S)
# Relations, equivalences, events, attributes, modifications, normalisations and notes are about spans.
_OTHER = tuple("R*EAMN#")
_LONGEST_NUMBER = 18


@dataclass
class _Collection:
    """The files of a folder: by document, who has annotations and where its text stands."""

    annotations: dict[str, dict[str, Source]] = field(default_factory=dict)
    texts: dict[str, dict[str, Source]] = field(default_factory=dict)


def recognise(sample: Sample) -> int:
    """A single .ann file, known so that it can be told what is missing."""
    return SURE if sample.has_extension(("ann",)) and any(map(is_span_line, sample.lines[:5])) else NO


def recognise_folder(folder: Folder) -> int:
    """A folder that holds .ann files."""
    return SURE if any(member.name.endswith(_ANNOTATIONS) for member in folder.members) else NO


def read(stream: Stream, source: Source, collector: Collector) -> Iterator[ReadRecord]:  # noqa: ARG001
    """A file alone has no text, and nobody is named."""
    what = (
        "spans of brat need their text: name the folder that holds the .ann and .txt files of all annotators"
    )
    raise FormatError(Problem(what, stream.name))


def read_folder(folder: Folder, collector: Collector) -> Iterator[tuple[str, ReadRecord]]:
    """A record for each document and annotator; the folder just below this one is the annotator."""
    folder = _unwrapped(folder, collector)
    files = _collect(folder, collector.settings.files_mean == "gold")
    marker = Marker(collector, folder.name, proves_empty=False)
    for document, by_annotator in files.annotations.items():
        try:
            texts = _texts(document, files.texts.get(document, {}), collector)
        except FormatError as error:
            collector.fail(*error.problems)
            continue
        for annotator, source in by_annotator.items():
            text = texts.get(annotator or _gold_folder(texts), next(iter(texts.values()), None))
            if text is None:
                what = f"its text is missing: put {PurePath(document).name}{_TEXT} beside it"
                collector.reject(Problem(what, source.name, record=document), None)
                continue
            marker.file = source.name
            yield from _records(marker, Document(text, document), annotator, source, collector)
    _doubt_annotators(files, folder, collector)
    marker.finish()


def _unwrapped(folder: Folder, collector: Collector) -> Folder:
    """The folder that holds those of the annotators: one that all files are in, as archives often have,
    is no annotator if folders in it have the same text under the same name."""
    paths = [_inside(folder, one).parts[:-1] for one in folder.members if one.name.endswith(_ANNOTATIONS)]
    levels = takewhile(lambda names: len(set(names)) == 1, zip(*paths, strict=False))
    around = [names[0] for names in levels]
    if not around or any(len(path) == len(around) for path in paths):
        return folder
    inner = "/".join(around)
    name = f"{folder.name}/{inner}"
    within = tuple(one for one in folder.members if PurePath(one.name).is_relative_to(name))
    found = Folder(name, around[-1], within)
    if not _shares_a_text(found, collector):
        return folder
    what = f"the folders in '{inner}' are annotators, they have the same texts; if that is wrong, unpack it"
    collector.warn("folders-guessed", f"{what} and name each", Problem("", folder.name))
    return found


def _shares_a_text(folder: Folder, collector: Collector) -> bool:
    """Whether the first document that two folders in this one have annotations of has one text in both."""
    files = _collect(folder)
    document = next((name for name, found in files.annotations.items() if len(found) > 1), None)
    texts = set()
    for source in files.texts.get(document or "", {}).values():
        with open_source(source, collector.settings.limits) as stream:
            texts.add(read_text(stream, collector))
    return document is not None and len(texts) < 2


def _inside(folder: Folder, member: Source) -> PurePath:
    return PurePath(member.name).relative_to(PurePath(folder.name))


def _collect(folder: Folder, all_gold: bool = False) -> _Collection:
    files = _Collection()
    for member in folder.members:
        inside = _inside(folder, member)
        above, *below = inside.parts if len(inside.parts) > 1 else (folder.stem, inside.name)
        document = PurePath(*below).with_suffix("").as_posix()
        kind = {_ANNOTATIONS: files.annotations, _TEXT: files.texts}.get(inside.suffix)
        if kind is not None:
            of_all = is_gold(above) or all_gold
            kind.setdefault(document, {})["" if of_all and kind is files.annotations else above] = member
    return files


def other_files(folder: Folder) -> list[Source]:
    """Files of other kinds, and texts for which nobody has annotations."""
    files = _collect(folder)
    lonely = [texts for document, texts in files.texts.items() if document not in files.annotations]
    unread = {source.name for texts in lonely for source in texts.values()}
    own = (_ANNOTATIONS, _TEXT, _CONFIGURATION)
    return [member for member in folder.members if not member.name.endswith(own) or member.name in unread]


def _texts(document: str, sources: dict[str, Source], collector: Collector) -> dict[str, str]:
    """The text of a document by annotator; it must be the same in every folder that has it."""
    found: dict[str, str] = {}
    for annotator, source in sources.items():
        with open_source(source, collector.settings.limits) as stream:
            found[annotator] = read_text(stream, collector)
    if collector.settings.normalise == "none":
        first = next(iter(sources), "")
        for annotator, text in found.items():
            if text != found[first]:
                fault = _difference(text, found[first], sources[first].name)
                raise FormatError(replace(fault, file=sources[annotator].name, record=document))
    return found


def _gold_folder(texts: Iterable[str]) -> str:
    return next((name for name in texts if is_gold(name)), "")


def _difference(text: str, other: str, name: str) -> Problem:
    pairs = enumerate(zip(text, other, strict=False))
    place = next((place for place, pair in pairs if pair[0] != pair[1]), -1)
    where = f"from character {place + 1} on" if place >= 0 else "in length"
    advice = Advice("all annotators must have the same text")
    if differ_in_form(text, other):
        advice = Advice("only in its Unicode form or line ends, say {normalise}", normalise="nfc")
    return Problem(f"differs from {name} {where}:", advice=advice)


def _records(
    marker: Marker, document: Document, annotator: str, source: Source, collector: Collector
) -> Iterator[tuple[str, ReadRecord]]:
    regions: list[Region] = []
    line = 0
    try:
        with open_source(source, collector.settings.limits) as stream:
            for line, content in read_lines(stream, collector):
                if is_other_line(content):
                    what = (
                        "lines of brat that mark no span (relations, events, attributes, notes) were left out"
                    )
                    collector.warn("brat-lines-left-out", what, Problem("", source.name, line))
                elif content.strip():
                    regions.append(region_of(content, document.text))
        line = 0
        votes = {annotator: regions} if annotator else {}
        records = marker.records(document, votes, None if annotator else regions)
    except AnnotationError as error:
        collector.reject(problem_of(error, source.name, line, document.id or ""), None)
    except FormatError as error:
        collector.fail(*error.problems)
    else:
        yield from ((source.name, ReadRecord(record, 0, None)) for record in records)


def _doubt_annotators(files: _Collection, folder: Folder, collector: Collector) -> None:
    """Folders that share no document are perhaps parts of one person's work."""
    voters = [set(found) - {""} for found in files.annotations.values()]
    everybody = set().union(*voters)
    if len(everybody) > 1 and all(len(found) < 2 for found in voters):
        what = (
            "no document was labelled by two annotators: are the folders just below this one the annotators?"
        )
        collector.warn("nothing-shared", what, Problem(", ".join(sorted(everybody)[:5]), folder.name))


def is_span_line(line: str) -> bool:
    """Whether a line marks a span of characters."""
    return _SPAN.fullmatch(line) is not None


def is_other_line(line: str) -> bool:
    """Whether a line says something else than where a span is."""
    return line.startswith(_OTHER)


def region_of(line: str, text: str) -> Region:
    """The region that a T line marks; brat parts a span at line breaks, which makes no gap."""
    found = _SPAN.fullmatch(line)
    if found is None:
        raise AnnotationError(f"{line[:40]!a} is no line of brat, expected 'T1 tab TYPE start end tab text'")
    label, places, covered = found.groups()
    if max(map(len, re.findall("[0-9]+", places))) > _LONGEST_NUMBER:
        raise AnnotationError(f"an offset in {line[:40]!a} has too many digits")
    parts = _joined([(int(start), int(end)) for start, end in map(str.split, places.split(";"))], text)
    if len(parts) == 1:
        return Region(*parts[0], [label], covered)
    return Region(parts[0][0], parts[-1][1], [label], None, parts)


def _joined(parts: list[tuple[int, int]], text: str) -> list[tuple[int, int]]:
    """Parts with nothing but a line break between them as one."""
    found = parts[:1]
    for start, end in parts[1:]:
        between = text[found[-1][1] : start]
        if between.isspace() and ("\n" in between or "\r" in between):
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found


FORMAT = Format(
    name="brat",
    summary="brat standoff: a folder for each annotator with a .txt and an .ann file a document",
    settings=(*MARKING, "files_mean"),
    recognise=recognise,
    read=read,
    recognise_folder=recognise_folder,
    read_folder=read_folder,
    other_files=other_files,
    write_folder=write_folder,
    write_consensus_folder=write_consensus_folder,
)
