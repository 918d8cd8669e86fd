"""PortionLoader: files to portions in scratch files, a few documents in memory at a time."""

from array import array
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path

import numpy as np

from crowdseq.arrays import BoolArray, IntArray
from crowdseq.core.building import CorpusBuilder, Record
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import PLAIN, LabelScheme
from crowdseq.core.names import NumberedNames
from crowdseq.errors import Advice, AnnotationError, FormatError, Problem, SettingsError
from crowdseq.formats.files.sources import Source
from crowdseq.formats.findings.collector import Collector
from crowdseq.formats.format import Format
from crowdseq.formats.parts.portions import Portion
from crowdseq.formats.parts.spelling import LabelCounts
from crowdseq.formats.reading import Loader
from crowdseq.formats.settings import ReadSettings

PORTION_TOKENS = 200_000

Wanted = Callable[[Record], bool]


@dataclass(frozen=True)
class Counted:
    """How often annotators labelled a sentence twice, and extras were replaced: as a builder tells it."""

    repeated_rows: int
    replaced_extras: int


class PortionLoader(Loader):
    """Sends records into one builder after the other; each becomes a portion when it is full.

    wanted: whether a record is asked for; the others count for the scheme alone. told: is called with the
    tokens read so far.
    """

    def __init__(
        self, collector: Collector, scratch: Path, wanted: Wanted, told: Callable[[int], None]
    ) -> None:
        check_settings(collector.settings)
        super().__init__(collector)
        self.words = NumberedNames()
        self.labels_met = LabelCounts()
        self.portions: list[Portion] = []
        self.columns: dict[str, NumberedNames] = {}
        self.used_words: IntArray = np.zeros(0, np.int64)  # of sentences that are asked for, sorted
        self.used_values: dict[str, IntArray] = {}
        self.annotators: set[str] = set()
        self.present: set[str] = set()  # who labelled a sentence that is asked for
        self.fields: set[str] = {"id", "doc"}
        self.repeats: list[Counted] = []
        self.n_sentences = self.n_tokens = self.n_chosen = 0
        self._scratch, self._wanted, self._told = scratch, wanted, told
        self._last: str | None = None
        self._chosen, self._ids = array("b"), array("Q")
        self._first_of_part = 0  # its number in the builder
        self.builder = self._new_builder()

    def _new_builder(self) -> CorpusBuilder:
        return CorpusBuilder(duplicates=self.settings.duplicates, words=self.words)

    def _is_part(self, source: Source) -> bool:  # noqa: ARG002  each file is one, however it was named
        return True

    def _begin_part(self, name: str) -> None:
        super()._begin_part(name)
        self._first_of_part = len(self.builder)

    def _cuts(self, form: Format) -> bool:
        if super()._cuts(form):
            what = f"{form.name} holds documents that are cut into sentences, which needs all of a file:"
            advice = Advice("convert it to crowd JSONL first, or say {sentences}", sentences="document")
            raise FormatError(Problem(what, advice=advice))
        return False

    def _add(self, record: Record) -> int:
        is_new = record.doc is None or record.doc != self._last
        if is_new and self.builder.n_tokens >= PORTION_TOKENS:
            self.flush()
        if record.id is None:
            record = replace(record, id=self._made_id())
        held = self.builder.number_of(record.id or "")
        if held is not None and held < self._first_of_part:
            raise AnnotationError(
                "the id was used in an earlier part, keep all that is said of a sentence together"
            )
        number = super()._add(record)
        if number == len(self._chosen):
            self._chosen.append(self._wanted(record))
            name = (record.id or "").encode("utf-8", "surrogatepass")
            self._ids.append(int.from_bytes(blake2b(name, digest_size=8).digest(), "little"))
        self.fields.update(record.extras)
        self._last = record.doc
        return number

    def _made_id(self) -> str:
        name = f"s{self.n_sentences + len(self.builder) + 1}"
        if self.builder.number_of(name) is not None:
            raise AnnotationError(f"the sentence has no id and {name} is taken, give every sentence an id")
        return name

    def flush(self) -> None:
        """Write what was read since the last portion."""
        builder = self.builder
        if len(builder) == 0:
            return
        corpus = builder.build(LabelScheme(builder.labels, PLAIN))
        self.labels_met.add(corpus)
        chosen = np.frombuffer(self._chosen, np.int8).astype(np.bool_)
        self._note_used(corpus, chosen)
        path = self._scratch / f"portion-{len(self.portions):06}.safetensors"
        self.portions.append(Portion.write(path, corpus, self.n_sentences, chosen=chosen))
        self.n_chosen += int(chosen.sum())
        self.repeats.append(Counted(builder.repeated_rows, builder.replaced_extras))
        self.n_sentences, self.n_tokens = self.n_sentences + len(corpus), self.n_tokens + corpus.n_tokens
        self.builder, self._chosen, self._first_of_part = self._new_builder(), array("b"), 0
        if self.parts is not None:
            self.parts.next_portion()
        self._told(self.n_tokens)

    def _note_used(self, corpus: Corpus, chosen: BoolArray) -> None:
        """Which words, values of columns and annotators there are, and which of them are asked for."""
        self.annotators.update(corpus.annotators)
        rows = np.unique(corpus.annotations.voters[chosen[corpus.annotations.row_sentences]])
        self.present.update(corpus.annotators[who] for who in rows.tolist())
        tokens = chosen[corpus.text.sentence_of]
        self.used_words = np.union1d(self.used_words, corpus.text.token_ids[tokens])
        for name, column in corpus.text.columns.items():
            numbers = self.columns.setdefault(name, NumberedNames())
            mine = np.array([*map(numbers.__getitem__, column.table), -1], np.int64)
            used = mine[column.ids[tokens]]
            self.used_values[name] = np.union1d(self.used_values.get(name, used[:0]), used[used >= 0])

    def check_all(self) -> None:
        self.collector.problems.extend(self._repeated_ids())
        super().check_all()

    def _repeated_ids(self) -> list[Problem]:
        """Sentences of one id in different portions; inside of one they were joined."""
        ids = np.frombuffer(self._ids, np.uint64) if self._ids else np.zeros(0, np.uint64)
        order = np.argsort(ids, kind="stable")
        again = np.flatnonzero(ids[order][1:] == ids[order][:-1])
        return [self._repeated(int(order[place]), int(order[place + 1])) for place in again[:100].tolist()]

    def _repeated(self, one: int, other: int) -> Problem:
        name = self._id_of(other)
        what = f"the id of sentence {one + 1:,} of the input and of sentence {other + 1:,}: give each its own"
        return Problem(what, self.file_names, record=name)

    def _id_of(self, number: int) -> str:
        portion = next(one for one in reversed(self.portions) if one.first <= number)
        return portion.read()[0].text.ids[number - portion.first]


def check_settings(settings: ReadSettings) -> None:
    """Some ways to read need all of a corpus at once."""
    needs_all: Mapping[str, bool] = {"match": settings.match != "id", "overlaps": settings.in_layers}
    for name, is_set in needs_all.items():
        if is_set:
            advice = Advice(f"leave out {{{name}}}, or convert the files first", **{name: ""})
            raise SettingsError("a corpus that is cut into shards is read piece by piece:", advice)
