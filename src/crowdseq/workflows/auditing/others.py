"""What the same sample says of others: annotators, the tagger, and how many spans of a label there are."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from crowdseq.arrays import BoolArray, IntArray
from crowdseq.core.ragged import gather_ranges, offsets_of
from crowdseq.evaluation.auditing.counting import ErrorCounts, count_errors
from crowdseq.evaluation.auditing.figures import FIGURES, Bound, bound_of, count_of
from crowdseq.evaluation.auditing.frame import Frame, RunningBounds
from crowdseq.tagging.sequence_tagger import SequenceTagger
from crowdseq.workflows.auditing.audit import Audit

_GROWTH = 1.1  # of cells: coarse, as there may be many annotators


@dataclass(frozen=True)
class Labeller:
    """How well somebody labels the sentences of the frame, each interval 95 % sure by itself.

    sentences: how many of those that were audited they labelled.
    """

    name: str
    sentences: int
    precision: Bound
    recall: Bound
    f1: Bound


def judge_annotators(audit: Audit) -> list[Labeller]:
    """Every annotator who labelled a sentence of the frame, on all that they labelled of it."""
    corpus = audit.consensus.corpus
    crowd, found = corpus.annotations, []
    for annotator, name in enumerate(corpus.annotators):
        rows = np.flatnonzero(crowd.voters == annotator)
        tags = np.full(corpus.n_tokens, -1, np.int16)
        seen = crowd.row_sentences[rows]
        lengths = corpus.text.lengths[seen]
        tags[gather_ranges(corpus.offsets[seen], lengths)] = crowd.tags[
            gather_ranges(crowd.row_starts[rows], lengths)
        ]
        chosen = np.isin(audit.frame.sentences, seen)
        if chosen.any():
            found.append(_labeller(audit, name, tags, chosen))
    return found


def judge_tagger(audit: Audit, tagger: SequenceTagger) -> Labeller:
    """A tagger of the same labels, on all sentences of the frame."""
    corpus = audit.consensus.corpus
    tags = np.full(corpus.n_tokens, -1, np.int16)
    numbers = audit.frame.sentences
    said = tagger.tag_many([corpus.text.tokens[number] for number in numbers.tolist()])
    tokens = gather_ranges(corpus.offsets[numbers], corpus.text.lengths[numbers])
    tags[tokens] = np.concatenate([np.zeros(0, np.int16), *(corpus.scheme.ids(one) for one in said)])
    return _labeller(audit, "tagger", tags, np.ones(len(numbers), np.bool_))


def count_labels(audit: Audit) -> dict[str, Bound]:
    """For every label how many spans, or of plain tags tokens, truly have it in the frame."""
    everything = np.ones(len(audit.frame.sentences), np.bool_)
    tags, types = audit.consensus.tag_ids, audit.consensus.corpus.scheme.types
    return {
        name: count_of(_replayed(audit, tags, everything, label).labels) for label, name in enumerate(types)
    }


def _labeller(audit: Audit, name: str, tags: IntArray, chosen: BoolArray) -> Labeller:
    running = _replayed(audit, tags, chosen, None)
    bounds = {one: bound_of(running.labels, figure, of_all=True) for one, figure in FIGURES.items()}
    return Labeller(name, len(running.read), **bounds)


def _replayed(audit: Audit, tags: IntArray, chosen: BoolArray, label: int | None) -> RunningBounds:
    """The audit as if these tags (T,) had been given, on the chosen sentences of the frame alone.

    Sentences of an order drawn by weights are, without the others, in an order drawn by weights.
    """
    corpus, frame = audit.consensus.corpus, audit.frame.frame
    kept = chosen[frame.order]
    places = np.cumsum(chosen) - 1
    answered = np.array(audit.answered(), np.int64)
    read = answered[kept[: len(answered)]]
    numbers = audit.frame.sentences[chosen]
    lengths = corpus.text.lengths[numbers]
    scheme = corpus.scheme
    said = tags[gather_ranges(corpus.offsets[numbers], lengths)]
    given = count_errors(said, said, offsets_of(lengths), scheme, label).given
    is_plain = scheme.is_plain and label is None
    order = places[frame.order[kept]]
    running = RunningBounds(
        Frame(given, lengths, is_plain, None, frame.weights[chosen], order), growth=_GROWTH
    )
    running.add_all(_errors(audit, tags, read.tolist(), label))
    return running


def _errors(audit: Audit, tags: IntArray, sentences: Sequence[int], label: int | None) -> ErrorCounts:
    corpus = audit.consensus.corpus
    numbers = np.array(sentences, np.int64)
    lengths = corpus.text.lengths[numbers]
    said = tags[gather_ranges(corpus.offsets[numbers], lengths)]
    return count_errors(audit.truth(sentences), said, offsets_of(lengths), corpus.scheme, label)
