import shutil
from pathlib import Path

import numpy as np
import pytest
import torch

from crowdseq.errors import FormatError
from crowdseq.neural.encoder import Encoder, answered, batches, one_thread
from crowdseq.neural.folders import ModelFolder
from crowdseq.neural.states import read_states
from crowdseq.numerics.em import quiet

SENTENCES = [["Ada", "met", "the", "Babbages", "."], ["Rising", "of", "London"], [], ["\ud800", "​"]]


@pytest.fixture(params=["word_model", "letter_model"])
def encoder(request: pytest.FixtureRequest) -> Encoder:
    return Encoder.load(ModelFolder.of(request.getfixturevalue(request.param)))


def test_a_tokenizer_that_knows_nothing_is_refused(word_model: Path, tmp_path: Path) -> None:
    mute = copied(word_model, tmp_path / "mute", without=("tokenizer.json", "vocab"))
    with pytest.raises(FormatError, match="its tokenizer knows no piece of a word"):
        Encoder.load(ModelFolder.of(mute))


def test_a_model_with_another_tokenizer_is_another_model(word_model: Path, tmp_path: Path) -> None:
    other = copied(word_model, tmp_path / "other")
    assert ModelFolder.of(other).digest == ModelFolder.of(word_model).digest
    with (other / "tokenizer.json").open("a") as file:
        file.write("\n")
    assert ModelFolder.of(other).digest != ModelFolder.of(word_model).digest


def copied(model: Path, folder: Path, without: tuple[str, ...] = ()) -> Path:
    folder.mkdir()
    for path in model.iterdir():
        if not path.name.startswith(without or "-"):
            shutil.copy(path, folder)
    return folder


def test_every_word_has_a_state_that_is_the_mean_of_its_pieces(encoder: Encoder) -> None:
    windows = encoder.windows(SENTENCES, None)
    assert answered(windows).tolist() == list(range(10))
    first, pieces = windows[0], encoder.pieces
    with one_thread(), torch.no_grad():
        states = encoder.model(**encoder.inputs([first])).last_hidden_state
        found = encoder.word_states(states, [first]).numpy()
    place = len(pieces.frame[0]) + len(pieces.of_word("Ada")) + len(pieces.of_word("met"))
    place += len(pieces.of_word("the"))
    oracle = states[0, place : place + len(pieces.of_word("Babbages"))].mean(dim=0).numpy()
    assert first.words[3] == pieces.of_word("Babbages")
    np.testing.assert_allclose(found[3], oracle, atol=1e-6)


def test_states_do_not_hang_on_what_is_read_at_the_same_time(encoder: Encoder) -> None:
    alone = [read_states(encoder, [sentence], None, quiet) for sentence in SENTENCES if sentence]
    together = read_states(encoder, SENTENCES, None, quiet)
    np.testing.assert_allclose(np.concatenate(alone), together, atol=2e-3)


def test_sentences_of_one_document_are_read_together(encoder: Encoder) -> None:
    apart = read_states(encoder, SENTENCES[:2], ["a", "b"], quiet)
    together = read_states(encoder, SENTENCES[:2], ["a", "a"], quiet)
    np.testing.assert_array_equal(apart, read_states(encoder, SENTENCES[:2], None, quiet))
    assert not np.array_equal(apart, together)


def test_a_long_sentence_is_read_in_windows_that_overlap(encoder: Encoder) -> None:
    words = [f"w{number}" for number in range(300)]
    windows = encoder.windows([["short"], words], ["a", "a"])
    assert sorted(answered(windows).tolist()) == list(range(301))
    assert all(window.n_pieces <= encoder.size for window in windows)
    inner = windows[2]
    assert inner.begin < inner.first
    assert inner.last < inner.begin + len(inner.words)
    assert np.isfinite(read_states(encoder, [words], None, quiet)).all()


def test_a_word_without_pieces_and_a_very_long_one_have_states_too(encoder: Encoder) -> None:
    found = read_states(encoder, [["", "x" * 5000, "Ada"]], None, quiet)
    assert found.shape == (3, 16)
    assert np.isfinite(found).all()


def test_batches_hold_windows_of_one_length_and_about_so_many_pieces(word_model: Path) -> None:
    encoder = Encoder.load(ModelFolder.of(word_model))
    windows = encoder.windows([["a"] * length for length in (3, 9, 3, 30, 3, 9)], None)
    found = [[window.n_pieces for window in batch] for batch in batches(windows, 6)]
    assert found == [[3, 3], [3], [9], [9], [30]]
