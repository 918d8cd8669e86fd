"""What became of every span, by hand and beside a slow comparison."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from builders import corpus, random_corpus
from crowdseq.aggregation.settling import settle
from crowdseq.aggregation.voting import label_shares
from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.core.spans import Span, decode
from crowdseq.reports.outcomes import NONE, Outcome, SpanOutcomes


def believing_gold(world: Corpus) -> Consensus:
    """A consensus that is sure of gold, so that tests say what is true."""
    sure = np.eye(len(world.scheme))[world.gold_tags]
    return settle(world, sure, tag_ids=world.gold_tags.copy())


@pytest.mark.parametrize(
    ("sentence", "outcome"),
    [
        ("a/B-PER/B-PER b/I-PER/I-PER c/O/O", Outcome.RIGHT),
        ("a/B-PER/O b/I-PER/O c/O/B-LOC", Outcome.LEFT_OUT),
        ("a/B-PER/B-LOC b/I-PER/I-LOC c/O/O", Outcome.OTHER_TYPE),
        ("a/B-PER/B-PER b/I-PER/O c/O/O", Outcome.TOO_SHORT),
        ("a/B-PER/O b/I-PER/B-PER c/O/O", Outcome.TOO_SHORT),
        ("a/B-PER/B-PER b/I-PER/I-PER c/O/I-PER", Outcome.TOO_LONG),
        ("x/O/O a/B-PER/O b/I-PER/B-PER c/O/I-PER", Outcome.SHIFTED),
        ("a/B-PER/B-PER b/I-PER/B-PER c/O/O", Outcome.SPLIT),
        ("a/B-PER/B-LOC b/I-PER/B-PER c/O/O", Outcome.TOO_SHORT),
        ("a/B-PER/I-PER b/I-PER/I-PER c/O/O", Outcome.RIGHT),
    ],
)
def test_a_span_has_one_outcome(sentence: str, outcome: Outcome) -> None:
    found = SpanOutcomes.of(believing_gold(corpus(sentence, "z/B-LOC/B-LOC")))
    assert found.outcomes.tolist() == [outcome, Outcome.RIGHT]


def test_the_type_given_instead_is_kept() -> None:
    world = corpus("a/B-PER/B-LOC b/O/O c/B-LOC/O")
    found = SpanOutcomes.of(believing_gold(world))
    assert [world.scheme.types[kind] if kind >= 0 else None for kind in found.given] == ["LOC", None]


def test_spans_where_the_consensus_has_nothing_are_invented() -> None:
    found = SpanOutcomes.of(believing_gold(corpus("a/O/B-PER b/O/O c/B-PER/B-PER")))
    assert found.invented.tolist() == [True, False]


def test_an_earlier_mention_is_that_of_the_same_annotator_in_the_same_document() -> None:
    world = corpus(
        "Ada/B-PER/B-PER/?",
        "ADA/B-PER/O/B-PER",
        "Ada/B-PER/B-PER/B-PER",
        "Ada/B-PER/B-PER/B-PER",
        docs=["d1", "d1", "d1", "d2"],
    )
    found = SpanOutcomes.of(believing_gold(world))
    named = list(zip(found.annotators.tolist(), found.earlier.tolist(), strict=True))
    # In the order of the text: a1; a1, a2; a1, a2; a1, a2.
    assert named == [(0, NONE), (0, 0), (1, NONE), (0, 1), (1, 2), (0, NONE), (1, NONE)]


def test_unlabelled_tokens_are_nobody_s_fault() -> None:
    found = SpanOutcomes.of(believing_gold(corpus("a/B-PER/?/O b/O/O/O c/B-LOC/B-LOC/B-LOC")))
    pairs = zip(found.annotators.tolist(), found.outcomes.tolist(), strict=True)
    assert sorted(pairs) == [(0, Outcome.RIGHT), (1, Outcome.RIGHT), (1, Outcome.LEFT_OUT)]


def test_plain_labels_are_right_or_other() -> None:
    found = SpanOutcomes.of(believing_gold(corpus("a/N/N b/V/N c/V/?", scheme="plain")))
    assert found.outcomes.tolist() == [Outcome.RIGHT, Outcome.OTHER_TYPE]


@pytest.mark.parametrize("kind", ["IOB2", "BIOES", "IO", "plain"])
@pytest.mark.parametrize("seed", range(5))
def test_outcomes_are_those_of_a_slow_comparison(seed: int, kind: str) -> None:
    world = random_corpus(seed, sentences=15, kind=kind, accuracy=0.6, types=("A", "B", "C"))
    consensus = settle(world, label_shares(world))
    found = SpanOutcomes.of(consensus)
    wanted, invented = _slowly(consensus)
    assert _rows(found.annotators, found.types, found.outcomes) == wanted
    assert _rows(found.given_annotators, found.given_types, found.invented) == invented


def _rows(*columns: NDArray[Any]) -> list[tuple[Any, ...]]:
    return list(zip(*(column.tolist() for column in columns), strict=True))


def _slowly(consensus: Consensus) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """The same span by span, with sets of tokens."""
    world = consensus.corpus
    types = world.scheme.types
    wanted: list[tuple[Any, ...]] = []
    invented: list[tuple[Any, ...]] = []
    for place, ballot in enumerate(world.annotations.ballots):
        for voter, tags in zip(ballot.voters.tolist(), ballot.tags, strict=True):
            truth = decode(world.scheme, consensus.tags[place], lenient=True)
            given = decode(world.scheme, world.scheme.names(tags), lenient=True)
            wanted += [(voter, types.index(span.label), _outcome(span, given)) for span in truth]
            invented += [
                (voter, types.index(one.label), not any(_tokens(one) & _tokens(span) for span in truth))
                for one in given
            ]
    return wanted, invented


def _tokens(span: Span) -> set[int]:
    return set(range(span.start, span.end))


def _outcome(span: Span, given: tuple[Span, ...]) -> Outcome:
    touching = [one for one in given if _tokens(one) & _tokens(span)]
    alike = [one for one in touching if one.label == span.label]
    if not touching:
        return Outcome.LEFT_OUT
    if not alike:
        return Outcome.OTHER_TYPE
    if len(alike) > 1:
        return Outcome.SPLIT
    mine, theirs = _tokens(span), _tokens(alike[0])
    if mine == theirs:
        return Outcome.RIGHT
    if theirs < mine:
        return Outcome.TOO_SHORT
    return Outcome.TOO_LONG if theirs > mine else Outcome.SHIFTED
