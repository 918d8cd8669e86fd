"""A tiny random transformer of each kind, made on the spot; without torch these tests fail."""

from pathlib import Path

import pytest
import torch
import transformers

import crowdseq
from crowdseq.core.corpus import Corpus

_SIZES = {
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 24,
}


@pytest.fixture(scope="session")
def crowd() -> Corpus:
    """A few documents of the demo crowd."""
    return crowdseq.demo_corpus()[:80]


@pytest.fixture(scope="session")
def word_model(tmp_path_factory: pytest.TempPathFactory, crowd: Corpus) -> Path:
    """A model of word pieces: letters, and the ends of words."""
    folder: Path = tmp_path_factory.mktemp("models") / "pieces"
    letters = sorted({letter for word in crowd.text.words for letter in word.lower()})
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "of", "##ing"]
    vocabulary += [*letters, *(f"##{letter}" for letter in letters)]
    folder.mkdir()
    (folder / "vocab.txt").write_text("\n".join(vocabulary) + "\n")
    transformers.BertTokenizerFast(str(folder / "vocab.txt"), model_max_length=40).save_pretrained(folder)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        config = transformers.BertConfig(vocab_size=len(vocabulary), max_position_embeddings=40, **_SIZES)
        transformers.BertModel(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def letter_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that reads characters."""
    folder: Path = tmp_path_factory.mktemp("models") / "letters"
    transformers.CanineTokenizer(model_max_length=128).save_pretrained(folder)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        config = transformers.CanineConfig(
            max_position_embeddings=128,
            num_hash_functions=2,
            num_hash_buckets=256,
            local_transformer_stride=32,
            **_SIZES,
        )
        transformers.CanineModel(config).save_pretrained(folder)
    return folder
