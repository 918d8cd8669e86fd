"""What the columns of a CoNLL file hold: read from its first line, from the settings, or by custom."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from crowdseq.core.labels import split_tag
from crowdseq.errors import AnnotationError, SettingsError
from crowdseq.formats.format import BY_NAME, LIKELY, NO, SURE, Sample
from crowdseq.formats.table_io.missing import MARKS, UNLABELLED
from crowdseq.formats.tools.conll.look import Look, look_at

DOCUMENT_START = "-DOCSTART-"
HEADER = "# columns:"
SENTENCE = "# sentence:"
CONSENSUS = ("confidence", "agreed")  # what stands between token and label in a consensus of ours
_CUSTOM = {4: ("pos", "chunk")}  # CoNLL-2003: token, part of speech, chunk, label
_PROBABILITY = re.compile(r"[01]\.[0-9]{6}")
EXTENSIONS = ("conll", "iob", "iob2", "bio", "tsv")
_LONGEST_TAG = 60
_CONLL_U_SIZE = 10
_TOKENS_COMPARED = 60


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


def recognise(sample: Sample) -> int:
    """Rows of equally many columns, the last of which repeats a few labels."""
    rows = [line for line in sample.lines if line.strip(" \t")]
    named = BY_NAME if sample.has_extension(EXTENSIONS) else NO
    if rows and rows[0].startswith((HEADER, DOCUMENT_START)):
        return LIKELY if is_label_studio(rows) else SURE
    if not rows or "\0" in sample.text:
        return named
    look = look_at(rows)
    if not look.rows or _is_conll_u(look.rows[0]):
        return NO
    certainty = _certainty(look) if len(look.rows) >= 0.9 * look.n_lines else NO
    is_like_json = rows[0].startswith(("{", "["))  # or a bracket as first token
    return max(named, certainty) if certainty >= LIKELY or not is_like_json else named


def is_label_studio(rows: list[str]) -> bool:
    """Label Studio's CONLL2003 export, which looks the same for one annotator and for many."""
    return len(rows) > 1 and rows[0] == "-DOCSTART- -X- O" and rows[1].split(" ")[1:3] == ["-X-", "_"]


def _is_conll_u(cells: Sequence[str]) -> bool:
    """CoNLL-U and its elders have ten columns, the first a number."""
    return len(cells) == _CONLL_U_SIZE and cells[0].isdecimal()


def _certainty(look: Look) -> int:
    """Tags of a chunk scheme leave little doubt; other short values must repeat to pass for labels."""
    if look.size < 2:
        return NO
    last = [row[-1] for row in (look.rows[1:] if look.names else look.rows)]
    if all(tag == UNLABELLED or split_tag(tag)[0] for tag in last):
        return LIKELY
    for place in look.labelled:
        cells = [row[place] for row in (look.rows[1:] if look.names else look.rows)]
        if all(tag in MARKS or split_tag(tag)[0] for tag in cells):
            return LIKELY
    short = all(tag and len(tag) <= _LONGEST_TAG and " " not in tag for tag in last)
    return BY_NAME if short and len(set(last)) <= 0.6 * len(last) else NO


def text_of(sample: Sample) -> str | None:
    """How the text begins: its first tokens."""
    look = look_at(sample.lines)
    rows = look.rows[1:] if look.names else look.rows
    return "\n".join(row[look.token] for row in rows[:_TOKENS_COMPARED]) if rows else None
