"""What is logged: SentenceKey, NewDecision (asked for) and Entry (on disk), each checked at birth."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, TypeAlias

from crowdseq.errors import AnnotationError

# Token ranges inside a sentence, half-open, with their labels, in the order of the text.
Marks: TypeAlias = tuple[tuple[int, int, str], ...]

DECIDE, AUDIT, CARRY = "decide", "audit", "carry"
COMMENT, SKIP, GAP, ENTRY = "comment", "skip", "gap", "entry"
UNDO, REDO, REFUSED, SALVAGE = "undo", "redo", "refused", "salvage"
# Those that say what the labels of a range are.
SETTLING = frozenset({DECIDE, AUDIT, CARRY})
ASKED = frozenset({DECIDE, AUDIT, CARRY, COMMENT, SKIP, GAP, ENTRY})
ACTIONS = (DECIDE, AUDIT, CARRY, COMMENT, SKIP, GAP, ENTRY, UNDO, REDO, REFUSED, SALVAGE)
_LONGEST_NAME, _LONGEST_COMMENT, _LONGEST_JSON = 1_000, 20_000, 1_000_000


@dataclass(frozen=True, slots=True)
class SentenceKey:
    """A sentence by its text, which a new run or a new import keeps.

    text: the SHA-256 of its tokens. doc, id: where it stood, which tell sentences of one text apart; `doc` is
    empty for a sentence without a document. An entry that belongs to no sentence has an empty text.
    """

    text: str = ""
    doc: str = ""
    id: str = ""

    @classmethod
    def of(cls, tokens: Sequence[str], doc: str | None = None, id: str = "") -> "SentenceKey":
        return cls(text_digest(tokens), doc or "", id)


def text_digest(tokens: Sequence[str]) -> str:
    """What a sentence is known by, whatever its id."""
    return hashlib.sha256("\x1f".join(tokens).encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class NewDecision:
    """One action of a reviewer: "within these tokens of this sentence the marks are exactly these".

    id: made by who asks; asked twice it is logged once, and answered twice. run: the labels that were looked
    at. shown: what was on the screen. batch: actions that are undone together. base: the version of the
    sentence that was looked at; None asks for no comparison. Actions other than settling ones have no marks.
    """

    id: str
    action: str
    key: SentenceKey
    reviewer: str
    run: str = ""
    begin: int = 0
    end: int = 0
    marks: Marks = ()
    shown: Mapping[str, Any] = field(default_factory=dict)
    comment: str = ""
    batch: str = ""
    base: int | None = None

    def __post_init__(self) -> None:
        if self.action not in ASKED:
            raise AnnotationError(f"a reviewer cannot ask for '{self.action!s:.40}'")
        for name, most in _LENGTHS.items():
            check_text(name, getattr(self, name), most)
        for name in ("id", "reviewer"):
            if not getattr(self, name).strip():
                raise AnnotationError(f"a decision needs a '{name}'")
        if (self.key.text == "") != (self.action == ENTRY):
            raise AnnotationError("a decision belongs to a sentence, an entry of the guideline to none")
        check_marks(self.marks, self.begin, self.end)
        if self.marks and self.action not in SETTLING:
            raise AnnotationError(f"'{self.action}' has no marks")
        if self.base is not None and (type(self.base) is not int or self.base < 0):
            raise AnnotationError("the version of a sentence is a whole number of 0 or more")
        if len(encode(self.shown)) > _LONGEST_JSON:
            raise AnnotationError("what was shown with a decision is too long to be kept")


_LENGTHS = {
    "id": _LONGEST_NAME,
    "reviewer": _LONGEST_NAME,
    "run": _LONGEST_NAME,
    "batch": _LONGEST_NAME,
    "comment": _LONGEST_COMMENT,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One row of the log. version: of its sentence, after this; 0 for what changes no sentence.

    target: the `id` of the entry that is undone or redone.
    """

    seq: int
    id: str
    time: str
    action: str
    key: SentenceKey
    reviewer: str
    run: str
    begin: int
    end: int
    marks: Marks
    shown: Mapping[str, Any]
    comment: str
    batch: str
    base: int | None
    version: int
    target: str

    @property
    def group(self) -> str:
        """What is undone together: the batch, or the entry alone."""
        return self.batch or self.id

    def row(self) -> tuple[Any, ...]:
        """The entry as its table holds it, the digest last."""
        key = self.key
        values: tuple[Any, ...] = (self.seq, self.id, self.time, self.action, key.text, key.doc, key.id)
        values += (self.reviewer, self.run, self.begin, self.end, encode(self.marks), encode(self.shown))
        values += (self.comment, self.batch, self.base, self.version, self.target)
        return (*values, row_digest(values))

    @classmethod
    def of_row(cls, row: Sequence[Any]) -> "Entry":
        """The entry of a row; a row that is not as it was written is an AnnotationError."""
        *values, digest = row
        if row_digest(values) != digest:
            raise AnnotationError(f"entry {values[0]!r:.20} is not as it was written")
        seq, name, time, action, text, doc, sentence, reviewer, run, begin, end = values[:11]
        marks, shown, comment, batch, base, version, target = values[11:]
        return cls(
            seq=seq,
            id=name,
            time=time,
            action=action,
            key=SentenceKey(text, doc, sentence),
            reviewer=reviewer,
            run=run,
            begin=begin,
            end=end,
            marks=tuple((first, last, label) for first, last, label in json.loads(marks)),
            shown=json.loads(shown),
            comment=comment,
            batch=batch,
            base=base,
            version=version,
            target=target,
        )


def row_digest(values: Iterable[Any]) -> str:
    return hashlib.blake2b(encode(list(values)).encode(), digest_size=16).hexdigest()


def encode(value: Any) -> str:
    """JSON in one spelling, in which nothing needs more than ASCII."""
    made = dict(value) if isinstance(value, Mapping) else value
    return json.dumps(made, ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def check_text(name: str, value: object, most: int) -> None:
    if not isinstance(value, str):
        raise AnnotationError(f"'{name}' of a decision must be a text")
    if len(value) > most:
        raise AnnotationError(
            f"'{name}' of a decision has {len(value):,} characters, at most {most:,} are kept"
        )
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise AnnotationError(f"'{name}' of a decision has half a character (a lone surrogate)") from None


def check_marks(marks: Marks, begin: int, end: int) -> None:
    """Whether marks lie inside a range, in order and without overlap."""
    for value in (begin, end, *(number for mark in marks for number in mark[:2])):
        if type(value) is not int:
            raise AnnotationError(f"a token is counted by a whole number, not by {value!r:.40}")
    if not 0 <= begin <= end <= 2**31:
        raise AnnotationError(f"tokens {begin} to {end} are no range")
    for first, last, label in marks:
        if not begin <= first < last <= end:
            raise AnnotationError(f"the mark {first} to {last} does not lie inside tokens {begin} to {end}")
        check_text("label", label, _LONGEST_NAME)
    for before, after in pairwise(marks):
        if after[0] < before[1]:
            raise AnnotationError(
                "marks overlap or are out of order, a sequence can hold only one at a token"
            )
