"""Description: what is in a crowd, before anything is learned from it."""

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from crowdseq.arrays import IntArray
from crowdseq.core.annotations import count_slips
from crowdseq.core.corpus import Corpus
from crowdseq.core.names import look_alikes
from crowdseq.core.spans import find_spans


@dataclass(frozen=True)
class AnnotatorShare:
    """How much one annotator did."""

    annotator: str
    sentences: int
    tokens: int
    spans: int
    slips: int


@dataclass(frozen=True)
class Description:
    """Counts, coverage and oddities of a corpus.

    coverage: number of annotators to number of sentences that so many saw. slips: tags that may not stand
    where they stand. look_alikes: labels or annotators whose names differ only in case or Unicode form.
    """

    sentences: int
    tokens: int
    documents: int
    scheme: str
    tags: tuple[str, ...]
    votes: int
    gold_sentences: int
    gold_spans: dict[str, int]
    voted_spans: dict[str, int]
    coverage: dict[int, int]
    annotators: tuple[AnnotatorShare, ...]
    look_alikes: tuple[tuple[str, ...], ...]

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def describe(corpus: Corpus) -> Description:
    """What is in a corpus."""
    crowd = corpus.annotations
    row_bounds = np.append(crowd.row_starts, len(crowd.tags))
    spans = find_spans(crowd.tags, row_bounds, corpus.scheme, lenient=True)
    gold = find_spans(corpus.gold_tags, corpus.offsets, corpus.scheme)
    return Description(
        sentences=len(corpus),
        tokens=corpus.n_tokens,
        documents=len(corpus.text.documents),
        scheme=corpus.scheme.kind,
        tags=corpus.scheme.tags,
        votes=crowd.n_votes,
        gold_sentences=int(corpus.has_gold.sum()),
        gold_spans=_by_type(corpus, gold.types.tolist()),
        voted_spans=_by_type(corpus, spans.types.tolist()),
        coverage={int(count): int(n) for count, n in sorted(Counter(corpus.n_voters.tolist()).items())},
        annotators=_shares(corpus, spans.starts),
        look_alikes=(*look_alikes(list(corpus.annotators)), *look_alikes(list(corpus.scheme.types))),
    )


def _by_type(corpus: Corpus, types: list[int]) -> dict[str, int]:
    counts = Counter(types)
    return {name: counts[number] for number, name in enumerate(corpus.scheme.types)}


def _shares(corpus: Corpus, starts: IntArray) -> tuple[AnnotatorShare, ...]:
    crowd, size = corpus.annotations, len(corpus.annotators)
    who = np.repeat(crowd.voters, crowd.lengths[crowd.row_sentences])
    sentences = np.bincount(crowd.voters, minlength=size)
    tokens = np.bincount(who[crowd.tags >= 0], minlength=size)
    n_spans = np.bincount(who[starts], minlength=size)
    slips = count_slips(crowd, corpus.scheme)
    return tuple(
        AnnotatorShare(name, int(sentences[k]), int(tokens[k]), int(n_spans[k]), int(slips[k]))
        for k, name in enumerate(corpus.annotators)
    )
