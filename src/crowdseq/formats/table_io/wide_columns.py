"""Wide tables: a row for each token and a column for each annotator, as people keep them in spreadsheets."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from crowdseq.core.labels import OUTSIDE, split_tag
from crowdseq.formats.table_io.long_columns import (
    DOCUMENT,
    GOLD,
    LABEL,
    SENTENCE,
    TASK,
    TOKEN,
    WORKER,
    LongColumns,
    places_of,
)
from crowdseq.formats.table_io.long_rows import LongRow
from crowdseq.formats.table_io.missing import MARKS


@dataclass
class WideColumns:
    """Where sentence and token stand, and the labels of each annotator."""

    places: LongColumns
    annotators: dict[str, int]

    def rows(self, line: int, cells: Sequence[str]) -> Iterator[LongRow]:
        """The rows that a long table would have for one of this."""
        token = self.places.row(line, cells)
        gold = self.places.places.get(GOLD)
        told = token._replace(gold=(cells[gold] or None) if gold is not None else None)
        for who, place in self.annotators.items():
            label = cells[place] or None
            yield told._replace(annotator=who, label=label, is_blank=label is None)


def wide_columns(
    header: Sequence[str], rows: Sequence[Sequence[str]], asked: Sequence[str] | None = None
) -> WideColumns | None:
    """The columns of a wide table, None if it is none. rows: the first ones, which tell what holds labels."""
    places = places_of(header, asked)
    has_sentence = SENTENCE in places or DOCUMENT in places
    if TOKEN not in places or not has_sentence or places.keys() & {TASK, WORKER, LABEL}:
        return None
    taken = set(places.values())
    left = [place for place in range(len(header)) if place not in taken and header[place].strip()]
    labelled = {place: {row[place] for row in rows if place < len(row)} - {""} for place in left}
    people = {place: tags for place, tags in labelled.items() if tags and all(map(_is_tag, tags))}
    if not any(split_tag(tag)[0] not in ("", OUTSIDE) for tags in people.values() for tag in tags):
        return None
    return WideColumns(LongColumns(places), {header[place].strip(): place for place in people})


def _is_tag(cell: str) -> bool:
    return cell in MARKS or split_tag(cell)[0] != ""
