"""Collector: where a reader puts down what it finds on the way: faults, oddities, who did what."""

import json
import math
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

from crowdseq.core.labels import KINDS
from crowdseq.errors import (
    Advice,
    AnnotationError,
    CrowdseqError,
    FormatError,
    OutputExistsError,
    Problem,
    SchemeError,
    error_of,
)
from crowdseq.formats.findings.import_report import STATUSES, Finding, Rejected
from crowdseq.formats.settings import ReadSettings
from crowdseq.storage.atomic import AtomicFile

if TYPE_CHECKING:  # few files need a process of their own
    from crowdseq.formats.foreign.worker import Workers

_EXAMPLES = 5
_SHOWN_TYPES = 10
_KEPT_WHEN_FILED = 1000
_LONGEST_MESSAGE = 400


@runtime_checkable
class Packed(Protocol):
    """A record that is unpacked only when somebody wants to see it."""

    def plain(self) -> Any:
        """The record as a JSON value."""


# Text, bytes, or a JSON value read from an array.
Raw: TypeAlias = str | bytes | dict[str, Any] | list[Any] | Packed | None


class TooManyFaults(Exception):
    """Reading stops because it makes no sense to go on."""


class Collector:
    """Collects faults and findings; with `on_error="skip"` faulty records are set aside."""

    def __init__(self, settings: ReadSettings) -> None:
        self.settings = settings
        self.problems: list[Problem] = []
        self.rejected: list[Rejected] = []
        self.n_rejected = 0
        self.statuses: dict[str, Counter[str]] = {}
        self._findings: dict[str, tuple[str, Advice | None, list[int], list[Problem]]] = {}
        self._texts: dict[str, str] = {}
        self._schemes: set[Any] = set()
        self._layers: dict[str, None] = {}
        self._has_layer = False
        self._other_types: dict[str, None] = {}
        self._has_type = False
        self._workers: Workers | None = None
        self._n_cells, self._n_characters = 0, 0
        self._n_records, self._most_records = 0, math.inf
        self._file: AtomicFile | None = None
        if settings.rejects is not None:
            try:
                self._file = AtomicFile(settings.rejects, force=settings.force)
            except OutputExistsError:
                advice = Advice("name another file for rejects with {rejects}", rejects="")
                raise OutputExistsError(f"{settings.rejects} exists already", advice) from None

    @property
    def workers(self) -> "Workers":
        """Processes that parse what other people's code must parse; they end with this collector."""
        if self._workers is None:
            from crowdseq.formats.foreign.worker import Workers

            self._workers = Workers(self.settings.limits)
        return self._workers

    def count_record(self, file: str) -> None:
        """One more record; FormatError where there are more than a file of this size may have."""
        self._n_records += 1
        if self._n_records > self._most_records:
            what = "holds far more sentences than honest files have in so few bytes: if you trust it,"
            advice = Advice("say {limits}", limits=f"records_after={self._n_records * 100}")
            raise FormatError(Problem(what, file, advice=advice))

    def bound_records(self, n_bytes: int | None, n_read: int = 0) -> None:
        """How many records a file of so many bytes may have, of which some were read; None: any number."""
        limits = self.settings.limits
        allowed = math.inf if n_bytes is None else limits.records_after + limits.records_per_byte * n_bytes
        self._most_records = self._n_records - n_read + allowed

    def check_labels(self, n_labels: int) -> None:
        """Tables of label by label would fill the memory if every token had its own."""
        most = self.settings.limits.labels
        if n_labels > most:
            what = f"there are {n_labels:,} different labels, more than {most:,}: if that is right,"
            raise SchemeError(what, Advice("say {limits}", limits=f"labels={n_labels}"))

    def check_columns(self, n_columns: int, file: str, line: int) -> None:
        """A line of separators and nothing else could make a column of every character."""
        most = self.settings.limits.columns
        if n_columns > most:
            what = f"{n_columns:,} columns are more than {most:,}: if that is right,"
            raise FormatError(
                Problem(what, file, line, advice=Advice("say {limits}", limits=f"columns={n_columns}"))
            )

    def has_room(self, n_cells: int, n_characters: int) -> bool:
        """Whether so many cells, tokens times annotators, may be made out of so much input; counted if so.

        A file that gives every annotator a row of labels has room for them all; one that only names them
        beside a long text could ask for more cells than any memory holds.
        """
        limits = self.settings.limits
        characters = self._n_characters + n_characters
        if self._n_cells + n_cells > limits.cells_after + limits.cells_per_byte * characters:
            return False
        self._n_cells, self._n_characters = self._n_cells + n_cells, characters
        return True

    def make_room(self, n_cells: int, n_characters: int) -> None:
        """The same; AnnotationError where there is none."""
        if not self.has_room(n_cells, n_characters):
            what = (
                f"{self._n_cells + n_cells:,} labels would follow from a much smaller file, if that is right"
            )
            more = self.settings.limits.cells_after * 100
            raise AnnotationError(what, Advice("say {limits}", limits=f"cells_after={more}"))

    def reject(self, problem: Problem, raw: Raw) -> None:
        """One record is faulty."""
        problem = _shortened(problem)
        if self.settings.on_error == "stop":
            self.fail(problem)
            return
        self.n_rejected += 1
        reason = replace(problem, file="", line=0)
        rejected = Rejected(problem.file, problem.line, str(reason), _as_text(raw), reason)
        if self._file is not None:
            self._file.write_json(rejected.as_dict())
        if self._file is None or len(self.rejected) < _KEPT_WHEN_FILED:
            self.rejected.append(rejected)

    def fail(self, *problems: Problem) -> None:
        """Something is wrong that no skipping mends."""
        self.problems.extend(map(_shortened, problems))
        if len(self.problems) >= self.settings.limits.faults:
            raise TooManyFaults

    def warn(
        self,
        kind: str,
        what: str,
        place: Problem | None = None,
        count: int = 1,
        *,
        advice: Advice | None = None,
    ) -> None:
        """Something odd that does not stop the reading; counted by kind, the first places are kept."""
        held = self._findings.get(kind)
        if held is None:
            held = self._findings[kind] = (_shortened_text(what), advice, [0], [])
        _, _, counts, examples = held
        counts[0] += count
        if place is not None and len(examples) < _EXAMPLES:
            examples.append(_shortened(place))

    def status(self, annotator: str, status: str, count: int = 1) -> None:
        """An annotator's record is `labelled`, `skipped`, `draft` or `unknown`."""
        if status not in STATUSES:
            raise ValueError(status)
        self.statuses.setdefault(annotator, Counter())[status] += count

    def note_scheme(self, kind: Any) -> None:
        """A file says in which scheme its tags are."""
        self._schemes.add(kind if isinstance(kind, str) else None)

    @property
    def noted_scheme(self) -> str | None:
        """What files say of their scheme, if it is one that there is and they say the same."""
        kinds = tuple(self._schemes)
        return kinds[0] if len(kinds) == 1 and kinds[0] in KINDS else None

    def same_text(self, digest: str, name: str) -> str | None:
        """The file that was read before with the same digest of its text, if any."""
        earlier = self._texts.setdefault(digest, name)
        return None if earlier == name else earlier

    def saw_layers(self, names: Iterable[str], *, has_it: bool) -> None:
        """The layers of one document, and whether the one that is read is among them."""
        self._layers.update(dict.fromkeys(names))
        self._has_layer |= has_it

    def saw_types(self, names: Iterable[str], *, wanted: bool) -> None:
        """The types of one span, and whether it is one of those asked for."""
        self._has_type |= wanted
        if not wanted:
            self._other_types.update(dict.fromkeys(names))

    def check_types(self) -> None:
        """Types that no span has are a slip of the pen."""
        if self._other_types and not self._has_type:
            shown = ", ".join(sorted(self._other_types)[:_SHOWN_TYPES])
            what = f"no span is of type {', '.join(self.settings.types or ())}, there is {shown}"
            self.problems.insert(
                0, Problem(f"{what}:", advice=Advice("say one of them with {types}", types=""))
            )

    def check_layer(self) -> None:
        """A layer that no document has is a slip of the pen; that some have nothing of it is common."""
        if self._layers and not self._has_layer and self.settings.layer is not None:
            what = f"there is no layer '{self.settings.layer}', but {', '.join(sorted(self._layers))}"
            self.problems.insert(
                0, Problem(f"{what}:", advice=Advice("say one of them with {layer}", layer=""))
            )

    def findings(self) -> tuple[Finding, ...]:
        """All warnings so far, in the order of their first appearance."""
        return tuple(
            Finding(kind, what, counts[0], tuple(examples), advice)
            for kind, (what, advice, counts, examples) in self._findings.items()
        )

    def finish(self) -> str | None:
        """Raise every fault found, or bring the rejects file into place and give its name."""
        if self.problems:
            raise error_of(*self.problems)
        if self._file is None:
            return None
        self._file.commit()
        return self.settings.rejects

    def __enter__(self) -> "Collector":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._workers is not None:
            self._workers.close()
        if self._file is not None:
            with suppress(OSError):
                self._file.discard()


def problem_of(error: CrowdseqError, file: str, line: int = 0, record: str = "") -> Problem:
    """What an error says, at a place in a file."""
    return Problem(error.message, file, line, record, error.advice)


def _as_text(raw: Raw) -> str:
    if isinstance(raw, bytes):
        return raw.decode("utf-8", "backslashreplace")
    if isinstance(raw, str):
        return raw
    return json.dumps(raw.plain() if isinstance(raw, Packed) else raw, ensure_ascii=False)


def _shortened(problem: Problem) -> Problem:
    """A label or a name may be kilobytes long; a message may not."""
    record = problem.record if len(problem.record) <= 100 else problem.record[:99] + "…"
    return replace(problem, what=_shortened_text(problem.what), record=record)


def _shortened_text(what: str) -> str:
    half = _LONGEST_MESSAGE // 2
    return what if len(what) <= _LONGEST_MESSAGE else f"{what[:half]} … {what[-half:]}"
