"""Whether the beginning of a file looks like CoNLL columns."""

import re

from crowdseq.core.labels import split_tag
from crowdseq.formats.conll_columns import DOCUMENT_START, HEADER, UNLABELLED
from crowdseq.formats.format import BY_NAME, LIKELY, NO, SURE, Sample

EXTENSIONS = ("conll", "iob", "iob2", "bio", "tsv")
_SPACES = re.compile(r"[ \t]+")
_LONGEST_TAG = 60
_CONLL_U_SIZE = 10


def recognise(sample: Sample) -> int:
    """Rows of equally many columns, the last of which repeats a few labels."""
    rows = [line for line in sample.lines if line.strip(" \t")]
    named = BY_NAME if sample.has_extension(EXTENSIONS) else NO
    if not rows or rows[0].startswith(("{", "[")) or "\0" in sample.text:
        return named if not rows else NO
    if rows[0].startswith((HEADER, DOCUMENT_START)):
        return SURE
    with_tabs = "\t" in rows[0]
    cells = [row.split("\t") if with_tabs else _SPACES.split(row.strip(" ")) for row in rows]
    size = len(cells[0])
    if size == _CONLL_U_SIZE and cells[0][0].isdecimal():
        return NO
    even = sum(len(row) == size for row in cells) >= 0.9 * len(cells)
    if size < 2 or not even:
        return named
    return max(named, _certainty([row[-1] for row in cells]))


def _certainty(last: list[str]) -> int:
    """Tags of a chunk scheme leave little doubt; other short values must repeat to pass for labels."""
    if all(tag == UNLABELLED or split_tag(tag)[0] for tag in last):
        return LIKELY
    short = all(tag and len(tag) <= _LONGEST_TAG and " " not in tag for tag in last)
    return BY_NAME if short and len(set(last)) <= 0.6 * len(last) else NO
