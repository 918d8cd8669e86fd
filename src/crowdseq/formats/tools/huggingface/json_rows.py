"""Datasets as JSONL: one row a line with tokens and tags, as `Dataset.to_json` writes them."""

import re
from collections.abc import Iterator
from typing import Any

from crowdseq.formats.conventions.roles import annotator_of
from crowdseq.formats.files.sources import Source, Stream
from crowdseq.formats.findings.collector import Collector
from crowdseq.formats.format import NO, SURE, Format, ReadRecord, Sample
from crowdseq.formats.json_io import read_objects
from crowdseq.formats.table_io.arrow import ArrowTable
from crowdseq.formats.tools.huggingface.rows import Rows

_TOKENS = re.compile(r'"(?:tokens|words)"\s*:\s*\[\s*["\]]')
_TAGS = re.compile(r'"(?:ner_tags|tags|pos_tags)"\s*:\s*\[')
_LABELS = re.compile(r'"labels"\s*:\s*\[')
_WHO = re.compile(r'"(?:annotator|worker)(?:_id)?"\s*:')
_OURS = re.compile(r'"annotations"\s*:\s*\{|"(?:gold|confidence)"\s*:')


def recognise(sample: Sample) -> int:
    """Objects with `tokens` and `ner_tags`, or with `labels` and whose they are."""
    text = sample.text
    if text.lstrip("\ufeff \t\r\n")[:1] not in ("{", "[") or not _TOKENS.search(text) or _OURS.search(text):
        return NO
    return SURE if _TAGS.search(text) or (_LABELS.search(text) and _WHO.search(text)) else NO


def read(stream: Stream, source: Source, collector: Collector) -> Iterator[ReadRecord]:
    """Whose labels they are stands in the rows, or the file is one annotator's in a folder, else gold."""
    rows = (value for _, value, _ in read_objects(stream, collector))
    first: dict[str, Any] | None = next(rows, None)
    if first is not None:
        table = ArrowTable(tuple(first), _after(first, rows), {})
        yield from Rows(
            table, stream.name, collector, annotator_of(source, collector), source.prefix
        ).records()


def _after(first: dict[str, Any], others: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    yield first
    yield from others


FORMAT = Format(
    name="dataset-jsonl",
    summary="rows of a dataset as JSONL: tokens and ner_tags, perhaps an annotator, as datasets writes them",
    settings=("layer", "files_mean"),
    recognise=recognise,
    read=read,
)
