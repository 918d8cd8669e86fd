"""check ends with what to do next: learn, or mend what stands in the way, with the command that does it."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from crowdseq.cli.check import command

SHAPES = Path(__file__).resolve().parents[1] / "formats" / "shapes"


def check(*arguments: str) -> Result:
    return CliRunner().invoke(command, ["--quiet", *arguments])


def last_lines(*arguments: str) -> list[str]:
    result = check(*arguments)
    assert result.exit_code == 0, result.output
    return result.output.rstrip("\n").rsplit("\n\n", 1)[-1].split("\n")


def test_two_people_who_share_sentences_are_ready_to_be_learned_from() -> None:
    path = str(SHAPES / "crowdseq" / "crowd.jsonl")
    assert last_lines(path) == [f"ready to learn: crowdseq learn {path} --out run"]


@pytest.mark.parametrize(
    ("name", "what", "option"),
    [
        ("doccano/project-for-each-member", "the same texts have other ids", "--match text"),
        ("prodigy/file-for-each-person", "sessions are named by time", "--files-mean annotator"),
        ("conll/two-columns.conll", "all labels are gold", "--files-mean annotator"),
    ],
)
def test_what_stands_in_the_way_is_told_with_its_command(name: str, what: str, option: str) -> None:
    path = str(SHAPES / name)
    head, first, command, *_ = last_lines(path)
    assert head == "to mend before learning:"
    assert first.startswith(f"1. {what}")
    assert command == f"   crowdseq check {path} {option}"


def test_the_command_that_is_told_mends_what_it_says() -> None:
    path = str(SHAPES / "doccano" / "project-for-each-member")
    assert last_lines(path, "--match", "text")[0].startswith("ready to learn")


def test_what_was_said_of_the_files_before_stays_in_the_command() -> None:
    path = str(SHAPES / "label-studio" / "numbers.json")
    (line,) = last_lines(path, "--tokenizer", "whitespace")
    assert line == f"ready to learn: crowdseq learn {path} --tokenizer whitespace --out run"


def test_those_who_mark_nothing_make_no_crowd_that_agrees_by_chance(tmp_path: Path) -> None:
    """Two agree; that three others mark nothing is told of these, and nothing to be looked for in pairs."""
    tags = ["B-PER", "I-PER", "O"]
    votes = {"ana": tags, "bob": tags, **{name: ["O"] * 3 for name in ("cy", "di", "ed")}}
    lines = [
        json.dumps({"id": f"s{number}", "tokens": ["a", "b", "c"], "annotations": votes})
        for number in range(40)
    ]
    (tmp_path / "crowd.jsonl").write_text("\n".join(lines))
    output = check(str(tmp_path / "crowd.jsonl")).output
    assert output.count("marked nothing on 80 tokens that others marked") == 3
    assert "ready to learn" in output


def test_tags_that_fell_to_plain_come_first(tmp_path: Path) -> None:
    record = {
        "tokens": ["a", "b", "c"],
        "annotations": {"ana": ["B-PER", "None", "None"], "bob": ["O", "O", "O"]},
    }
    (tmp_path / "crowd.jsonl").write_text(json.dumps(record) + "\n")
    lines = last_lines(str(tmp_path / "crowd.jsonl"))
    assert lines[2].endswith("--missing None")
    assert len(lines) <= 1 + 2 * 3


def test_an_annotator_alone_is_told_gently_and_ready() -> None:
    path = str(SHAPES / "prodigy" / "without-sessions" / "ana.jsonl")
    assert "one annotator only: their labels cannot be compared with others" in check(path).output
    told = json.loads(check(path, "--json").output)["verdict"]
    assert told == {"ready": True, "mend": []}


def test_gold_in_a_format_that_names_its_annotators_is_not_said_to_be_anybody_s(tmp_path: Path) -> None:
    """--files-mean changes nothing in crowd JSONL, so that the advice would be no help."""
    path = tmp_path / "gold.jsonl"
    path.write_text(json.dumps({"tokens": ["Ada"], "gold": ["B-PER"]}) + "\n")
    _, first, command = last_lines(str(path))
    assert first.startswith("1. there is no crowd")
    assert command == f"   crowdseq learn {path} --method gold --out run"


def test_text_without_spaces_is_to_be_cut_before_it_is_learned_from(tmp_path: Path) -> None:
    (tmp_path / "crowd").mkdir()
    for name in ("li", "wang"):
        task = {"id": 1, "text": "王小明昨天从北京飞往上海。", "label": [[0, 3, "PER"], [6, 8, "LOC"]]}
        (tmp_path / "crowd" / f"{name}.jsonl").write_text(json.dumps(task, ensure_ascii=False) + "\n")
    lines = last_lines(str(tmp_path / "crowd"))
    place = lines.index(
        "1. words stand without spaces between them, so that spans cut tokens: cut them by characters"
    )
    option = lines[place + 1].removeprefix(f"   crowdseq check {tmp_path / 'crowd'} --tokenizer ")
    assert option == "'regex:\\w|[^\\w\\s]'"
    assert "words stand" not in check(str(tmp_path / "crowd"), "--tokenizer", option.strip("'")).output


def test_the_verdict_stands_in_json_too(tmp_path: Path) -> None:
    path = tmp_path / "crowd.jsonl"
    rows = [{"tokens": [name], "annotations": {name: ["B-PER"]}} for name in ("ana", "bob")]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    told = json.loads(check(str(path), "--json").output)["verdict"]
    assert told["ready"] is False
    assert told["mend"][0]["what"].startswith("no sentence was labelled by two annotators")
    assert told["mend"][0]["command"] == f"crowdseq check {path} FILES-WITH-SHARED-SENTENCES"


def test_labelling_functions_that_look_for_other_things_are_ready(tmp_path: Path) -> None:
    marked, silent = ["B-PER", "O", "B-LOC", "O"], ["O"] * 4
    lines = [
        {
            "id": f"s{number}",
            "tokens": [f"Ada{number % 10}", "met", f"Bern{number % 10}", "."],
            "annotations": {f"f{who}": marked if number % 10 == who else silent for who in range(10)},
        }
        for number in range(100)
    ]
    path = tmp_path / "functions.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert last_lines(str(path)) == [f"ready to learn: crowdseq learn {path} --out run"]
