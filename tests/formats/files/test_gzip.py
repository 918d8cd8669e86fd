"""Gzip, whole and broken, and bombs."""

import gzip
import os
import random
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdseq.errors import FormatError
from crowdseq.formats.files.sources import Source, open_source, unpack
from crowdseq.formats.settings import Limits


def unpacked(data: bytes, limits: Limits | None = None) -> bytes:
    with open_source(Source("f.gz", "f", data=data), limits or Limits()) as stream:
        return b"".join(stream.blocks())


@given(st.lists(st.binary(max_size=200), min_size=1, max_size=4), st.integers(0, 9), st.integers(0, 700))
def test_members_are_joined_and_padding_is_ignored(members: list[bytes], level: int, padding: int) -> None:
    data = b"".join(gzip.compress(member, level) for member in members) + b"\0" * padding
    assert unpacked(data) == b"".join(members)


@given(st.binary(max_size=500), st.integers(1, 9))
def test_blocks_of_any_size_give_the_same(data: bytes, size: int) -> None:
    packed = gzip.compress(data) + gzip.compress(data)
    pieces = [packed[place : place + size] for place in range(0, len(packed), size)]
    pieces.reverse()
    assert b"".join(unpack(lambda _: pieces.pop() if pieces else b"", "f", Limits())) == data * 2


@pytest.mark.parametrize("cut", [1, 5, 8, 20])
def test_data_that_is_cut_off_is_refused(cut: int) -> None:
    with pytest.raises(FormatError, match=r"^f.gz: the gzip data is cut off, fetch the file again$"):
        unpacked(gzip.compress(os.urandom(1000))[:-cut])


def test_a_flipped_bit_is_found_by_the_check_sum() -> None:
    data = bytearray(gzip.compress(os.urandom(10_000)))
    data[5_000] ^= 1
    with pytest.raises(FormatError, match=r"^f.gz: the gzip data is damaged \("):
        unpacked(bytes(data))


def test_something_else_behind_the_data_is_refused() -> None:
    with pytest.raises(FormatError, match="something that is not gzip follows"):
        unpacked(gzip.compress(b"a") + b"not gzip")


def test_a_bomb_is_refused_by_its_ratio_before_it_is_unpacked() -> None:
    """10 GB of zeros would follow if it were not stopped; here they are never made."""
    squeeze = zlib.compressobj(9, zlib.DEFLATED, 31)
    bomb = b"".join(squeeze.compress(b"\0" * (1 << 20)) for _ in range(200)) + squeeze.flush()
    with pytest.raises(FormatError, match="unpacks to more than 50 times its size, as a gzip bomb does"):
        unpacked(bomb)


def test_the_ratio_is_not_looked_at_in_small_files() -> None:
    assert len(unpacked(gzip.compress(b"\0" * (1 << 20)))) == 1 << 20


def test_the_ceiling_of_bytes_holds_for_data_that_packs_badly() -> None:
    data = random.Random(0).randbytes(3 << 20)
    with pytest.raises(FormatError, match="unpacks to more than 2,000,000 bytes"):
        unpacked(gzip.compress(data, 1), Limits(unpacked_bytes=2_000_000))


def test_many_members_do_not_get_around_the_ceiling() -> None:
    with pytest.raises(FormatError, match="unpacks to more than 1,000 bytes"):
        unpacked(gzip.compress(b"a" * 100) * 11, Limits(unpacked_bytes=1000))
