"""Damage to a run folder is one clear line; what loading does not need may be changed."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from builders import random_corpus
from crowdseq.errors import FormatError
from crowdseq.storage.manifest import MANIFEST, Manifest
from crowdseq.workflows.learning import learn
from crowdseq.workflows.run_folder import load_run, open_run
from crowdseq.workflows.runs import check_files
from crowdseq.workflows.runs.verifying import Verified, verify_run
from crowdseq.workflows.tagging import open_tagger


@pytest.fixture
def run(tmp_path: Path) -> Path:
    learn(random_corpus(3, sentences=6), "majority-vote").save(tmp_path / "run")
    return tmp_path / "run"


def reorder(run: Path) -> None:
    lines = (run / "consensus.jsonl").read_text().splitlines(keepends=True)
    (run / "consensus.jsonl").write_text("".join(reversed(lines)))


def change(run: Path, name: str, key: str, value: object) -> None:
    content = json.loads((run / name).read_text())
    (run / name).write_text(json.dumps(content | {key: value}))


def change_confidence(run: Path, value: object) -> None:
    first, *others = (run / "consensus.jsonl").read_text().splitlines(keepends=True)
    line = json.loads(first)
    line["confidence"][0] = value
    (run / "consensus.jsonl").write_text(json.dumps(line) + "\n" + "".join(others))


def change_posteriors(run: Path, made: Callable[[np.ndarray], np.ndarray]) -> None:
    path = run / "posteriors.safetensors"
    save_file({"probabilities": np.ascontiguousarray(made(load_file(path)["probabilities"]))}, path)


def n_tokens(run: Path) -> int:
    return len(load_file(run / "posteriors.safetensors")["probabilities"])


def change_suggested(run: Path, tags: list[int]) -> None:
    save_file({"suggested_tag_ids": np.array(tags, np.int16)}, run / "parameters.safetensors")


def test_every_file_stands_in_the_manifest(run: Path) -> None:
    listed = json.loads((run / MANIFEST).read_text())["files"]
    names = {path.relative_to(run).as_posix() for path in run.rglob("*") if path.is_file()}
    assert set(listed) == names - {MANIFEST}
    assert verify_run(run) == Verified((), ())


def test_labels_in_another_order_are_never_put_on_other_sentences(run: Path) -> None:
    reorder(run)
    with pytest.raises(FormatError, match=r"consensus\.jsonl: was changed or damaged after it was written"):
        load_run(run)
    (run / MANIFEST).unlink()  # as in a run of 0.1.0
    with pytest.raises(FormatError, match=r"consensus\.jsonl:1: tells of sentence .*, the crowd has 's1'"):
        load_run(run)


CONTRADICTIONS: dict[str, Callable[[Path], object]] = {
    "'scheme' is 3, expected a text": lambda run: change(run, "settings.json", "scheme", 3),
    "'tags' is \"O\", expected a list of texts": lambda run: change(run, "settings.json", "tags", "O"),
    "label scheme 'X' is unknown": lambda run: change(run, "settings.json", "scheme", "X"),
    "method 'x' is unknown": lambda run: change(run, "settings.json", "method", "x"),
    "has no setting 'by'": lambda run: change(run, "settings.json", "settings", {"by": [1]}),
    "tells of 5 sentences, crowd.jsonl.gz holds 6": lambda run: change(run, "metrics.json", "sentences", 5),
    "'history' is [null], expected a list of numbers": lambda run: change(
        run, "metrics.json", "history", [None]
    ),
    "the temperature is 'warm'": lambda run: change(
        run, "metrics.json", "parameters", {"temperature": "warm"}
    ),
    "'remarks' are not what a run says of itself": lambda run: change(
        run, "metrics.json", "remarks", [{"kind": "kin", "text": 3}]
    ),
    "do not sum to one": lambda run: change_posteriors(run, lambda rows: rows / 2),
    "no number or below 0": lambda run: change_posteriors(run, lambda rows: rows * np.nan),
    "expected float64": lambda run: change_posteriors(run, lambda rows: rows.astype(np.float32)),
    "'suggested_tag_ids' is int16 (3,), expected a tag for each token": lambda run: change_suggested(
        run, [0] * 3
    ),
    "'suggested_tag_ids' has a tag outside the scheme": lambda run: change_suggested(
        run, [99] * n_tokens(run)
    ),
    "'confidence' holds what is no number": lambda run: change_confidence(run, 10**400),
    "with another confidence": lambda run: change_posteriors(run, lambda rows: rows[::-1]),
}


@pytest.mark.parametrize("what", CONTRADICTIONS)
def test_without_a_manifest_the_files_are_compared_with_each_other(run: Path, what: str) -> None:
    (run / MANIFEST).unlink()
    load_run(run)
    CONTRADICTIONS[what](run)
    with pytest.raises(FormatError) as told:
        load_run(run)
    assert what in str(told.value)
    assert str(told.value).startswith(str(run))
    assert "\n" not in str(told.value)


def test_what_is_made_for_people_may_be_changed_and_added_to(run: Path) -> None:
    (run / "report.html").write_text("made anew")
    (run / "annotators.csv").unlink()
    (run / "notes.txt").write_text("mine")
    (run / "decisions.sqlite").write_bytes(b"live")
    load_run(run)
    notes = verify_run(run).notes
    assert [note.split()[0] for note in notes] == ["annotators.csv", "report.html", "notes.txt"]


def test_a_run_replaced_before_its_manifest_is_read_opens_as_the_new_one(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learn(random_corpus(3, sentences=6), "dawid-skene").save(tmp_path / "new")

    def replaced_first(folder: Path, names: tuple[str, ...]) -> Manifest | None:
        folder.rename(tmp_path / "old")
        (tmp_path / "new").rename(folder)
        return check_files(folder, names)

    monkeypatch.setattr("crowdseq.workflows.run_folder.check_files", replaced_first)
    opened = open_run(run)
    assert opened.settings["method"] == opened.run.recipe.name == "dawid-skene"


def test_a_run_replaced_after_its_manifest_is_read_is_not_opened(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learn(random_corpus(3, sentences=6), "dawid-skene").save(tmp_path / "new")

    def replaced_then(folder: Path, names: tuple[str, ...]) -> Manifest | None:
        manifest = check_files(folder, names)
        folder.rename(tmp_path / "old")
        (tmp_path / "new").rename(folder)
        return manifest

    monkeypatch.setattr("crowdseq.workflows.run_folder.check_files", replaced_then)
    with pytest.raises(FormatError, match="was replaced while it was read"):
        load_run(run)


def test_a_tagger_of_another_run_is_not_used(run: Path, tmp_path: Path) -> None:
    learn(random_corpus(4, sentences=6), "majority-vote").save(tmp_path / "other")
    for name in ("model.json", "weights.safetensors"):
        (run / "tagger" / name).write_bytes((tmp_path / "other/tagger" / name).read_bytes())
    with pytest.raises(FormatError, match="was changed or damaged"):
        open_tagger(run)


def test_a_tagger_put_into_a_run_without_one_is_not_used(run: Path, tmp_path: Path) -> None:
    learn(random_corpus(3, sentences=6), "majority-vote", tagger=False).save(tmp_path / "plain")
    (run / "tagger").rename(tmp_path / "plain" / "tagger")
    with pytest.raises(FormatError, match=r"model\.json: is not in manifest\.json, .* move it elsewhere"):
        load_run(tmp_path / "plain")
