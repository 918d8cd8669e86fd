"""What came out, and what it promises."""

from typing import Any

import numpy as np
import pytest

from builders import corpus, random_corpus
from crowdseq.core.consensus import AnnotatorReport, Consensus, SettledSpan
from crowdseq.core.spans import decode
from crowdseq.errors import AnnotationError


def _consensus(tags: list[str], rows: list[list[float]]) -> Consensus:
    world = corpus("Ada/B-PER/B-PER Lovelace/I-PER/O", "slept/O/O")
    report = AnnotatorReport("a1", 2, 3, None, None, 1.0, 0.5, None, None, np.zeros((3, 3)))
    return Consensus(world, world.scheme.ids(tags), np.array(rows), (report,))


_ROWS = [[0.25, 0.5, 0.25], [0.5, 0.25, 0.25], [1.0, 0.0, 0.0]]


def test_a_consensus_is_read_sentence_by_sentence() -> None:
    consensus = _consensus(["B-PER", "O", "O"], _ROWS)
    assert consensus.tags == [("B-PER", "O"), ("O",)]
    assert consensus.posteriors[1].tolist() == [[1.0, 0.0, 0.0]]
    assert [row.tolist() for row in consensus.confidence] == [[0.5, 0.5], [1.0]]
    assert consensus.token_confidence.tolist() == [0.5, 0.5, 1.0]
    assert consensus.sentence_confidence.tolist() == pytest.approx([0.25, 1.0])
    assert consensus.report("a1").precision == 1.0


@pytest.mark.parametrize(
    ("tags", "rows", "message"),
    [
        (["B-PER", "O"], _ROWS, "one tag and one row of 3 for each token"),
        (["B-PER", "O", "O"], _ROWS[:2], "one tag and one row of 3 for each token"),
        (["B-PER", "O", "O"], [[0.5, 0.5, 0.5], *_ROWS[1:]], "must sum to one"),
        (["B-PER", "O", "O"], [[float("nan")] * 3, *_ROWS[1:]], "must sum to one"),
        (["B-PER", "O", "I-PER"], _ROWS, "must keep the rules of the scheme"),
        (["B-PER", None, "O"], _ROWS, "one tag of the scheme for each token"),
    ],
)
def test_a_consensus_that_breaks_its_promise_is_not_built(tags: Any, rows: Any, message: str) -> None:
    with pytest.raises(AnnotationError, match=message):
        _consensus(tags, rows)


def test_a_report_on_a_stranger_is_refused_by_name() -> None:
    with pytest.raises(AnnotationError, match="annotator 'zoe' is not in this consensus"):
        _consensus(["B-PER", "O", "O"], _ROWS).report("zoe")


def test_spans_are_as_sure_as_their_least_sure_token() -> None:
    consensus = _consensus(["B-PER", "I-PER", "O"], [[0.0, 1.0, 0.0], [0.5, 0.1, 0.4], [1.0, 0.0, 0.0]])
    assert consensus.spans == ((SettledSpan(0, 2, "PER", 0.4),), ())


@pytest.mark.parametrize("kind", ["IOB2", "BIOES", "plain"])
def test_spans_are_those_of_the_tags_of_each_sentence(kind: str) -> None:
    world = random_corpus(3, kind=kind)
    rows = np.full((world.n_tokens, len(world.scheme)), 1 / len(world.scheme))
    consensus = Consensus(world, world.gold_tags, rows, ())
    assert len(consensus.spans) == len(world)
    for spans, tags in zip(consensus.spans, consensus.tags, strict=True):
        found = [(span.start, span.end, span.label) for span in spans]
        assert found == [(one.start, one.end, one.label) for one in decode(world.scheme, tags)]


def test_what_is_shown_is_short_and_holds_no_arrays() -> None:
    consensus = _consensus(["B-PER", "O", "O"], _ROWS)
    assert repr(consensus) == "<Consensus: 2 sentences, 3 tokens, 1 annotators, mean confidence 0.667>"
    assert repr(consensus.annotators) == "<1 annotators with their skill: a1: unknown>"
    assert "array" not in repr(consensus.report("a1"))
    for noun in (consensus.corpus, consensus.corpus.text, consensus.corpus.annotations):
        assert len(repr(noun)) < 100
