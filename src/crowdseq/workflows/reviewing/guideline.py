"""The guideline that grows out of decisions: entries in the log, and `guideline.md` in the run folder."""

import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from crowdseq.errors import AnnotationError
from crowdseq.storage.atomic import AtomicFile
from crowdseq.store.entries import ENTRY, Entry, NewDecision, SentenceKey
from crowdseq.workflows.reviewing import showing
from crowdseq.workflows.reviewing.desk import Desk
from crowdseq.workflows.runs import GUIDELINE

_MOST_EXAMPLES = 20
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#+!|~$&-])")


@dataclass(frozen=True)
class Example:
    """A place in its context; label: what was decided there, None for nothing."""

    before: str
    words: str
    after: str
    label: str | None


@dataclass(frozen=True, kw_only=True)
class GuidelineEntry:
    """What is to be done with a mention, or where two labels are mistaken for each other.

    label: the decision, None for nothing; text: the rule in somebody's own words.
    """

    id: str
    reviewer: str
    mention: tuple[str, ...] = ()
    pair: tuple[str, str | None] | None = None
    label: str | None = None
    text: str = ""
    examples: tuple[Example, ...] = ()
    time: str = ""

    @property
    def heading(self) -> str:
        parts = [f"“{' '.join(self.mention)}”"] if self.mention else []
        if self.pair is not None:
            parts.append(f"{self.pair[0]} or {self.pair[1] or 'nothing'}")
        return ": ".join(parts)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


class GuidelineBook:
    """The guideline of a run under review."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def entries(self) -> tuple[GuidelineEntry, ...]:
        """All entries that hold, the oldest first."""
        return tuple(map(_entry, self._desk.store.guideline()))

    def add(self, entry: GuidelineEntry) -> GuidelineEntry:
        """Log an entry and write the file anew; gives the entry as it was logged."""
        if not (entry.mention or entry.pair):
            raise AnnotationError("an entry of the guideline is about a mention or a pair of labels")
        kept = {key: value for key, value in asdict(entry).items() if key not in ("id", "reviewer", "time")}
        kept["examples"] = kept["examples"][:_MOST_EXAMPLES]
        (logged,) = self._desk.store.submit(
            [
                NewDecision(
                    id=entry.id,
                    action=ENTRY,
                    key=SentenceKey(),
                    reviewer=entry.reviewer,
                    run=self._desk.run_id,
                    shown=kept,
                    comment=entry.text,
                )
            ]
        )
        self.write()
        return _entry(logged)

    def remove(self, target: str, *, id: str, reviewer: str) -> None:
        """Take an entry back, and write the file anew."""
        self._desk.store.undo(target, id=id, reviewer=reviewer)
        self.write()

    def examples(self, disputes: Iterable[int]) -> tuple[Example, ...]:
        """Places as examples, with what holds there now."""
        desk = self._desk
        made = []
        for dispute in list(disputes)[:_MOST_EXAMPLES]:
            row = showing.row(desk, dispute)
            begin, end = row.begin - row.first, row.end - row.first
            parts = (row.tokens[:begin], row.tokens[begin:end], row.tokens[end:])
            before, words, after = (" ".join(part) for part in parts)
            made.append(Example(before, words, after, row.now[0][2] if row.now else None))
        return tuple(made)

    def write(self) -> Path:
        """`guideline.md`, whole or not at all."""
        path = self._desk.folder / GUIDELINE
        with AtomicFile(path, force=True) as out:
            out.write(guideline_markdown(self.entries()).encode("utf-8", "backslashreplace"))
        return path


def guideline_markdown(entries: Iterable[GuidelineEntry]) -> str:
    """The guideline as a page of Markdown."""
    parts = ["# Guideline\n"]
    for entry in entries:
        parts.append(f"## {_escaped(entry.heading)}\n")
        parts.append(f"**{_escaped(_decision(entry.label))}**\n")
        if entry.text.strip():
            parts.append(_escaped(entry.text.strip()) + "\n")
        lines = [
            f"- {_escaped(one.before)} **{_escaped(one.words)}** {_escaped(one.after)} → "
            f"{_escaped(one.label or 'nothing')}"
            for one in entry.examples
        ]
        if lines:
            parts.append("\n".join(lines) + "\n")
        parts.append(f"*{_escaped(entry.reviewer)}, {_escaped(entry.time[:10])}*\n")
    return "\n".join(parts)


def _decision(label: str | None) -> str:
    return "Mark nothing." if label is None else f"Mark as {label}."


def _escaped(text: str) -> str:
    """Words of others as plain text of one line, whatever signs of Markdown or HTML are in them."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def _entry(logged: Entry) -> GuidelineEntry:
    kept = dict(logged.shown)
    pair = kept.get("pair")
    return GuidelineEntry(
        id=logged.id,
        reviewer=logged.reviewer,
        mention=tuple(kept.get("mention") or ()),
        pair=(pair[0], pair[1]) if pair else None,
        label=kept.get("label"),
        text=str(kept.get("text") or ""),
        examples=tuple(Example(**one) for one in kept.get("examples") or ()),
        time=logged.time,
    )
