"""Prodigy JSONL: one line for each text and annotator, with tokens and spans."""

import re
from collections.abc import Iterator
from typing import Any

from crowdseq.core.building import Record
from crowdseq.errors import Advice, AnnotationError, FormatError, Problem
from crowdseq.formats.conventions.fields import identity, objects
from crowdseq.formats.conventions.roles import AS_ANNOTATOR, is_gold
from crowdseq.formats.files.sources import Source, Stream
from crowdseq.formats.findings.collector import Collector, problem_of
from crowdseq.formats.format import MARKING, NO, SURE, Format, ReadRecord, Sample
from crowdseq.formats.json_io import read_objects
from crowdseq.formats.spans.from_corpus import CARRIED, reclaim
from crowdseq.formats.spans.kept_text import Document, token_bounds
from crowdseq.formats.spans.resolve import Region
from crowdseq.formats.spans.to_records import Marker
from crowdseq.formats.tools.prodigy.writing import MODEL, write, write_consensus

_MARKS = re.compile(r'"(?:_input_hash|_task_hash|_view_id|_session_id|_annotator_id)"\s*:')
_TEXT = re.compile(r'"text"\s*:\s*"')
_TIME = re.compile(r"\d{4}-\d{2}-\d{2}_\d{2}-\d{2}-\d{2}$")
_BINARY_VIEWS = ("ner", "spans", "classification")
_ANSWERS = ("accept", "reject", "ignore")


def recognise(sample: Sample) -> int:
    """Objects with a `text` and keys that begin with an underscore, such as `_input_hash`."""
    text = sample.text
    if text.lstrip("\ufeff \t\r\n")[:1] not in ("{", "["):
        return NO
    return SURE if _TEXT.search(text) and _MARKS.search(text) else NO


def read(stream: Stream, source: Source, collector: Collector) -> Iterator[ReadRecord]:
    """One record for each line; those of one text are joined by its hash."""
    reader = _Reader(stream.name, source.stem, collector)
    for line, value, raw in read_objects(stream, collector):
        try:
            yield from (ReadRecord(record, line, raw) for record in reader.records(value, line))
        except AnnotationError as error:
            name = str(value.get("_input_hash") or "")
            collector.reject(problem_of(error, stream.name, line, name), raw)
    reader.marker.finish()


class _Reader:
    """One pass over one file; stem names the annotator where the lines do not."""

    def __init__(self, file: str, stem: str, collector: Collector) -> None:
        self.file, self.stem, self.collector = file, stem, collector
        self.marker = Marker(collector, file)
        self._told: set[str] = set()

    def records(self, value: dict[str, Any], line: int) -> list[Record]:
        text = value.get("text")
        if not isinstance(text, str):
            raise AnnotationError("'text' is missing" if text is None else "'text' must be a text")
        self._refuse_other_tasks(value, line)
        document = self._document(value, text, line)
        place = Problem("", self.file, line, document.id or "")
        answer = value.get("answer")
        if answer is not None and answer not in _ANSWERS:
            raise AnnotationError(f"'answer' is {answer!a}, accept, reject or ignore is expected")
        regions = [_region(span) for span in objects(value.get("spans"), "'spans'")]
        means = self.collector.settings.files_mean
        if means == "gold" and answer is not None:
            return self.marker.records(document, {}, regions if answer == "accept" else None, line)
        if means == "annotator" and answer is not None and not is_gold(self.stem):
            return self._of_one(self.stem, document, regions, answer, line)
        if answer is None:
            votes = {_model(value): regions} if "spans" in value and self._takes_predictions(place) else {}
            return self.marker.records(document, votes, line=line)
        if _is_gold(value):
            votes = self._reviewed(value, place)
            return self.marker.records(document, votes, regions if answer == "accept" else None, line)
        name = _name(value)
        if name is None and is_gold(self.stem):
            return self.marker.records(document, {}, regions if answer == "accept" else None, line)
        return self._of_one(self._told_name(name, place), document, regions, answer, line)

    def _of_one(
        self, name: str, document: Document, regions: list[Region], answer: str, line: int
    ) -> list[Record]:
        if answer != "accept":
            self.collector.status(name, "skipped")
        return self.marker.records(document, {name: regions} if answer == "accept" else {}, line=line)

    def _reviewed(self, value: dict[str, Any], place: Problem) -> dict[str, list[Region]]:
        """What each session had said before the review; a version is what several of them agree on."""
        votes: dict[str, list[Region]] = {}
        for version in objects(value.get("versions"), "'versions'"):
            sessions = version.get("sessions")
            names = sessions if isinstance(sessions, list) else [_name(version)]
            regions = [_region(span) for span in objects(version.get("spans"), "'spans'")]
            for name in (identity(name, "a session") for name in names):
                if name is None:
                    continue
                if version.get("answer", "accept") != "accept":
                    self.collector.status(name, "skipped")
                elif name in votes:
                    what = "sessions stand in two versions of a review, the first one counts"
                    self.collector.warn("sessions-in-two-versions", what, place)
                else:
                    votes[self._told_name(name, place)] = regions
        return votes

    def _document(self, value: dict[str, Any], text: str, line: int) -> Document:
        meta = value.get("meta")
        name = identity(value.get("_input_hash"), "'_input_hash'")
        document = reclaim(text, name, meta if isinstance(meta, dict) else {}, value.get(CARRIED))
        tokens = value.get("tokens")
        if tokens is None:
            return document
        found = objects(tokens, "'tokens'")
        kept = found if CARRIED in value else [token for token in found if not _is_space(token, text)]
        if len(kept) < len(found):
            what = "tokens of white space were left out"
            self.collector.warn("space-tokens", what, Problem("", self.file, line), len(found) - len(kept))
        bounds = token_bounds(text, [(token.get("start"), token.get("end")) for token in kept])
        return Document(text, document.id, bounds, document.doc, document.columns, document.extras)

    def _takes_predictions(self, place: Problem) -> bool:
        """Spans of a task that nobody has answered are where an annotator is to start from."""
        if not self.collector.settings.predictions:
            what = "tasks without an answer hold spans that were left out"
            self.collector.warn("predictions-left-out", what, place, advice=AS_ANNOTATOR)
        return self.collector.settings.predictions

    def _refuse_other_tasks(self, value: dict[str, Any], line: int) -> None:
        """Answers that do not mark spans would pass for texts in which nothing was found."""
        view = value.get("_view_id")
        if not value.keys() & {"spans", "tokens"} and value.keys() & {"label", "options", "accept"}:
            holds, other = "labels of whole texts", "spans"
        elif value.get("_is_binary") is True or ("_is_binary" not in value and view in _BINARY_VIEWS):
            holds, other = "yes-or-no answers about single spans", "the spans of a whole text"
        else:
            return
        what = f"holds {holds} (_view_id '{view}'), not {other}"
        advice = "annotate with ner.manual, spans.manual or ner.correct and export that"
        raise FormatError(Problem(f"{what}: {advice}", self.file, line))

    def _told_name(self, name: str | None, place: Problem) -> str:
        if name is None:
            what = f"lines do not say who made them, read as annotator '{self.stem}', the name of the file"
            self.collector.warn("annotator-unknown", what, place)
            return self.stem
        if _TIME.search(name) and name not in self._told:
            self._told.add(name)
            what = "sessions are named by time, one person may have several:"
            told = "give names with {names}, or if each file is of one person, say {files_mean}"
            advice = Advice(told, names="", files_mean="annotator")
            self.collector.warn("sessions-by-time", what, Problem(name), advice=advice)
        return name


def _name(value: dict[str, Any]) -> str | None:
    name = identity(value.get("_annotator_id"), "'_annotator_id'")
    return name or identity(value.get("_session_id"), "'_session_id'")


def _is_space(token: dict[str, Any], text: str) -> bool:
    """Whether a token holds nothing that can be seen; the offsets of such ones are often wrong."""
    held, start, end = token.get("text"), token.get("start"), token.get("end")
    if isinstance(held, str):
        return not held.strip()
    return (
        isinstance(start, int) and isinstance(end, int) and 0 <= start < end and not text[start:end].strip()
    )


def _region(span: dict[str, Any]) -> Region:
    label = span.get("label")
    if label is not None and not isinstance(label, str):
        raise AnnotationError("the label of a span must be a text")
    covered = span.get("text")
    labels = [] if label is None else [label]
    return Region(span.get("start"), span.get("end"), labels, covered if isinstance(covered, str) else None)


def _model(value: dict[str, Any]) -> str:
    """Whose spans a task begins with: ours are scored and carry our key."""
    return MODEL if CARRIED in value else "model"


def _is_gold(value: dict[str, Any]) -> bool:
    """The result of a review, or gold that we wrote."""
    carried = value.get(CARRIED)
    return "versions" in value or (isinstance(carried, dict) and carried.get("gold") is True)


FORMAT = Format(
    name="prodigy",
    summary="Prodigy JSONL: one line for each text and annotator, with tokens and spans",
    extensions=("prodigy.jsonl",),
    settings=(*MARKING, "predictions", "files_mean"),
    recognise=recognise,
    read=read,
    write=write,
    write_consensus=write_consensus,
)
