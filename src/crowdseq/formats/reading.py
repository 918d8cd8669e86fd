"""read: files and folders in any known format to one corpus and a report on them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from crowdseq.core.building import CorpusBuilder, Record
from crowdseq.core.corpus import Corpus
from crowdseq.errors import Advice, AnnotationError, FormatError, InputError, Problem, SchemeError
from crowdseq.formats.files import Input, list_inputs, no_collection, why_nothing_is_known
from crowdseq.formats.files.sources import Folder, Source, Stream, is_archive, is_spreadsheet, open_source
from crowdseq.formats.findings.collector import Collector, TooManyFaults, problem_of
from crowdseq.formats.findings.import_report import FileRead, ImportReport
from crowdseq.formats.findings.inspection import inspect, look_at_equal_texts
from crowdseq.formats.format import Format, ReadRecord, Sample, unused_settings
from crowdseq.formats.registry import (
    beginnings,
    doubt_of,
    find_format,
    looks_like,
    recognise,
    recognise_folder,
    sample_of,
)
from crowdseq.formats.settings import TEXT, ReadSettings

if TYPE_CHECKING:  # loaded when a file has spans or a setting asks for it: most have none and ask for none
    from crowdseq.formats.conventions.matching import TextMatcher
    from crowdseq.formats.conventions.names import LabelSet
    from crowdseq.formats.conventions.part_documents import PartDocuments
    from crowdseq.formats.spans.overlaps import Layer

_OTHER_TEXT = "the id was used before"
_SHOWN_FILES = 5
_JOIN_BY_TEXT = Advice(
    "if files number their sentences each in its own way, say {match}; if each is a document, {files_mean} "
    "(or gold)",
    match="text",
    files_mean="document",
)


@dataclass(frozen=True)
class Imported:
    """What was read, and what there is to say about it; layers only if overlapping spans were taken apart."""

    corpus: Corpus
    report: ImportReport
    layers: "tuple[Layer, ...]" = ()


def read(inputs: Input | Iterable[Input], settings: ReadSettings | None = None, **changes: Any) -> Imported:
    """Paths, folders, `-` or bytes to one corpus; sentences of one id are joined.

    changes: single settings by name, such as format="conll". Raises FormatError with every fault found, and
    for overlapping spans of which the settings ask for layers but do not say for which one.
    """
    imported = read_layers(inputs, settings, **changes)
    if not imported.layers:
        return imported
    if len(imported.layers) == 1:
        return replace(imported, corpus=imported.layers[0].corpus)
    shown = " or ".join(f"{layer.name} ({layer.n_spans:,} spans)" for layer in imported.layers)
    what = f"overlapping spans make {len(imported.layers)} layers"
    advice = Advice("say which one with {types}: {0}", shown, types="")
    raise FormatError(Problem(what, ", ".join(file.name for file in imported.report.files), advice=advice))


def read_layers(
    inputs: Input | Iterable[Input], settings: ReadSettings | None = None, **changes: Any
) -> Imported:
    """The same, and with `overlaps="layers"` every layer in `layers`."""
    chosen = replace(settings or ReadSettings(), **changes)
    if chosen.format is not None:
        find_format(chosen.format)
    with Collector(chosen) as collector, no_collection():
        loader = Loader(collector)
        try:
            for item in list_inputs(inputs):
                loader.load(item)
        except TooManyFaults:
            limit = chosen.limits.faults
            collector.problems.append(Problem(f"reading stopped after {limit:,} faults, correct these first"))
        return loader.finish()


def _matcher(collector: Collector, by_document: bool = False) -> "TextMatcher":
    from crowdseq.formats.conventions.matching import TextMatcher

    return TextMatcher(collector, by_document=by_document)


class Loader:
    """Sends the records of all inputs into one builder."""

    def __init__(self, collector: Collector) -> None:
        self.collector, self.settings = collector, collector.settings
        self.files_mean = (
            self.settings.files_mean
        )  # here what several files are, in a format what one of them is
        self.builder = CorpusBuilder(duplicates=self.settings.duplicates)
        self.labels: LabelSet | None = None
        if self.settings.labels is not None:
            from crowdseq.formats.conventions import names

            self.labels = names.LabelSet(self.settings)
        self.files: list[FileRead] = []
        self.documents: set[int] = set()
        self.cuts_documents = False
        self.matcher = None if self.settings.match == "id" else _matcher(collector)
        self.parts: PartDocuments | None = None

    def load(self, item: Source | Folder) -> None:
        try:
            if isinstance(item, Folder):
                self._load_folder(item)
            else:
                self._load_file(item)
        except FormatError as error:
            self.collector.fail(*error.problems)

    def _load_folder(self, folder: Folder) -> None:
        if self.files_mean == "part":
            # Ids that readers make up begin anew in every file.
            parts = {one.name: replace(one, prefix=f"{one.prefix}{one.stem}-") for one in folder.members}
            self._load_members(folder, parts)
            return
        form = find_format(self.settings.format) if self.settings.format else recognise_folder(folder)
        if form is not None and form.read_folder is not None:
            self.cuts_documents = self._cuts(form)
            n_records = sum(
                self._take(found, file) for file, found in form.read_folder(folder, self.collector)
            )
            self.files.append(FileRead(folder.name, form.name, n_records, 0, ""))
            self._tell_other_files(form, folder)
            return
        placed = self._placed(folder)
        kept = self.matcher
        if placed and kept is None:  # annotators of one document may have other sentences of it
            self.matcher = _matcher(self.collector, by_document=True)
        self._load_members(folder, placed)
        self.matcher = kept

    def _load_members(self, folder: Folder, placed: Mapping[str, Source]) -> None:
        n_read = len(self.files)
        for member in folder.members:
            try:
                self._load_member(placed.get(member.name, member))
            except FormatError as error:
                self.collector.fail(*error.problems)
        if len(self.files) == n_read and not self.collector.problems:
            raise FormatError(Problem(why_nothing_is_known(folder), folder.name))

    def _placed(self, folder: Folder) -> dict[str, Source]:
        """Files of columns by name, with annotator and document, where the folders around them tell."""
        is_deep = any(PurePath(m.name).parent != PurePath(folder.name) for m in folder.members)
        if not is_deep and self.files_mean not in ("document", "gold"):
            return {}
        from crowdseq.formats.conventions.layout import place_files

        return place_files(folder, beginnings(folder, self.settings), self.collector)

    def _tell_other_files(self, form: Format, folder: Folder) -> None:
        what = f"files of a folder were left out, which is read as {form.name}: name them too to read them"
        for member in form.other_files(folder) if form.other_files is not None else ():
            self.collector.warn(f"files-beside-{form.name}", what, Problem("", member.name))

    def _load_member(self, member: Source) -> None:
        """A file of a folder, which may be something else that lies there too."""
        with open_source(member, self.settings.limits) as stream:
            sample = sample_of(stream, self.settings.encoding)
            likely, _ = looks_like(sample)
            if self.settings.format is None and (likely is None or not likely.has_labels):
                what = "files in a folder were left out, their format is not known"
                self.collector.warn("files-left-out", what, Problem("", member.name))
                return
            self._load_stream(stream, member, sample)

    def _load_file(self, source: Source) -> None:
        with open_source(source, self.settings.limits) as stream:
            if is_archive(stream.head) and not is_spreadsheet(stream.head):
                from crowdseq.formats.files.archives import open_archive

                folder = open_archive(stream, source, self.settings.limits)
                self.collector.bound_records(stream.n_bytes)
                self._load_folder(folder)
                self.collector.bound_records(None)
            else:
                self._load_stream(stream, source, sample_of(stream, self.settings.encoding))

    def _load_stream(self, stream: Stream, source: Source, sample: Sample) -> None:
        form = find_format(self.settings.format) if self.settings.format else recognise(sample, self.settings)
        if form.read is None:
            raise FormatError(Problem(f"a file cannot be read as {form.name}, {form.summary}", source.name))
        self.cuts_documents = self._cuts(form)
        if self._is_part(source):
            self._begin_part(source.name)
        is_alone = source.opener is None  # the members of an archive are bounded together
        n_records, n_faults = 0, len(self.collector.problems) + self.collector.n_rejected
        try:
            for found in form.read(stream, source, self.collector):
                if is_alone:
                    self.collector.bound_records(stream.n_bytes, n_records)
                n_records += self._take(found, stream.name)
            if len(self.collector.problems) + self.collector.n_rejected > n_faults:
                self._doubt_format(form, sample, source)
        except FormatError as error:
            self.collector.fail(*error.problems)
        self.files.append(FileRead(source.name, form.name, n_records, stream.n_bytes, stream.sha256))

    def _is_part(self, source: Source) -> bool:
        """Whether a file holds whole documents."""
        means = self.files_mean
        return means == "part" or (source.is_part and means == "auto")

    def _begin_part(self, name: str) -> None:
        """From here on, no document of another part may go on."""
        if self.parts is None:
            from crowdseq.formats.conventions.part_documents import PartDocuments

            self.parts = PartDocuments()
        self.parts.begin(name)

    def _doubt_format(self, form: Format, sample: Sample, source: Source) -> None:
        """After faults: say so when the file looks like something else than it was read as."""
        doubt = doubt_of(form, sample, self.settings)
        if doubt is not None and self.collector.problems:
            self.collector.problems.append(replace(doubt, file=source.name))
        elif doubt is not None:
            self.collector.warn("format-in-doubt", doubt.what, Problem("", source.name), advice=doubt.advice)

    def _cuts(self, form: Format) -> bool:
        """Whether records of this format are documents that may have to be cut into sentences."""
        return "sentences" in form.settings and self.settings.sentences not in ("document", "newline")

    def _in_sentences(self, corpus: Corpus) -> Corpus:
        if not self.documents:
            return corpus
        from crowdseq.formats.spans.documents import in_sentences

        return in_sentences(corpus, self.documents, self.collector)

    def _take(self, found: ReadRecord, file: str) -> bool:
        """Whether a record could be added."""
        self.collector.count_record(file)
        record = found.record
        try:
            if self.settings.renames:
                from crowdseq.formats.conventions.names import renamed

                record = renamed(record, self.settings)
            if self.matcher is not None:
                record = self.matcher.matched(record, file, found.line)
            if self.settings.normalise == "nfc" and TEXT not in record.extras:
                from crowdseq.formats.conventions.names import in_normal_form

                place = Problem("", file, found.line, record.id or "")
                record = in_normal_form(record, self.collector, place)
            if self.labels is not None:
                self.labels.check(record, Problem("", file, found.line, record.id or ""))
            number = self._add(self._aligned(record, file, found.line))
            if self.cuts_documents:
                self.documents.add(number)
        except InputError as error:
            problem = problem_of(error, file, found.line, record.id or "")
            if self.files and problem.what.startswith(_OTHER_TEXT):
                problem = replace(problem, what=f"{problem.what};", advice=_JOIN_BY_TEXT)
            self.collector.reject(problem, found.raw)
            return False
        if self.parts is not None:
            self.parts.note(record.doc, found.line)
        return True

    def _add(self, record: Record) -> int:
        """The number that the record has in the builder."""
        return self.builder.add(record)

    def _aligned(self, record: Record, file: str, line: int) -> Record:
        """The record on the tokens that its sentence already has, where only the cuts between them differ."""
        held = self.builder.tokens_of(record.id) if record.id is not None else None
        if record.id is not None and held is not None and TEXT in record.extras:
            from crowdseq.formats.spans.kept_text import check_same_text

            check_same_text(record.extras, self.builder.extras_of(record.id))
        if held is None or list(held) == list(record.tokens):
            return record
        from crowdseq.formats.spans.realign import realigned

        return realigned(record, held, self.collector, Problem("", file, line, record.id or ""))

    def _tell_unused(self) -> None:
        names = list(dict.fromkeys(file.format for file in self.files))
        for setting in unused_settings(self.settings, map(find_format, names)) if names else ():
            told = f"{{{setting}}} is not used by {{0}} and changed nothing"
            advice = Advice(told, ", ".join(names), **{setting: ""})
            kind = f"unused-{setting.replace('_', '-')}"
            self.collector.warn(kind, "a setting was given for nothing:", advice=advice)

    def _layers(self, corpus: Corpus) -> "tuple[Layer, ...]":
        if not self.settings.in_layers:
            return ()
        from crowdseq.formats.spans.overlaps import split_layers

        return split_layers(corpus, self.collector)

    def check_all(self) -> None:
        """What can only be told when all was read; raises if anything was wrong."""
        if self.labels is not None and self.settings.on_error == "stop":
            self.collector.problems.extend(self.labels.unknown())
        if self.parts is not None:
            self.collector.problems.extend(self.parts.problems())
        self.collector.check_layer()
        self.collector.check_types()
        self._tell_unused()
        if self.collector.problems:
            self.collector.finish()

    @property
    def file_names(self) -> str:
        """The files that were read, for messages about all of them."""
        shown = ", ".join(file.name for file in self.files[:_SHOWN_FILES])
        return shown + (", …" if len(self.files) > _SHOWN_FILES else "")

    def finish(self) -> Imported:
        self.check_all()
        try:
            self.collector.check_labels(self.builder.n_labels)
            corpus = self.builder.build(self.settings.scheme or self.collector.noted_scheme, respells=True)
        except (SchemeError, AnnotationError) as error:
            raise FormatError(problem_of(error, self.file_names)) from None
        if self.settings.labels is not None:
            from crowdseq.formats.conventions.names import widen

            corpus = widen(corpus, self.settings.labels)
        corpus = self._in_sentences(corpus)
        layers = self._layers(corpus)
        if len(layers) > 1:
            shown = "; ".join(f"{layer.name} ({layer.n_spans:,} spans)" for layer in layers)
            self.collector.warn("layers", f"overlapping spans make {len(layers)} layers of types: {shown}")
        if len(self.files) > 1:
            look_at_equal_texts(corpus, self.collector)
        report = inspect(corpus, self.builder, self.collector)
        rejects = self.collector.finish() if self.collector.n_rejected else None
        return Imported(corpus, replace(report, files=tuple(self.files), rejects_file=rejects), layers)
