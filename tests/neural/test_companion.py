from pathlib import Path

import numpy as np
import pytest
import torch

from crowdseq.core.corpus import Corpus
from crowdseq.neural.companion import MakeCompanion, StateCompanion
from crowdseq.neural.folders import ModelFolder
from crowdseq.neural.inputs import case_flags, document_means, principal_components, token_inputs
from crowdseq.neural.settings import NetworkSettings, Rows
from crowdseq.neural.states import CACHE_FILE, frozen_states
from crowdseq.numerics.em import quiet

SMALL = NetworkSettings(epochs=(2, 1), hidden=8, recurrent=6, components=5, batch=60)


@pytest.fixture(scope="module")
def companion(crowd: Corpus, word_model: Path) -> StateCompanion:
    return MakeCompanion(ModelFolder.of(word_model), SMALL)(crowd, quiet)


@pytest.fixture(scope="module")
def believed(crowd: Corpus) -> Rows:
    return np.eye(len(crowd.scheme))[crowd.gold_tags]


def test_what_is_told_of_a_fold_does_not_hang_on_what_is_believed_there(
    companion: StateCompanion, crowd: Corpus, believed: Rows
) -> None:
    folds = np.arange(len(crowd)) % 3
    told, learned = companion.train(believed, folds, 0, None)
    np.testing.assert_allclose(np.exp(told).sum(axis=1), 1.0, atol=1e-5)
    changed = believed.copy()
    mine = np.repeat(folds == 1, crowd.text.lengths)
    changed[mine] = np.roll(changed[mine], 1, axis=1)
    again, other = companion.train(changed, folds, 0, None)
    np.testing.assert_array_equal(again[mine], told[mine])
    np.testing.assert_array_equal(other[1], learned[1])
    assert not np.array_equal(again[~mine], told[~mine])


def test_a_second_training_goes_on_from_the_first(
    companion: StateCompanion, crowd: Corpus, believed: Rows
) -> None:
    folds = np.arange(len(crowd)) % 2
    first, learned = companion.train(believed, folds, 0, None)
    second, _ = companion.train(believed, folds, 1, learned)
    anew, _ = companion.train(believed, folds, 1, None)
    fit = [float((believed * told).sum()) for told in (first, second, anew)]
    assert fit[1] > fit[0] > fit[2]


def test_numbers_drawn_elsewhere_and_threads_change_nothing(
    companion: StateCompanion, crowd: Corpus, believed: Rows
) -> None:
    folds, threads = np.arange(len(crowd)) % 2, torch.get_num_threads()
    told, _ = companion.train(believed, folds, 0, None)
    state = torch.random.get_rng_state()
    torch.set_num_threads(threads + 1)
    try:
        torch.rand(3)
        again, _ = companion.train(believed, folds, 0, None)
        assert torch.get_num_threads() == threads + 1
    finally:
        torch.set_num_threads(threads)
        torch.random.set_rng_state(state)
    np.testing.assert_array_equal(again, told)


def test_states_are_kept_for_the_same_text_and_model_alone(
    crowd: Corpus, word_model: Path, letter_model: Path, tmp_path: Path
) -> None:
    model, stages = ModelFolder.of(word_model), list[str]()
    first = frozen_states(model, crowd.text, tmp_path, quiet)
    kept = frozen_states(model, crowd.text, tmp_path, lambda stage, *_: stages.append(stage))
    np.testing.assert_array_equal(kept, first)
    assert stages == []
    assert len(frozen_states(model, crowd[:5].text, tmp_path, quiet)) == crowd[:5].n_tokens
    frozen_states(ModelFolder.of(letter_model), crowd.text, tmp_path, quiet)
    (tmp_path / CACHE_FILE).write_bytes(b"broken")
    np.testing.assert_array_equal(frozen_states(model, crowd.text, tmp_path, quiet), first)


def test_principal_components_are_those_of_the_covariance() -> None:
    random = np.random.default_rng(0)
    rows = random.normal(size=(50, 6)) @ random.normal(size=(6, 6))
    found = principal_components(rows, 3)
    centred = rows - rows.mean(axis=0)
    _, sizes, directions = np.linalg.svd(centred, full_matrices=False)
    oracle = centred @ directions[:3].T / np.sqrt((sizes[:3] ** 2 / 50).mean())
    np.testing.assert_allclose(np.abs(found), np.abs(oracle), rtol=1e-3, atol=1e-4)


def test_the_mean_of_a_word_is_that_of_its_document(crowd: Corpus) -> None:
    rows = np.random.default_rng(0).normal(size=(crowd.n_tokens, 2)).astype(np.float32)
    means, counts = document_means(rows, crowd.text)
    documents = np.repeat(crowd.text.document_of, crowd.text.lengths)
    for token in (0, 57, crowd.n_tokens - 1):
        same = (documents == documents[token]) & (crowd.text.token_ids == crowd.text.token_ids[token])
        np.testing.assert_allclose(means[token], rows[same].mean(axis=0), rtol=1e-5)
        assert counts[token] == same.sum()
    assert token_inputs(rows, crowd.text, 2).shape == (crowd.n_tokens, 2 + 2 + 8 + 1 + 1)


def test_how_a_word_is_written_tells_names_from_numbers() -> None:
    written = {word: case_flags(word) for word in ("Ada", "ADA", "ada", "McKay", "1996", "...", "U.S.", "")}
    assert len(set(written.values())) == len(written)
