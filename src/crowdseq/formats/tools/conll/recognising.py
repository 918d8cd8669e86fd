"""Whether a file holds columns, and how its text begins."""

from collections.abc import Sequence

from crowdseq.core.labels import split_tag
from crowdseq.formats.format import BY_NAME, LIKELY, NO, SURE, Sample
from crowdseq.formats.table_io.missing import MARKS, UNLABELLED
from crowdseq.formats.tools.conll.columns import DOCUMENT_START, HEADER
from crowdseq.formats.tools.conll.look import Look, look_at

EXTENSIONS = ("conll", "iob", "iob2", "bio", "tsv")
_LONGEST_TAG = 60
_CONLL_U_SIZE = 10
_TOKENS_COMPARED = 60


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
    look = look_at(sample.lines[: 3 * _TOKENS_COMPARED])
    rows = look.rows[1:] if look.names else look.rows
    return "\n".join(row[look.token] for row in rows[:_TOKENS_COMPARED]) if rows else None
