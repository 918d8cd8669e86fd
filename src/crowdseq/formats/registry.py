"""All formats by name, and which of them a file is in."""

from crowdseq.errors import FormatError, Problem, SettingsError
from crowdseq.formats.files.inputs import Folder
from crowdseq.formats.format import BY_NAME, NO, Format, Sample
from crowdseq.formats.tools import mturk
from crowdseq.formats.tools.argilla import records as argilla
from crowdseq.formats.tools.brat import folder as brat
from crowdseq.formats.tools.conll import answers, columns_file, conll_u, mace_csv
from crowdseq.formats.tools.conll import folder as conll_folder
from crowdseq.formats.tools.doccano import jsonl as doccano
from crowdseq.formats.tools.doccano import zip_export as doccano_zip
from crowdseq.formats.tools.huggingface import folder as datasets_folder
from crowdseq.formats.tools.huggingface import parquet
from crowdseq.formats.tools.inception import project as inception
from crowdseq.formats.tools.inception import uima_cas, webanno_tsv
from crowdseq.formats.tools.label_studio import conll2003, csv_export, json_min, tasks
from crowdseq.formats.tools.long_table import csv_file as long_csv
from crowdseq.formats.tools.long_table import parquet as long_parquet
from crowdseq.formats.tools.native import consensus_jsonl, crowd_jsonl, plain_text
from crowdseq.formats.tools.prodigy import jsonl as prodigy
from crowdseq.formats.tools.spacy import docbin

FORMATS: dict[str, Format] = {
    module.FORMAT.name: module.FORMAT
    for module in (
        crowd_jsonl,
        consensus_jsonl,
        answers,  # before conll, which some of its files resemble
        columns_file,
        conll_folder,
        plain_text,
        long_csv,
        mace_csv,
        conll_u,
        brat,
        webanno_tsv,
        uima_cas,
        inception,
        mturk,
        parquet,
        long_parquet,
        datasets_folder,
        docbin,
        tasks,
        json_min,
        csv_export,
        conll2003,
        doccano,
        doccano_zip,
        argilla,
        prodigy,
    )
}

_PACKED = {
    b"BZh": "packed with bzip2",
    b"\xfd7zXZ\x00": "packed with xz",
    b"\x28\xb5\x2f\xfd": "packed with zstd",
    b"7z\xbc\xaf": "packed with 7z",
}


def list_formats() -> tuple[Format, ...]:
    """Every format there is."""
    return tuple(FORMATS.values())


def find_format(name: str) -> Format:
    """The format of a name."""
    if name not in FORMATS:
        raise SettingsError(f"format '{name}' is unknown, choose one of {', '.join(FORMATS)}")
    return FORMATS[name]


def looks_like(sample: Sample) -> tuple[Format | None, int]:
    """The likeliest format of a file, and how sure that is."""
    best = max(FORMATS.values(), key=lambda form: form.recognise(sample) if form.read else NO)
    certainty = best.recognise(sample) if best.read else NO
    return (best, certainty) if certainty > NO else (None, NO)


def recognise(sample: Sample) -> Format:
    """The likeliest format; an error says what was seen instead."""
    found, _ = looks_like(sample)
    if found is not None:
        return found
    for mark, what in _PACKED.items():
        if sample.head.startswith(mark):
            raise FormatError(Problem(f"is {what}, which cannot be read here: unpack it first", sample.name))
    if "<View" in sample.text and "</View>" in sample.text:
        what = "is a labelling interface of Label Studio and holds no labels: give the export as JSON"
        raise FormatError(Problem(what, sample.name))
    if not sample.text.strip():
        raise FormatError(Problem("is empty, and its name does not tell a format", sample.name))
    start = sample.text.lstrip()[:40]
    if "\0" in start or start.count("\ufffd") > 2:
        what = "is neither text nor a binary format that is known here: export it as JSON, CSV or Parquet"
        raise FormatError(Problem(what, sample.name))
    known = ", ".join(name for name, form in FORMATS.items() if form.read)
    raise FormatError(
        Problem(
            f"the format cannot be told, it begins with {start!a}: say it with --from ({known})", sample.name
        )
    )


def recognise_folder(folder: Folder) -> Format | None:
    """The format that takes this folder as one thing, if any does."""
    for form in FORMATS.values():
        if form.recognise_folder is not None and form.recognise_folder(folder) > BY_NAME:
            return form
    return None


def format_for_writing(name: str, path: str) -> Format:
    """The format asked for, or the one that the name of the file tells."""
    if name:
        return find_format(name)
    if path == "-":
        return FORMATS["jsonl"]
    if path.endswith("/"):
        return FORMATS["conll-folder"]
    plain = path.lower().removesuffix(".gz")
    fitting = [form for form in FORMATS.values() if any(plain.endswith(f".{end}") for end in form.extensions)]
    if not fitting:
        known = ", ".join(form for form, found in FORMATS.items() if found.write or found.write_folder)
        raise SettingsError(f"the name {path} does not tell a format, say it with --to ({known})")
    return fitting[0]
