"""A CRF joined by a reader: in tags, in probabilities and on disk."""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import crowdseq
from crowdseq.arrays import FloatArray
from crowdseq.errors import FormatError, MissingExtraError, SettingsError
from crowdseq.formats.models.crf import description_digest
from crowdseq.tagging.joined_tagger import JoinedTagger
from crowdseq.tagging.sequence_tagger import Context
from crowdseq.tagging.tagger import Tagger

SENTENCE = ["She", "lives", "in", "London", "."]


@dataclass(frozen=True)
class Reader:
    """Believes that every word is of one tag."""

    n_tags: int
    tag: int
    strength: float

    def log_probabilities(
        self, sentences: Sequence[Sequence[str]], context: Context | None = None
    ) -> FloatArray:
        assert context is None or context.documents is not None
        rows = np.zeros((sum(map(len, sentences)), self.n_tags))
        rows[:, self.tag] = self.strength
        return rows

    def files(self) -> Mapping[str, bytes]:
        return {"config.json": b"{}", "model.safetensors": b"x", "pytorch_model.bin": b"evil"}


@pytest.fixture(scope="module")
def crf() -> Tagger:
    tagger = crowdseq.learn(crowdseq.demo_corpus(), "majority-vote").tagger
    assert isinstance(tagger, Tagger)
    return tagger


def test_a_reader_that_knows_nothing_softens_and_a_sure_one_decides(crf: Tagger) -> None:
    unsure = JoinedTagger.join(crf, Reader(len(crf.scheme), 0, 0.0), 0.5)
    assert unsure.tag(SENTENCE) == crf.tag(SENTENCE)
    place = crf.scheme.tags.index("B-PER")
    sure = JoinedTagger.join(crf, Reader(len(crf.scheme), place, 100.0), 0.5)
    assert set(sure.tag(SENTENCE)) == {"B-PER"}
    np.testing.assert_allclose(sure.marginals(SENTENCE).sum(axis=1), 1.0)


def test_scores_are_the_mean_of_both(crf: Tagger) -> None:
    tagger = JoinedTagger.join(crf, Reader(len(crf.scheme), 1, 2.0), 0.25)
    plain, found = crf.lattice([SENTENCE]), tagger.lattice([SENTENCE])
    added = 0.25 * 2.0 * (crf.chain.outer(crf.scheme) == 1)
    np.testing.assert_allclose(found.unary, 0.75 * plain.unary + added)
    np.testing.assert_allclose(found.transitions, 0.75 * plain.transitions)


def test_a_weight_must_leave_something_to_the_crf(crf: Tagger) -> None:
    with pytest.raises(SettingsError, match="weight is 1"):
        JoinedTagger.join(crf, Reader(len(crf.scheme), 0, 0.0), 1.0)


@pytest.fixture
def folder(crf: Tagger, tmp_path: Path) -> Path:
    JoinedTagger.join(crf, Reader(len(crf.scheme), 0, 0.0), 0.5).save(tmp_path / "tagger")
    return tmp_path / "tagger"


def test_without_the_extra_a_joined_tagger_opens_and_says_what_it_needs(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    for name in [name for name in sys.modules if name.startswith("crowdseq.neural.")]:
        monkeypatch.delitem(sys.modules, name)
    tagger = Tagger.load(folder)
    with pytest.raises(MissingExtraError, match=r"pip install 'crowdseq\[neural\]'"):
        tagger.tag(SENTENCE)


def test_a_pickle_is_not_saved_with_a_tagger(folder: Path) -> None:
    assert not (folder / "pytorch_model.bin").exists()


@pytest.mark.parametrize("name", ["pytorch_model.bin", "../model.safetensors", "code.py"])
def test_a_tagger_that_lists_a_pickle_or_code_is_refused(folder: Path, name: str) -> None:
    content = json.loads((folder / "model.json").read_text())
    content["files"][name] = "0" * 64
    content["description_sha256"] = description_digest(content)
    (folder / "model.json").write_text(json.dumps(content))
    with pytest.raises(FormatError, match="which no tagger of ours has"):
        Tagger.load(folder)


def test_a_changed_or_missing_part_is_told_in_one_line(folder: Path) -> None:
    (folder / "config.json").write_bytes(b"[]")
    with pytest.raises(FormatError, match=r"config.json: does not belong to model.json"):
        Tagger.load(folder)
    (folder / "config.json").unlink()
    with pytest.raises(FormatError, match=r"config.json: cannot be read"):
        Tagger.load(folder)
    content = json.loads((folder / "model.json").read_text())
    (folder / "model.json").write_text(json.dumps(content | {"weight": 0.4}))
    with pytest.raises(FormatError, match=r"model.json: was changed after it was written"):
        Tagger.load(folder)
