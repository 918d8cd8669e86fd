"""What stands in place of a label where there is none: `?`, and beside B- and I- tags what people write."""

from collections import Counter
from collections.abc import Sequence

from crowdseq.core.labels import OUTSIDE, PLAIN
from crowdseq.core.names import Tags
from crowdseq.errors import Advice, Problem
from crowdseq.formats.findings.collector import Collector

UNLABELLED = "?"
# Taken for "no label" only beside tags of a chunk scheme, where none of them can be a tag.
MARKS = frozenset({UNLABELLED, "None", "none", "-", "_", "NA", "N/A", "nan", "NaN", "null", "NULL"})


class MissingMarks:
    """Reads cells of labels; counts what was taken for no label without being asked.

    has_chunks: whether there are B- or I- tags. has_outside: whether O is written too; where it never is, a
    mark stands for it, since most tokens are outside of any entity.
    """

    def __init__(self, collector: Collector, file: str, *, has_chunks: bool, has_outside: bool) -> None:
        self._collector, self._file = collector, file
        settings = collector.settings
        self._is_guess = settings.missing is None and has_chunks and settings.scheme != PLAIN
        if settings.missing is not None:
            self._marks = frozenset({UNLABELLED, *settings.missing})
        else:
            self._marks = MARKS - set(settings.labels or ()) if self._is_guess else frozenset({UNLABELLED})
        self._means = OUTSIDE if self._is_guess and not has_outside else None
        self._counts: Counter[str] = Counter()

    def is_mark(self, cell: str) -> bool:
        """Whether a cell stands for no label."""
        return cell in self._marks

    def label(self, cell: str) -> str | None:
        """The label that a cell holds, if it does."""
        if cell not in self._marks:
            return cell
        if not self._is_guess or cell == UNLABELLED:
            return None
        self._counts[cell] += 1
        return self._means

    def labels(self, cells: Sequence[str]) -> Tags | None:
        """Those of one annotator in one sentence; None if there is none, which says that it was not seen."""
        if self._marks.isdisjoint(cells):
            return cells or None
        tags = [self.label(cell) for cell in cells]
        return tags if any(tag is not None for tag in tags) else None

    def tell(self) -> None:
        """What was taken for no label, or for outside, and how to say otherwise."""
        for mark, count in self._counts.items():
            meaning = "not labelled" if self._means is None else f"{OUTSIDE}, which is nowhere written"
            other = UNLABELLED if self._means is None else mark
            advice = Advice("if that is wrong, say {missing}", missing=other)
            what = f"'{mark}' stands beside B- and I- tags, read as {meaning};"
            self._collector.warn(f"marks-{mark}", what, Problem("", self._file), count, advice=advice)
