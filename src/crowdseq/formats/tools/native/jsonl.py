"""JSONL of our own, one sentence a line: crowd JSONL, with everything that a corpus can hold, and consensus
JSONL, with settled labels and their confidence."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

import numpy as np

from crowdseq.core.building import Record
from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import OUTSIDE, PLAIN, split_tag, usual_tags
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
from crowdseq.formats.json_io import encode_line, name_of, read_objects
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
    tags = corpus.scheme.tags
    looks_chunked = any(split_tag(tag)[0] not in ("", OUTSIDE) for tag in tags) or usual_tags(tags)
    is_unclear = corpus.scheme.is_plain and bool(looks_chunked)
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


_LABELS = re.compile(r'"labels"\s*:\s*\[')
_CONFIDENCE = re.compile(r'"confidence"\s*:\s*\[')
_DIGITS = 6


def recognise_consensus(sample: Sample) -> int:
    """Objects with `tokens`, `labels` and `confidence`."""
    text = sample.text
    return SURE if '"tokens"' in text and _LABELS.search(text) and _CONFIDENCE.search(text) else NO


def read_consensus(stream: Stream, source: Source, collector: Collector) -> Iterator[ReadRecord]:  # noqa: ARG001
    """The labels stand as gold, so that a consensus can be scored, compared and trained on like any gold."""
    for line, value, raw in read_objects(stream, collector):
        try:
            if not isinstance(value.get("labels"), list):
                raise AnnotationError("'labels' is missing, or is no list")
            renamed = {key: item for key, item in value.items() if key != "labels"} | {
                "gold": value["labels"]
            }
            yield ReadRecord(record_of(renamed, f"{stream.name}:{line}", collector), line, raw)
        except AnnotationError as error:
            collector.reject(problem_of(error, stream.name, line, str(value.get("id") or "")), raw)


def write_consensus(
    consensus: Consensus, out: BinaryIO, with_names: bool = True, goes_on: bool = False
) -> list[str]:
    """One line for each sentence; with_names: and in it, for each token, who gave it the settled label.

    goes_on: whether lines stand there already.
    """
    for number, line in enumerate(_named(consensus) if with_names else consensus_objects(consensus)):
        version = about_file(consensus.corpus) if number == 0 and not goes_on else {}
        out.write(encode_line({**version, **line}))
    return []


def _named(consensus: Consensus) -> Iterator[dict[str, Any]]:
    from crowdseq.formats.conventions.names import AGREED, agreements  # run folders do without the names

    for line, names in zip(consensus_objects(consensus), agreements(consensus), strict=True):
        yield {**line, AGREED: names}


def consensus_objects(consensus: Consensus) -> Iterator[dict[str, Any]]:
    """One object for each sentence: `labels`, `confidence` of each label, `sentence_confidence`."""
    corpus, bounds = consensus.corpus, consensus.corpus.offsets.tolist()
    confidence = np.round(consensus.token_confidence, _DIGITS)
    states = consensus.parameters.get("sentence_states")  # after a review: settled, decided or audited
    for number, sentence in enumerate(corpus.sentences):
        yield {
            "id": sentence.id,
            **({"doc": sentence.doc} if sentence.doc is not None else {}),
            "tokens": list(sentence.tokens),
            "labels": list(consensus.tags[number]),
            "confidence": confidence[bounds[number] : bounds[number + 1]].tolist(),
            "sentence_confidence": round(float(consensus.sentence_confidence[number]), _DIGITS),
            **({"state": states[number]} if states else {}),
        }


CONSENSUS_FORMAT = Format(
    name="consensus",
    summary="consensus JSONL: settled labels, confidence, who agreed (but in run folders); read as gold",
    extensions=("consensus.jsonl",),
    recognise=recognise_consensus,
    read=read_consensus,
    write_consensus=write_consensus,
)
