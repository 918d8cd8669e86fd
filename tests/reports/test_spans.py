"""How sure a span is, and what else it might be."""

import numpy as np
import pytest

from builders import corpus, random_corpus
from crowdseq.aggregation.settling import settle
from crowdseq.aggregation.voting import label_shares
from crowdseq.core.spans import find_spans
from crowdseq.reports.html.section import NONE, shown_spans, span_confidence


@pytest.mark.parametrize("kind", ["IOB2", "BIOES", "plain"])
def test_a_span_is_as_sure_as_its_least_sure_token(kind: str) -> None:
    world = random_corpus(1, sentences=30, kind=kind)
    consensus = settle(world, label_shares(world))
    spans = find_spans(consensus.tag_ids, world.offsets, world.scheme)
    slowly = [
        min(consensus.token_confidence[start:end].tolist())
        for start, end in zip(spans.starts.tolist(), spans.ends.tolist(), strict=True)
    ]
    np.testing.assert_allclose(span_confidence(consensus), slowly)
    shown = [
        span for place in range(len(world)) for span in shown_spans(consensus, place) if span.kind != NONE
    ]
    np.testing.assert_allclose([span.confidence for span in shown], slowly)
    assert [span.kind for span in shown] == spans.types.tolist()


def test_a_consensus_without_spans_has_no_confidence_of_spans() -> None:
    world = corpus("a/O/O b/O/O", scheme="IOB2")
    assert len(span_confidence(settle(world, label_shares(world)))) == 0


def test_what_else_a_span_may_be_is_named_by_type() -> None:
    world = corpus("a/B-PER/B-PER b/B-LOC/B-LOC c/O/O")
    order = world.scheme.tags
    shares = np.zeros((3, len(order)))
    shares[0, [order.index("B-PER"), order.index("B-LOC"), order.index("I-LOC")]] = [0.5, 0.2, 0.3]
    shares[1, [order.index("B-LOC"), order.index("O")]] = [0.6, 0.4]
    shares[2, [order.index("O"), order.index("B-PER")]] = [0.7, 0.3]
    first, second, third = shown_spans(settle(world, shares), 0)
    types = world.scheme.types
    assert (types[first.kind], first.confidence) == ("PER", 0.5)
    assert first.other is not None
    assert (types[first.other], first.other_share) == ("LOC", 0.5)
    assert (second.other, second.other_share) == (NONE, 0.4)
    assert (third.kind, third.start, third.end) == (NONE, 2, 3)
    assert third.other is not None
    assert (types[third.other], third.other_share) == ("PER", 0.3)


def test_what_is_unlikely_is_not_named() -> None:
    world = corpus("a/B-PER/B-PER b/O/O")
    shares = np.full((2, 3), 0.05)
    shares[0, world.scheme.index["B-PER"]] = shares[1, world.scheme.outside] = 0.9
    [span] = shown_spans(settle(world, shares), 0)
    assert span.other is None
