"""Messages between us and a worker: their length, then msgpack, which holds values and never code."""

import struct
from typing import Any, BinaryIO

import msgspec

_LENGTH = struct.Struct(">Q")
_ENCODER = msgspec.msgpack.Encoder(enc_hook=str)  # what a table may hold beside texts and numbers


def send(out: BinaryIO, value: Any) -> None:
    """Write one message."""
    payload = _ENCODER.encode(value)
    out.write(_LENGTH.pack(len(payload)))
    out.write(payload)


def receive(source: BinaryIO, most_bytes: int) -> Any:
    """Read one message; EOFError if it never comes whole, ValueError if it is no message."""
    size = _LENGTH.unpack(_exactly(source, _LENGTH.size))[0]
    if size > most_bytes:
        raise ValueError(f"a message of {size:,} bytes")
    try:
        return msgspec.msgpack.decode(_exactly(source, size))
    except RecursionError:
        raise ValueError("a message that is nested too deep") from None


def _exactly(source: BinaryIO, size: int) -> bytes:
    """As many bytes; an unbuffered pipe gives them in pieces."""
    data = source.read(size)
    if len(data) == size:
        return data
    parts = [data]
    while data and (size := size - len(data)) > 0:
        data = source.read(size)
        parts.append(data)
    if not data:
        raise EOFError
    return b"".join(parts)
