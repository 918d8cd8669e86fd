"""What is said of a crowd reaches those who should read it: on the terminal, in the folder, on the page."""

import json
import re
from html import unescape
from pathlib import Path

import pytest

from crowdseq.evaluation.remarks import remarks_before
from crowdseq.formats import write
from journeys.conftest import Shell
from remark_worlds import KINDS, told_of


@pytest.mark.parametrize("kind", KINDS)
def test_a_remark_is_printed_kept_and_shown(kind: str, shell: Shell, tmp_path: Path) -> None:
    told = told_of(kind)
    write(told.shown, tmp_path / "crowd.jsonl")
    checked = shell("check", "crowd.jsonl")
    learned = shell("learn", "crowd.jsonl", "-m", told.method, "--no-tagger", "-o", "run")
    assert (checked.code, learned.code) == (0, 0), checked.err + learned.err
    remarks = json.loads((tmp_path / "run" / "metrics.json").read_text("utf-8"))["remarks"]
    texts = [one["text"] for one in remarks if one["kind"] == kind]
    assert texts
    page = unescape(re.sub(r"<[^>]*>", "", (tmp_path / "run" / "report.html").read_text("utf-8")))
    for text in texts:
        assert text in learned.out + learned.err
        assert text in page
    foretold = [one.text for one in remarks_before(told.shown) if one.kind == kind]
    assert bool(foretold) == told.before
    assert all(text in checked.out for text in foretold)


def test_all_kinds_are_in_the_documentation() -> None:
    page = (Path(__file__).parents[2] / "docs" / "crowds.md").read_text("utf-8")
    table = page[page.index("| kind | when |") : page.index("are warnings, the others notes")]
    assert re.findall(r"^\| `([a-z-]+)` \|", table, re.MULTILINE) == list(KINDS)
