"""A run that is replaced keeps its decisions, and is not replaced under the hands of a reviewer."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from builders import random_corpus
from crowdseq.cli.main import crowdseq
from crowdseq.errors import FormatError, OutputBusyError
from crowdseq.storage.manifest import MANIFEST
from crowdseq.store.database import DATABASE
from crowdseq.store.decisions import DecisionStore, read_decisions
from crowdseq.workflows.learning import learn
from crowdseq.workflows.run import Run
from crowdseq.workflows.run_folder import load_run
from crowdseq.workflows.runs.verifying import Verified, verify_run
from store_worlds import decision, key


@pytest.fixture(scope="module")
def learned() -> Run:
    return learn(random_corpus(3, sentences=6), "majority-vote", tagger=False)


@pytest.fixture
def run(learned: Run, tmp_path: Path) -> Path:
    learned.save(tmp_path / "run")
    return tmp_path / "run"


def decide(run: Path) -> None:
    with DecisionStore.open(run) as store:
        store.submit([decision()])


def check(*arguments: str) -> Result:
    return CliRunner().invoke(crowdseq, ["check", *arguments])


def test_replacing_a_run_keeps_its_decisions_and_its_guideline(run: Path, learned: Run) -> None:
    decide(run)
    (run / "guideline.md").write_text("# Guideline\n")
    learned.save(run, force=True)
    assert read_decisions(run).state(key()).version == 1
    assert (run / "guideline.md").read_text() == "# Guideline\n"
    assert not {DATABASE, "guideline.md"} & set(json.loads((run / MANIFEST).read_text())["files"])
    assert load_run(run).consensus.tags == learned.consensus.tags
    assert verify_run(run) == Verified((), ())


def test_a_run_under_review_is_not_replaced(run: Path, learned: Run) -> None:
    with DecisionStore.open(run) as store:
        with pytest.raises(OutputBusyError, match="run is open in a review and would be replaced, close"):
            learned.save(run, force=True)
        store.submit([decision()])
    learned.save(run, force=True)
    assert read_decisions(run).state(key()).version == 1


def test_a_run_whose_decisions_are_damaged_is_not_replaced(run: Path, learned: Run) -> None:
    decide(run)
    damage(run)
    before = (run / DATABASE).read_bytes()
    with pytest.raises(FormatError, match=r"decisions\.sqlite: is damaged .*crowdseq check"):
        learned.save(run, force=True)
    assert (run / DATABASE).read_bytes() == before


def damage(run: Path) -> None:
    content = bytearray((run / DATABASE).read_bytes())
    content[:100] = b"\0" * 100
    (run / DATABASE).write_bytes(content)


def test_check_says_that_decisions_are_sound(run: Path) -> None:
    decide(run)
    done = check(str(run))
    assert done.exit_code == 0
    assert f"the run {run}:\n  decisions.sqlite is sound, 1 entries\n" in done.output
    told = json.loads(check(str(run), "--json", "--quiet").output)["runs"][str(run)]
    assert told == {"notes": [], "decisions": 1, "salvaged": None}


def test_check_saves_what_it_can_of_damaged_decisions(run: Path) -> None:
    decide(run)
    damage(run)
    done = check(str(run))
    assert done.exit_code == 0
    assert "decisions.sqlite was damaged: 1 entries were saved, no gap was found" in done.output
    assert "kept as decisions.damaged-1.sqlite" in done.output
    assert read_decisions(run).state(key()).version == 1
    assert "is sound" in check(str(run)).output
    assert verify_run(run) == Verified((), ())


def test_check_of_a_damaged_run_says_what_is_wrong_with_it(run: Path) -> None:
    (run / "posteriors.safetensors").write_bytes(b"")
    done = check(str(run))
    assert isinstance(done.exception, FormatError)
    assert "posteriors.safetensors: was changed or damaged" in str(done.exception)
