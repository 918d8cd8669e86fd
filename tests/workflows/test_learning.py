"""One call from crowd files to a run folder, as every door makes it."""

from pathlib import Path

import pytest

from builders import corpus
from crowdseq.errors import AnnotationError, OutputExistsError, SettingsError
from crowdseq.formats import write
from crowdseq.formats.findings.import_report import ImportReport
from crowdseq.workflows import recipes
from crowdseq.workflows.learning import from_files
from crowdseq.workflows.learning.from_files import LearnRequest, learn_files
from crowdseq.workflows.reading import Listener, Reading, Selection


@pytest.fixture
def crowd(tmp_path: Path) -> str:
    path = tmp_path / "crowd.jsonl"
    write(corpus("Ada/B-PER/B-PER/B-PER met/O/O/O", "Bo/B-PER/O/B-PER", annotators=["w1", "w2"]), path)
    return str(path)


def _request(crowd: str, out: Path, **asked: object) -> LearnRequest:
    return LearnRequest(crowd=(crowd,), out=out, method="majority-vote", tagger=False, **asked)  # type: ignore[arg-type]


def test_a_run_is_learned_and_saved(crowd: str, tmp_path: Path) -> None:
    heard: list[ImportReport] = []
    listener = Listener(lambda report, **_: heard.append(report))
    saved = learn_files(_request(crowd, tmp_path / "run", listener=listener))
    assert saved.run.tagger is None
    assert sorted(saved.paths) == sorted(path.name for path in (tmp_path / "run").iterdir())
    assert saved.as_dict()["sentences"] == 2
    assert heard == [saved.report]
    assert saved.run.source["inputs"][0]["records"] == 2


def test_what_was_chosen_is_learned_and_noted(crowd: str, tmp_path: Path) -> None:
    reading = Reading(selection=Selection(annotators=("w1",)))
    saved = learn_files(_request(crowd, tmp_path / "run", reading=reading))
    assert saved.run.consensus.corpus.annotators == ("w1",)
    assert saved.run.source["selection"]["annotators"] == ("w1",)


def test_the_recipe_is_made_once(crowd: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def counted(name: str, *rest: object) -> object:
        made.append(name)
        return recipes.make_recipe(name, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(from_files, "make_recipe", counted)
    learn_files(_request(crowd, tmp_path / "run"))
    assert made == ["majority-vote"]


def test_a_wrong_setting_is_told_before_the_files_are_read(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no setting 'colour'"):
        learn_files(_request("nowhere.jsonl", tmp_path / "run", settings=("colour=red",)))
    with pytest.raises(SettingsError, match="seed is given twice, as 1 and as 2"):
        learn_files(_request("nowhere.jsonl", tmp_path / "run", settings=("seed=1",), seed=2))


def test_a_folder_that_is_taken_is_told_before_the_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    with pytest.raises(OutputExistsError, match="force"):
        learn_files(_request("nowhere.jsonl", tmp_path / "run"))


def test_an_empty_file_is_told_as_such(tmp_path: Path) -> None:
    (tmp_path / "none.jsonl").write_text("")
    with pytest.raises(AnnotationError, match="no sentences"):
        learn_files(_request(str(tmp_path / "none.jsonl"), tmp_path / "run"))
    assert not (tmp_path / "run").exists()
