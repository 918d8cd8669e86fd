"""Things that people or attackers hand over by mistake or on purpose: each ends in one line that helps."""

import gzip
import os
import zipfile
import zlib
from pathlib import Path

import pytest

from file_fixtures import Faults, Put

LINE = b'{"id":1,"text":"Ada slept","label":[[0,3,"PER"]]}\n'


def packed(tmp_path: Path, members: dict[str, bytes]) -> bytes:
    path = tmp_path / "packed"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path.read_bytes()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("photo.png", b"\x89PNG\r\n\x1a\n\0\0\0\r", "is neither text nor a binary format that is known here"),
        ("empty.json", b"", "is empty, and its name does not tell a format"),
        ("null.json", b"null", "the format cannot be told, it begins with 'null'"),
        ("interface.xml", b"<View><Text/></View>", "is a labelling interface of Label Studio"),
        ("a.jsonl.zst", b"\x28\xb5\x2f\xfd\0\0", "is packed with zstd, which cannot be read here"),
        ("cut.jsonl.gz", gzip.compress(LINE * 100, mtime=0)[:-20], "the gzip data is cut off"),
        ("bomb.spacy", zlib.compress(b"0" * (60 << 20)), "unpacks to more than"),
        ("raw.jsonl", LINE.replace(b"Ada", b"A\0a"), "not JSON (Invalid control character at column 18)"),
        ("quote.csv", b'task,worker,label\n"d:0,w,O\n', "not CSV (unexpected end of data)"),
        (
            "far.csv",
            b"task,worker,label\nd:5000000,w,O\n",
            "token 5000000 is named, but the table has only 1",
        ),
        ("fake.parquet", b"PAR1" + b"\1" * 90 + b"PAR1", "the Parquet or Arrow data is damaged"),
    ],
)
def test_a_file_that_is_something_else_is_called_so(
    faults: Faults, name: str, content: bytes, message: str
) -> None:
    if name.endswith(".parquet"):
        pytest.importorskip("pyarrow")
    if name.endswith(".spacy"):
        pytest.importorskip("spacy")
    assert message in faults(name, content)[-1]


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"../a.jsonl": LINE}, "holds a file that would leave its folder ('../a.jsonl'), do not trust it"),
        ({"/etc/a.jsonl": LINE}, "holds a file that would leave its folder"),
        ({"C:\\a.jsonl": LINE}, "holds a file that would leave its folder"),
        ({"inner.zip": b"PK\3\4"}, "holds no file in a known format, only inner.zip"),
        (
            {"[Content_Types].xml": b"<T/>", "xl/w.xml": b"<w/>"},
            "is an Office document, save the sheet as CSV",
        ),
        ({}, "is empty, there is nothing to read"),
    ],
)
def test_an_archive_of_the_wrong_kind_is_called_so(
    faults: Faults, tmp_path: Path, members: dict[str, bytes], message: str
) -> None:
    assert message in faults("c.zip", packed(tmp_path, members))[0]


def test_of_a_folder_of_mixed_things_what_is_known_is_read(put: Put, faults: Faults) -> None:
    for name, content in {
        "ann.jsonl": LINE,
        "photo.png": b"\x89PNG\r\n\x1a\n\0\0",
        "README.md": b"# about\n",
        "wide.conll": "Ada B-PER\n".encode("utf-16"),
    }.items():
        put(f"mixed/{name}", content)
    assert faults("mixed") == [
        "mixed/wide.conll:1: byte 1 is not utf-8, the file looks like utf-16: say encoding='utf-16'"
    ]


def test_links_that_lead_nowhere_or_in_circles_are_no_trap(put: Put, faults: Faults, tmp_path: Path) -> None:
    put("d/a.jsonl", LINE)
    os.symlink(".", tmp_path / "d/circle")
    os.symlink("nowhere", tmp_path / "d/b.jsonl")
    assert faults("d") == ["d/b.jsonl: there is no such file"]
