"""Whether the beginning of a file looks like CoNLL columns."""

import re

from crowdseq.core.labels import split_tag
from crowdseq.formats.format import BY_NAME, LIKELY, NO, SURE, Sample
from crowdseq.formats.tools.conll.columns import DOCUMENT_START, HEADER, UNLABELLED

EXTENSIONS = ("conll", "iob", "iob2", "bio", "tsv")
_SPACES = re.compile(r"[ \t]+")
_LONGEST_TAG = 60
_CONLL_U_SIZE = 10


def recognise(sample: Sample) -> int:
    """Rows of equally many columns, the last of which repeats a few labels."""
    rows = [line for line in sample.lines if line.strip(" \t")]
    named = BY_NAME if sample.has_extension(EXTENSIONS) else NO
    if rows and rows[0].startswith((HEADER, DOCUMENT_START)):
        return LIKELY if is_label_studio(rows) else SURE
    if not rows or "\0" in sample.text:
        return named
    if _is_conll_u(rows[0]):
        return NO
    certainty = _certainty_of_rows(rows)
    is_like_json = rows[0].startswith(("{", "["))  # or a bracket as first token
    return max(named, certainty) if certainty >= LIKELY or not is_like_json else named


def is_label_studio(rows: list[str]) -> bool:
    """Label Studio's CONLL2003 export, which looks the same for one annotator and for many."""
    return len(rows) > 1 and rows[0] == "-DOCSTART- -X- O" and rows[1].split(" ")[1:3] == ["-X-", "_"]


def _is_conll_u(row: str) -> bool:
    """CoNLL-U and its elders have ten columns, the first a number."""
    cells = row.split("\t")
    return len(cells) == _CONLL_U_SIZE and cells[0].isdecimal()


def _certainty_of_rows(rows: list[str]) -> int:
    with_tabs = "\t" in rows[0]
    cells = [row.split("\t") if with_tabs else _SPACES.split(row.strip(" ")) for row in rows]
    size = len(cells[0])
    is_even = sum(len(row) == size for row in cells) >= 0.9 * len(cells)
    if size < 2 or not is_even:
        return NO
    return _certainty([row[-1] for row in cells])


def _certainty(last: list[str]) -> int:
    """Tags of a chunk scheme leave little doubt; other short values must repeat to pass for labels."""
    if all(tag == UNLABELLED or split_tag(tag)[0] for tag in last):
        return LIKELY
    short = all(tag and len(tag) <= _LONGEST_TAG and " " not in tag for tag in last)
    return BY_NAME if short and len(set(last)) <= 0.6 * len(last) else NO
