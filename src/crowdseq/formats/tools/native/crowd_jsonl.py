"""Crowd JSONL, our own exchange form: one sentence a line, with everything that a corpus can hold."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from crowdseq.core.building import Record
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import OUTSIDE, PLAIN, split_tag
from crowdseq.errors import Advice, AnnotationError, FormatError, Problem
from crowdseq.formats.files.lines import read_lines
from crowdseq.formats.files.sources import Source, Stream
from crowdseq.formats.findings.collector import Collector, problem_of
from crowdseq.formats.format import (
    BY_NAME,
    LIKELY,
    NO,
    SURE,
    Back,
    Carried,
    Carrier,
    Format,
    ReadRecord,
    Sample,
)
from crowdseq.formats.json_io.records import encode_line, name_of, read_objects
from crowdseq.formats.json_io.strict import JsonFault, loads

FORMAT_VERSION = 1
VERSION_KEY = "crowdseq"  # on the first line only, so that every line stays one sentence
SCHEME_KEY = "crowdseq_scheme"  # beside it, where the tags alone would be taken for those of another scheme
OWN_KEYS = frozenset({"id", "doc", "tokens", "gold", "annotations", "columns", VERSION_KEY, SCHEME_KEY})
_OF_OTHER_LABELS = ("confidence", "sentence_confidence", "agreed")
_TOKENS = re.compile(r'"tokens"\s*:\s*\[\s*["\]]')
_CROWD = re.compile(r'"annotations"\s*:\s*\{|"gold"\s*:\s*(?:\[|null)')


def recognise(sample: Sample) -> int:
    """JSON objects with a list of texts as `tokens`."""
    start = sample.text.lstrip("\ufeff \t\r\n")[:1]
    if start not in ("{", "["):
        return BY_NAME if not start and sample.has_extension(FORMAT.extensions) else NO
    if _TOKENS.search(sample.text):
        return SURE if _CROWD.search(sample.text) else LIKELY
    return BY_NAME if sample.has_extension(FORMAT.extensions) else NO


def read(stream: Stream, source: Source, collector: Collector) -> Iterator[ReadRecord]:  # noqa: ARG001
    """The records of one file, in lines, in an array or pretty-printed."""
    for line, value, raw in read_objects(stream, collector):
        identity = str(value.get("id") or "")
        try:
            record = record_of(value, f"{stream.name}:{line}", collector)
        except AnnotationError as error:
            collector.reject(problem_of(error, stream.name, line, identity), raw)
        else:
            yield ReadRecord(record, line, raw)


def record_of(value: dict[str, Any], place: str, collector: Collector) -> Record:
    """The record that an object of ours describes."""
    tokens = value.get("tokens")
    if not isinstance(tokens, list):
        raise _no_tokens(value) if tokens is None else AnnotationError("'tokens' must be a list of texts")
    gold = value.get("gold")
    if gold is not None and not isinstance(gold, list):
        raise AnnotationError("'gold' must be a list of labels or null")
    if value.get(VERSION_KEY, FORMAT_VERSION) != FORMAT_VERSION:
        raise FormatError(
            Problem(f"was written in form {value[VERSION_KEY]!r}, update crowdseq to read it", place)
        )
    if SCHEME_KEY in value:
        collector.note_scheme(value[SCHEME_KEY])
    return Record(
        tokens,
        name_of(value, "id", collector),
        name_of(value, "doc", collector),
        _lists(value, "annotations", "annotator"),
        gold,
        _lists(value, "columns", "column"),
        {key: item for key, item in value.items() if key not in OWN_KEYS} if value.keys() - OWN_KEYS else {},
        place,
    )


def _no_tokens(value: Mapping[str, Any]) -> AnnotationError:
    keys = ", ".join(list(value)[:6])
    if not keys:
        return AnnotationError("'tokens' is missing")
    advice = Advice("if this is a tool's export, name it with {format}", format="")
    return AnnotationError(f"'tokens' is missing, there is {keys}:", advice)


def _lists(value: dict[str, Any], key: str, what: str) -> dict[str, list[Any]]:
    """An object of lists; null in place of a list says the same as leaving it out."""
    found = value.get(key)
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise AnnotationError(f"'{key}' must be an object with a list for each {what}")
    for name, items in found.items():
        if items is not None and not isinstance(items, list):
            raise AnnotationError(f"{what} {name}: a list is expected, one entry for each token")
    return (
        {name: items for name, items in found.items() if items is not None}
        if None in found.values()
        else found
    )


def write(corpus: Corpus, out: BinaryIO) -> list[str]:
    """Every sentence with all that is known about it."""
    for number in range(len(corpus)):
        version = about_file(corpus) if number == 0 else {}
        out.write(encode_line({**version, **sentence_object(corpus, number)}))
    return []


def about_file(corpus: Corpus) -> dict[str, Any]:
    """What the first line says of all: the version of this form, and plain tags that look like others."""
    is_unclear = corpus.scheme.is_plain and any(
        split_tag(tag)[0] not in ("", OUTSIDE) for tag in corpus.scheme.tags
    )
    return {VERSION_KEY: FORMAT_VERSION} | ({SCHEME_KEY: PLAIN} if is_unclear else {})


def sentence_object(corpus: Corpus, number: int) -> dict[str, Any]:
    """One sentence as a JSON object."""
    return corpus[number].as_record()


def recognise_to_carry(sample: Sample) -> int:
    """A JSON object at the beginning; without tokens it may be of another tool."""
    if not sample.text.lstrip("\ufeff \t\r\n").startswith("{"):
        return NO
    return SURE if _TOKENS.search(sample.text) else BY_NAME


def carry(stream: Stream, source: Source, collector: Collector, _: bool) -> Iterator[Carried]:
    """One record a line; all that it says stays, but for what spoke of other labels."""
    for number, line in read_lines(stream, collector):
        if not line.strip():
            continue
        try:
            record = loads(line)
        except JsonFault as fault:
            raise FormatError(Problem(f"not JSON ({fault}), correct the line", source.name, number)) from None
        tokens = record.get("tokens") if isinstance(record, dict) else None
        if not isinstance(tokens, list) or not all(isinstance(token, str) for token in tokens):
            raise FormatError(Problem('no "tokens", a list of texts is needed', source.name, number))
        doc = record.get("doc")
        if doc is not None and not isinstance(doc, str | int):
            raise FormatError(Problem('"doc" is no text, give the name of a document', source.name, number))
        yield Carried(tuple(tokens), doc, _into_record(record), _record_columns(record, len(tokens)))


def _record_columns(record: dict[str, Any], length: int) -> dict[str, tuple[str, ...]]:
    """Those columns that have one text for each token; whoever needs another will miss it."""
    held = record.get("columns")
    return {
        name: tuple(entries)
        for name, entries in (held.items() if isinstance(held, dict) else ())
        if isinstance(entries, list) and len(entries) == length and all(isinstance(x, str) for x in entries)
    }


def _into_record(record: dict[str, Any]) -> Back:
    def back(tags: tuple[str, ...], confidence: list[float] | None) -> str:
        kept = {key: value for key, value in record.items() if key not in _OF_OTHER_LABELS}
        made: dict[str, Any] = kept | {"labels": list(tags)}
        if confidence is not None:
            made["confidence"] = confidence
        return json.dumps(made, ensure_ascii=False) + "\n"

    return back


FORMAT = Format(
    name="jsonl",
    summary="crowd JSONL: one sentence a line with tokens, gold and annotations (ours; loses nothing)",
    extensions=("jsonl", "ndjson"),
    recognise=recognise,
    read=read,
    carrier=Carrier(recognise_to_carry, carry),
    write=write,
)
