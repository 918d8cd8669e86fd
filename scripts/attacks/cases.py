"""Every kind of damage to a file: its bytes, its values, its lines, its tensors."""

import gzip
import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import safe_open
from safetensors.numpy import save_file

Case = tuple[str, Callable[[Path], object]]
# Values that no key of ours may have all of; each key gets each of them.
WRONG_VALUES: tuple[Any, ...] = (
    None, True, -1, 10**30, 0.5, float("nan"), "", "x", [], [1], ["x"], {}, {"x": 1},
)  # fmt: skip
_GONE = object()


def file_cases(folder: Path, other: Path, names: tuple[str, ...]) -> Iterator[Case]:
    for name in names:
        if (folder / name).exists():
            yield from _byte_cases(name, (folder / name).read_bytes(), other)
            if name.endswith(".json"):
                yield from _json_cases(name, json.loads((folder / name).read_text("utf-8")))
            elif name.endswith((".jsonl", ".jsonl.gz")):
                yield from _line_cases(name, folder / name)
            elif name.endswith(".safetensors"):
                yield from _tensor_cases(name, folder / name)


def _byte_cases(name: str, content: bytes, other: Path) -> Iterator[Case]:
    size = len(content)
    middle = bytearray(content)
    middle[size // 2] ^= 1
    swapped = {
        "empty": b"", "one byte less": content[:-1], "half": content[: size // 2],
        "garbage": os.urandom(size), "nul bytes": bytes(size), "a bit": bytes(middle),
        "more at the end": content + b"\n{}\n",
        "twice": content * 2, "not UTF-8": b"\xff\xfe" + content, "a number": b"3", "null": b"null",
        "deep": b"[" * 100_000, "a list": b"[]", "an object": b"{}",
    }  # fmt: skip
    for what, data in swapped.items():
        yield f"{name}: {what}", lambda run, data=data: (run / name).write_bytes(data)  # type: ignore[misc]
    yield f"{name}: missing", lambda run: (run / name).unlink()

    def instead(run: Path, make: Callable[[Path], object]) -> None:
        (run / name).unlink()
        make(run / name)

    yield f"{name}: a folder", lambda run: instead(run, Path.mkdir)
    yield f"{name}: a pipe", lambda run: instead(run, os.mkfifo)
    yield f"{name}: a link to nowhere", lambda run: instead(run, lambda path: path.symlink_to("nowhere"))
    if (other / name).exists():
        yield f"{name}: of another run", lambda run: shutil.copy(other / name, run / name)


def _json_cases(name: str, content: Any) -> Iterator[Case]:
    def write(run: Path, value: Any) -> None:
        (run / name).write_text(json.dumps(value), encoding="utf-8")

    for path in list(_paths(content))[:60]:
        for value in (*WRONG_VALUES, _GONE):
            changed = _with(content, path, value)
            if changed != content or value is _GONE:
                shown = "gone" if value is _GONE else repr(value)
                yield (
                    f"{name}: {'.'.join(map(str, path))} is {shown}",
                    lambda run, changed=changed: write(  # type: ignore[misc]
                        run, changed
                    ),
                )


def _paths(content: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Keys of objects to two levels, and the first entry of lists."""
    if isinstance(content, dict) and len(above) < 3:
        for key, value in content.items():
            yield (*above, key)
            yield from _paths(value, (*above, key))
    elif isinstance(content, list) and content and len(above) < 3:
        yield (*above, 0)


def _with(content: Any, path: tuple[Any, ...], value: Any) -> Any:
    changed = json.loads(json.dumps(content))
    inner = changed
    for key in path[:-1]:
        inner = inner[key]
    if value is _GONE:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return changed


def _line_cases(name: str, path: Path) -> Iterator[Case]:
    packed = name.endswith(".gz")
    raw = gzip.decompress(path.read_bytes()) if packed else path.read_bytes()
    lines = raw.splitlines(keepends=True)

    def write(run: Path, changed: list[bytes]) -> None:
        data = b"".join(changed)
        (run / name).write_bytes(gzip.compress(data, mtime=0) if packed else data)

    orders = {
        "reversed": lines[::-1], "first two exchanged": [lines[1], lines[0], *lines[2:]],
        "first line gone": lines[1:], "last line gone": lines[:-1],
        "a middle line gone": lines[:9] + lines[10:], "a line twice": [*lines[:3], *lines[2:]],
        "all but one gone": lines[:1], "an empty line": [*lines, b"\n"],
    }  # fmt: skip
    for what, changed in orders.items():
        yield f"{name}: {what}", lambda run, changed=changed: write(run, changed)  # type: ignore[misc]
    first = json.loads(lines[2])
    for key in first:
        for value in (*WRONG_VALUES, _GONE):
            line = json.dumps(_with(first, (key,), value)).encode() + b"\n"
            changed = [*lines[:2], line, *lines[3:]]
            shown = "gone" if value is _GONE else repr(value)
            yield f"{name}: {key} of a line is {shown}", lambda run, changed=changed: write(run, changed)  # type: ignore[misc]


def _tensor_cases(name: str, path: Path) -> Iterator[Case]:
    with safe_open(str(path), framework="numpy") as file:
        arrays = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118
        texts = dict(file.metadata() or {})

    def write(run: Path, changed: dict[str, Any]) -> None:
        save_file(changed, run / name, texts or None)

    for what, changed in _changed_arrays(arrays):
        yield f"{name}: {what}", lambda run, changed=changed: write(run, changed)  # type: ignore[misc]
    yield f"{name}: no tensors", lambda run: write(run, {})
    yield f"{name}: other texts", lambda run: save_file(arrays, run / name, {"run": "x"})


def old_checkpoint_cases(path: Path) -> Iterator[Case]:
    """The same without a digest, as 0.1.0 kept it."""
    with safe_open(str(path), framework="numpy") as file:
        arrays = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118
        texts = {"run": (file.metadata() or {})["run"]}
    for what, changed in [("as it was", arrays), *_changed_arrays(arrays)]:
        yield (
            f"old checkpoint: {what}",
            lambda part, changed=changed: save_file(  # type: ignore[misc]
                changed, part / path.name, texts
            ),
        )


def _changed_arrays(arrays: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for key in list(arrays)[:6]:
        array = arrays[key]
        changes: dict[str, Any] = {
            "float32": array.astype(np.float32), "int64": np.zeros(array.shape, np.int64),
            "shorter": array[:-1].copy(), "flat": array.reshape(-1).copy(),
            "one more axis": array[None].copy(), "empty": array[:0].copy(),
            "reversed": array[::-1].copy(), "float16": array.astype(np.float16),
            "bool": np.zeros(array.shape, np.bool_), "a scalar": np.array(1.0),
        }  # fmt: skip
        if array.dtype.kind == "f":
            changes |= {"NaN": np.full_like(array, np.nan), "infinite": np.full_like(array, np.inf)}
            changes |= {"negative": -np.abs(array) - 1.0, "halved": array / 2}
        else:
            changes |= {"far too large": np.full_like(array, 100), "zero": np.zeros_like(array)}
        for what, changed in changes.items():
            if what != "reversed" or not np.array_equal(changed, array):
                yield f"'{key}' {what}", {**arrays, key: changed}
        yield f"'{key}' gone", {one: value for one, value in arrays.items() if one != key}
        yield f"'{key}' renamed", {("x" if one == key else one): value for one, value in arrays.items()}
