"""Documents in which nothing must be decided to records, many at a time: the short way through `marking`."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property
from itertools import chain, islice
from sys import intern
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crowdseq.arrays import BoolArray, IntArray
from crowdseq.core.building import Record
from crowdseq.core.labels import OUTSIDE
from crowdseq.core.names import NumberedTags
from crowdseq.core.ragged import gather_ranges, offsets_of
from crowdseq.formats.settings import SPANS, TEXT, ReadSettings

_SPACE, _WORD, _SIGN = range(3)
_BETWEEN = "\n"
_END = np.iinfo(np.int64).max


class TextBatch:
    """Texts of the basic plane one behind the other, a line break between them; places count in all of it.

    lengths, bases: of each text, how long it is and where it begins. words, starts, ends: the tokens of all
    texts as the tokenizer `words` cuts them, and where they stand. first_words (D + 1,): where the words of
    each text begin.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._joined = _BETWEEN.join(texts)
        self.lengths: IntArray = np.array(list(map(len, texts)), np.int64)
        self.bases: IntArray = offsets_of(self.lengths + len(_BETWEEN))[:-1]
        self.codes = code_units(self._joined)
        kinds = _kinds()[self.codes]
        is_sign, is_word = kinds == _SIGN, np.zeros(len(kinds) + 2, np.bool_)
        is_word[1:-1] = kinds == _WORD
        here, before, behind = is_word[1:-1], is_word[:-2], is_word[2:]
        self.starts: IntArray = np.flatnonzero(is_sign | (here & ~before))
        self.ends: IntArray = np.flatnonzero(is_sign | (here & ~behind)) + 1
        self.first_words: IntArray = np.append(np.searchsorted(self.starts, self.bases), len(self.starts))

    @cached_property
    def words(self) -> list[str]:
        """A space put between tokens that touch makes a plain split, the fastest there is, find them all."""
        touching = self.starts[1:][self.starts[1:] == self.ends[:-1]]
        if not len(touching):
            return self._joined.split()
        spaced: NDArray[np.uint16] = np.insert(self.codes, touching, ord(" "))
        return spaced.tobytes().decode("utf-16-le", "surrogatepass").split()

    def words_from(self, places: IntArray) -> tuple[IntArray, BoolArray]:
        """The word that starts at each place, and whether one does."""
        found = np.searchsorted(self.starts, places)
        return found, np.append(self.starts, _END)[found] == places

    def words_until(self, places: IntArray) -> tuple[IntArray, BoolArray]:
        """The number behind the word that ends at each place, and whether one does."""
        found = np.searchsorted(self.ends, places)
        return found + 1, np.append(self.ends, _END)[found] == places


def code_units(text: str) -> NDArray[np.uint16]:
    """UTF-16 code units: in the basic plane one for each character."""
    return np.frombuffer(text.encode("utf-16-le", "surrogatepass"), np.uint16)


@cache
def _kinds() -> NDArray[np.uint8]:
    """Of every character of the basic plane whether it is space, part of a word, or a token of its own."""
    characters = "".join(map(chr, range(1 << 16)))
    kinds: NDArray[np.uint8] = np.full(len(characters), _SIGN, np.uint8)
    for pattern, kind in ((r"\w+", _WORD), (r"\s+", _SPACE)):
        for match in re.finditer(pattern, characters):
            kinds[match.start() : match.end()] = kind
    return kinds


class PlainDocument(NamedTuple):
    """A text of the basic plane and what annotators marked in it, by columns.

    votes: how many marks each annotator made; theirs follow each other in starts, ends, labels and covered,
    of which only the types are known to be right. extras: what the record keeps beside text and spans.
    """

    text: str
    id: str
    votes: Mapping[str, int]
    starts: Sequence[int]
    ends: Sequence[int]
    labels: Sequence[str]
    covered: Sequence[str]
    extras: Mapping[str, Any]
    place: str


class BulkMarker:
    """Makes records as `Marker` does, where every mark covers whole tokens and none overlap.

    has_room: whether so many cells may be made out of so many characters, as `Collector.has_room`.
    """

    def __init__(self, settings: ReadSettings, has_room: Callable[[int, int], bool] | None = None) -> None:
        self._has_room = has_room or (lambda *_: True)
        self._is_open = (
            settings.tokenizer == "words"
            and settings.sentences != "newline"
            and settings.normalise == "none"
            and settings.types is None
            and settings.offset_unit in ("auto", "characters", "utf-16")
        )
        self._tags = [OUTSIDE]
        self._first_tags: dict[str, int] = {}

    def records(self, documents: Sequence[PlainDocument]) -> list[Record | None]:
        """A record for each document; None for one that only `Marker` can judge."""
        if not documents or not self._is_open:
            return [None] * len(documents)
        try:
            marks = _Marks(documents, self._label_numbers(documents))
        except OverflowError:  # an offset of more than 64 bits
            return [None] * len(documents)
        n_characters = sum(len(one.text) + 10 * (len(one.votes) + len(one.starts)) for one in documents)
        if not self._has_room(int(marks.row_bounds[-1]), n_characters):
            return [None] * len(documents)
        cells, is_sound = marks.cells()
        words, first_words = marks.batch.words, marks.batch.first_words.tolist()
        rows = iter(marks.row_bounds.tolist())
        made: list[Record | None] = []
        for number, document in enumerate(documents):
            bounds = list(islice(rows, len(document.votes)))
            if not is_sound[number]:
                made.append(None)
                continue
            tokens = words[first_words[number] : first_words[number + 1]]
            votes = {
                who: NumberedTags(self._tags, cells[start : start + len(tokens)])
                for who, start in zip(document.votes, bounds, strict=True)
            }
            made.append(_record(document, tokens, votes))
        return made

    def _label_numbers(self, documents: Iterable[PlainDocument]) -> IntArray:
        """The number of the tag that begins each mark; the one that continues it is the next."""
        labels = list(chain.from_iterable(document.labels for document in documents))
        for label in dict.fromkeys(labels):
            if label not in self._first_tags:
                self._first_tags[label] = len(self._tags)
                self._tags += (f"B-{label}", f"I-{label}")
        return np.array(list(map(self._first_tags.__getitem__, labels)), np.int32)


class _Marks:
    """The marks of all documents as columns, row being what one annotator marked in one document."""

    def __init__(self, documents: Sequence[PlainDocument], labels: IntArray) -> None:
        self.labels = labels
        self.batch = TextBatch([document.text for document in documents])
        counts = [count for document in documents for count in document.votes.values()]
        row_documents = np.repeat(np.arange(len(documents)), [len(document.votes) for document in documents])
        rows = np.repeat(np.arange(len(counts)), counts)
        self.documents = row_documents[rows]
        self.row_bounds = offsets_of(np.diff(self.batch.first_words)[row_documents])
        self.row_starts = self.row_bounds[rows] - self.batch.first_words[self.documents]
        self.starts = _column(document.starts for document in documents)
        self.ends = _column(document.ends for document in documents)
        self.covered = list(chain.from_iterable(document.covered for document in documents))

    def cells(self) -> tuple[IntArray, BoolArray]:
        """The tags of all rows, and (D,) whether those of a document are right."""
        bases = self.batch.bases[self.documents]
        first, is_start = self.batch.words_from(self.starts + bases)
        last, is_end = self.batch.words_until(self.ends + bases)
        is_inside = (self.starts >= 0) & (self.ends <= self.batch.lengths[self.documents])
        is_good = is_inside & is_start & is_end & (first < last)
        is_good[is_good] = self._are_covered(np.flatnonzero(is_good), bases)
        is_sound = np.ones(len(self.batch.lengths), np.bool_)
        is_sound[self.documents[~is_good]] = False
        good = np.flatnonzero(is_good)
        places, lengths = (self.row_starts + first)[good], (last - first)[good]
        is_sound[self.documents[good[_overlapping(places, lengths)]]] = False
        cells = np.zeros(int(self.row_bounds[-1]), np.int32)
        cells[gather_ranges(places, lengths)] = np.repeat(self.labels[good] + 1, lengths)
        cells[places] = self.labels[good]
        return cells, is_sound

    def _are_covered(self, chosen: IntArray, bases: IntArray) -> BoolArray:
        """Whether the text at each mark is what the file says, which proves the offsets."""
        lengths: IntArray = np.array(list(map(len, self.covered)), np.int64)
        units = code_units("".join(self.covered))
        is_same: BoolArray = lengths[chosen] == (self.ends - self.starts)[chosen]
        if len(units) != lengths.sum():  # beyond the basic plane, in which all texts are
            return np.zeros(len(chosen), np.bool_)
        fitting = chosen[is_same]
        there = gather_ranges((self.starts + bases)[fitting], lengths[fitting])
        said = gather_ranges(offsets_of(lengths)[fitting], lengths[fitting])
        differing = np.flatnonzero(self.batch.codes[there] != units[said])
        owners = np.searchsorted(offsets_of(lengths[fitting]), differing, side="right") - 1
        is_same[np.flatnonzero(is_same)[owners]] = False
        return is_same


def _column(values: Iterable[Sequence[int]]) -> IntArray:
    return np.array(list(chain.from_iterable(values)), np.int64)


def _overlapping(places: IntArray, lengths: IntArray) -> IntArray:
    """Marks that begin before the one at the place before them ends; some of any that overlap."""
    order = np.argsort(places, kind="stable")
    is_over = places[order][1:] < (places + lengths)[order][:-1]
    return order[1:][is_over]


def _record(document: PlainDocument, tokens: list[str], votes: Mapping[str, NumberedTags]) -> Record:
    # Interned, because the same few labels come millions of times, and the spans are kept.
    labels = map(intern, document.labels)
    spans = map(list, zip(document.starts, document.ends, labels, strict=True))
    by_name = {who: list(islice(spans, count)) for who, count in document.votes.items()}
    extras = {**document.extras, TEXT: document.text, SPANS: by_name}
    return Record(tokens, document.id, None, votes, None, {}, extras, document.place)
