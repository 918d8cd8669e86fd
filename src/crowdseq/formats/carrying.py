"""Sentences of a file that are to be tagged, each with its way back: through the formats that readers use."""

import json
from collections.abc import Iterator
from typing import Any

from crowdseq.core.building import Record
from crowdseq.core.labels import OUTSIDE, split_tag
from crowdseq.core.text import Sentence
from crowdseq.errors import Advice, FormatError, Problem, SettingsError
from crowdseq.formats.files.sources import Source, Stream
from crowdseq.formats.findings.collector import Collector
from crowdseq.formats.format import LIKELY, Back, Carried, Format, ReadRecord, Sample
from crowdseq.formats.registry import find_format, looks_like, recognise_to_carry, sample_of
from crowdseq.formats.settings import PART, TEXT

_COLUMNS, _TEXT = "conll", "text"


def sentences_to_tag(
    stream: Stream, source: Source, collector: Collector, *, with_tabs: bool = False
) -> Iterator[Carried]:
    """The sentences of a file; its format is the one that the settings name, or is recognised.

    A format that cannot put tags into its own file gives lines of JSON. with_tabs: columns come back with
    tabs between them, because tags have spaces.
    """
    form = format_to_tag(stream, collector)
    if form.carrier is not None:
        return form.carrier.carry(stream, source, collector, with_tabs)
    if form.read is None:
        raise SettingsError(f"a file cannot be read as {form.name}, {form.summary}")
    return _as_lines(form.read(stream, source, collector), stream.name)


def format_to_tag(stream: Stream, collector: Collector) -> Format:
    """What a file to be tagged is: the format that the settings name, or the one that is recognised."""
    settings = collector.settings
    if settings.format is not None:
        return find_format(settings.format)
    if settings.columns is not None:
        return find_format(_COLUMNS)
    sample = sample_of(stream, settings.encoding)
    form = recognise_to_carry(sample)
    return form if form is not None else _other_format(sample)


def _other_format(sample: Sample) -> Format:
    """The format of something that is no text to be tagged as it stands."""
    likely, certainty = looks_like(sample)
    if likely is not None and certainty >= LIKELY:
        return likely
    if not sample.text.lstrip().startswith("["):
        return find_format(_TEXT)
    what = "is a JSON array, of which sentences cannot be told: make it JSONL with convert first,"
    advice = Advice("or say {format} to tag it as it stands", format="text")
    raise FormatError(Problem(what, sample.name, advice=advice))


def _as_lines(records: Iterator[ReadRecord], file: str) -> Iterator[Carried]:
    """Every sentence once, though several annotators may have a record of it."""
    seen: dict[str, tuple[str, ...]] = {}
    for record, line, _ in records:
        if not all(isinstance(token, str) for token in record.tokens):
            raise FormatError(Problem("tokens must be texts", file, line, record.id or ""))
        tokens = tuple(record.tokens)
        if record.id is not None and seen.setdefault(record.id, tokens) != tokens:
            what = "the id was used before for another text, give each text an id of its own"
            raise FormatError(Problem(what, file, line, record.id))
        if record.id is None or seen[record.id] is tokens:
            yield Carried(tokens, record.doc, _into_line(record))


def sentence_to_tag(sentence: Sentence) -> Carried:
    """A sentence of a corpus, which becomes a line of JSON."""
    columns = {name: tuple(values) for name, values in sentence.columns.items()}
    return Carried(tuple(sentence.tokens), sentence.doc, _into_line(sentence), columns)


def _into_line(record: Record | Sentence) -> Back:
    """Id, document, tokens and labels; where they were cut from a text, this and the spans in it too."""

    def back(tags: tuple[str, ...], confidence: list[float] | None) -> str:
        made: dict[str, Any] = {"id": record.id, "doc": record.doc, "tokens": list(record.tokens)}
        made |= {"labels": list(tags), "confidence": confidence}
        if isinstance(record.extras.get(TEXT), str):
            made |= _marked(record, tags)
        known = {key: value for key, value in made.items() if value is not None}
        return json.dumps(known, ensure_ascii=False) + "\n"

    return back


def line_of(sentence: Sentence, tags: tuple[str, ...], confidence: list[float] | None, start: int) -> str:
    """The same line; start: where its text stands in the document, whose characters spans then count."""
    made = json.loads(_into_line(sentence)(tags, confidence))
    if PART in sentence.extras and "spans" in made:
        spans = made.pop("spans")
        moved = [span | {"start": span["start"] + start, "end": span["end"] + start} for span in spans]
        made |= {"start": start, "spans": moved}
    return json.dumps(made, ensure_ascii=False) + "\n"


def _marked(record: Record | Sentence, tags: tuple[str, ...]) -> dict[str, Any]:
    from crowdseq.formats.spans.from_corpus import restore

    sentence = Sentence(record.id or "", record.doc, tuple(record.tokens), {}, record.extras)
    found = restore(sentence)
    spans = [
        {"start": found.starts[first], "end": found.ends[last], "label": label}
        for first, last, label in _spans(tags)
    ]
    return {"text": found.text, "spans": spans}


def _spans(tags: tuple[str, ...]) -> list[tuple[int, int, str]]:
    """First and last token and label of each span; a plain tag is one by itself."""
    spans: list[tuple[int, int, str]] = []
    for place, (prefix, label) in enumerate(map(split_tag, tags)):
        is_open = bool(spans) and spans[-1][1] == place - 1 and spans[-1][2] == label
        if prefix in ("I", "E", "L") and is_open:
            spans[-1] = (spans[-1][0], place, label)
        elif prefix != OUTSIDE:
            spans.append((place, place, label))
    return spans
