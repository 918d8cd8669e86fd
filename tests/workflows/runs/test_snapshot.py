"""A snapshot opens a run quickly and says just what the other files say."""

from pathlib import Path

import numpy as np
import pytest

from builders import random_corpus
from crowdseq.core.corpus import Corpus
from crowdseq.errors import FormatError
from crowdseq.workflows.learning import learn
from crowdseq.workflows.run_folder import load_run, open_labels
from crowdseq.workflows.runs import SNAPSHOT, saving
from crowdseq.workflows.runs.verifying import verify_run


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(saving, "LARGE", 1)
    records = random_corpus(4, sentences=8, unlabelled=0.1, documents=2).to_records()
    records[0]["columns"] = {"pos": ["X"] * len(records[0]["tokens"])}
    records[1]["note"] = {"by": "an import", "n": [1, None]}
    learn(Corpus.from_records(records), "dawid-skene", tagger=False).save(tmp_path / "run")
    return tmp_path / "run"


def test_it_says_what_the_other_files_say(run: Path) -> None:
    quick, slow = open_labels(run), load_run(run).consensus
    assert quick.consensus.corpus == slow.corpus
    assert quick.consensus.tags == slow.tags
    assert np.array_equal(quick.consensus.probabilities, slow.probabilities)
    assert quick.consensus.history == slow.history
    assert quick.consensus.parameters.keys() == slow.parameters.keys()
    for one, other in zip(quick.consensus.annotators, slow.annotators, strict=True):
        assert (one.annotator, one.verdict, one.reason, one.flags) == (
            other.annotator,
            other.verdict,
            other.reason,
            other.flags,
        )
        assert one.skill == pytest.approx(other.skill)
        assert np.allclose(one.confusion, other.confusion)
    assert verify_run(run).notes == ()


def test_a_small_run_has_none(tmp_path: Path) -> None:
    learn(random_corpus(4, sentences=3), "majority-vote", tagger=False).save(tmp_path / "run")
    assert not (tmp_path / "run" / SNAPSHOT).exists()
    assert len(open_labels(tmp_path / "run").consensus.corpus) == 3


def test_a_damaged_snapshot_is_one_clear_line(run: Path) -> None:
    content = bytearray((run / SNAPSHOT).read_bytes())
    content[-50] ^= 1
    (run / SNAPSHOT).write_bytes(content)
    with pytest.raises(FormatError, match=r"snapshot\.safetensors: was changed or damaged"):
        open_labels(run)


def test_without_a_manifest_the_other_files_are_read(run: Path) -> None:
    (run / "manifest.json").unlink()
    (run / SNAPSHOT).write_bytes(b"")
    assert len(open_labels(run).consensus.corpus) == 8
