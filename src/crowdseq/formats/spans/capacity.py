"""What marked characters can hold of a corpus, and what they cannot."""

from dataclasses import replace

import numpy as np

from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import OUTSIDE
from crowdseq.core.spans import find_spans
from crowdseq.errors import Advice, AnnotationError
from crowdseq.formats.spans.from_corpus import row_bounds


def check_holdable(corpus: Corpus, form: str) -> list[str]:
    """Refuse what spans over a text cannot hold; a line for what will be written in another way."""
    if corpus.scheme.is_plain and len(corpus.scheme):
        raise AnnotationError(f"the labels are not spans, {form} cannot hold them: write jsonl or conll")
    crowd = corpus.annotations
    unlabelled = _unlabelled(corpus)
    if unlabelled:
        raise AnnotationError(
            f"{unlabelled}, which {form} cannot tell from labelled O:",
            Advice("write jsonl or conll, or say {unlabelled}", unlabelled="outside"),
        )
    if any(corpus.text.words[number] == "" for number in np.unique(corpus.text.token_ids).tolist()):
        raise AnnotationError(f"a token is empty, {form} has no characters for it: write jsonl")
    strict = find_spans(crowd.tags, np.array(row_bounds(corpus)), corpus.scheme)
    lenient = find_spans(crowd.tags, np.array(row_bounds(corpus)), corpus.scheme, lenient=True)
    odd = len(lenient) - len(strict)
    return [f"{odd:,} spans that break the rules of {corpus.scheme.kind} are written as spans"] if odd else []


def without_gaps(corpus: Corpus) -> tuple[Corpus, int]:
    """The corpus with O for every token that somebody left without a label, and how many there were."""
    crowd, outside = corpus.annotations, corpus.scheme.index.get(OUTSIDE)
    gold_gaps = (corpus.gold_tags < 0) & np.repeat(corpus.has_gold, corpus.text.lengths)
    count = int((crowd.tags < 0).sum() + gold_gaps.sum())
    if not count or outside is None:
        return corpus, 0
    tags = np.where(crowd.tags < 0, outside, crowd.tags).astype(crowd.tags.dtype)
    gold = np.where(gold_gaps, outside, corpus.gold_tags).astype(corpus.gold_tags.dtype)
    return replace(corpus, annotations=replace(crowd, tags=tags), gold_tags=gold), count


def _unlabelled(corpus: Corpus) -> str:
    """How many tokens of labelled sentences have no label, and where the first one is."""
    bounds = row_bounds(corpus)
    rows = np.flatnonzero(corpus.annotations.tags < 0)
    gold = np.flatnonzero((corpus.gold_tags < 0) & np.repeat(corpus.has_gold, corpus.text.lengths))
    if len(rows):
        row = int(np.searchsorted(bounds, rows[0], side="right")) - 1
        sentence = int(np.searchsorted(corpus.annotations.row_offsets, row, side="right")) - 1
        who = f"annotator {corpus.annotators[corpus.annotations.voters[row]]}"
        token = int(rows[0]) - bounds[row]
    elif len(gold):
        sentence = int(corpus.text.sentence_of[gold[0]])
        who, token = "gold", int(gold[0] - corpus.offsets[sentence])
    else:
        return ""
    count = len(rows) + len(gold)
    first = f"sentence {corpus.text.ids[sentence]}, {who}, token {token + 1}"
    return f"{count:,} token{'s were' if count > 1 else ' was'} not labelled (first: {first})"
