"""Rounds on disk: whole, of this run, and as they were kept."""

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from crowdseq.errors import FormatError, SettingsError
from crowdseq.workflows.checkpoints import Checkpoint

ARRAYS = {
    "unary": np.full((4, 3), 1 / 3),
    "said": np.zeros((4, 3)),
    "pairwise": np.zeros((2, 3, 3)),
    "weights": np.ones((2, 7)),
    "history": np.array([-3.0, -2.0]),
}


def test_what_was_kept_last_comes_back(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path / "run.part", "this")
    assert checkpoint.load() is None
    for factor in (1.0, 2.0):
        checkpoint.keep({name: factor * array for name, array in ARRAYS.items()})
    found = checkpoint.load()
    assert found is not None
    assert all(np.array_equal(found[name], 2.0 * array) for name, array in ARRAYS.items())
    assert [path.name for path in checkpoint.folder.iterdir()] == ["checkpoint.safetensors"]


def test_rounds_of_another_run_are_refused(tmp_path: Path) -> None:
    Checkpoint(tmp_path, "another").keep(ARRAYS)
    with pytest.raises(SettingsError, match="other data or settings, remove it to start anew"):
        Checkpoint(tmp_path, "this").load()


def test_a_changed_number_is_noticed(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path, "this")
    checkpoint.keep(ARRAYS)
    content = bytearray(checkpoint.path.read_bytes())
    content[-3] ^= 1
    checkpoint.path.write_bytes(content)
    with pytest.raises(FormatError, match=r"checkpoint.safetensors: was changed or damaged .*, remove it"):
        checkpoint.load()


def test_rounds_kept_by_an_earlier_version_are_read(tmp_path: Path) -> None:
    save_file(ARRAYS, tmp_path / "checkpoint.safetensors", {"run": "this"})
    found = Checkpoint(tmp_path, "this").load()
    assert found is not None
    assert found.keys() == ARRAYS.keys()


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("damage", ["gone", "flat", "float32", "no number"])
def test_damage_to_them_is_one_line(tmp_path: Path, name: str, damage: str) -> None:
    array = ARRAYS[name]
    changed = {
        "flat": array.reshape(-1, 1, 1, 1),
        "float32": array.astype(np.float32),
        "no number": np.full_like(array, np.nan),
    }
    arrays = {key: value for key, value in ARRAYS.items() if key != name}
    if damage != "gone":
        arrays[name] = changed[damage]
    save_file(arrays, tmp_path / "checkpoint.safetensors", {"run": "this"})
    with pytest.raises(FormatError, match=f"tensor '{name}' .*, remove it to start anew"):
        Checkpoint(tmp_path, "this").load()
