"""simulate: a crowd of fallible annotators of known precision, out of gold tags; who sees which sentence."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from crowdseq.arrays import BoolArray, IntArray
from crowdseq.core.annotations import Annotations
from crowdseq.core.corpus import Corpus
from crowdseq.core.ragged import gather_ranges, offsets_of
from crowdseq.core.text import Text
from crowdseq.errors import SettingsError
from crowdseq.simulation.cast import Stream, cast
from crowdseq.simulation.labelling import SpanTask, TagTask
from crowdseq.simulation.realised import Realised, measure
from crowdseq.simulation.scene import Scene, with_gold
from crowdseq.simulation.settings import CrowdSettings


@dataclass(frozen=True, eq=False)
class Simulated:
    """A corpus labelled by the simulated crowd, and what that crowd turned out to be."""

    corpus: Corpus
    realised: Realised


def simulate(
    gold_corpus: Corpus, *, annotators: int = 5, precision: float = 0.5, seed: int = 0, **more: Any
) -> Corpus:
    """The gold corpus with the labels of a simulated crowd; `more` are further fields of `CrowdSettings`.

    annotators: how many. precision: what share of their spans is right. seed: of all that is drawn.

    >>> import crowdseq
    >>> crowdseq.simulate(crowdseq.demo_corpus()[:100], annotators=3, precision=0.8)
    <Corpus: 100 sentences, 1563 tokens, 3 annotators, 9 tags (IOB2)>
    """
    known = [field.name for field in fields(CrowdSettings)]
    unknown = [name for name in more if name not in known]
    if unknown:
        raise SettingsError(f"setting '{unknown[0]}' is unknown, choose one of {', '.join(known)}")
    settings = CrowdSettings(annotators=annotators, precision=precision, seed=seed, **more)
    return simulate_crowd(gold_corpus, settings).corpus


def simulate_crowd(gold_corpus: Corpus, settings: CrowdSettings | None = None) -> Simulated:
    """The gold corpus with the labels of a simulated crowd in place of any that it had, and its figures."""
    settings = settings or CrowdSettings()
    corpus = with_gold(gold_corpus)
    task = TagTask.of(corpus) if corpus.scheme.is_plain else SpanTask(Scene.of(corpus))
    persons, truth = cast(settings), task.truth
    seen = attend(
        corpus.text,
        [person.stream for person in persons],
        settings.per_sentence,
        by_document=settings.by_document,
    )
    tags = np.empty((len(persons), corpus.n_tokens), np.int16)
    figures = []
    for row, person in enumerate(persons):
        labelled = task.label(person, seen[row])
        tags[row] = np.where(seen[row][corpus.text.sentence_of], labelled, -1)
        figures.append(measure(person, corpus, tags[row], truth, seen[row]))
    names = tuple(person.name for person in persons)
    crowd = Corpus(
        corpus.scheme, corpus.text, _annotations(names, tags, seen, corpus), corpus.gold_tags, corpus.has_gold
    )
    return Simulated(crowd, Realised(settings.precision, tuple(figures)))


def _annotations(names: tuple[str, ...], tags: IntArray, seen: BoolArray, corpus: Corpus) -> Annotations:
    """(K, T) tags and (K, N) who saw what, as ballots."""
    sentences, voters = np.nonzero(seen.T)
    lengths = corpus.text.lengths
    starts = voters * corpus.n_tokens + corpus.offsets[sentences]
    cells = tags.ravel()[gather_ranges(starts, lengths[sentences])]
    row_offsets = offsets_of(seen.sum(axis=0))
    return Annotations(names, voters.astype(np.int32), row_offsets, cells, lengths)


def attend(
    text: Text, streams: Sequence[Stream], per_sentence: int | None, *, by_document: bool
) -> BoolArray:
    """(K, N) whether an annotator sees a sentence: all of them, or so many chosen for it at random.

    Everyone brings numbers of their own and the lowest are chosen, so a newcomer can only take a place, never
    shuffle the others.
    """
    if per_sentence is None or per_sentence == len(streams):
        return np.ones((len(streams), len(text)), np.bool_)
    n_units = len(text.documents) if by_document else len(text)
    eagerness = np.stack([stream.draws("attendance", n_units) for stream in streams])
    chosen = np.argsort(eagerness, axis=0, kind="stable")[:per_sentence]
    seen = np.zeros((len(streams), n_units), np.bool_)
    np.put_along_axis(seen, chosen, True, axis=0)
    return seen[:, text.document_of] if by_document else seen
