"""ImportReport: what reading found, counted and with the first places, so that nothing changes silently."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from crowdseq.errors import Advice, Problem, Wording, advised, in_python

_SHOWN = 3
STATUSES = ("labelled", "skipped", "draft", "unknown")


@dataclass(frozen=True)
class FileRead:
    """One input: the format it was read in, its records, its bytes on disk and their SHA-256."""

    name: str
    format: str
    records: int
    n_bytes: int
    sha256: str


@dataclass(frozen=True)
class Finding:
    """Something that did not stop the reading: its kind, how often, and the first places or examples."""

    kind: str
    what: str
    count: int
    examples: tuple[Problem, ...] = ()
    advice: Advice | None = None

    def __str__(self) -> str:
        return self.worded()

    def worded(self, wording: Wording = in_python) -> str:
        """The finding as one door says it."""
        times = f" ({self.count:,} times)" if self.count > 1 else ""
        shown = "; ".join(_told(self.examples[:_SHOWN]))
        more = "; …" if self.count > _SHOWN and len(self.examples) > _SHOWN else ""
        what = advised(self.what, self.advice, wording)
        return f"{what}{times}: {shown}{more}" if shown else f"{what}{times}"


def _told(examples: Sequence[Problem]) -> list[str]:
    """Places in words, a file that stands before already not named again."""
    told = []
    for place, example in enumerate(examples):
        text = str(example)
        if place and example.file == examples[place - 1].file:
            text = text.removeprefix(example.file).lstrip(": ")
        told.append(text)
    return [text for text in told if text]


@dataclass(frozen=True)
class Rejected:
    """A record that was set aside."""

    file: str
    line: int
    reason: str
    raw: str
    problem: Problem | None = field(default=None, compare=False)

    def worded(self, wording: Wording = in_python) -> str:
        """Where it stands and what is wrong with it, as one door says it."""
        reason = self.reason if self.problem is None else self.problem.worded(wording)
        return str(Problem(reason, self.file, self.line))

    def as_dict(self) -> dict[str, Any]:
        """The form of a line of the rejects file."""
        return {"file": self.file, "line": self.line, "reason": self.reason, "raw": self.raw}


@dataclass(frozen=True)
class ImportReport:
    """What was read, and everything a person should know about it.

    kind: the tag scheme as the files wrote it (the corpus may hold another: IOB1 is read as IOB2).
    respelt: tags with a prefix that the scheme lacks, and how often they were read as the nearest one.
    slips: votes that break the rules of the scheme, by annotator (`gold` among `gold_slips`); they are kept.
    statuses: by annotator, how many records are labelled, skipped, draft or unknown.
    rejected: records set aside (the first ones when they went to a file); n_rejected: all of them.
    """

    files: tuple[FileRead, ...] = ()
    kind: str = ""
    findings: tuple[Finding, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    n_rejected: int = 0
    rejects_file: str | None = None
    respelt: Mapping[str, int] = field(default_factory=dict)
    slips: Mapping[str, int] = field(default_factory=dict)
    gold_slips: int = 0
    look_alike_labels: tuple[tuple[str, ...], ...] = ()
    look_alike_annotators: tuple[tuple[str, ...], ...] = ()
    statuses: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    @property
    def records(self) -> int:
        """Records read in all files, those set aside not counted."""
        return sum(file.records for file in self.files)

    def finding(self, kind: str) -> Finding | None:
        """The finding of one kind, if there is one."""
        return next((finding for finding in self.findings if finding.kind == kind), None)

    def why_empty(self, wording: Wording = in_python) -> str:
        """What to say if there is no sentence in the corpus."""
        if not self.rejected:
            return "there are no sentences in it"
        where = f", see {self.rejects_file}" if self.rejects_file else ""
        shown = self.rejected[0].worded(wording)
        return f"all {self.n_rejected:,} records are faulty and were set aside{where}; the first: {shown}"

    def lines(self, without: Collection[str] = (), wording: Wording = in_python) -> list[str]:
        """What a person should read, a line for each thing; without: kinds that do not matter here."""
        lines = [finding.worded(wording) for finding in self.findings if finding.kind not in without]
        if self.n_rejected:
            where = f", see {self.rejects_file}" if self.rejects_file else ""
            lines.append(f"{self.n_rejected:,} faulty records were set aside{where}")
        return lines

    def as_dict(self, wording: Wording = in_python) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "files": [vars(file) for file in self.files],
            "records": self.records,
            "scheme_in_files": self.kind,
            "warnings": [
                {
                    "kind": finding.kind,
                    "what": advised(finding.what, finding.advice, wording),
                    "count": finding.count,
                    "examples": [str(example) for example in finding.examples],
                }
                for finding in self.findings
            ],
            "rejected": self.n_rejected,
            "rejects_file": self.rejects_file,
            "respelt": dict(self.respelt),
            "slips": dict(self.slips),
            "gold_slips": self.gold_slips,
            "look_alike_labels": [list(group) for group in self.look_alike_labels],
            "look_alike_annotators": [list(group) for group in self.look_alike_annotators],
            "statuses": {name: dict(counts) for name, counts in self.statuses.items()},
        }
