import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crowdseq
from crowdseq.aggregation import companions
from crowdseq.core.corpus import Corpus
from crowdseq.errors import FormatError, SettingsError
from crowdseq.numerics.em import Progress
from crowdseq.tagging.joined_tagger import JoinedTagger
from crowdseq.workflows.run import Run

LEAST_AGREEMENT = companions.LEAST_AGREEMENT
QUICK: dict[str, Any] = {"rounds": 2, "folds": 2, "steps": 3}


@pytest.fixture(scope="module", autouse=True)
def _a_small_crowd_is_enough() -> Iterator[None]:
    """So little text tells a CRF too little for a model to be asked."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(companions, "LEAST_AGREEMENT", 0.0)
        yield


@pytest.fixture(scope="module")
def run(crowd: Corpus, word_model: Path) -> Run:
    return crowdseq.learn(crowd, text_model="transformer", model=word_model, **QUICK)


def test_a_network_joins_the_rounds_and_the_tagger_stays_a_crf(crowd: Corpus, letter_model: Path) -> None:
    made = crowdseq.learn(crowd, text_model="network", model=letter_model, **QUICK)
    plain = crowdseq.learn(crowd, **QUICK)
    assert len(made.consensus.history) == 2 + 2 * 2
    assert not np.array_equal(made.consensus.probabilities, plain.consensus.probabilities)
    assert not isinstance(made.tagger, JoinedTagger)


def test_where_the_text_tells_little_no_model_reads_it_and_the_run_says_so(
    crowd: Corpus, word_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(companions, "LEAST_AGREEMENT", LEAST_AGREEMENT)
    stages = set[str]()
    made = crowdseq.learn(
        crowd, text_model="network", model=word_model, progress=lambda *told: stages.add(told[0]), **QUICK
    )
    assert "reading the text with the model" not in stages
    plain = crowdseq.learn(crowd, **QUICK)
    np.testing.assert_array_equal(made.consensus.probabilities, plain.consensus.probabilities)
    told = next(remark for remark in made.remarks if remark.kind == "language-model")
    assert told.text.startswith("the language model is not used for the consensus")
    assert told.evidence["model_in_rounds"] is False


def test_a_run_that_is_interrupted_comes_to_the_same_end(
    crowd: Corpus, word_model: Path, tmp_path: Path, run: Run
) -> None:
    given = {"text_model": "network", "model": word_model, "checkpoints": tmp_path, **QUICK}
    for steps in (1, 4, 16):  # before the first training, in it, in the second one
        with pytest.raises(KeyboardInterrupt):
            crowdseq.learn(crowd, progress=_stop_after(steps), **given)
    made = crowdseq.learn(crowd, **given)
    np.testing.assert_array_equal(made.consensus.probabilities, run.consensus.probabilities)
    assert made.consensus.history == run.consensus.history
    with pytest.raises(SettingsError, match="other data or settings"):
        crowdseq.learn(crowd, checkpoints=tmp_path, **QUICK)


def _stop_after(steps: int) -> Progress:
    """A listener who stops a run at the so manieth word of its networks."""
    left = iter(range(steps - 1))

    def stop(stage: str, done: int, total: int) -> None:
        assert done <= total or not total
        if stage == "training the network" and next(left, None) is None:
            raise KeyboardInterrupt

    return stop


def test_another_seed_draws_other_networks(crowd: Corpus, word_model: Path, run: Run) -> None:
    made = crowdseq.learn(crowd, text_model="network", model=word_model, seed=1, tagger=False, **QUICK)
    assert not np.array_equal(made.consensus.probabilities, run.consensus.probabilities)


def test_a_saved_tagger_needs_no_model_beside_and_tags_as_before(
    run: Run, crowd: Corpus, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    sentences = [list(tokens) for tokens in crowd.text.tokens[:20]]
    run.save(tmp_path / "run")
    assert capfd.readouterr() == ("", "")
    opened = crowdseq.Tagger.load(tmp_path / "run")
    assert isinstance(opened, JoinedTagger)
    assert run.tagger is not None
    assert opened.tag_many(sentences) == run.tagger.tag_many(sentences)
    for one, other in zip(
        opened.marginals_many(sentences), run.tagger.marginals_many(sentences), strict=True
    ):
        np.testing.assert_allclose(one, other, atol=1e-6)
    names = {path.name for path in (tmp_path / "run" / "tagger").iterdir()}
    assert {"model.json", "weights.safetensors", "model.safetensors", "head.safetensors"} <= names
    assert not any(name.endswith((".bin", ".pt", ".py")) for name in names)
    opened.save(tmp_path / "again")
    assert crowdseq.Tagger.load(tmp_path / "again").tag_many(sentences) == opened.tag_many(sentences)
    assert crowdseq.load(tmp_path / "run").tagger is not None


def test_a_joined_tagger_and_a_crf_may_take_each_others_place(run: Run, tmp_path: Path) -> None:
    assert isinstance(run.tagger, JoinedTagger)
    crf = crowdseq.learn(crowdseq.demo_corpus()[:30], "majority-vote").tagger
    assert isinstance(crf, crowdseq.Tagger)
    for tagger in (run.tagger, crf, run.tagger):
        tagger.save(tmp_path / "tagger")
    assert isinstance(crowdseq.Tagger.load(tmp_path / "tagger"), JoinedTagger)


def test_a_tagger_whose_model_was_changed_is_refused(run: Run, tmp_path: Path) -> None:
    assert isinstance(run.tagger, JoinedTagger)
    run.tagger.save(tmp_path / "tagger")
    weights = tmp_path / "tagger" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-4] + b"evil")
    with pytest.raises(FormatError, match=r"model.safetensors: does not belong to model.json"):
        crowdseq.Tagger.load(tmp_path / "tagger")


def test_the_command_line_learns_and_tags_with_a_model(
    crowd: Corpus, letter_model: Path, tmp_path: Path
) -> None:
    crowdseq.write(crowd[:30], tmp_path / "crowd.jsonl")
    out = tmp_path / "run"
    typed = ["learn", str(tmp_path / "crowd.jsonl"), "-m", "majority-vote", "-o", str(out)]
    typed += ["--text-model", "transformer", "--model", str(letter_model)]
    said = _typed(*typed)
    assert "fine-tuning the model" in said
    told = json.loads((out / "settings.json").read_text())["text_model"]
    assert told["kind"] == "transformer"
    assert set(told["versions"]) == {"torch", "transformers"}
    (tmp_path / "new.txt").write_text("She lives in London .\n")
    assert _typed("tag", str(out), str(tmp_path / "new.txt"), "-q").startswith("She")


def _typed(*arguments: str) -> str:
    command = [sys.executable, "-m", "crowdseq", *arguments]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout + result.stderr


def test_a_broken_model_is_refused_in_one_line(word_model: Path, crowd: Corpus, tmp_path: Path) -> None:
    for path in word_model.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    config = json.loads((word_model / "config.json").read_bytes())
    (tmp_path / "config.json").write_text(json.dumps(config | {"hidden_size": 2 * config["hidden_size"]}))
    with pytest.raises(FormatError, match="the model cannot be opened") as caught:
        crowdseq.learn(crowd, text_model="network", model=tmp_path, **QUICK)
    assert "\n" not in str(caught.value)
    (tmp_path / "model.safetensors").write_bytes(b"\0" * 64)
    with pytest.raises(FormatError, match="is no whole safetensors file") as caught:
        crowdseq.learn(crowd, text_model="network", model=tmp_path, **QUICK)
    assert "\n" not in str(caught.value)


def test_vectors_are_tried_without_the_model_and_used_with_it(
    crowd: Corpus, word_model: Path, tmp_path: Path
) -> None:
    numbers = np.random.default_rng(0).normal(size=(len(crowd.text.words), 4)).round(3).tolist()
    lines = [" ".join([word, *map(str, row)]) for word, row in zip(crowd.text.words, numbers, strict=True)]
    (tmp_path / "vectors.txt").write_text("\n".join(lines) + "\n")
    told: list[str] = []
    made = crowdseq.learn(
        crowd,
        text_model="network",
        model=word_model,
        vectors=tmp_path / "vectors.txt",
        progress=lambda stage, done, total: told.append(stage) if done == total else None,
        **QUICK,
    )
    assert {"vectors", "text_model"} <= set(made.source)
    assert told.count("training the network") == 2
