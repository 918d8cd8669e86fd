"""Arrays of safetensors files without reading them, and lists of texts as arrays."""

import json
import mmap
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crowdseq.errors import Advice
from crowdseq.storage.tensors import TensorFile

_KINDS = {
    "BOOL": "?",
    "U8": "u1",
    "I8": "i1",
    "I16": "i2",
    "U16": "u2",
    "I32": "i4",
    "U32": "u4",
    "I64": "i8",
    "U64": "u8",
    "F32": "f4",
    "F64": "f8",
}
_HEADER = 8  # bytes that tell how long the header is
_LONGEST_HEADER = 1 << 26


def map_tensors(path: Path, advice: Advice) -> TensorFile:
    """The arrays of a file, mapped into memory: pages are read when they are touched, and can be given back.

    They cannot be written to. Anything but a whole safetensors file is a FormatError with this advice.
    """
    empty = TensorFile(path, {}, {}, advice)
    try:
        with path.open("rb") as file:
            content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except FileNotFoundError:
        raise empty.fault("is missing") from None
    except (OSError, ValueError) as error:
        raise empty.fault(f"cannot be read ({getattr(error, 'strerror', None) or error})") from None
    try:
        return TensorFile(path, *_parts(content), advice)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise empty.fault(f"is no whole safetensors file ({error})") from None


def _parts(content: mmap.mmap) -> tuple[dict[str, NDArray[Any]], dict[str, str]]:
    length = int.from_bytes(content[:_HEADER], "little")
    if len(content) < _HEADER or length > min(_LONGEST_HEADER, len(content) - _HEADER):
        raise ValueError("its header is cut off")
    header = json.loads(content[_HEADER : _HEADER + length])
    texts = header.pop("__metadata__", {})
    first = _HEADER + length
    arrays = {name: _array(content, first, entry) for name, entry in header.items()}
    end = max((int(entry["data_offsets"][1]) for entry in header.values()), default=0)
    if first + end != len(content):
        raise ValueError("its end is cut off")
    return arrays, texts


def _array(content: mmap.mmap, first: int, entry: Mapping[str, Any]) -> NDArray[Any]:
    kind, shape = np.dtype(_KINDS[entry["dtype"]]), tuple(entry["shape"])
    begin, end = entry["data_offsets"]
    count = int(np.prod(shape, dtype=np.int64))
    if begin < 0 or end - begin != count * kind.itemsize or first + end > len(content):
        raise ValueError("an array does not lie in it")
    if count == 0:
        return np.zeros(shape, kind)
    return np.frombuffer(content, kind, count, first + begin).reshape(shape)


def pack_texts(name: str, texts: Sequence[str | None]) -> dict[str, NDArray[Any]]:
    """A list of texts, None among them, as three arrays under the name."""
    encoded = [b"" if text is None else text.encode("utf-8", "surrogatepass") for text in texts]
    bounds = np.zeros(len(encoded) + 1, np.int64)
    np.cumsum([len(one) for one in encoded], out=bounds[1:])
    return {
        name: np.frombuffer(b"".join(encoded), np.uint8),
        f"{name}_bounds": bounds,
        f"{name}_given": np.array([text is not None for text in texts], np.bool_),
    }


def unpack_texts(name: str, file: TensorFile) -> "tuple[str | None, ...]":
    """What `pack_texts` was given."""
    bounds = file.take(f"{name}_bounds", "i8", (None,))
    given = file.take(f"{name}_given", "?", (len(bounds) - 1,))
    content = file.take(name, "u1", (int(bounds[-1]),)).tobytes()
    cuts = bounds.tolist()
    try:
        found: Iterable[str] = (
            content[first:last].decode("utf-8", "surrogatepass") for first, last in pairwise(cuts)
        )
        return tuple(text if is_given else None for text, is_given in zip(found, given.tolist(), strict=True))
    except UnicodeDecodeError:
        raise file.fault(f"tensor '{name}' holds no texts") from None
