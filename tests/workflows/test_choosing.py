"""Name maps, as a user writes them."""

from pathlib import Path

import pytest

from crowdseq.errors import FormatError
from crowdseq.workflows.reading import read_names


def names(folder: Path, text: str | bytes) -> tuple[dict[str, str], dict[str, str]]:
    path = folder / "names.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_names(str(path))


def test_two_cells_rename_an_annotator_and_a_third_a_document(tmp_path: Path) -> None:
    found = names(tmp_path, "\ufeffold,new\n11, ada\n\n1,d1,document\n12,bob,annotator\n")
    assert found == ({"11": "ada", "12": "bob"}, {"1": "d1"})


@pytest.mark.parametrize("line", ["a", "a,", ",b", "a,b,person", "a,b,document,c"])
def test_other_lines_are_refused_with_their_number(tmp_path: Path, line: str) -> None:
    with pytest.raises(FormatError, match=r"names\.csv:2: a name map has two columns"):
        names(tmp_path, f"x,y\n{line}\n")


def test_one_name_cannot_become_two(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"names\.csv:2: a has two new names, b and c: remove one"):
        names(tmp_path, "a,b\na,c\n")


def test_a_map_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot be opened"):
        read_names(str(tmp_path / "none.csv"))
    with pytest.raises(FormatError, match="is no CSV file in UTF-8"):
        names(tmp_path, b"\xff\xfea,b\n")
