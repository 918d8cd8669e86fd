from pathlib import Path

import numpy as np
import pytest

from crowdseq.core.corpus import Corpus
from crowdseq.neural.encoder import Encoder
from crowdseq.neural.finetuning import _freeze, fine_tune
from crowdseq.neural.folders import ModelFolder
from crowdseq.neural.reader import flags_of
from crowdseq.neural.settings import TransformerSettings
from crowdseq.numerics.em import quiet
from crowdseq.tagging.sequence_tagger import Context


@pytest.mark.parametrize("kind", ["word_model", "letter_model"])
def test_a_model_learns_what_it_is_shown(kind: str, crowd: Corpus, request: pytest.FixtureRequest) -> None:
    wanted = np.eye(len(crowd.scheme))[crowd.gold_tags]
    given = ModelFolder.of(request.getfixturevalue(kind)), crowd.text, wanted
    fits = []
    for epochs in (1, 4):
        settings = TransformerSettings(epochs=epochs, rate=3e-3, head_rate=1e-2, batch=200)
        reader = fine_tune(*given, settings, quiet)
        told = reader.log_probabilities(list(crowd.text.tokens), Context.of_text(crowd.text))
        np.testing.assert_allclose(np.exp(told).sum(axis=1), 1.0, atol=1e-5)
        fits.append(float((wanted * told).sum(axis=1).mean()))
    assert -1.5 < fits[0] < fits[1]


def test_the_first_layers_and_embeddings_stay_as_they_are(word_model: Path, letter_model: Path) -> None:
    for folder in (word_model, letter_model):
        model = Encoder.load(ModelFolder.of(folder)).model
        _freeze(model, 0.5)
        learns = {name for name, one in model.named_parameters() if one.requires_grad}
        assert not any("embeddings" in name or name.startswith("encoder.layer.0.") for name in learns)
        assert any(name.startswith("encoder.layer.1.") for name in learns)
        if folder == letter_model:
            assert any("final_char_encoder.layer.0." in name for name in learns)


def test_tokens_without_a_target_are_not_learned_from(crowd: Corpus, word_model: Path) -> None:
    wanted = np.zeros((crowd.n_tokens, len(crowd.scheme)))
    wanted[: crowd[:10].n_tokens, crowd.scheme.outside] = 1.0
    reader = fine_tune(ModelFolder.of(word_model), crowd.text, wanted, TransformerSettings(epochs=1), quiet)
    assert np.isfinite(reader.log_probabilities(list(crowd.text.tokens))).all()


def test_a_word_knows_how_its_neighbours_are_written_within_the_sentence() -> None:
    rows = flags_of([["Ada", "slept"], [], ["ADA"]])
    alone = flags_of([["Ada"]])[0, :8]
    np.testing.assert_array_equal(rows[1, 8:16], alone)
    assert not rows[0, 8:16].any()
    assert not rows[2, 8:].any()
