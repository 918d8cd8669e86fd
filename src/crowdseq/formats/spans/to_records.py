"""Documents with marked characters to records: one set of rules for every tool that marks spans."""

import hashlib
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from crowdseq.core.building import Record
from crowdseq.errors import Advice, FormatError, Problem
from crowdseq.formats.findings.collector import Collector
from crowdseq.formats.settings import GOLD_SPANS, OFFSETS, ORIGINAL, SPANS, TEXT
from crowdseq.formats.spans.align import Grid, Mark, exact_tags, painted, snap
from crowdseq.formats.spans.kept_text import Document, Normalised, locate
from crowdseq.formats.spans.resolve import Region, marks_of, plain_marks, tell
from crowdseq.formats.spans.tokenize import Cut, cut_at, cutter_of

Bounds = Sequence[tuple[int, int]]
Votes = Mapping[str, Sequence[Region]]
_ALWAYS_FOUND = ("words", "whitespace")
_CELLS_OF_A_PART = 10  # which a part of a mark takes as much memory as
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff]"
)


class _Piece(NamedTuple):
    """Characters start to end of a document, its tokens first to last: what becomes one record."""

    id: str
    doc: str | None
    start: int
    end: int
    first: int
    last: int
    is_whole: bool = False


class Marker:
    """Makes the records of one file, and tells the collector all that was changed or dropped.

    unit: in which the tool counts offsets; is_proven: something else in the file proves it. proves_empty:
    False where a document without spans may never have been opened; `finish`, to be called at the end of the
    file, then asks the user what it means.
    """

    def __init__(
        self, collector: Collector, file: str, *, unit: str = "characters", proves_empty: bool = True
    ) -> None:
        self.collector, self.settings, self.file = collector, collector.settings, file
        self.unit, self.is_proven, self.proves_empty = unit, False, proves_empty
        self._cut = cutter_of(collector)
        self._n_unclear = 0
        self._first_unclear: Problem | None = None
        self._made_ids: Counter[str] = Counter()

    def records(
        self, document: Document, votes: Votes, gold: Sequence[Region] | None = None, line: int = 0
    ) -> list[Record]:
        """One record, or one for each line of the text; AnnotationError for regions that cannot be right."""
        text, collector = document.text, self.collector
        normal = Normalised(text) if self.settings.normalise == "nfc" else None
        name = document.id if document.id is not None else self.made_id(normal.text if normal else text)
        place = Problem("", self.file, line, name)
        counted = {who: regions for who, regions in votes.items() if self._is_vote(who, regions, place)}
        found, truth = self._marks(text, counted, gold, place)
        if normal is not None and normal.is_changed:
            what = "texts were brought to NFC with LF, exports give back the original characters"
            collector.warn("texts-normalised", what, place)
            document, text = _normalised(document, normal), normal.text
            found = {who: list(map(normal.mark_to_normal, marks)) for who, marks in found.items()}
            truth = None if truth is None else list(map(normal.mark_to_normal, truth))
        cut = self._cut(text) if document.tokens is None else cut_at(text, document.tokens)
        if self.settings.sentences != "newline":
            pieces = [_Piece(name, document.doc, 0, len(text), 0, len(cut.words), True)]
        else:
            pieces = list(_lines(document, name, cut))
            return self._of_lines(document, pieces, cut, found, truth, place)
        return [self._record(document, piece, cut, found, truth, place) for piece in pieces]

    def _of_lines(
        self,
        document: Document,
        pieces: Sequence[_Piece],
        cut: Cut,
        found: Mapping[str, Sequence[Mark]],
        truth: Sequence[Mark] | None,
        place: Problem,
    ) -> list[Record]:
        """A record for each line, with those parts of marks that lie in it."""
        by_piece = _ByPiece(pieces)
        self._look_at_breaks(document.text, by_piece, [*found.values(), truth or []], place)
        here = {who: by_piece.parts(marks) for who, marks in found.items()}
        gold = None if truth is None else by_piece.parts(truth)
        return [
            self._record(
                document,
                piece,
                cut,
                {who: parts.get(number, []) for who, parts in here.items()},
                None if gold is None else gold.get(number, []),
                place,
            )
            for number, piece in enumerate(pieces)
        ]

    def _marks(
        self, text: str, votes: Votes, gold: Sequence[Region] | None, place: Problem
    ) -> tuple[dict[str, list[Mark]], list[Mark] | None]:
        """Marks of annotators, and of gold."""
        plain = plain_marks(text, [*votes.values(), gold or ()], self.unit, self.collector)
        if plain is not None:
            return dict(zip(votes, plain, strict=False)), None if gold is None else plain[-1]
        find = partial(marks_of, is_proven=self.is_proven)
        found = {
            who: find(text, regions, self.unit, self.collector, place, f"annotator {who}")
            for who, regions in votes.items()
        }
        return found, None if gold is None else find(text, gold, self.unit, self.collector, place, "gold")

    def made_id(self, text: str) -> str:
        """The same for the same text in every file; when a text comes again in one file a number is added."""
        name = f"text-{hashlib.sha256(text.encode('utf-8')).hexdigest()[:12]}"
        self._made_ids[name] += 1
        number = self._made_ids[name]
        return name if number == 1 else f"{name}-{number}"

    def finish(self) -> None:
        """Raise if documents without spans could mean two things and the user did not say which."""
        if self._first_unclear is not None and self.settings.empty_means == "ask":
            count = self._n_unclear
            unclear = "whether it was read and holds nothing or was never opened"
            if count > 1:
                unclear = "whether they were read and hold nothing or were never opened"
            what = (
                f"{count:,} document{'s have' if count > 1 else ' has'} no span, and this format does not "
                f"tell {unclear}:"
            )
            advice = Advice("say {empty_means} (or missing)", empty_means="labelled")
            raise FormatError(replace(self._first_unclear, what=what, advice=advice))

    def _is_vote(self, annotator: str, regions: Sequence[Region], place: Problem) -> bool:
        if regions or self.proves_empty:
            return True
        self._n_unclear += 1
        self._first_unclear = self._first_unclear or place
        if self.settings.empty_means == "labelled":
            return True
        self.collector.status(annotator, "unknown")
        return False

    def _look_at_breaks(
        self, text: str, by_piece: "_ByPiece", groups: Sequence[Sequence[Mark]], place: Problem
    ) -> None:
        n_parts = 0
        for mark in (mark for marks in groups for mark in marks):
            if text.find("\n", mark.start, mark.end) >= 0:
                is_inside = "\n" in text[mark.start : mark.end].strip()
                tell("break" if is_inside else "trimmed", mark, self.collector, place)
            found = by_piece.touched(mark)
            n_parts += len(found)
            if not found:
                tell("empty", mark, self.collector, place)
        self.collector.make_room(_CELLS_OF_A_PART * n_parts, 0)

    def _record(
        self,
        document: Document,
        piece: _Piece,
        cut: Cut,
        found: Mapping[str, Sequence[Mark]],
        gold: Sequence[Mark] | None,
        place: Problem,
    ) -> Record:
        text, here, truth = document.text, found, gold
        if not piece.is_whole:
            text = text[piece.start : piece.end]
            cut = cut.part(piece.first, piece.last, piece.start)
        n_marks = sum(map(len, here.values()))
        self.collector.make_room(len(here) * len(cut.words), len(text) + 10 * (len(here) + n_marks))
        grid = Grid(cut.starts, cut.ends)
        votes = {who: self._tags(marks, cut, grid, place) for who, marks in here.items()}
        extras = {**document.extras, TEXT: text, SPANS: {who: _plain(marks) for who, marks in here.items()}}
        if truth is not None:
            extras[GOLD_SPANS] = _plain(truth)
        if document.normal is not None:
            ((start, end),) = document.normal.bounds_to_original([(piece.start, piece.end)])
            extras[ORIGINAL] = document.normal.original[start:end]
        is_doubtful = document.tokens is not None or self.settings.tokenizer not in _ALWAYS_FOUND
        if is_doubtful and locate(text, cut.words) != cut.bounds:
            extras[OFFSETS] = [list(pair) for pair in cut.bounds]
        return Record(
            cut.words,
            piece.id,
            piece.doc,
            votes,
            None if truth is None else self._tags(truth, cut, grid, place),
            {key: values[piece.first : piece.last] for key, values in document.columns.items()},
            extras,
            f"{place.file}:{place.line}" if place.line else place.file,
        )

    def _tags(self, marks: Sequence[Mark], cut: Cut, grid: Grid, place: Problem) -> list[str]:
        tags = exact_tags(marks, grid)
        if tags is not None:
            return tags
        settings = self.settings
        overlaps = "longest" if settings.overlaps == "layers" else settings.overlaps
        snapped = snap(marks, cut.starts, cut.ends, cut=settings.cut_tokens, overlaps=overlaps)
        self._look_at_script([event.mark for event in snapped.events if event.kind == "cut"], cut, place)
        for event in snapped.events:
            if event.kind != "overlap" or not settings.in_layers:
                tell(event.kind, event.mark, self.collector, place)
        return painted(snapped.spans, len(cut.words))

    def _look_at_script(self, marks: Sequence[Mark], cut: Cut, place: Problem) -> None:
        """Marks cut tokens all the time in scripts that put no space between words."""
        if self.settings.tokenizer not in _ALWAYS_FOUND or not marks:
            return
        if any(_UNSPACED.search(word) for word in cut.words if len(word) > 1):
            advice = Advice(
                "cut the text with {tokenizer} (characters) or spacy:LANGUAGE", tokenizer=r"regex:\w|[^\w\s]"
            )
            what = "words stand without spaces between them"
            self.collector.warn("words-unspaced", what, place, advice=advice)


def _normalised(document: Document, normal: Normalised) -> Document:
    tokens = None if document.tokens is None else normal.bounds_to_normal(document.tokens)
    return replace(document, text=normal.text, tokens=tokens, normal=normal)


def _lines(document: Document, name: str, cut: Cut) -> Iterator[_Piece]:
    """A piece for each line that has a token; a token belongs to the line in which it begins."""
    start, first, number = 0, 0, 0
    for line in document.text.split("\n"):
        end = start + len(line)
        last = first
        while last < len(cut.starts) and cut.starts[last] <= end:
            last += 1
        if last > first:
            number += 1
            until = max(end - line.endswith("\r"), cut.ends[last - 1])
            yield _Piece(f"{name}-{number}", document.doc or name, start, until, first, last)
        start, first = end + 1, last


def _is_in(mark: Mark, piece: _Piece) -> bool:
    return (
        piece.start <= mark.start < piece.end
        or piece.start < mark.end <= piece.end
        or (mark.start < piece.start and mark.end > piece.end)
    )


class _ByPiece:
    """Which pieces, in their order, a mark touches."""

    def __init__(self, pieces: Sequence[_Piece]) -> None:
        self._pieces = pieces
        self._starts, self._ends = [one.start for one in pieces], [one.end for one in pieces]

    def touched(self, mark: Mark) -> Sequence[int]:
        """The numbers of these pieces."""
        first = bisect_left(self._ends, mark.start)
        last = max(bisect_left(self._starts, mark.end), bisect_right(self._starts, mark.start))
        while first < last and not _is_in(mark, self._pieces[first]):
            first += 1
        while first < last and not _is_in(mark, self._pieces[last - 1]):
            last -= 1
        return range(first, last)

    def parts(self, marks: Sequence[Mark]) -> dict[int, list[Mark]]:
        """By piece, the parts of marks that lie in it, counted from its beginning."""
        found: dict[int, list[Mark]] = {}
        for mark in marks:
            for number in self.touched(mark):
                piece = self._pieces[number]
                start, end = max(mark.start, piece.start), min(mark.end, piece.end)
                part = Mark(start - piece.start, end - piece.start, mark.label)
                found.setdefault(number, []).append(part)
        return found


def _plain(marks: Sequence[Mark]) -> list[list[Any]]:
    return list(map(list, marks))
