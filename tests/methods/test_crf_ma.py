"""CRF-MA: one joint round against the listing of every sequence, and what is special about it."""

from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest

from builders import corpus, random_corpus
from crowdseq.arrays import FloatArray
from crowdseq.core.corpus import Corpus
from crowdseq.engines.local import LocalEngine
from crowdseq.errors import SettingsError
from crowdseq.methods.crf_ma import CrfMa, _Joint
from shard_worlds import only_worker


def listed_answers(world: Corpus, emissions: FloatArray, steps: FloatArray) -> list[tuple[int, int, float]]:
    """For every answer its sentence, annotator and log p(answer) + labelled tokens * log M, by listing."""
    answers, scheme = [], world.scheme
    for place, (start, stop) in enumerate(pairwise(world.offsets.tolist())):
        ballot, total = world.annotations.ballots[place], 0.0
        fitting = np.zeros(len(ballot.voters))
        for path in product(range(len(scheme)), repeat=stop - start):
            if not scheme.is_valid(np.array(path, np.int16)):
                continue
            score = sum(emissions[start + t, label] for t, label in enumerate(path))
            weight = float(np.exp(score + sum(steps[a, b] for a, b in pairwise(path))))
            total += weight
            for row, tags in enumerate(ballot.tags.tolist()):
                if all(tag in (-1, label) for tag, label in zip(tags, path, strict=True)):
                    fitting[row] += weight
        for row, voter in enumerate(ballot.voters.tolist()):
            said = int((ballot.tags[row] >= 0).sum())
            if said:
                answers.append(
                    (place, voter, float(np.log(fitting[row] / total) + said * np.log(len(scheme))))
                )
    return answers


@pytest.mark.parametrize("seed", range(4))
def test_who_is_right_equals_the_listing_of_all_sequences(seed: int) -> None:
    world = random_corpus(
        seed, sentences=8, length=2, annotators=4, types=("P", "Q"), kind="plain", unlabelled=0.2
    )
    joint = _Joint.of(CrfMa(features="basic", iterations=4), world, LocalEngine())
    shard = only_worker(joint.placed)
    before, _ = joint.step(joint.start())
    state, objective = joint.step(before)
    emissions, steps = (
        shard.crf.problem.emissions(state.weights),
        shard.crf.problem.transitions(state.weights),
    )
    answers = listed_answers(world, emissions, steps)
    assert [(s, k) for s, k, _ in answers] == list(
        zip(shard.rows.sentences.tolist(), shard.rows.voters.tolist(), strict=True)
    )
    likelihood, chances = 0.0, []
    for place in sorted({s for s, _, _ in answers}):
        mine = [(state.strengths[k], score) for s, k, score in answers if s == place]
        total = sum(strength * np.exp(score) for strength, score in mine)
        chances += [strength * np.exp(score) / total for strength, score in mine]
        likelihood += float(np.log(total / sum(strength for strength, _ in mine)))
    np.testing.assert_allclose(shard._chances[state.version.number], chances, atol=1e-9)
    prior = joint.recipe.smoothing * float((np.log(state.strengths) - state.strengths).sum())
    penalty = joint.recipe.c2 * float(state.weights @ state.weights)
    assert objective == pytest.approx(likelihood - penalty + prior, rel=1e-9)


@pytest.mark.parametrize("kind", ["IOB2", "BIOES", "plain"])
def test_the_objective_never_falls(kind: str) -> None:
    world = random_corpus(3, sentences=40, accuracy=0.7, unlabelled=0.1, kind=kind)
    history = np.array(CrfMa(rounds=15, iterations=5, tolerance=0.0).aggregate(world).history)
    assert len(history) == 15
    assert (np.diff(history) >= -1e-9 * np.abs(history[1:])).all()


def test_the_reliable_annotator_is_found() -> None:
    """One knows, two guess; how much somebody labelled is no merit."""
    rng = np.random.default_rng(0)
    words = {"Ada": "P", "Bob": "P", "runs": "Q", "sits": "Q", "the": "R", "a": "R"}
    rows = []
    for number in range(60):
        chosen = rng.choice(list(words), 4).tolist()
        guess = rng.choice(list("PQR"), (2, 4)).tolist()
        knows = [words[word] if number % 2 else "?" for word in chosen]
        tokens = zip(chosen, knows, *guess, strict=True)
        rows.append(" ".join(f"{w}/{words[w]}/{k}/{g}/{h}" for w, k, g, h in tokens))
    world = corpus(*rows)
    found = CrfMa().aggregate(world)
    reliability = found.parameters["reliability"]
    assert reliability[0] > 3 * reliability[1:].max()
    assert (found.tag_ids == world.gold_tags)[world.n_voters[world.text.sentence_of] == 3].all()


def test_slips_of_spelling_do_not_disqualify() -> None:
    """An answer that breaks the scheme is read as the spans that it means."""
    world = corpus(*["Ada/B-X/I-X/I-X slept/O/O/O"] * 6, scheme="IOB2")
    found = CrfMa().aggregate(world)
    assert found.tags[0] == ("B-X", "O")


def test_the_tagger_may_have_the_last_word() -> None:
    rows = ["Ada/B-X/B-X/B-X slept/O/O/O"] * 12
    world = corpus(*rows, "Ada/B-X/O/O slept/O/O/O")
    assert CrfMa(truth="annotators").aggregate(world).tags[-1] == ("O", "O")
    assert CrfMa(truth="tagger").aggregate(world).tags[-1] == ("B-X", "O")


@pytest.mark.parametrize(
    "wrong", [{"rounds": 0}, {"iterations": 0}, {"smoothing": 0.0}, {"truth": "all"}, {"c2": -1.0}]
)
def test_settings_out_of_range_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(SettingsError, match=next(iter(wrong))):
        CrfMa(**wrong)
