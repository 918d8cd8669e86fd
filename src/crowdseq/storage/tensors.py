"""Arrays in safetensors files, read with every fault told as one line."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from crowdseq.errors import Advice, FormatError, Problem

# What crowdseq writes; a file with any other kind of number is not ours.
_KINDS = frozenset({"BOOL", "U8", "I8", "I16", "U16", "I32", "U32", "I64", "U64", "F32", "F64"})


@dataclass(frozen=True)
class TensorFile:
    """The arrays of a file by name, and the texts that came with them."""

    path: Path
    arrays: Mapping[str, NDArray[Any]]
    texts: Mapping[str, str]
    advice: Advice

    def take(self, name: str, kind: str, shape: tuple[int | None, ...]) -> NDArray[Any]:
        """The array of that name, kind (numpy's letter and size, "f8") and shape; None is any length."""
        if name not in self.arrays:
            raise self.fault(f"tensor '{name}' is missing")
        found = self.arrays[name]
        fits = len(found.shape) == len(shape) and all(
            wanted in (None, size) for size, wanted in zip(found.shape, shape, strict=True)
        )
        if found.dtype != np.dtype(kind) or not fits:
            wanted = " x ".join("any" if size is None else str(size) for size in shape)
            raise self.fault(
                f"tensor '{name}' is {found.dtype} {found.shape}, expected {np.dtype(kind)} ({wanted})"
            )
        return found

    def fault(self, what: str) -> FormatError:
        return FormatError(Problem(what, str(self.path), advice=self.advice))


def read_tensors(path: Path, advice: Advice) -> TensorFile:
    """All arrays of a file; anything but a whole safetensors file is a FormatError with this advice."""
    found = TensorFile(path, {}, {}, advice)
    if not path.is_file():
        raise found.fault("is no file" if path.exists() else "is missing")
    try:
        with safe_open(str(path), framework="numpy") as file:
            names = list(file.keys())
            for name in names:
                kind = file.get_slice(name).get_dtype()
                if kind not in _KINDS:
                    raise found.fault(f"tensor '{name}' is of the kind {kind}, which crowdseq does not write")
            arrays = {name: file.get_tensor(name) for name in names}
            return TensorFile(path, arrays, dict(file.metadata() or {}), advice)
    except SafetensorError as error:
        raise found.fault(f"is no whole safetensors file ({error})") from None
    except OSError as error:
        raise found.fault(f"cannot be read ({error.strerror or error})") from None


def encode_tensors(arrays: Mapping[str, NDArray[Any]], texts: Mapping[str, str] | None = None) -> bytes:
    """The content of a safetensors file."""
    whole = {name: np.ascontiguousarray(value) for name, value in arrays.items()}
    return bytes(save(whole, dict(texts) if texts else None))
