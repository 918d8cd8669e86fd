"""Lines of a brat .ann file to the spans they mark, and back."""

import re
from collections.abc import Iterable

from crowdseq.errors import AnnotationError
from crowdseq.formats.spans.align import Mark
from crowdseq.formats.spans.from_corpus import Scored
from crowdseq.formats.spans.resolve import Region

_SPAN = re.compile(r"T\S*\t(\S+) ([0-9]+ [0-9]+(?:;[0-9]+ [0-9]+)*)(?:\t(.*))?", re.S)
# Relations, equivalences, events, attributes, modifications, normalisations and notes are about spans.
_OTHER = tuple("R*EAMN#")
_LONGEST_NUMBER = 18


def is_span_line(line: str) -> bool:
    """Whether a line marks a span of characters."""
    return _SPAN.fullmatch(line) is not None


def is_other_line(line: str) -> bool:
    """Whether a line says something else than where a span is."""
    return line.startswith(_OTHER)


def region_of(line: str) -> Region:
    """The region that a T line marks."""
    found = _SPAN.fullmatch(line)
    if found is None:
        raise AnnotationError(f"{line[:40]!a} is no line of brat, expected 'T1 tab TYPE start end tab text'")
    label, places, covered = found.groups()
    if max(map(len, re.findall("[0-9]+", places))) > _LONGEST_NUMBER:
        raise AnnotationError(f"an offset in {line[:40]!a} has too many digits")
    parts = [(int(start), int(end)) for start, end in (part.split(" ") for part in places.split(";"))]
    if len(parts) == 1:
        return Region(*parts[0], [label], covered)
    return Region(parts[0][0], parts[-1][1], [label], None, parts)


def note_lines(scored: Iterable[Scored]) -> str:
    """A note on every span: how sure it is, and who marked exactly it; brat shows it over the span."""
    lines = []
    for number, (_, confidence, agreed) in enumerate(scored, 1):
        who = ", ".join(" ".join(name.split()) for name in agreed) or "nobody"
        lines.append(f"#{number}\tAnnotatorNotes T{number}\tconfidence {confidence:.6f}, marked by {who}\n")
    return "".join(lines)


def ann_lines(marks: Iterable[Mark], text: str) -> str:
    """The content of an .ann file; line breaks in the covered text become spaces, as brat writes them."""
    lines = []
    for number, mark in enumerate(marks, 1):
        covered = text[mark.start : mark.end].replace("\n", " ").replace("\r", " ")
        lines.append(f"T{number}\t{mark.label} {mark.start} {mark.end}\t{covered}\n")
    return "".join(lines)
