"""Collector: where a reader puts down what it finds on the way: faults, oddities, who did what."""

import json
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from types import TracebackType
from typing import Any, Protocol, TypeAlias, runtime_checkable

from crowdseq.core.labels import KINDS
from crowdseq.errors import Advice, CrowdseqError, OutputExistsError, Problem, error_of
from crowdseq.formats.findings.import_report import STATUSES, Finding, Rejected
from crowdseq.formats.settings import ReadSettings
from crowdseq.storage.atomic import AtomicFile

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
        self._file: AtomicFile | None = None
        if settings.rejects is not None:
            try:
                self._file = AtomicFile(settings.rejects, force=settings.force)
            except OutputExistsError:
                advice = Advice("name another file for rejects with {rejects}", rejects="")
                raise OutputExistsError(f"{settings.rejects} exists already", advice) from None

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
        _, _, counts, examples = self._findings.setdefault(kind, (what, advice, [0], []))
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
    what = problem.what
    if len(what) > _LONGEST_MESSAGE:
        half = _LONGEST_MESSAGE // 2
        what = f"{what[:half]} … {what[-half:]}"
    record = problem.record if len(problem.record) <= 100 else problem.record[:99] + "…"
    return replace(problem, what=what, record=record)
