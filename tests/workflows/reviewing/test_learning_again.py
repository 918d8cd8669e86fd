"""Learning again holds what was decided, stands beside the old run, and says what changed and why."""

import json
from pathlib import Path

import numpy as np
import pytest

from builders import corpus
from crowdseq.core.corpus import Corpus
from crowdseq.errors import AnnotationError, OutputBusyError
from crowdseq.methods import method_names
from crowdseq.numerics.em import Progress
from crowdseq.store.decisions import read_decisions
from crowdseq.tagging.tagger import Tagger
from crowdseq.workflows.learning import learn
from crowdseq.workflows.recipes import make_recipe
from crowdseq.workflows.reviewing.background import BackgroundLearning
from crowdseq.workflows.reviewing.changes import read_changes
from crowdseq.workflows.reviewing.desk import Desk
from crowdseq.workflows.reviewing.learning_again import LearnedAgain, can_hold_gold, learn_again, next_name
from crowdseq.workflows.run_folder import load_run
from crowdseq.workflows.runs.verifying import verify_run
from review_worlds import do, saved, washington, words


def city_or_person() -> Corpus:
    """Two annotators against one on "Washington", forty times; the one is right as reviewers will say."""
    sentences = ["Washington/B-LOC/B-LOC/B-PER slept/O/O/O", "Paris/B-LOC/B-LOC/B-LOC grew/O/O/O"]
    return corpus(*sentences * 20, gold=False, annotators=["ann", "bob", "cy"])


def test_which_methods_can_hold_decisions() -> None:
    able = {name for name in method_names() if can_hold_gold(make_recipe(name))}
    assert able == {"bsc", "dawid-skene", "hmm-crowd", "ibcc", "mace", "sa-slc", "sembler"}


def test_decided_labels_teach_who_is_right(tmp_path: Path) -> None:
    learn(city_or_person(), "dawid-skene", tagger=False).save(tmp_path / "run")
    with Desk.open(tmp_path / "run") as desk:
        assert words(desk, 0) == [("Washington", "LOC")]
        for number in range(12):
            do(desk, "label", number, label="PER")
        again = learn_again(tmp_path / "run")
    assert again.folder == tmp_path / "run-2"
    assert again.held
    assert again.note == "12 decided tokens were held while learning"
    assert load_run(tmp_path / "run").consensus.tags[0] == ("B-LOC", "O"), "the old run stands"
    new = load_run(again.folder)
    assert {new.consensus.tags[number] for number in range(0, 40, 2)} == {("B-PER", "O")}
    assert verify_run(again.folder).notes == ()
    (mention,) = again.changes.mentions
    assert (mention.words, mention.before, mention.after) == (("Washington",), "LOC", "PER")
    assert (mention.places, mention.why, mention.decided) == (8, "same words decided", (("PER", 12),))
    assert next(one for one in again.changes.skills if one.annotator == "cy").after > 0.9  # type: ignore[operator]
    told = read_changes(again.folder)
    assert told is not None
    assert told["mentions"][0]["words"] == ["Washington"]
    assert json.loads((again.folder / "settings.json").read_text())["again"] == {
        "of": "run",
        "decided_tokens": 12,
    }
    with Desk.open(again.folder) as desk:
        assert desk.counts()["decided"] == 12, "the decisions stand in the new run too"


def test_a_method_that_cannot_hold_gold_gets_them_laid_over(tmp_path: Path) -> None:
    run = saved(tmp_path / "run")
    with Desk.open(run) as desk:
        do(desk, "label", 0, label="PER")
        do(desk, "nothing", 3)
    again = learn_again(run)
    assert not again.held
    assert "cannot hold decided labels" in again.note
    tags = load_run(again.folder).consensus.tags
    assert tags[0] == ("B-PER", "O", "O")
    assert tags[3] == ("O", "O", "O", "B-PER")
    assert again.changes.mentions == (), "nothing changed but what was decided"
    assert len(list(read_decisions(again.folder).states())) == 2


def test_gold_for_scoring_is_not_held_and_not_lost(tmp_path: Path) -> None:
    crowd = corpus(*["Ada/B-LOC/B-PER/B-PER met/O/O/O", "Bo/B-LOC/B-PER/O slept/O/O/O"] * 4, gold=True)
    learn(crowd, "dawid-skene", tagger=False).save(tmp_path / "run")
    with Desk.open(tmp_path / "run") as desk:
        do(desk, "label", 0, label="PER")
    again = learn_again(tmp_path / "run")
    new = load_run(again.folder).consensus
    assert new.corpus.gold[0] == ("B-LOC", "O")
    assert new.tags[2] == ("B-PER", "O"), "gold was there to score, not to learn from"


def test_sa_slc_holds_decisions_and_trains_its_tagger(tmp_path: Path) -> None:
    learn(city_or_person(), "sa-slc", rounds=2).save(tmp_path / "run")
    with Desk.open(tmp_path / "run") as desk:
        for number in range(10):
            do(desk, "label", number, label="PER")
    again = learn_again(tmp_path / "run")
    new = load_run(again.folder)
    assert new.tagger is not None
    assert [new.consensus.tags[2 * number] for number in range(10)] == [("B-PER", "O")] * 10
    assert np.allclose(new.consensus.token_confidence[[0, 4, 8]], 1.0)


def test_a_tagger_after_a_plain_method_learns_from_decisions(tmp_path: Path) -> None:
    learn(washington(), "majority-vote").save(tmp_path / "run")
    with Desk.open(tmp_path / "run") as desk:
        do(desk, "label", 0, label="PER")
    assert load_run(learn_again(tmp_path / "run").folder).tagger is not None


def test_what_was_accepted_unread_teaches_nothing(tmp_path: Path) -> None:
    run = saved(tmp_path / "run")
    with pytest.raises(AnnotationError, match="nothing was decided yet"):
        learn_again(run)
    with Desk.open(run) as desk:
        do(desk, "accept", 0, shown={"page": "finish"})
    with pytest.raises(AnnotationError, match="nothing was decided yet"):
        learn_again(run)
    assert not (tmp_path / "run-2").exists()


def test_what_was_audited_was_read_and_teaches(tmp_path: Path) -> None:
    run = saved(tmp_path / "run")
    with Desk.open(run) as desk:
        do(desk, "audit", 0, marks=(), shown={"page": "finish"})
    assert learn_again(run).decided_tokens > 0


def test_new_runs_are_numbered(tmp_path: Path) -> None:
    assert next_name(tmp_path / "run").name == "run-2"
    (tmp_path / "run-2").mkdir()
    assert next_name(tmp_path / "run").name == "run-3"
    assert next_name(tmp_path / "run-2").name == "run-3"


def test_in_the_background_it_tells_how_far_it_is(tmp_path: Path) -> None:
    run = saved(tmp_path / "run")
    seen: list[str] = []

    def slow(folder: Path, progress: Progress) -> LearnedAgain:
        progress("counting", 1, 2)
        seen.append(background.status().stage)
        with pytest.raises(OutputBusyError, match="being learned again already"):
            background.start()
        return learn_again(folder, progress=progress)

    with Desk.open(run) as desk:
        do(desk, "label", 0, label="PER")
        background = BackgroundLearning(run, slow)
        assert background.status().stage == "not begun"
        assert background.start().is_running
        status = background.wait()
    assert (status.stage, status.is_running, status.problem) == ("done", False, "")
    assert status.folder == str(tmp_path / "run-2")
    assert seen == ["counting"]


def test_a_failure_in_the_background_is_told(tmp_path: Path) -> None:
    background = BackgroundLearning(saved(tmp_path / "run"))
    background.start()
    status = background.wait()
    assert (status.stage, status.is_running) == ("failed", False)
    assert "nothing was decided yet" in status.problem


@pytest.mark.parametrize("method", ["majority-vote", "sa-slc"])
def test_word_vectors_are_known_again_without_their_file(tmp_path: Path, method: str) -> None:
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("Washington 1 0\nParis 1 0\nslept 0 1\ngrew 0 1\n")
    learn(city_or_person(), method, vectors=vectors).save(tmp_path / "run")
    vectors.unlink()
    with Desk.open(tmp_path / "run") as desk:
        do(desk, "label", 0, label="PER")
    new = learn_again(tmp_path / "run").folder
    old_tagger, tagger = (load_run(folder).tagger for folder in (tmp_path / "run", new))
    assert isinstance(old_tagger, Tagger)
    assert isinstance(tagger, Tagger)
    assert [one.name for one in tagger.features.knowledge] == [
        one.name for one in old_tagger.features.knowledge
    ]
    told = [
        json.loads((folder / "settings.json").read_text())["vectors"] for folder in (tmp_path / "run", new)
    ]
    assert told[0] == told[1]
