"""What the columns of a CoNLL file hold: read from its first line, from the settings, or by custom."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from crowdseq.errors import AnnotationError, SettingsError

DOCUMENT_START = "-DOCSTART-"
HEADER = "# columns:"
SENTENCE = "# sentence:"
CONSENSUS = ("confidence", "agreed")  # what stands between token and label in a consensus of ours
_CUSTOM = {4: ("pos", "chunk")}  # CoNLL-2003: token, part of speech, chunk, label
_PROBABILITY = re.compile(r"[01]\.[0-9]{6}")


@dataclass(frozen=True)
class Columns:
    """The token's column and those of gold, annotators and further values, each by its place."""

    size: int
    token: int
    gold: int | None
    annotators: dict[str, int]
    others: dict[str, int]


def are_named(fields: Sequence[str]) -> bool:
    """Whether the user says `role=column` instead of what the columns hold one after the other."""
    return all("=" in field for field in fields)


def parse_columns(fields: Sequence[str]) -> Columns:
    """`token`, `gold`, `column:NAME`, `annotator:NAME` or just NAME, `-` for one to leave out."""
    token: int | None = None
    gold: int | None = None
    annotators: dict[str, int] = {}
    others: dict[str, int] = {}
    for place, field in enumerate(fields):
        kind, _, name = field.partition(":")
        if field == "token" and token is None:
            token = place
        elif field == "gold" and gold is None:
            gold = place
        elif kind == "column" and name and name not in others:
            others[name] = place
        elif field in ("token", "gold") or kind == "column":
            raise SettingsError(f"column '{field}' is named twice or has no name")
        elif field != "-":
            annotator = name if kind == "annotator" else field
            if not annotator.strip() or annotator in annotators:
                raise SettingsError(f"annotator '{annotator}' has two columns, or a column has no name")
            annotators[annotator] = place
    if token is None:
        raise SettingsError("no column is called 'token', say which one holds the tokens")
    return Columns(len(fields), token, gold, annotators, others)


def header_columns(line: str) -> Columns | None:
    """The columns that a first line `# columns: token, …` names; None if the line is no such header."""
    if not line.startswith(HEADER):
        return None
    names = line.removeprefix(HEADER).removeprefix(" ")
    try:
        return parse_columns(names.split("\t") if "\t" in names else names.split())
    except SettingsError as error:
        raise AnnotationError(f"the line '{HEADER}' is wrong: {error.message}", error.advice) from None


def custom_columns(size: int, annotator: str | None, row: Sequence[str] = ()) -> Columns:
    """Token first, label last; a file of tokens alone has no labels. row: the first one, if it is known."""
    if size == 1:
        return Columns(1, 0, None, {}, {})
    named = CONSENSUS if _is_of_consensus(row) else _CUSTOM.get(size, ())
    others = {named[i - 1] if named else f"column{i + 1}": i for i in range(1, size - 1)}
    if annotator is None:
        return Columns(size, 0, size - 1, {}, others)
    return Columns(size, 0, None, {annotator: size - 1}, others)


def _is_of_consensus(row: Sequence[str]) -> bool:
    """Whether a row holds a probability and a list of names, as no part of speech and no chunk does."""
    if len(row) != len(CONSENSUS) + 2 or not _PROBABILITY.fullmatch(row[1]):
        return False
    return row[2] == "[]" or (row[2].startswith('["') and row[2].endswith('"]'))


def is_customary(names: Sequence[str]) -> bool:
    """Whether a reader would give these names to the columns between token and label by itself."""
    return tuple(custom_columns(len(names) + 2, None).others) == tuple(names)
