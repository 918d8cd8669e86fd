"""A run on disk and back."""

import json
from pathlib import Path

import numpy as np
import pytest

from builders import corpus, random_corpus
from crowdseq.errors import CrowdseqError, FormatError, OutputExistsError, UsageError
from crowdseq.workflows.learning import learn
from crowdseq.workflows.run_folder import load_run
from crowdseq.workflows.runs.saving import open_target


def prepare(folder: Path, *, force: bool, resume: bool) -> None:
    """Whether a run may be written there."""
    with open_target(folder, force=force, resume=resume):
        pass


@pytest.mark.parametrize("method", ["majority-vote", "sa-slc"])
def test_a_saved_run_is_loaded_as_it_was(method: str, tmp_path: Path) -> None:
    run = learn(random_corpus(3, sentences=30, documents=6), method)
    run.save(tmp_path / "run")
    again = load_run(tmp_path / "run")
    np.testing.assert_array_equal(again.consensus.probabilities, run.consensus.probabilities)
    np.testing.assert_array_equal(again.consensus.tag_ids, run.consensus.tag_ids)
    assert again.recipe == run.recipe
    assert again.consensus.history == run.consensus.history
    skills = [
        (one.skill, other.skill)
        for one, other in zip(again.consensus.annotators, run.consensus.annotators, strict=True)
    ]
    assert all(a == pytest.approx(b) for a, b in skills)
    assert run.tagger is not None
    assert again.tagger is not None
    words = ["t1", "t2", "t3"]
    assert again.tagger.tag(words) == run.tagger.tag(words)


@pytest.mark.parametrize("name", ["/", ".", ".."])
@pytest.mark.parametrize("resume", [False, True])
def test_a_folder_without_a_name_of_its_own_is_refused(
    name: str, resume: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "settings.json").write_text("{}")
    with pytest.raises(UsageError, match=r"cannot become a run, name a folder for it such as .*run"):
        prepare(Path(name), force=not resume, resume=resume)


def test_a_finished_run_is_not_resumed(tmp_path: Path) -> None:
    learn(random_corpus(3, sentences=5), "majority-vote", tagger=False).save(tmp_path / "run")
    with pytest.raises(OutputExistsError, match="run is finished, nothing is left to resume"):
        prepare(tmp_path / "run", force=False, resume=True)
    with pytest.raises(OutputExistsError, match="exists already"):
        prepare(tmp_path / "run", force=False, resume=False)
    prepare(tmp_path / "run", force=True, resume=True)


def test_a_folder_without_a_finished_run_is_told(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="no finished run folder"):
        load_run(tmp_path)


def test_a_run_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    learn(random_corpus(3, sentences=5), "majority-vote", tagger=False).save(tmp_path / "run")
    settings = tmp_path / "run" / "settings.json"
    settings.write_text(json.dumps(json.loads(settings.read_text()) | {"format_version": 99}))
    with pytest.raises(FormatError, match="newer crowdseq"):
        load_run(tmp_path / "run")


def test_a_failed_save_leaves_the_old_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = learn(random_corpus(3, sentences=5), "majority-vote", tagger=False)
    run.save(tmp_path / "run")
    with pytest.raises(OutputExistsError):
        run.save(tmp_path / "run")

    def fail(*_: object, **__: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("crowdseq.workflows.runs.saving.report_html", fail)
    with pytest.raises(CrowdseqError, match=r"run cannot be written \(No space left on device\)"):
        run.save(tmp_path / "run", force=True)
    monkeypatch.undo()
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
    assert load_run(tmp_path / "run").consensus.tags[0] == run.consensus.tags[0]


def test_dependency_tables_stand_in_the_folder(tmp_path: Path) -> None:
    learn(random_corpus(3, sentences=30, documents=6), "sa-slc", tagger=False, rounds=1).save(
        tmp_path / "run"
    )
    lines = (tmp_path / "run" / "local_confusion.csv").read_text("utf-8").splitlines()
    assert lines[0] == "annotator,previous,truth,given,count,share"
    assert len(lines) > 10
    assert (tmp_path / "run" / "repeat_confusion.csv").exists()


def test_names_in_tables_are_safe_for_spreadsheets_if_asked(tmp_path: Path) -> None:
    world = corpus("Ada/B-PER/B-PER/B-PER met/O/O/O", annotators=["=cmd()", "w2"])
    run = learn(world, "majority-vote", tagger=False)
    run.save(tmp_path / "plain")
    run.save(tmp_path / "safe", excel_safe=True)
    plain = (tmp_path / "plain/annotators.csv").read_text()
    assert "\n=cmd()," in plain
    assert (tmp_path / "safe/annotators.csv").read_text() == plain.replace("=cmd()", "'=cmd()")
