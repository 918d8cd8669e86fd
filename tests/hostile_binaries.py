"""Hostile files in formats that other people's libraries parse, and a sound file of every format to damage."""

import io
import random
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

from builders import corpus
from crowdseq.formats import write
from hostile_files import CONLL_U, DOCCANO, LINE, WEBANNO, Hostile, add, brat, cas, lines, xmi, zipped

EXPORTS = Path(__file__).parent / "formats" / "exports" / "two-annotators"


@cache
def written(form: str) -> bytes:
    """A small corpus as we write it ourselves."""
    with tempfile.TemporaryDirectory() as folder:
        made = corpus("Ada/B-PER/B-PER/O slept/O/O/O", "in/O/O/O Paris/B-LOC/B-LOC/B-LOC", docs=["d", "d"])
        write(made, Path(folder) / "f", format=form)
        return (Path(folder) / "f").read_bytes()


def export(name: str) -> Callable[[], bytes]:
    return (EXPORTS / name).read_bytes


def sheet(rows: list[list[Any]]) -> bytes:
    from openpyxl import Workbook

    book, out = Workbook(), io.BytesIO()
    for row in rows:
        book.active.append(row)
    book.save(out)
    return out.getvalue()


def arrow(rows: dict[str, list[Any]], *, as_file: bool = True) -> bytes:
    import pyarrow as pa

    table, out = pa.table(rows), io.BytesIO()
    make = pa.ipc.new_file if as_file else pa.ipc.new_stream
    with make(out, table.schema) as writer:
        writer.write_table(table)
    return out.getvalue()


ROWS: dict[str, list[Any]] = {
    "tokens": [["Ada", "slept"]] * 5,
    "ner_tags": [["B-PER", "O"]] * 5,
    "annotator": list("vwxyz"),
}
TABLE = [["sentence", "token", "annotator", "label"], ["a", "Ada", "w", "B-PER"], ["a", "slept", "w", "O"]]
# Name of the file and what it holds, for every format that is read.
SEEDS: dict[str, tuple[str, Callable[[], bytes]]] = {
    "jsonl": ("a.jsonl", lambda: LINE * 3),
    "consensus": (
        "a.jsonl",
        lambda: lines([{"id": "a", "tokens": ["x"], "labels": ["O"], "confidence": [0.5]}]),
    ),
    "answers": ("answers.txt", lambda: b"EU ? B-ORG O\nrejects ? O O\n\nAda B-PER ? ?\n"),
    "conll": ("a.conll", export("conll/ann1.conll")),
    "text": ("a.txt", lambda: b"Ada slept.\n\nIn Paris\n"),
    "long": ("a.csv", export("crowd-kit/long.csv")),
    "xlsx": ("a.xlsx", lambda: sheet(TABLE)),
    "mace": ("a.csv", lambda: b"B-PER,,O\nI-PER,O,\n\n,B-LOC,B-LOC\n"),
    "conll-u": ("a.conllu", lambda: CONLL_U),
    "brat": (
        "a.zip",
        lambda: brat(b"Ada slept", b"T1\tPER 0 3\tAda\nT2\tLOC 0 1;4 9\tA slept\n#1\tNote T1\tx\n"),
    ),
    "webanno-tsv": ("a.tsv", export("inception/d1/ann1.tsv")),
    "uima-cas": ("a.json", export("uima-cas-json/d1/ann1.json")),
    "inception": ("a.zip", lambda: zipped({"d/v.tsv": WEBANNO.encode(), "d/w.tsv": WEBANNO.encode()})),
    "xmi": ("a.zip", xmi),
    "mturk": ("a.csv", export("mturk/batch.csv")),
    "parquet": ("a.parquet", lambda: written("parquet")),
    "long-parquet": ("a.parquet", lambda: written("long-parquet")),
    "arrow-file": ("a.arrow", lambda: arrow(ROWS)),
    "arrow-stream": ("a.arrow", lambda: arrow(ROWS, as_file=False)),
    "datasets": (
        "a.zip",
        lambda: zipped({"data.arrow": arrow(ROWS, as_file=False), "dataset_info.json": b"{}"}),
    ),
    "docbin": ("a.spacy", lambda: written("docbin")),
    "label-studio": ("a.json", export("label-studio/export.json")),
    "label-studio-min": ("a.json", export("label-studio/export.JSON_MIN.json")),
    "label-studio-csv": ("a.csv", export("label-studio/export.csv")),
    "label-studio-conll": ("a.conll", export("label-studio/export.CONLL2003.conll")),
    "doccano": ("a.jsonl", export("doccano/ann1.jsonl")),
    "doccano-zip": ("a.zip", lambda: zipped({"v.jsonl": DOCCANO, "w.jsonl": DOCCANO})),
    "argilla": ("a.json", export("argilla/records.to_list.json")),
    "prodigy": ("a.jsonl", export("prodigy/export.jsonl")),
}
IN_A_WORKER = (
    "xlsx",
    "xmi",
    "uima-cas",
    "parquet",
    "long-parquet",
    "arrow-file",
    "arrow-stream",
    "datasets",
    "docbin",
)
SCRAPS = (
    b"\0",
    b"\n",
    b"\r",
    b'"',
    b"{",
    b"]",
    b"\\",
    b"\xe9",
    b"\xff\xff\xff\x7f",
    b"\t",
    b"?",
    b"NaN",
    b"-1",
    b"9" * 25,
    b"|",
)


def damaged(data: bytes, draw: random.Random) -> bytes:
    """The data with some of its bits, bytes or stretches changed, lost, doubled or moved."""
    made = bytearray(data)
    for _ in range(draw.choice((1, 1, 1, 2, 4, 16))):
        place = draw.randrange(len(made) + 1)
        how = draw.randrange(7)
        size = draw.choice((1, 2, 4, 8, 64))
        if how < 2 and made:
            made[place % len(made)] ^= 1 << draw.randrange(8)
        elif how == 2:
            made[place:place] = draw.choice(SCRAPS)
        elif how == 3:
            del made[place : place + size]
        elif how == 4:
            made[place : place + size] = draw.randbytes(size)
        elif how == 5:
            made[place:place] = made[place : place + size]
        elif draw.random() < 0.5:
            del made[place:]
    return bytes(made)


def damages(n_of_each: int) -> Iterator[tuple[str, Hostile]]:
    """Sound files with damage, always the same; fewer of those that a worker parses."""
    for form, (name, make) in SEEDS.items():
        is_dear = form in IN_A_WORKER
        for what in ("cut",) if is_dear else tuple(CHANGES):
            yield f"{form}_{what}", Hostile(name, partial(_changed, make, CHANGES[what]), "either")
        for seed in range(1 if is_dear else n_of_each):
            yield f"{form}_damaged_{seed}", Hostile(name, partial(_drawn, make, f"{form} {seed}"), "either")


CHANGES: dict[str, Callable[[bytes], bytes]] = {
    "cut": lambda data: data[: len(data) * 2 // 3],
    "cut_early": lambda data: data[: len(data) // 7],
    "with_nuls": lambda data: data.replace(b"a", b"\0", 3),
    "with_surrogates": lambda data: data.replace(b"d", b"\xed\xa0\x80", 2),
}


def _changed(make: Callable[[], bytes], change: Callable[[bytes], bytes]) -> bytes:
    return change(make())


def _drawn(make: Callable[[], bytes], seed: str) -> bytes:
    return damaged(make(), random.Random(seed))


def _docbin(tokens: int, documents: int) -> bytes:
    import spacy
    from spacy.tokens import Doc, DocBin

    vocabulary = spacy.vocab.Vocab()
    held = DocBin(attrs=["ORTH", "ENT_IOB", "ENT_TYPE"])
    for _ in range(documents):
        held.add(Doc(vocabulary, words=["x"] * tokens))
    return held.to_bytes()


def _parquet_of_texts() -> bytes:
    """One long text, named by number two million times: a megabyte that unpacks to terabytes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    index = pa.array([0] * 20_000, pa.int32())
    words = pa.DictionaryArray.from_arrays(index, pa.array(["x" * 500_000]))
    out = io.BytesIO()
    pq.write_table(pa.table({"tokens": words, "ner_tags": words}), out, compression="zstd")
    return out.getvalue()


def _lying_arrow() -> bytes:
    """Offsets of a list that point behind its values."""
    made = bytearray(
        arrow({"tokens": [["Ada", "slept"]] * 50, "ner_tags": [["B-PER", "O"]] * 50}, as_file=False)
    )
    at = made.index((2).to_bytes(4, "little") + (4).to_bytes(4, "little") + (6).to_bytes(4, "little"))
    made[at : at + 4] = (0x7FFFFF00).to_bytes(4, "little")
    return bytes(made)


def _wide_sheet() -> bytes:
    """A sheet with one cell in the last row and column that there is."""
    made = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(sheet(TABLE))) as source,
        zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as out,
    ):
        for entry in source.infolist():
            data = source.read(entry)
            if entry.filename.endswith("sheet1.xml"):
                far = b'<row r="1048576"><c r="XFD1048576" t="n"><v>1</v></c></row></sheetData>'
                data = data.replace(b"</sheetData>", far)
            out.writestr(entry.filename, data)
    return made.getvalue()


def _laughing_sheet() -> bytes:
    made = io.BytesIO()
    laughs = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "haha">' + b"".join(
        b'<!ENTITY %c "%s">' % (98 + n, b"&%c;" % (97 + n) * 10) for n in range(12)
    ) + b'<!ENTITY z SYSTEM "file:///etc/passwd">]><sst><si><t>&m;&z;</t></si></sst>'  # fmt: skip
    with (
        zipfile.ZipFile(io.BytesIO(sheet(TABLE))) as source,
        zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as out,
    ):
        for entry in source.infolist():
            is_texts = entry.filename.endswith("sharedStrings.xml")
            out.writestr(entry.filename, laughs if is_texts else source.read(entry))
    return made.getvalue()


add("parquet_of_long_texts", "a.parquet", _parquet_of_texts)
add("arrow_offsets_that_lie", "a.arrow", _lying_arrow, says="damaged")
add(
    "parquet_header_alone", "a.parquet", b"PAR1" + b"\x15\x04" * 500 + b"\xff\xff\xff\x7fPAR1", says="damaged"
)
add(
    "arrow_stream_of_rubbish",
    "a.arrow",
    b"\xff\xff\xff\xff" + random.Random(1).randbytes(9000),
    says="damaged",
)
add("arrow_stream_that_asks_for_gigabytes", "a.arrow", b"\xff\xff\xff\xff\xff\xff\xff\x7f" + bytes(1000))
add("docbin_of_documents", "a.spacy", lambda: _docbin(0, 20_000), "either")
add("docbin_bomb", "a.spacy", lambda: zlib.compress(b"0" * (30 << 20)), says="unpacks to")
add(
    "docbin_of_rubbish",
    "a.spacy",
    lambda: zlib.compress(random.Random(2).randbytes(9000)),
    says="not a DocBin",
)
add("sheet_with_a_far_cell", "a.xlsx", _wide_sheet, "either")
add("sheet_that_laughs", "a.xlsx", _laughing_sheet, "either")
add("cas_of_nothing", "a.json", cas([]), "either")
