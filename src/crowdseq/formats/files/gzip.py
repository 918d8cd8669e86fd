"""Gzip unpacked block by block under ceilings, so that a bomb is refused before it has gone off."""

import zlib
from collections.abc import Callable, Iterator

from crowdseq.errors import FormatError, Problem
from crowdseq.formats.settings import Limits

GZIP_MARK = b"\x1f\x8b"
BLOCK_BYTES = 1 << 16
_GZIP_WINDOW = 31  # zlib's way to say: gzip header and check sum, largest window


def unpack(read: Callable[[int], bytes], name: str, limits: Limits) -> Iterator[bytes]:
    """The unpacked blocks of gzip data; one file may hold several members, one after the other."""
    packed, unpacked = 0, 0

    def more() -> bytes:
        nonlocal packed
        data = read(BLOCK_BYTES)
        packed += len(data)
        return data

    member, data = zlib.decompressobj(_GZIP_WINDOW), more()
    while True:
        if not data:
            data = more()
            if not data:
                raise FormatError(Problem("the gzip data is cut off, fetch the file again", name))
        try:
            block = member.decompress(data, BLOCK_BYTES)
        except zlib.error as error:
            raise FormatError(
                Problem(f"the gzip data is damaged ({error}), fetch the file again", name)
            ) from None
        unpacked += len(block)
        _check_size(unpacked, packed, name, limits)
        if block:
            yield block
        data = member.unconsumed_tail
        if member.eof:
            data = _next_member(member.unused_data, more, name)
            if not data:
                return
            member = zlib.decompressobj(_GZIP_WINDOW)


def _next_member(rest: bytes, more: Callable[[], bytes], name: str) -> bytes:
    """The beginning of the next member, or nothing at the end; padding with zeros is allowed."""
    rest = rest.lstrip(b"\0")
    while len(rest) < len(GZIP_MARK):
        data = more()
        if not data:
            break
        rest = (rest + data).lstrip(b"\0")
    if rest and not rest.startswith(GZIP_MARK):
        raise FormatError(Problem("something that is not gzip follows the gzip data, remove it", name))
    return rest


def _check_size(unpacked: int, packed: int, name: str, limits: Limits) -> None:
    if unpacked > limits.unpacked_bytes:
        raise FormatError(
            Problem(
                f"unpacks to more than {limits.unpacked_bytes:,} bytes, unpack it yourself and split it", name
            )
        )
    if unpacked > limits.ratio_after and unpacked > limits.ratio * packed:
        raise FormatError(
            Problem(
                f"unpacks to more than {limits.ratio} times its size, as a gzip bomb does, "
                "unpack it yourself if you trust it",
                name,
            )
        )
