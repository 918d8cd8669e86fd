"""spaCy DocBin: entities as gold or as one annotator's, or a group of spans for each annotator."""

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from crowdseq.core.building import Record
from crowdseq.errors import Advice, AnnotationError, FormatError, MissingExtraError, Problem
from crowdseq.formats.conventions.roles import annotator_of
from crowdseq.formats.files.sources import Source, Stream
from crowdseq.formats.findings.collector import Collector, problem_of
from crowdseq.formats.foreign.worker import MissingLibrary, parse_or_refuse
from crowdseq.formats.format import BY_NAME, MARKING, NO, SURE, Format, ReadRecord, Sample
from crowdseq.formats.settings import TEXT, Limits
from crowdseq.formats.spans.kept_text import Document
from crowdseq.formats.spans.resolve import Region
from crowdseq.formats.spans.to_records import Marker
from crowdseq.formats.tools.spacy.writing import (
    ANNOTATORS,
    DOCUMENT,
    HAS_GOLD,
    SENTENCE,
    write,
    write_consensus,
)

_BEGIN, _INSIDE, _OUTSIDE = 3, 1, 2  # of ENT_IOB; 0 says that nobody looked
_BLOCK = 1 << 20
_ZLIB_MARKS = (b"x\x9c", b"x\x01", b"x\xda", b"x\x5e")
_KEYS, _LOOKED_AT = (b"\xa5attrs", b"\xa6tokens"), 1024  # as msgpack writes them


@dataclass(frozen=True)
class SpacyDocument:
    """One Doc without spaCy; a tag is None where nobody looked, spans are (first, behind last, label)."""

    words: tuple[str, ...]
    spaces: tuple[bool, ...]
    tags: tuple[str | None, ...]
    groups: Mapping[str, Sequence[tuple[int, int, str]]]
    about: Mapping[Any, Any]


def documents(data: bytes, name: str, collector: Collector) -> list[SpacyDocument]:
    """All documents; parsed in a process of its own, since damaged bytes can crash spaCy's."""
    _check_size(data, name, collector.settings.limits)
    damaged = Problem("not a DocBin that can be read ({0}), write it again", name)
    keys = [SENTENCE, DOCUMENT, ANNOTATORS, HAS_GOLD]
    try:
        found = list(parse_or_refuse(collector.workers, "docbin_documents", [data], damaged, keys=keys))
    except MissingLibrary:
        raise MissingExtraError("reading or writing spaCy's DocBin", "spacy") from None
    return [_document(one) for one in found]


def _check_size(data: bytes, name: str, limits: Limits) -> None:
    """A bomb is refused before spaCy unpacks it."""
    unpacker, size, rest = zlib.decompressobj(), 0, data
    try:
        while rest and not unpacker.eof:
            size += len(unpacker.decompress(rest, _BLOCK))
            rest = unpacker.unconsumed_tail
            is_bomb = size > limits.ratio_after and size > limits.ratio * len(data)
            if size > limits.unpacked_bytes or is_bomb:
                raise FormatError(Problem(f"unpacks to more than {size - 1:,} bytes, split it", name))
    except zlib.error as error:
        raise FormatError(Problem(f"not a DocBin ({error}), write it again", name)) from None


def _document(one: Mapping[str, Any]) -> SpacyDocument:
    tags = tuple(map(_tag, one["codes"], one["types"]))
    return SpacyDocument(tuple(one["words"]), tuple(one["spaces"]), tags, one["groups"], one["about"])


def _tag(code: int, kind: str) -> str | None:
    return {_BEGIN: f"B-{kind}", _INSIDE: f"I-{kind}", _OUTSIDE: "O"}.get(code)


def recognise(sample: Sample) -> int:
    """Told by what is packed in it: the keys of a DocBin; or by its name."""
    content = _unpacked(sample.head) if sample.head.startswith(_ZLIB_MARKS) else b""
    if all(key in content for key in _KEYS):
        return SURE
    return BY_NAME if sample.has_extension(("spacy",)) else NO


def _unpacked(head: bytes) -> bytes:
    """The first bytes of what is packed, as far as they can be had."""
    try:
        return zlib.decompressobj().decompress(head, _LOOKED_AT)
    except zlib.error:
        return b""


def read(stream: Stream, source: Source, collector: Collector) -> Iterator[ReadRecord]:
    """The documents of one file; whose they are is told by groups that we wrote, else by the file."""
    found = documents(b"".join(stream.blocks()), stream.name, collector)
    reader = _Reader(found, stream.name, source, collector)
    for number, document in enumerate(found, 1):
        try:
            records = reader.records(document, number)
        except AnnotationError as error:
            collector.reject(problem_of(error, stream.name, number), None)
        else:
            yield from (ReadRecord(record, number, None) for record in records)
    reader.marker.finish()


class _Reader:
    """Knows which labels of the documents of one file are to be read."""

    def __init__(
        self, found: Sequence[SpacyDocument], name: str, source: Source, collector: Collector
    ) -> None:
        self.collector, self.name = collector, name
        self.annotator = annotator_of(source, collector)
        self.prefix = "" if self.annotator and source.folder is None else source.prefix
        self.marker = Marker(collector, name, proves_empty=self.annotator is None)
        self.group = self._chosen_group(found)

    def _chosen_group(self, found: Sequence[SpacyDocument]) -> str | None:
        """The group asked for, or the only one of a file without entities; None for the entities."""
        asked = self.collector.settings.layer
        if any(ANNOTATORS in document.about for document in found):
            if asked is not None:
                what = "the groups of spans are annotators,"
                advice = Advice("{layer} is not used there, say {annotators}", layer="", annotators="")
                self.collector.warn("layer-unused", what, Problem("", self.name), advice=advice)
            return None
        groups = {name: None for document in found for name in document.groups}
        if asked is not None and asked not in groups:
            what = f"there is no group of spans '{asked}', but {', '.join(groups) or 'none at all'}"
            advice = Advice("correct {layer}, or leave it out to read doc.ents", layer="")
            raise FormatError(Problem(f"{what}:", self.name, advice=advice))
        if asked is not None:
            return asked
        if any(tag is not None for document in found for tag in document.tags) or not groups:
            return None
        if len(groups) > 1:
            what = f"has no entities but several groups of spans ({', '.join(groups)})"
            raise FormatError(Problem(what, self.name, advice=Advice("say {layer} with one", layer="")))
        return next(iter(groups))

    def records(self, document: SpacyDocument, number: int) -> list[Record]:
        identity = str(document.about.get(SENTENCE, f"{self.prefix}s{number}"))
        doc = document.about.get(DOCUMENT)
        text, bounds = _placed(document)
        if self.group is not None:
            regions = _regions(document.groups.get(self.group, ()), bounds, text)
            marked = Document(text, identity, bounds, doc)
            votes = {} if self.annotator is None else {self.annotator: regions}
            return self.marker.records(marked, votes, regions if self.annotator is None else None, number)
        votes_and_gold = self._known(document)
        return [
            Record(document.words, identity, doc, *votes_and_gold, {}, {TEXT: text}, f"{self.name}:{number}")
        ]

    def _known(self, document: SpacyDocument) -> tuple[dict[str, Any], Any]:
        """Votes and gold of a document in which labels stand as tags."""
        tags = document.tags if any(tag is not None for tag in document.tags) else None
        names = document.about.get(ANNOTATORS)
        if names is not None:
            groups = ((str(name), document.groups.get(str(name), ())) for name in names)
            votes = {name: _tags(spans, len(document.words)) for name, spans in groups}
            return votes, tags if document.about.get(HAS_GOLD) else None
        if tags is None:
            what = "documents have neither entities nor a mark that somebody looked, read as not labelled"
            self.collector.warn("documents-unlabelled", what, Problem("", self.name))
        if self.annotator is None or tags is None:
            return {}, tags
        return {self.annotator: tags}, None


def _placed(document: SpacyDocument) -> tuple[str, list[tuple[int, int]]]:
    pieces = [word + " " * space for word, space in zip(document.words, document.spaces, strict=True)]
    starts = [0, *accumulate(map(len, pieces))]
    bounds = [(start, start + len(word)) for start, word in zip(starts, document.words, strict=False)]
    return "".join(pieces), bounds


def _regions(spans: Sequence[tuple[int, int, str]], bounds: list[tuple[int, int]], text: str) -> list[Region]:
    places = [(bounds[first][0], bounds[last - 1][1], label) for first, last, label in spans if first < last]
    return [Region(start, end, [label] if label else [], text[start:end]) for start, end, label in places]


def _tags(spans: Sequence[tuple[int, int, str]], size: int) -> list[str]:
    tags = ["O"] * size
    for start, end, label in spans:
        tags[start:end] = [f"B-{label}", *[f"I-{label}"] * (end - start - 1)]
    return tags


FORMAT = Format(
    name="docbin",
    summary="spaCy DocBin: entities of gold or one annotator, or span groups (extra: spacy)",
    extensions=("spacy",),
    settings=(*MARKING, "layer", "files_mean"),
    recognise=recognise,
    read=read,
    write=write,
    write_consensus=write_consensus,
)
