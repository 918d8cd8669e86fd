"""All formats by name, loaded when they are needed, and which of them a file is in."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from importlib import import_module

from crowdseq.errors import Advice, FormatError, Problem, SettingsError
from crowdseq.formats.files.lines import head_text
from crowdseq.formats.files.sources import HEAD_BYTES, Folder, Stream, open_source
from crowdseq.formats.format import BY_NAME, LIKELY, NO, SURE, Format, Sample
from crowdseq.formats.settings import ReadSettings

# Where each format is defined, below `crowdseq.formats.tools`. Of formats that are equally sure of a file the
# first one is taken, so the order matters.
_WHERE = {
    "jsonl": "native.jsonl:FORMAT",
    "consensus": "native.jsonl:CONSENSUS_FORMAT",
    "shards": "native.shards:FORMAT",
    "answers": "conll.answers:FORMAT",  # before conll, which some of its files resemble
    "conll": "conll.columns_file:FORMAT",
    "conll-folder": "conll.writing:FOLDER_FORMAT",
    "text": "native.plain_text:FORMAT",
    "long": "long_table.csv_file:FORMAT",
    "xlsx": "long_table.spreadsheet:FORMAT",
    "mace": "conll.mace_csv:FORMAT",
    "conll-u": "conll.conll_u:FORMAT",
    "brat": "brat.folder:FORMAT",
    "webanno-tsv": "inception.single_files:TSV_FORMAT",
    "uima-cas": "inception.single_files:CAS_FORMAT",
    "inception": "inception.project:FORMAT",
    "mturk": "mturk:FORMAT",
    "parquet": "huggingface.parquet:FORMAT",
    "long-parquet": "huggingface.parquet:LONG_FORMAT",
    "datasets": "huggingface.parquet:FOLDER_FORMAT",
    "dataset-jsonl": "huggingface.json_rows:FORMAT",
    "docbin": "spacy.docbin:FORMAT",
    "label-studio": "label_studio.tasks:FORMAT",
    "label-studio-min": "label_studio.rows:MIN_FORMAT",
    "label-studio-csv": "label_studio.rows:CSV_FORMAT",
    "label-studio-conll": "label_studio.conll2003:FORMAT",
    "doccano": "doccano.jsonl:FORMAT",
    "doccano-zip": "doccano.jsonl:ZIP_FORMAT",
    "argilla": "argilla.records:FORMAT",
    "prodigy": "prodigy.jsonl:FORMAT",
}
# Those that take a whole folder as one thing: only these are asked about a folder.
_OF_FOLDERS = ("shards", "brat", "inception", "datasets")
# Those that `tag` puts tags into: only these are asked about a file to be tagged.
_CARRYING = ("jsonl", "conll", "text")
_OF_LONG_TABLES = ("task=", "sentence=", "worker=")
_PACKED = {
    b"BZh": "packed with bzip2",
    b"\xfd7zXZ\x00": "packed with xz",
    b"\x28\xb5\x2f\xfd": "packed with zstd",
    b"7z\xbc\xaf": "packed with 7z",
}
_OLE_MARK = b"\xd0\xcf\x11\xe0"  # what Office wrote before 2007


@cache
def _loaded(where: str) -> Format:
    module, _, attribute = where.partition(":")
    found: Format = getattr(import_module(f"crowdseq.formats.tools.{module}"), attribute)
    return found


class _Formats(Mapping[str, Format]):
    """Every format by its name; its module is imported when it is first asked for."""

    def __getitem__(self, name: str) -> Format:
        return _loaded(_WHERE[name])

    def __iter__(self) -> Iterator[str]:
        return iter(_WHERE)

    def __len__(self) -> int:
        return len(_WHERE)


FORMATS: Mapping[str, Format] = _Formats()


def list_formats() -> tuple[Format, ...]:
    """Every format there is."""
    return tuple(FORMATS.values())


def find_format(name: str) -> Format:
    """The format of a name."""
    if name not in FORMATS:
        raise SettingsError(f"format '{name}' is unknown, choose one of {', '.join(FORMATS)}")
    return FORMATS[name]


def sample_of(stream: Stream, encoding: str | None) -> Sample:
    """What a stream begins with."""
    return Sample(stream.name, stream.head, head_text(stream, encoding), len(stream.head) < HEAD_BYTES)


@lru_cache(maxsize=2)  # a file is asked about more than once
def looks_like(sample: Sample) -> tuple[Format | None, int]:
    """The likeliest format of a file, and how sure that is.

    The first of the surest: nothing can come before one that is SURE, so those behind it are not even loaded.
    """
    best, certainty = None, NO
    for form in FORMATS.values():
        sure = form.recognise(sample) if form.read is not None else NO
        if sure > certainty:
            best, certainty = form, sure
        if certainty == SURE:
            break
    return best, certainty


def recognise(sample: Sample, settings: ReadSettings) -> Format:
    """The likeliest format; an error says what was seen instead. The columns that the user names may tell."""
    likely, _ = looks_like(sample)
    if (likely is None or likely.name == "conll") and are_long(settings.columns):
        return FORMATS["long"]
    if likely is not None:
        return likely
    for mark, what in _PACKED.items():
        if sample.head.startswith(mark):
            raise FormatError(Problem(f"is {what}, which cannot be read here: unpack it first", sample.name))
    if sample.head.startswith(_OLE_MARK):
        raise FormatError(Problem("is a file of old Office (.xls), save it as .xlsx or CSV", sample.name))
    if "<View" in sample.text and "</View>" in sample.text:
        what = "is a labelling interface of Label Studio and holds no labels: give the export as JSON"
        raise FormatError(Problem(what, sample.name))
    if not sample.text.strip():
        raise FormatError(Problem("is empty, and its name does not tell a format", sample.name))
    start = sample.text.lstrip()[:40]
    if "\0" in start or start.count("\ufffd") > 2:
        what = "is neither text nor a binary format that is known here: export it as JSON, CSV or Parquet"
        raise FormatError(Problem(what, sample.name))
    _refuse_table(sample)
    if '"entities"' in sample.text and start.startswith("["):
        what = "is training data of spaCy as pairs: write each as a line of JSON, "
        raise FormatError(Problem(what + '{"text": …, "entities": [[start, end, "PER"], …]}', sample.name))
    if '"paragraphs"' in sample.text and '"orth"' in sample.text:
        what = "is training data of spaCy 2: turn it into a DocBin with `python -m spacy convert FILE .`"
        raise FormatError(Problem(what, sample.name))
    if start in ("[]", "{}"):
        raise FormatError(Problem("holds no record, there is nothing to read", sample.name))
    known = ", ".join(name for name, form in FORMATS.items() if form.read)
    what = f"the format cannot be told, it begins with {start!a}:"
    raise FormatError(
        Problem(what, sample.name, advice=Advice("say it with {format} ({0})", known, format=""))
    )


def doubt_of(form: Format, sample: Sample, settings: ReadSettings) -> Problem | None:
    """What to say where a file that had faults looks like something else than it was read as."""
    likely, certainty = looks_like(sample)
    if likely is not None and likely is not form and certainty >= LIKELY:
        what = f"looks like {likely.name}, not {form.name}:"
        return Problem(what, advice=Advice("force the right one with {format}", format=""))
    if settings.format is None and certainty < LIKELY:
        what = f"was read as {form.name} because of its name:"
        return Problem(what, advice=Advice("if it is something else, say so with {format}", format=""))
    return None


def beginnings(folder: Folder, settings: ReadSettings) -> dict[str, str]:
    """How the texts of files begin, by their names, for formats in which that tells what files share."""
    texts: dict[str, str] = {}
    for member in folder.members:
        with suppress(FormatError), open_source(member, settings.limits) as stream:
            sample = sample_of(stream, settings.encoding)
            form = find_format(settings.format) if settings.format else looks_like(sample)[0]
            text = form.text_of(sample) if form is not None and form.text_of is not None else None
            if text is not None:
                texts[member.name] = text
    return texts


def are_long(columns: Sequence[str] | None) -> bool:
    """Whether the user names columns of a long table, such as `worker=rater`."""
    return any(column.startswith(_OF_LONG_TABLES) for column in columns or ())


def _refuse_table(sample: Sample) -> None:
    """A table whose columns have names that nobody could know: tell which are needed."""
    from crowdseq.formats.table_io.csv_rows import header_of
    from crowdseq.formats.table_io.long_columns import are_offsets, spans_refused

    first, second = header_of(sample.text), header_of("\n".join(sample.lines[1:3]))
    if are_offsets(first):
        raise FormatError(spans_refused(first, sample.name))
    if len(first) > 1 and len(first) == len(second) and not first[0].startswith(("{", "[", "<")):
        what = f"is a table with columns {', '.join(first[:10])}, of which nobody can tell what they hold:"
        if len(first) == 2:
            what = f"is a table with columns {', '.join(first)} and none for the sentence: add one, or part "
            what += "columns by tabs and sentences by blank lines"
            raise FormatError(Problem(what, sample.name, 1))
        shown = "sentence=…,token=…,worker=…,label=…"
        advice = Advice("say it with {columns}", columns=shown)
        raise FormatError(Problem(what, sample.name, 1, advice=advice))


def recognise_folder(folder: Folder) -> Format | None:
    """The format that takes this folder as one thing, if any does."""
    for name in _OF_FOLDERS:
        form = FORMATS[name]
        if form.recognise_folder is not None and form.recognise_folder(folder) > BY_NAME:
            return form
    return None


def recognise_to_carry(sample: Sample) -> Format | None:
    """The format in which a file can be tagged as it stands, or None."""
    best, certainty = None, NO
    for form in map(FORMATS.__getitem__, _CARRYING):
        sure = form.carrier.recognise(sample) if form.carrier is not None else NO
        if sure > certainty:
            best, certainty = form, sure
    if best is not None and best.name == "jsonl" and certainty < SURE:
        likely, sure = looks_like(sample)  # objects of another tool
        return best if likely is None or sure <= BY_NAME else None
    return best


def format_for_writing(name: str, path: str) -> Format:
    """The format asked for, or the one that the name of the file tells."""
    if name:
        return find_format(name)
    if path == "-":
        return FORMATS["jsonl"]
    if path.endswith("/"):
        return FORMATS["conll-folder"]
    plain = path.lower().removesuffix(".gz")
    for form in FORMATS.values():
        if any(plain.endswith(f".{end}") for end in form.extensions):
            return form
    known = ", ".join(able for able, form in FORMATS.items() if form.write or form.write_folder)
    advice = Advice("say it with {target} ({0})", known, target="").or_in_python("say it with format= ({0})")
    raise SettingsError(f"the name {path} does not tell a format", advice)
