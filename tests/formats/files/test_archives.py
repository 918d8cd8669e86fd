"""ZIP files: read in memory like folders, refused when they are not what an honest tool writes."""

import io
import stat
import struct
import time
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from crowdseq.formats import Limits, read
from file_fixtures import Faults, Put

LINE = '{"id": "s1", "tokens": ["Ada"], "annotations": {"w": ["O"]}}\n'


def packed(files: dict[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content, compress_type=method)
    return out.getvalue()


@pytest.mark.parametrize(
    "method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
)
def test_members_are_read_like_the_files_of_a_folder(put: Put, method: int) -> None:
    second = LINE.replace("w", "v")
    imported = read(put("c.zip", packed({"a/one.jsonl": LINE, "b/two.jsonl": second}, method)))
    assert imported.corpus.annotators == ("v", "w")
    assert [file.name for file in imported.report.files] == ["c.zip/a/one.jsonl", "c.zip/b/two.jsonl"]


def test_bytes_and_other_names_are_recognised_by_their_content(put: Put) -> None:
    assert len(read(packed({"c.jsonl": LINE})).corpus) == 1
    assert len(read(put("thing", packed({"c.jsonl": LINE}))).corpus) == 1


def test_hidden_files_and_those_of_the_finder_are_left_out(put: Put) -> None:
    files: dict[str, str | bytes] = {"__MACOSX/._c.jsonl": b"\0", ".DS_Store": b"\0", "c.jsonl": LINE}
    assert read(put("c.zip", packed(files))).report.findings == ()


def test_nothing_is_ever_written_beside_the_archive(put: Put, tmp_path: Path) -> None:
    read(put("c.zip", packed({"a/c.jsonl": LINE})))
    assert [path.name for path in tmp_path.iterdir()] == ["c.zip"]


def test_a_fault_names_the_member_and_its_line(faults: Faults) -> None:
    (found,) = faults("c.zip", packed({"a.jsonl": LINE + '{"tokens": 3, "gold": null}\n'}))
    assert found == "c.zip/a.jsonl:2: 'tokens' must be a list of texts"


@pytest.mark.parametrize(
    "name", ["../x.jsonl", "a/../../x.jsonl", "/etc/x.jsonl", "C:\\x.jsonl", "..\\x.jsonl"]
)
def test_a_member_that_would_leave_its_folder_is_refused(faults: Faults, tmp_path: Path, name: str) -> None:
    (found,) = faults("c.zip", packed({"good.jsonl": LINE, name: LINE}))
    assert found == f"c.zip: holds a file that would leave its folder ({name!a}), do not trust it"
    assert [path.name for path in tmp_path.iterdir()] == ["c.zip"]


def test_a_symbolic_link_is_refused(faults: Faults) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        link = zipfile.ZipInfo("link.jsonl")
        link.create_system, link.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    (found,) = faults("c.zip", out.getvalue())
    assert found == "c.zip: holds a symbolic link ('link.jsonl'), pack the file itself"


def test_an_encrypted_member_is_refused(faults: Faults) -> None:
    data = bytearray(packed({"c.jsonl": LINE}))
    entry = data.index(b"PK\x01\x02")
    for place in (6, entry + 8):  # the flags in the header of the file and in the list at the end
        struct.pack_into("<H", data, place, 1)
    (found,) = faults("c.zip", bytes(data))
    assert found == "c.zip: is encrypted ('c.jsonl'), unpack it with its password first"


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_that_stands_twice_is_refused(faults: Faults) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("c.jsonl", LINE)
        archive.writestr("c.jsonl", LINE.replace("O", "B-X"))
    (found,) = faults("c.zip", out.getvalue())
    assert found == "c.zip: holds the file 'c.jsonl' twice, do not trust it"


def test_a_bomb_is_refused_before_it_has_gone_off(faults: Faults) -> None:
    data = packed({"c.jsonl": bytes(8 << 20)})
    limits = Limits(ratio_after=1 << 20, ratio=200)
    tracemalloc.start()
    (found,) = faults("c.zip", data, limits=limits, format="jsonl")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert "unpacks to more than 200 times its size, as a ZIP bomb does; unpack it yourself" in found
    assert peak < 6 << 20


def test_many_members_that_are_small_alone_are_a_bomb_together(faults: Faults) -> None:
    data = packed({f"{number}.jsonl": LINE * 50 for number in range(20)})
    found = faults("c.zip", data, limits=Limits(unpacked_bytes=40_000))
    assert any(
        "unpacks to more than 40,000 bytes, unpack it yourself and split it" in fault for fault in found
    )


def test_the_size_that_an_archive_claims_is_not_believed(faults: Faults) -> None:
    data = bytearray(packed({"c.jsonl": bytes(4 << 20)}))
    entry = data.index(b"PK\x01\x02")
    for place in (22, entry + 24):  # the unpacked size, in both places
        struct.pack_into("<I", data, place, 10)
    found = faults("c.zip", bytes(data), format="jsonl", limits=Limits(unpacked_bytes=1 << 20))
    assert found[0].startswith("c.zip/c.jsonl: the ZIP is damaged here (")


def test_more_members_than_the_limit_are_refused_without_listing_them(faults: Faults) -> None:
    data = packed({f"{number}.jsonl": "" for number in range(30)})
    (found,) = faults("c.zip", data, limits=Limits(members=20))
    assert found == "c.zip: holds 30 files, more than 20: split it"


def test_a_million_entries_are_refused_at_once(faults: Faults) -> None:
    entry = b"PK\x01\x02" + bytes(42)
    data = b"PK\x03\x04" + entry * 1_000_000 + b"PK\x05\x06" + bytes(18)
    start = time.process_time()
    (found,) = faults("c.zip", data)
    assert found == "c.zip: holds 1,000,000 files, more than 100,000: split it"
    assert time.process_time() - start < 5


@pytest.mark.parametrize("cut", [10, 40, 90, -1])
def test_a_damaged_archive_is_named(faults: Faults, cut: int) -> None:
    found = faults("c.zip", packed({"c.jsonl": LINE * 9})[:cut])
    assert found[0].startswith("c.zip: the ZIP is damaged (")


def test_a_damaged_member_is_named(faults: Faults) -> None:
    data = packed({"c.jsonl": LINE * 9}, zipfile.ZIP_STORED)
    (found,) = faults("c.zip", data.replace(b"Ada", b"Eve", 1))
    assert found.startswith("c.zip/c.jsonl: the ZIP is damaged here (Bad CRC-32")


def test_an_empty_archive_holds_nothing(faults: Faults) -> None:
    (found,) = faults("c.zip", packed({}))
    assert found == "c.zip: is empty, there is nothing to read"


def test_a_file_without_a_name_is_refused(faults: Faults) -> None:
    (fault,) = faults("x.zip", packed({"": LINE}))
    assert fault == "x.zip: holds a file without a name, do not trust it"
