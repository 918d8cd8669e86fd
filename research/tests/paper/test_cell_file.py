"""A file of cells: what was finished is kept, what was cut off is left out, what is wrong is told."""

from pathlib import Path

import pytest

from crowdseq.errors import FormatError
from crowdseq_research.cells.cell_file import CellFile, compute_missing, key_of


def test_a_cut_last_line_is_left_out_and_stays_out_of_the_way(tmp_path: Path) -> None:
    file = CellFile(tmp_path / "cells.jsonl")
    file.append({"key": {"a": 1}, "f1": 0.5})
    with file.path.open("a") as half:
        half.write('{"key": {"a": 2}, "f')
    assert list(file.load()) == [key_of({"a": 1})]
    file.append({"key": {"a": 3}, "f1": 0.7})
    assert set(file.load()) == {key_of({"a": 1}), key_of({"a": 3})}


def test_a_last_line_that_lacks_only_its_end_is_kept(tmp_path: Path) -> None:
    file = CellFile(tmp_path / "cells.jsonl")
    file.path.write_text('{"key": {"a": 1}}')
    file.append({"key": {"a": 2}})
    assert set(file.load()) == {key_of({"a": 1}), key_of({"a": 2})}


def test_a_broken_line_with_others_after_it_is_told(tmp_path: Path) -> None:
    file = CellFile(tmp_path / "cells.jsonl")
    file.path.write_text('{"key": {"a": 1}}\nnonsense [\n{"key": {"a": 2}}\n')
    with pytest.raises(FormatError, match=r"cells\.jsonl:2: is no cell"):
        file.load()


@pytest.mark.parametrize(
    "line",
    [b"[1, 2]", b"5", b'{"key": 5}', b"\xff\xfe", b'{"key": {}}', b'{"key": {}, "tagger": {"f1": "abc"}}'],
)
def test_every_line_that_is_no_cell_is_told(tmp_path: Path, line: bytes) -> None:
    file = CellFile(tmp_path / "cells.jsonl", scored=("tagger",))
    good = b'{"key": {"a": 1}, "tagger": {"f1": 0.5}}'
    file.path.write_bytes(b"\n".join([good, line, line, good, b""]))
    with pytest.raises(FormatError, match=r"cells\.jsonl:2: is no cell") as told:
        file.load()
    assert [problem.line for problem in told.value.problems] == [2, 3]


def test_the_order_of_a_key_does_not_matter() -> None:
    assert key_of({"a": 1, "b": 2}) == key_of({"b": 2, "a": 1})


def test_only_missing_cells_are_computed(tmp_path: Path) -> None:
    file, computed = CellFile(tmp_path / "cells.jsonl"), list[int]()

    def compute(key: object) -> dict[str, int]:
        computed.append(key["a"])  # type: ignore[index]
        return {"f1": 0}

    keys = [{"a": 1}, {"a": 2}]
    compute_missing(file, keys[:1], compute, lambda *_: None)
    compute_missing(file, keys, compute, lambda *_: None)
    assert computed == [1, 2]
