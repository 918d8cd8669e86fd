"""Lists of names from the command line and Python to a tagger that needs no file."""

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

import crowdseq
from crowdseq.errors import FormatError, SettingsError

PEOPLE = [f"Zuk{letter}" for letter in "abcdefghijkl"]


def crowd() -> list[dict[str, object]]:
    """Some names of the list are labelled, beside words that look alike and are none."""
    records: list[dict[str, object]] = []
    for number, name in enumerate(PEOPLE[:6]):
        for word, tag in ((name, "B-PER"), (f"Ruk{number}", "O")):
            tags = ["O", tag, "O"]
            tokens = ["then", word, "slept"]
            records.append({"tokens": tokens, "annotations": {"a": tags, "b": tags}})
    return records


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "crowd.jsonl").write_text("".join(json.dumps(record) + "\n" for record in crowd()))
    with gzip.open(tmp_path / "people.txt.gz", "wt") as file:
        file.write("\n".join([*PEOPLE, "Qoppa", ""]))
    return tmp_path


def run(*arguments: str) -> tuple[int, str]:
    command = [sys.executable, "-m", "crowdseq", *arguments]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    return result.returncode, result.stdout + result.stderr


def test_a_tagger_finds_listed_names_without_the_list(files: Path) -> None:
    out = files / "run"
    code, said = run(
        "learn", str(files / "crowd.jsonl"), "-o", str(out), "--lexicon", f"PER={files / 'people.txt.gz'}"
    )
    assert code == 0, said
    (files / "people.txt.gz").unlink()
    tagger = crowdseq.load(out).tagger
    assert tagger is not None
    assert tagger.tag(["then", "Qoppa", "slept"]) == ("O", "B-PER", "O")
    recorded = json.loads((out / "settings.json").read_text())["lexicons"]
    assert [(entry["type"], entry["forms"], len(entry["sha256"])) for entry in recorded] == [("PER", 13, 64)]


@pytest.mark.parametrize("method", ["majority-vote", "sa-slc"])
def test_python_takes_lists(method: str) -> None:
    tagger = crowdseq.learn(crowd(), method, lexicons={"PER": [*PEOPLE, "Qoppa"]}, progress=False).tagger
    assert tagger is not None
    assert tagger.tag(["then", "Qoppa", "slept"]) == ("O", "B-PER", "O")


def test_without_a_list_the_model_file_names_no_knowledge(tmp_path: Path) -> None:
    tagger = crowdseq.learn(crowd(), "majority-vote", progress=False).tagger
    assert isinstance(tagger, crowdseq.Tagger)
    tagger.save(tmp_path / "tagger")
    assert "knowledge" not in json.loads((tmp_path / "tagger" / "model.json").read_text())


def test_a_saved_tagger_answers_to_the_bit(tmp_path: Path) -> None:
    tagger = crowdseq.learn(crowd(), "majority-vote", lexicons={"PER": PEOPLE}, progress=False).tagger
    assert isinstance(tagger, crowdseq.Tagger)
    tagger.save(tmp_path / "tagger")
    again = crowdseq.Tagger.load(tmp_path / "tagger")
    sentence = ["then", "ZUKA", "Zukb", "slept"]
    assert again.marginals(sentence).tobytes() == tagger.marginals(sentence).tobytes()


def test_rounds_kept_with_other_names_are_not_gone_on_with(tmp_path: Path) -> None:
    crowdseq.learn(crowd(), lexicons={"PER": PEOPLE}, checkpoints=tmp_path, progress=False)
    crowdseq.learn(crowd(), lexicons={"PER": PEOPLE}, checkpoints=tmp_path, progress=False)
    with pytest.raises(SettingsError, match="other data or settings"):
        crowdseq.learn(crowd(), lexicons={"PER": PEOPLE[1:]}, checkpoints=tmp_path, progress=False)
    with pytest.raises(SettingsError, match="other data or settings"):
        crowdseq.learn(crowd(), checkpoints=tmp_path, progress=False)


def test_a_bad_line_is_told_by_file_and_line(files: Path) -> None:
    bad = files / "bad.txt"
    bad.write_bytes(b"Ada\nBob\t12\nCy\xff\n")
    code, said = run("learn", str(files / "crowd.jsonl"), "-o", str(files / "x"), "--lexicon", f"PER={bad}")
    assert code == 3
    assert f"{bad}:3: byte" in said
    assert "write the file as UTF-8" in said
    bad.write_text("Ada\nBob\t12\n")
    with pytest.raises(FormatError, match=r"bad\.txt:2: the line has several columns"):
        crowdseq.learn(crowd(), lexicons={"PER": bad})
    bad.write_text("\n\n")
    with pytest.raises(FormatError, match="holds no name"):
        crowdseq.learn(crowd(), lexicons={"PER": bad})


def test_wrong_use_is_refused(files: Path) -> None:
    common = ("learn", str(files / "crowd.jsonl"), "-o", str(files / "x"), "--lexicon")
    people = f"PER={files / 'people.txt.gz'}"
    assert run(*common, "people.txt")[0] == 2
    assert run(*common, people, "-m", "crf-ma")[0] == 2
    assert run(*common, people, "-m", "mace", "--no-tagger")[0] == 2
    assert run(*common, f"PER={files / 'none.txt'}")[0] == 3
