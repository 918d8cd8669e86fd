"""store_files: files of any size to a folder of shards, of which a small part is in memory at any time.

The first pass goes over the input, checks every record and writes portions to scratch files: words get
numbers, labels are counted. Then the scheme is known; the second pass goes over the portions and gathers
whole documents in canonical order. The shards are those that `store_corpus` makes in memory, to the bit.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from crowdseq.arrays import IntArray
from crowdseq.core.building import Record
from crowdseq.core.corpus import Corpus
from crowdseq.core.text import Column
from crowdseq.engines.gathering import joined, take_sentences
from crowdseq.engines.ordering import by_digest, store_corpus, word_codes
from crowdseq.engines.shard_files import StoredCorpus
from crowdseq.engines.shard_layout import ShardTables
from crowdseq.engines.shard_writing import ShardWriter
from crowdseq.engines.shards import filled
from crowdseq.errors import AnnotationError, FormatError, Problem, SchemeError
from crowdseq.formats.files import Input, list_inputs
from crowdseq.formats.findings.collector import Collector, TooManyFaults, problem_of
from crowdseq.formats.findings.import_report import ImportReport
from crowdseq.formats.findings.inspection import Seen, blank_words, report_on, tell_usual_tags
from crowdseq.formats.parts.loading import PortionLoader
from crowdseq.formats.parts.portions import Portion, Renumbering
from crowdseq.formats.parts.ranking import Documents, annotator_digests, digest_arrays
from crowdseq.formats.parts.spelling import Spelling
from crowdseq.formats.settings import ReadSettings
from crowdseq.numerics.em import Progress, quiet


@dataclass(frozen=True, kw_only=True)
class Choice:
    """Which part of the input goes to the shards.

    wanted: whether a record does. kept: from all annotators, and those of the records that do, to those whose
    labels do. check: is given the fields that records have and how many do, and may raise.
    """

    wanted: Callable[[Record], bool] = lambda _: True
    kept: Callable[[set[str], set[str]], Iterable[str]] = lambda everybody, _: everybody
    check: Callable[[set[str], int], None] = lambda _fields, _count: None


@dataclass(frozen=True)
class Stored:
    """The shards, and what there is to say about the input."""

    corpus: StoredCorpus
    report: ImportReport


def store_files(
    inputs: Input | Iterable[Input],
    folder: Path,
    shard_tokens: int,
    *,
    settings: ReadSettings | None = None,
    choice: Choice | None = None,
    progress: Progress = quiet,
) -> Stored:
    """Read files and write shards of whole documents, of at most about so many tokens, into a new folder."""
    reading, chosen = settings or ReadSettings(), choice or Choice()
    scratch = folder / "scratch"
    scratch.mkdir(parents=True)
    with Collector(reading) as collector:
        loader = PortionLoader(
            collector, scratch, chosen.wanted, lambda done: progress("reading tokens", done, 0)
        )
        _load(loader, inputs)
        cutter = _Cutter(loader, chosen, progress)
        report = cutter.prepare()
        cutter.write(folder, shard_tokens)
        rejects = collector.finish() if collector.n_rejected else None
    scratch.rmdir()
    files = tuple(loader.files)
    return Stored(StoredCorpus.open(folder), replace(report, files=files, rejects_file=rejects))


def _load(loader: PortionLoader, inputs: Input | Iterable[Input]) -> None:
    collector = loader.collector
    try:
        for item in list_inputs(inputs):
            loader.load(item)
    except TooManyFaults:
        limit = loader.settings.limits.faults
        collector.problems.append(Problem(f"reading stopped after {limit:,} faults, correct these first"))
    loader.flush()
    loader.check_all()


class _Cutter:
    """The second pass: from portions to shards."""

    def __init__(self, loader: PortionLoader, choice: Choice, progress: Progress) -> None:
        self._loader, self._progress = loader, progress
        self._spelling = self._decide()
        everybody, present = loader.annotators, loader.present
        self._annotators = tuple(sorted(choice.kept(everybody, present)))
        self._portions: list[Portion] = []
        self._scheme = self._spelling.target
        choice.check(loader.fields, loader.n_chosen)

    def _decide(self) -> Spelling:
        loader = self._loader
        try:
            loader.collector.check_labels(len(loader.labels_met.names))
            return loader.labels_met.decide(loader.settings.scheme or loader.collector.noted_scheme)
        except (SchemeError, AnnotationError) as error:
            raise FormatError(problem_of(error, loader.file_names)) from None

    def prepare(self) -> ImportReport:
        """Portions again, of the sentences and annotators asked for, in the numbers that shards have."""
        loader, seen = self._loader, Seen()
        self._words = _sorted_used(loader.words.names, loader.used_words)
        self._columns = {
            name: _sorted_used(loader.columns[name].names, loader.used_values[name])
            for name in sorted(loader.columns)
        }
        renumbering = Renumbering(
            _numbers_in(self._words, loader.words), self._annotators, _tables_of(self._columns)
        )
        codes, blank = word_codes(self._words), blank_words(loader.words.names)
        done = 0
        for number, portion in enumerate(loader.portions):
            corpus, chosen = portion.read()
            corpus = self._spelling.apply(corpus, loader.settings.labels)
            self._scheme = corpus.scheme
            seen += Seen.of(corpus, loader.repeats[number], blank)
            part = renumbering.apply(corpus.select(np.flatnonzero(chosen)))
            path = portion.path.with_name(f"chosen-{number:06}.safetensors")
            self._portions.append(Portion.write(path, part, done, **digest_arrays(part, codes)))
            portion.path.unlink()
            done += len(part)
            self._progress("numbering sentences", done, loader.n_chosen)
        tell_usual_tags(self._spelling.usual, loader.collector)
        spelling = (self._spelling.kind, self._spelling.respelt)
        return report_on(seen, self._scheme, spelling, loader.collector)

    def write(self, folder: Path, shard_tokens: int) -> None:
        """All shards and their index."""
        if not self._portions:
            store_corpus(Corpus.from_records([]), folder, shard_tokens)
            return
        annotators = annotator_digests(self._portions, len(self._annotators))
        documents = Documents.of(self._portions, annotators)
        order = documents.in_order()
        cuts = list(filled(np.arange(len(order)), documents.tokens[order], shard_tokens))
        if documents.tokens.sum() <= shard_tokens or len(cuts) <= 1:
            store_corpus(self._whole(), folder, shard_tokens)
        else:
            tables = self._tables(by_digest(annotators))
            with ShardWriter(folder, tables, shard_tokens) as writer:
                for number, cut in enumerate(cuts, 1):
                    writer.add(*self._gathered(documents, order[cut], tables))
                    self._progress("writing shards", number, len(cuts))
        for portion in self._portions:
            portion.path.unlink()

    def _tables(self, annotator_order: IntArray) -> ShardTables:
        return ShardTables(self._scheme, self._annotators, self._words, self._columns, annotator_order)

    def _gathered(
        self, documents: Documents, chosen: IntArray, tables: ShardTables
    ) -> tuple[Corpus, IntArray]:
        """The sentences of these documents in their order, and where they stood in the input."""
        own = [documents.sentences_of(document) for document in chosen.tolist()]
        portions = np.repeat(documents.portions[chosen], [len(sentences) for sentences in own])
        sentences = np.concatenate(own)
        pieces, taken = [], []
        for number in np.unique(portions).tolist():
            here = np.flatnonzero(portions == number)
            portion = self._portions[number]
            pieces.append(take_sentences(portion.file(), sentences[here], tables))
            taken.append(here)
        stood = np.argsort(np.concatenate(taken), kind="stable")
        firsts = np.array([portion.first for portion in self._portions], np.int64)
        return joined(pieces).select(stood), firsts[portions] + sentences

    def _whole(self) -> Corpus:
        """All that was asked for in the order of the input, words numbered as they were read."""
        tables = self._tables(np.zeros(0, np.int64))
        pieces = [
            take_sentences(portion.file(), np.arange(portion.sentences), tables) for portion in self._portions
        ]
        corpus, loader = joined(pieces), self._loader
        text = replace(
            corpus.text,
            words=tuple(loader.words.names),
            token_ids=_numbers_in(loader.words, self._words)[corpus.text.token_ids],
            columns={
                name: Column(
                    tuple(numbers.names),
                    _numbers_in(numbers, self._columns[name])[corpus.text.columns[name].ids],
                )
                for name, numbers in loader.columns.items()
            },
        )
        return replace(corpus, text=text)


def _sorted_used(names: Sequence[str], used: IntArray) -> tuple[str, ...]:
    return tuple(sorted(names[number] for number in used.tolist()))


def _tables_of(columns: Mapping[str, Sequence[str]]) -> dict[str, dict[str, int]]:
    return {name: {value: number for number, value in enumerate(table)} for name, table in columns.items()}


def _numbers_in(target: Mapping[Any, int] | Sequence[str], source: Iterable[Any]) -> IntArray:
    """(S + 1,) for each name of the source its number in the target, -1 for others and at the end."""
    known = target if isinstance(target, Mapping) else {name: number for number, name in enumerate(target)}
    return np.array([*(known.get(name, -1) for name in source), -1], np.int32)
