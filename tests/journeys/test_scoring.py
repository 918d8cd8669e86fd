"""What was predicted is scored, not what it was made from."""

import json
from pathlib import Path

import pytest

from journeys.conftest import Shell


@pytest.mark.parametrize("more", [(), ("--confidence",)])
def test_what_tag_writes_is_scored_as_the_answer_of_the_tagger(
    shell: Shell, small_crowd: Path, tmp_path: Path, more: tuple[str, ...]
) -> None:
    assert shell("learn", str(small_crowd), "-m", "majority-vote", "-o", "run", "-q").code == 0
    tagged = shell("tag", "run", str(small_crowd), "--from", "jsonl", "-o", "tagged.jsonl", *more)
    assert tagged.code == 0, tagged.err
    given = [json.loads(line) for line in small_crowd.read_text("utf-8").splitlines()]
    found = [json.loads(line) for line in (tmp_path / "tagged.jsonl").read_text("utf-8").splitlines()]
    assert [line["id"] for line in found] == [line["id"] for line in given]
    pairs = [
        (tag, gold)
        for one, other in zip(found, given, strict=True)
        for tag, gold in zip(one["labels"], other["gold"], strict=True)
    ]
    scores = shell("evaluate", str(small_crowd), "tagged.jsonl", "--json").json
    right = sum(tag == gold for tag, gold in pairs) / len(pairs)
    assert scores["token_accuracy"] == pytest.approx(right)
    assert 0 < scores["f1"] < 1


def test_predictions_for_a_tool_are_scored_as_what_they_were_made_from(
    shell: Shell, small_crowd: Path
) -> None:
    shell("learn", str(small_crowd), "-m", "majority-vote", "-o", "run", "--no-tagger", "-q")
    shell("convert", "run", "--consensus", "-o", "tasks.json", "--to", "label-studio", "-q")
    told = shell("evaluate", str(small_crowd), "tasks.json", "-q")
    assert (told.code, "read them with --predictions" in told.err) == (3, True)
    read = shell("evaluate", str(small_crowd), "tasks.json", "--predictions", "--json", "-q")
    assert read.json == shell("evaluate", str(small_crowd), "run", "--json", "-q").json


@pytest.mark.parametrize("more", [(), ("--confidence",)])
def test_gold_columns_that_were_tagged_are_scored_as_typed(
    shell: Shell, small_crowd: Path, tmp_path: Path, more: tuple[str, ...]
) -> None:
    assert shell("learn", str(small_crowd), "-m", "majority-vote", "-o", "run", "-q").code == 0
    gold = [line for line in map(json.loads, small_crowd.read_text("utf-8").splitlines()) if line["gold"]]
    rows = [
        "".join(f"{t}\tX\tB-NP\t{g}\n" for t, g in zip(one["tokens"], one["gold"], strict=True))
        for one in gold
    ]
    (tmp_path / "gold.conll").write_text("-DOCSTART-\t-X-\t-X-\tO\n\n" + "\n".join(rows), "utf-8")
    assert shell("tag", "run", "gold.conll", "-o", "out.conll", *more).code == 0
    scored = shell("evaluate", "gold.conll", "out.conll", "--json")
    assert scored.code == 0, scored.err
    written = (tmp_path / "out.conll").read_text("utf-8").splitlines()
    pairs = [
        cells
        for cells in (row.split("\t") for row in written)
        if len(cells) > 1 and "-DOCSTART-" not in cells
    ]
    right = sum(cells[3] == cells[-1] for cells in pairs) / len(pairs)
    assert scored.json["token_accuracy"] == pytest.approx(right)


def test_folders_archives_and_other_tools_are_tagged_as_they_are(
    shell: Shell, small_crowd: Path, tmp_path: Path
) -> None:
    assert shell("learn", str(small_crowd), "-m", "majority-vote", "-o", "run", "-q").code == 0
    shapes = Path(__file__).resolve().parents[1] / "formats" / "shapes"
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "one.txt").write_text("Ada Byron met Bo.\nThey left Paris.\n")
    names = ["brat/folder-for-each-annotator", "doccano/export.zip", "prodigy/sessions.jsonl"]
    names += ["doccano/text-and-label/ana.jsonl", "conll/folder-for-each-worker"]
    for path in (*(str(shapes / name) for name in names), "texts"):
        tagged = shell("tag", "run", path)
        assert tagged.code == 0, tagged.err
        lines = [json.loads(line) for line in tagged.out.splitlines()]
        assert [line["tokens"][0] for line in lines] == ["Ada", "They"], path
        assert all(len(line["labels"]) == len(line["tokens"]) for line in lines)
        for span in (span for line in lines for span in line.get("spans", ())):
            assert 0 <= span["start"] < span["end"]
