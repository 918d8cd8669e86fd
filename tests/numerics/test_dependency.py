"""How votes depend on what was said before, against counting them one by one."""

from dataclasses import astuple

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crowdseq.arrays import FloatArray
from crowdseq.numerics.crowds.dependency import DependencyModel, Smoothing
from oracles import CountedVotes, GivenVote

STRENGTHS = st.sampled_from([0.0, 0.1, 1.0, 20.0, 400.0])
SHARES = st.sampled_from([0.0, 0.3, 1.0])
SMOOTHINGS = st.builds(
    Smoothing,
    own=STRENGTHS,
    annotator=STRENGTHS,
    crowd=STRENGTHS,
    prior=STRENGTHS,
    diagonal=st.sampled_from([0.5, 0.7, 1.0]),
    share=SHARES,
)
FURTHER = st.sampled_from([0.0, 0.5, 1.0])


@st.composite
def given_votes(draw: st.DrawFn) -> list[GivenVote]:
    """Votes of a few people in contexts of up to two parts; some truths are certain, some impossible."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_labels, n_parts = draw(st.integers(1, 4)), draw(st.integers(0, 2))
    n_people, n_contexts = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    votes = []
    for _ in range(draw(st.integers(1, 25))):
        truth = rng.dirichlet(np.ones(n_labels)) if rng.random() < 0.7 else np.eye(n_labels)[0]
        context = tuple(rng.integers(-1, n_contexts, n_parts).tolist())
        who, label = int(rng.integers(n_people)), int(rng.integers(n_labels))
        votes.append(GivenVote(who, context, label, truth.tolist()))
    return votes


def modelled(votes: list[GivenVote]) -> tuple[DependencyModel, FloatArray]:
    """The model of votes, and the expected counts of its kinds."""
    people, labels = (
        np.array(column) for column in ([one.who for one in votes], [one.label for one in votes])
    )
    contexts = [np.array(part) for part in zip(*(one.context for one in votes), strict=True)]
    model = DependencyModel.build(people, labels, contexts)
    counts = np.zeros((model.n_kinds, len(votes[0].truth)))
    np.add.at(counts, model.kinds, np.array([one.truth for one in votes]))
    return model, counts


@given(given_votes(), SMOOTHINGS, FURTHER, st.data())
def test_mixed_tables_are_as_counting_one_by_one_says(
    votes: list[GivenVote], smoothing: Smoothing, further: float, data: st.DataObject
) -> None:
    known = data.draw(st.integers(0, len(votes[0].context)))
    model, counts = modelled(votes)
    found, slow = model.log_mixed(counts, smoothing, known, further), CountedVotes(votes, smoothing)
    for kind, vote in zip(model.kinds.tolist(), votes, strict=True):
        told = [slow.mixed(vote, truth, known, further) for truth in range(len(vote.truth))]
        np.testing.assert_allclose(found[kind], told, rtol=1e-9, atol=1e-9)


@given(given_votes(), SMOOTHINGS)
def test_a_context_that_does_not_count_leaves_habits(votes: list[GivenVote], smoothing: Smoothing) -> None:
    model, counts = modelled(votes)
    np.testing.assert_array_equal(
        model.log_mixed(counts, smoothing, 0, 0.0), model.log_habits(counts, smoothing)
    )


@given(given_votes(), st.integers(0, 2))
def test_without_smoothing_a_table_is_a_relative_frequency(votes: list[GivenVote], known: int) -> None:
    """However a context counts in general, where all of it is known nothing is mixed."""
    plain = Smoothing(*(0.0 for _ in astuple(Smoothing())))
    model, counts = modelled(votes)
    parts = len(votes[0].context)
    full = model.log_mixed(counts, plain, parts, 0.0)
    np.testing.assert_array_equal(full, model.log_mixed(counts, plain, min(known, parts), 1.0))
    for kind, vote in zip(model.kinds.tolist(), votes, strict=True):
        same = [one for one in votes if (one.who, one.context) == (vote.who, vote.context)]
        every = np.sum([one.truth for one in same], axis=0)
        given_so = np.sum([one.truth for one in same if one.label == vote.label], axis=0)
        seen = every > 0
        share = np.maximum(given_so[seen] / every[seen], 1e-12)
        np.testing.assert_allclose(full[kind][seen], np.log(share), rtol=1e-9, atol=1e-9)
