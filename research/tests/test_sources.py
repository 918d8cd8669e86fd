"""The digest of sources hangs on what a method imports, and on nothing else; cells are told apart by it."""

from pathlib import Path
from typing import Any

import pytest

from crowdseq_research.cells import sources
from crowdseq_research.cells.again import again_table
from crowdseq_research.cells.sources import digest_of, is_of_other_sources, method_sources


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "room").mkdir()
    (tmp_path / "method.py").write_text("from crowdseq.room.sums import add\nimport numpy\n")
    (tmp_path / "room" / "__init__.py").write_text("")
    (tmp_path / "room" / "sums.py").write_text("def add():\n    from crowdseq import late\n")
    (tmp_path / "late.py").write_text("VALUE = 1\n")
    (tmp_path / "other.py").write_text("VALUE = 1\n")
    monkeypatch.setattr(sources, "_ROOT", tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("file", "changes"),
    [("method.py", True), ("room/sums.py", True), ("late.py", True), ("other.py", False)],
)
def test_a_digest_follows_what_is_imported(package: Path, file: str, changes: bool) -> None:
    before = digest_of("crowdseq.method")
    (package / file).write_text((package / file).read_text() + "CHANGED = 1\n")
    assert (digest_of("crowdseq.method") != before) == changes


def test_comments_and_docstrings_change_no_digest(package: Path) -> None:
    before = digest_of("crowdseq.method")
    sums = package / "room" / "sums.py"
    sums.write_text(f'"""Sums."""\n\n# why\n{sums.read_text()}')
    assert digest_of("crowdseq.method") == before


def test_methods_have_digests_of_their_own() -> None:
    assert method_sources("mace") != method_sources("ibcc")
    cell = {"key": {"method": "mace"}}
    assert is_of_other_sources(cell)
    assert not is_of_other_sources(cell | {"sources": method_sources("mace")})


def test_cells_that_differ_are_listed_with_both_figures() -> None:
    cells = [{"key": {"data": "x", "row": "mace", "draw": n}, "score": 0.5, "sources": "a"} for n in range(4)]

    def compute(key: Any) -> dict[str, Any]:
        return {"score": 0.5 if key["draw"] else 0.6, "sources": "a"}

    table = again_table(cells, compute, ("score", "tagger.f1"), (4, 0), lambda *_: None)
    told = {row[0]: row[1:] for row in table.rows}
    assert told["mace, x, draw = 0"] == (True, "score: 0.5 then, 0.6 now", False)
    assert told["mace, x, draw = 1"] == (True, "", True)
    again = again_table(cells, compute, ("score",), (2, 7), lambda *_: None)
    assert again == again_table(cells, compute, ("score",), (2, 7), lambda *_: None)
    assert len(again.rows) == 2
