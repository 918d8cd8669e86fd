"""Rows of datasets (tokens, numbered or named tags, perhaps an annotator) or of long tables to records."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from crowdseq.core.building import Record
from crowdseq.errors import Advice, AnnotationError, FormatError, Problem
from crowdseq.formats.findings.collector import Collector, problem_of
from crowdseq.formats.format import ReadRecord
from crowdseq.formats.table_io.arrow import ArrowTable
from crowdseq.formats.table_io.long_columns import LongColumns, long_columns
from crowdseq.formats.table_io.long_rows import RowCollector

TOKENS, TAGS, ANNOTATOR = "tokens", "ner_tags", "annotator"
_ANNOTATORS = (ANNOTATOR, "annotator_id", "worker", "worker_id")
_TAG_COLUMNS = (TAGS, "tags", "labels", "pos_tags", "upos")
_TOKEN_COLUMNS = (TOKENS, "words")
_NO_LABEL = (-1, -100)  # of ClassLabel, and of what trainers are told to ignore


def found_in(
    table: ArrowTable, file: str, collector: Collector, annotator: str | None, prefix: str
) -> Iterator[ReadRecord]:
    """The records of a table in either form; annotator: whose it is if no column tells, None for gold."""
    columns = long_columns(list(table.columns))
    if columns is not None and columns.has_workers:
        return _from_long(table, columns, file, collector)
    return Rows(table, file, collector, annotator, prefix).records()


def _from_long(
    table: ArrowTable, columns: LongColumns, file: str, collector: Collector
) -> Iterator[ReadRecord]:
    collected = RowCollector(file, collector)
    for number, row in enumerate(table.rows, 1):
        try:
            collected.take(columns.row(number, [_text(row.get(name)) for name in table.columns]))
        except AnnotationError as error:
            collector.reject(problem_of(error, file, number), {key: str(value) for key, value in row.items()})
    yield from collected.records()


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


class Rows:
    """One row for a sentence, or for each sentence and annotator; annotator: as in `found_in`."""

    def __init__(
        self, table: ArrowTable, file: str, collector: Collector, annotator: str | None, prefix: str
    ) -> None:
        self.table, self.file, self.collector, self.annotator, self.prefix = (
            table,
            file,
            collector,
            annotator,
            prefix,
        )
        self.tokens = self._one_of(_TOKEN_COLUMNS, "no column holds tokens")
        self.tags = self._tag_column()
        self.who = next((name for name in _ANNOTATORS if name in table.columns), None)
        self.names = table.label_names.get(self.tags) or collector.settings.labels
        self.seen: Counter[tuple[str, str | None]] = Counter()

    def _one_of(self, names: Sequence[str], what: str, advice: Advice | None = None) -> str:
        found = next((name for name in names if name in self.table.columns), None)
        if found is None:
            shown = ", ".join(self.table.columns[:20])
            end = ";" if advice is not None else ""
            raise FormatError(Problem(f"{what}, there are {shown}{end}", self.file, advice=advice))
        return found

    def _tag_column(self) -> str:
        asked = self.collector.settings.layer
        if asked is not None:
            return self._one_of((asked,), f"there is no column {asked}")
        return self._one_of(_TAG_COLUMNS, "no column holds labels", Advice("{layer} names one", layer=""))

    def records(self) -> Iterator[ReadRecord]:
        """A record for each row; columns that are not read are told."""
        for number, row in enumerate(self.table.rows, 1):
            try:
                record = self._record(row, number)
            except AnnotationError as error:
                shown = {key: str(value)[:200] for key, value in row.items()}
                self.collector.reject(problem_of(error, self.file, number, str(row.get("id") or "")), shown)
            else:
                yield ReadRecord(record, number, {"id": record.id})
        used = {self.tokens, self.tags, self.who, "id", "doc"}
        others = [name for name in self.table.columns if name not in used]
        if others:
            what = "columns that are neither tokens nor labels were left out"
            self.collector.warn("columns-left-out", what, Problem(", ".join(others[:10]), self.file))

    def _record(self, row: dict[str, Any], number: int) -> Record:
        tokens = row.get(self.tokens)
        if not isinstance(tokens, list):
            raise AnnotationError(f"'{self.tokens}' must be a list of texts")
        tags = self._labels(row.get(self.tags))
        who = row.get(self.who) if self.who else self.annotator
        who = None if who is None else str(who)
        return Record(
            tokens,
            self._identity(row, tokens, who, number),
            _text(row.get("doc")),
            {} if who is None or tags is None else {who: tags},
            tags if who is None else None,
            place=f"{self.file}:{number}",
        )

    def _labels(self, tags: Any) -> list[str | None] | None:
        if tags is None:
            return None
        if not isinstance(tags, list):
            raise AnnotationError(f"'{self.tags}' must be a list of labels")
        return [self._label(tag) for tag in tags]

    def _label(self, tag: Any) -> str | None:
        if tag is None or tag in _NO_LABEL:
            return None
        if isinstance(tag, str):
            return tag
        if not isinstance(tag, int) or isinstance(tag, bool):
            raise AnnotationError(f"label {str(tag)[:40]} is neither a text nor a number")
        if self.names is None:
            raise AnnotationError(
                f"'{self.tags}' holds numbers without names",
                Advice("say them in order with {labels}", labels=""),
            )
        if not 0 <= tag < len(self.names):
            raise AnnotationError(f"label number {tag} has no name, there are {len(self.names)}")
        return self.names[tag]

    def _identity(self, row: dict[str, Any], tokens: list[Any], who: str | None, number: int) -> str:
        """The id of the row; without one, rows of several annotators find each other by their text."""
        if row.get("id") is not None:
            return str(row["id"])
        if self.who is None and self.annotator is None:
            return f"{self.prefix}s{number}"
        digest = hashlib.sha256("\0".join(map(str, tokens)).encode("utf-8", "replace")).hexdigest()[:12]
        self.seen[digest, who] += 1
        count = self.seen[digest, who]
        return f"text-{digest}" if count == 1 else f"text-{digest}-{count}"
