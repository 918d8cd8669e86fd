"""What the first rows of columns show: a row of names, where tokens and labels stand, marks for no label."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from crowdseq.core.labels import OUTSIDE, split_tag
from crowdseq.formats.table_io.missing import MARKS

TAGS, ONLY_OUTSIDE, EMPTY, NUMBERS, OTHER = "tags", "only outside", "empty", "numbers", "other"
_TOKEN_NAMES = ("token", "tokens", "word", "words", "form", "tok", "surface")
_LABEL_NAMES = ("label", "labels", "tag", "tags", "ner", "ner_tag", "ner_tags", "ne", "bio", "iob", "iob2")
_GOLD_NAMES = ("entity", "gold")
_LABEL_START = re.compile(r"(?:ner?|label|tag|bio|iob|entity)[-_.: ]", re.IGNORECASE)
_NO_LABELS = frozenset({"pos", "upos", "xpos", "chunk", "lemma", "head", "deprel", "feats", "misc", "note"})
_NO_LABELS |= {"notes", "comment", "comments", "id", "index", "_", "-", ""}
_COMMENT = re.compile(r"#\s?([A-Za-z_][\w.:-]*(?: id)?)\s*=\s*([^\t]*)")
_BARE_COMMENT = re.compile(r"# ?(newdoc|newpar)\s*")
_ID_COMMENT = re.compile(r"# id (\S+)(?:\s.*)?")  # of MultiCoNER, whose further facts stand behind a tab
_SPACES = re.compile(r"[ \t]+")
_NUMBER = re.compile(r"[0-9]{1,9}")
_LOOKED_AT = 2000
_FEWEST_NUMBERS = 3
_MOSTLY = 0.8


def comment_of(line: str) -> tuple[str, str] | None:
    """The key and the value of a line `# key = value`; None for a row of columns."""
    found = _COMMENT.fullmatch(line) or _BARE_COMMENT.fullmatch(line)
    if found is not None:
        return found[1], found[2].strip() if found.re is _COMMENT else ""
    found = _ID_COMMENT.fullmatch(line)
    return None if found is None else ("sent_id", found[1])


@dataclass(frozen=True)
class Look:
    """The rows at the beginning of a file, of which the first may name the columns.

    n_lines: how many there are with those of another length, which are no rows.
    """

    rows: Sequence[Sequence[str]]
    n_lines: int = 0

    @property
    def size(self) -> int:
        """How many columns there are."""
        return len(self.rows[0]) if self.rows else 0

    @cached_property
    def names(self) -> list[str] | None:
        """The names of the columns, if the first row holds names and no token."""
        if len(self.rows) < 2 or self.size < 2:
            return None
        first = list(self.rows[0])
        if any(split_tag(cell)[0] for cell in first[1:]):
            return None
        lower = [cell.strip().lower() for cell in first]
        if any(name in _TOKEN_NAMES for name in lower) and any(map(_is_label_name, lower)):
            return first
        odd = [place for place in range(1, self.size) if _kind(self._below(place)) == TAGS]
        is_told = any(first[place] not in MARKS | set(self._below(place)) for place in odd)
        return first if is_told and len(set(first)) == len(first) and lower[0] in _TOKEN_NAMES else None

    @cached_property
    def kinds(self) -> list[str]:
        """What the cells of each column are."""
        rows = self.rows[1:] if self.names is not None else self.rows
        return [_kind([row[place] for row in rows]) for place in range(self.size)]

    def _below(self, place: int) -> list[str]:
        return [row[place] for row in self.rows[1:]]

    @property
    def token(self) -> int:
        """The column of the token: the one that is named so, or the first that is no running number."""
        for place, name in enumerate(self.names or ()):
            if name.strip().lower() in _TOKEN_NAMES:
                return place
        is_numbered = self.size > 2 and self.kinds[0] == NUMBERS and self.kinds[1] == OTHER
        return 1 if is_numbered else 0

    @property
    def labelled(self) -> list[int]:
        """Columns of chunk tags, but for the token's and those whose name says something else."""
        held = [place for place, kind in enumerate(self.kinds) if kind == TAGS and place != self.token]
        names = self.names
        return held if names is None else [place for place in held if names[place].lower() not in _NO_LABELS]

    def named_label(self) -> int | None:
        """The column whose name says that it holds labels: the plainest name, else the first."""
        names = [name.strip().lower() for name in self.names or ()]
        for wanted in (*_LABEL_NAMES, _GOLD_NAMES[0]):
            if wanted in names:
                return names.index(wanted)
        starting = [place for place, name in enumerate(names) if _LABEL_START.match(name)]
        return next((place for place in starting if self.kinds[place] == TAGS), next(iter(starting), None))

    def has_outside(self, place: int) -> bool:
        """Whether O is written somewhere in a column."""
        return any(row[place] == OUTSIDE for row in self.rows)


def look_at(lines: Sequence[str]) -> Look:
    """The rows of lines, without comments, marks of documents and rows of another length than most."""
    kept = []
    for line in lines:
        if line.strip(" \t") and not line.startswith("-DOCSTART-") and not _is_comment(line):
            kept.append(line)
        if len(kept) >= _LOOKED_AT:
            break
    with_tabs = any("\t" in line for line in kept[:2])
    rows = [line.split("\t") if with_tabs else _SPACES.split(line.strip(" \t")) for line in kept]
    sizes = Counter(map(len, rows))
    # In case of doubt the first row counts, which reading holds all others to.
    size = (
        max(sizes, key=sizes.__getitem__)
        if rows and rows[0][0].startswith("#")
        else len(rows[0])
        if rows
        else 0
    )
    return Look([row for row in rows if len(row) == size], len(rows))


def _is_comment(line: str) -> bool:
    return line.startswith("#") and (
        comment_of(line) is not None or line.startswith(("# columns:", "# sentence:"))
    )


def _is_label_name(name: str) -> bool:
    return name in (*_LABEL_NAMES, *_GOLD_NAMES) or _LABEL_START.match(name) is not None


def _kind(values: Sequence[str]) -> str:
    prefixes = [split_tag(value)[0] for value in values]
    n_chunks = sum(prefix not in ("", OUTSIDE) for prefix in prefixes)
    n_outside, n_marks = prefixes.count(OUTSIDE), sum(value in MARKS for value in values)
    if n_chunks and n_chunks + n_outside + n_marks >= _MOSTLY * len(values):
        return TAGS
    if n_outside + n_marks == len(values):
        return ONLY_OUTSIDE if n_outside else EMPTY
    return NUMBERS if _are_running(values) else OTHER


def _are_running(values: Sequence[str]) -> bool:
    """Whether values count from 1, beginning anew with each sentence."""
    if len(values) < _FEWEST_NUMBERS or not all(map(_NUMBER.fullmatch, values)):
        return False
    before = 0
    for number in map(int, values):
        if number not in (before + 1, 1):
            return False
        before = number
    return max(map(int, values)) > 1
