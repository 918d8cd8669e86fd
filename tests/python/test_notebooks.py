"""The notebooks of the manual run from top to bottom, and show what they promise."""

from pathlib import Path
from typing import Any

import pytest

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
MOST_LINES = 12


def test_there_is_a_notebook() -> None:
    assert [path.name for path in NOTEBOOKS] == ["from-a-data-frame.ipynb"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_answers(path: Path) -> None:
    book = nbformat.read(path, as_version=4)
    nbformat.validate(book)
    for cell in book.cells:
        assert cell.cell_type == "markdown" or (cell.outputs == [] and cell.execution_count is None)


def _texts(book: Any, kind: str) -> list[str]:
    outputs = [one for cell in book.cells if cell.cell_type == "code" for one in cell.outputs]
    return [one.data[kind] for one in outputs if kind in one.get("data", {})]


# What the client of kernels deprecates is its own affair.
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pandas")
    for name in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    book = nbformat.read(path, as_version=4)
    resources = {"metadata": {"path": str(tmp_path)}}
    done = nbclient.NotebookClient(book, timeout=240, kernel_name="python3", resources=resources).execute()
    pages = "".join(_texts(done, "text/html"))
    for shown in ("Corpus: 150 sentences", "Consensus: 150 sentences", "8 annotators against the consensus"):
        assert shown in pages
    said = [one.text for cell in done.cells for one in cell.get("outputs", []) if one.get("name") == "stderr"]
    assert said == []
    learning = next(cell for cell in done.cells if "crowdseq.learn(" in cell.source)
    told = "".join(one.text for one in learning.outputs if one.output_type == "stream")
    assert len(told.splitlines()) <= MOST_LINES
    assert (tmp_path / "first-run" / "report.html").stat().st_size > 10_000
    assert (tmp_path / "first-tagger" / "model.json").exists()
