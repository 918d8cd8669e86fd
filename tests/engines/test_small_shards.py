"""Shards of a few tokens: some without votes, without a fold, or with an annotator nobody else has."""

from typing import Any

import numpy as np
import pytest

from builders import random_corpus
from crowdseq.core.building import CorpusBuilder, Record
from crowdseq.core.corpus import Corpus
from crowdseq.engines.ordering import cut_canonical
from crowdseq.errors import SettingsError
from crowdseq.methods import list_methods

# Few rounds, so that rounding has no time to grow.
SETTINGS: dict[str, dict[str, Any]] = {
    "bsc": {"rounds": 3},
    "crf-ma": {"features": "basic", "rounds": 1, "iterations": 3},
    "dawid-skene": {"rounds": 3},
    "hmm-crowd": {"rounds": 2},
    "ibcc": {"rounds": 3},
    "mace": {"rounds": 3, "restarts": 2},
    "sa-slc": {"rounds": 2, "steps": 3},
    "sembler": {"features": "basic", "rounds": 1, "iterations": 3},
}


def patchy_crowd() -> Corpus:
    """Documents that nobody saw, that one alone saw, and one without tokens."""
    builder = CorpusBuilder()
    crowd = random_corpus(5, sentences=24, documents=12, annotators=4, unlabelled=0.2)
    for place, sentence in enumerate(crowd.sentences):
        ballot = crowd.annotations.ballots[place]
        answers = {
            crowd.annotators[voter]: [None if tag < 0 else crowd.scheme.tags[tag] for tag in tags]
            for voter, tags in zip(ballot.voters.tolist(), ballot.tags.tolist(), strict=True)
        }
        document = int(crowd.text.document_of[place])
        if document in (2, 5):
            answers = {}
        if document == 7:
            answers = {"hermit": [crowd.scheme.tags[0]] * len(sentence.tokens)}
        builder.add(Record(sentence.tokens, doc=f"d{document}", annotations=answers))
    builder.add(Record([], doc="empty"))
    return builder.build(crowd.scheme)


@pytest.mark.parametrize("kind", ["IOB2", "plain", "patchy"])
@pytest.mark.parametrize("name", sorted(SETTINGS))
def test_shards_of_few_tokens_give_what_one_shard_gives(name: str, kind: str) -> None:
    world = patchy_crowd() if kind == "patchy" else random_corpus(8, sentences=30, documents=10, kind=kind)
    size = world.n_tokens // 7
    assert len(cut_canonical(world, size).shards) > 4
    made = list_methods()[name]
    one = made(**SETTINGS[name]).aggregate(world)
    many = made(**(SETTINGS[name] | {"shard_tokens": size})).aggregate(world)
    np.testing.assert_allclose(many.probabilities, one.probabilities, atol=1e-7)
    assert many.history == pytest.approx(one.history, rel=1e-9)
    assert many.parameters.keys() == one.parameters.keys()


@pytest.mark.parametrize(
    "settings",
    [
        {"preset": "paper", "seed": 3},
        {"gold": True, "candidates": "adaptive"},
        {"dependency": "both", "repeat_match": "casefold", "folds": 2},
        {"dependency": "off", "repeat_tokens": "all", "start": "votes", "deference": 0.0},
    ],
)
def test_other_settings_of_sa_slc_give_what_one_shard_gives(settings: dict[str, Any]) -> None:
    world = random_corpus(4, sentences=40, annotators=5, voters=4, documents=12, unlabelled=0.1)
    made = list_methods()["sa-slc"]
    short: dict[str, Any] = {"rounds": 2, "steps": 3} | settings
    one, many = (made(**short, **cut).aggregate(world) for cut in ({}, {"shard_tokens": 40}))
    np.testing.assert_allclose(many.probabilities, one.probabilities, atol=1e-7)
    for key, value in one.parameters.items():
        np.testing.assert_allclose(many.parameters[key], value, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("name", sorted(SETTINGS))
def test_a_shard_holds_at_least_one_token(name: str) -> None:
    with pytest.raises(SettingsError, match="shard_tokens"):
        list_methods()[name](shard_tokens=0)  # type: ignore[call-arg]
