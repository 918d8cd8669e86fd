"""What `learn --text-model` refuses before any time is spent; that it works is tested with the extra."""

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save

import crowdseq
from crowdseq.errors import FormatError, MissingExtraError, MissingFileError, SettingsError
from crowdseq.workflows import text_model as text_models

CROWD = crowdseq.demo_corpus()[:10]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "bert"}))
    (tmp_path / "model.safetensors").write_bytes(save({"weight": np.zeros(4, np.float32)}))
    (tmp_path / "tokenizer.json").write_text("{}")
    return tmp_path


def learn(kind: str, model: Path | None, method: str = "sa-slc", **settings: object) -> None:
    crowdseq.learn(CROWD, method, text_model=kind, model=model, **settings)  # type: ignore[arg-type]


def test_what_is_no_model_folder_is_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="there is no such folder, give the folder of a model"):
        learn("network", tmp_path / "nowhere")
    with pytest.raises(FormatError, match=r"is no model folder \(config.json is missing\)"):
        learn("network", tmp_path)
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(FormatError, match=r"config\.json: not JSON"):
        learn("network", tmp_path)
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(FormatError, match="names no model_type"):
        learn("transformer", tmp_path)


@pytest.mark.parametrize("name", ["pytorch_model.bin", "model.pt"])
def test_a_pickle_is_refused(folder: Path, name: str) -> None:
    (folder / "model.safetensors").rename(folder / name)
    with pytest.raises(FormatError, match=f"{name}: is a pickle, which may run code"):
        learn("network", folder)
    with pytest.raises(FormatError, match=f"{name}: is a pickle, which may run code"):
        learn("network", folder / name)


def test_a_folder_that_is_not_whole_is_refused(folder: Path) -> None:
    (folder / "tokenizer.json").unlink()
    with pytest.raises(FormatError, match=r"has no tokenizer \(tokenizer\.json is missing\)"):
        learn("network", folder)
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1])
    with pytest.raises(FormatError, match=r"model\.safetensors: is no whole safetensors file"):
        learn("network", folder)


def test_without_the_extra_the_run_says_what_it_needs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_models, "find_spec", {}.get)
    with pytest.raises(MissingExtraError, match=r"network needs an extra: pip install 'crowdseq\[neural\]'"):
        learn("network", folder)


def test_words_that_do_not_fit_together_are_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_models, "find_spec", lambda name: name)
    with pytest.raises(SettingsError, match="needs a language model of this machine, name its folder"):
        learn("network", None)
    with pytest.raises(SettingsError, match="the CRF alone reads no model"):
        learn("crf", folder)
    with pytest.raises(SettingsError, match="text_model is 'bert', choose one of crf, network"):
        learn("bert", folder)
    with pytest.raises(SettingsError, match="majority-vote reads no text with the model network"):
        learn("network", folder, "majority-vote")
    with pytest.raises(SettingsError, match="majority-vote reads no text with the model transformer"):
        learn("transformer", folder, "majority-vote", tagger=False)
    with pytest.raises(SettingsError, match="cannot be held to max_memory"):
        learn("network", folder, max_memory=500)
