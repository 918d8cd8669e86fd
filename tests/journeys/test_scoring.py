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
