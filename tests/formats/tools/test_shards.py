"""Folders of shards as input: damaged or made up ones end in one line."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import crowdseq
from crowdseq.engines.ordering import store_corpus
from crowdseq.errors import Advice, FormatError
from crowdseq.storage.manifest import Entry
from crowdseq.storage.mapped import map_tensors
from crowdseq.storage.tensors import encode_tensors

_SHARD = "shard-00001.safetensors"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    store_corpus(crowdseq.demo_corpus(), tmp_path / "shards", 2_000)
    return tmp_path / "shards"


def _forge(folder: Path, **changes: NDArray[Any] | None) -> None:
    """Other arrays in a shard, and an index that vouches for them."""
    path = folder / _SHARD
    arrays = {name: np.array(values) for name, values in map_tensors(path, Advice("")).arrays.items()}
    arrays |= {name: values for name, values in changes.items() if values is not None}
    for name in [name for name, values in changes.items() if values is None]:
        del arrays[name]
    path.write_bytes(encode_tensors(arrays))
    index = json.loads((folder / "index.json").read_bytes())
    index["shards"][1]["sha256"] = Entry.of(path).sha256
    (folder / "index.json").write_text(json.dumps(index))


def test_a_damaged_shard_is_named(folder: Path) -> None:
    (folder / _SHARD).write_bytes((folder / _SHARD).read_bytes()[:-1])
    with pytest.raises(FormatError, match=_SHARD):
        crowdseq.read(folder)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("tags", None),
        ("ids", None),
        ("offsets", lambda values: values[::-1].copy()),
        ("offsets", lambda values: values * 10**12),
        ("row_offsets", lambda values: np.r_[values[:-1], 10**15]),
        ("places", lambda values: values * 0),
        ("places", lambda values: values + 10**12),
        ("token_ids", lambda values: values + 10**6),
        ("voters", lambda values: values - 10**6),
        ("tags", lambda values: values + np.int16(1000)),
        ("document_of", lambda values: values + np.int32(10**8)),
        ("ids_bounds", lambda values: values[:3]),
        ("ids", lambda values: values * 0 + np.uint8(255)),
    ],
)
def test_a_shard_that_was_made_up_is_refused_in_one_line(folder: Path, name: str, change: Any) -> None:
    held = map_tensors(folder / _SHARD, Advice("")).arrays[name]
    _forge(folder, **{name: None if change is None else change(np.array(held))})
    with pytest.raises(FormatError) as caught:
        crowdseq.read(folder)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("sentences", [10**15, -1, 3])
def test_an_index_that_lies_is_refused(folder: Path, sentences: int) -> None:
    index = json.loads((folder / "index.json").read_bytes())
    index["shards"][1]["sentences"] = sentences
    (folder / "index.json").write_text(json.dumps(index))
    with pytest.raises(FormatError, match=_SHARD):
        crowdseq.read(folder)
