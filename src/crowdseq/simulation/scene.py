"""Scene: what every annotator looks at, worked out once: mentions, and places that tempt to mark more."""

from dataclasses import dataclass

import numpy as np

from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import LabelScheme
from crowdseq.core.ragged import gather_ranges
from crowdseq.core.text import Text
from crowdseq.errors import AnnotationError
from crowdseq.simulation.mentions import Mentions, Repeats, number_pairs

LONGEST = 3

# How tempting a word is: anything a little, the rarer the more, and more so near a mention; name-like words,
# and those that are mostly parts of mentions elsewhere, far more; punctuation hardly.
_ANY, _NEAR, _CAPITAL, _ELSEWHERE, _NO_WORD = 0.2, 0.5, 3.0, 10.0, 0.05
_NEIGHBOURHOOD = 2


@dataclass(frozen=True, eq=False)
class Places:
    """P runs of one to three tokens outside all mentions.

    weights: how tempting each is. types: the type that its first word mostly has in mentions, -1 for none.
    """

    starts: IntArray
    ends: IntArray
    weights: FloatArray
    types: IntArray
    sentences: IntArray
    repeats: Repeats

    @classmethod
    def of(cls, text: Text, mentions: Mentions) -> "Places":
        inside, types = _word_types(text, mentions)
        scores = _token_scores(text, mentions, inside)
        runs = [_runs(text, inside, length) for length in range(1, LONGEST + 1)]
        starts = np.concatenate(runs)
        ends = starts + np.repeat(np.arange(1, LONGEST + 1), [len(run) for run in runs])
        order = np.lexsort((ends, starts))
        starts, ends = starts[order], ends[order]
        weights = _run_scores(scores, starts, ends) * _length_shares(mentions)[ends - starts - 1]
        groups = _groups(text, starts, ends)
        sentences = text.sentence_of[starts]
        own_types = types[text.token_ids[starts]]
        return cls(starts, ends, weights, own_types, sentences, Repeats.of(groups))

    def __len__(self) -> int:
        return len(self.starts)


def _word_types(text: Text, mentions: Mentions) -> tuple[BoolArray, IntArray]:
    """(T,) whether a token is part of a mention, (V,) the type each word mostly has there, -1 for none."""
    table = mentions.table
    tokens = gather_ranges(table.starts, mentions.lengths)
    inside = np.zeros(text.n_tokens, np.bool_)
    inside[tokens] = True
    kinds = np.repeat(table.types, mentions.lengths)
    pairs = text.token_ids[tokens].astype(np.int64) * mentions.n_types + kinds
    pairs, counts = np.unique(pairs, return_counts=True)  # a table of all words by all types could be huge
    pairs = pairs[np.argsort(counts, kind="stable")]
    types = np.full(len(text.words), -1, np.int64)
    types[pairs // mentions.n_types] = pairs % mentions.n_types  # the most frequent one is written last
    return inside, types


def _token_scores(text: Text, mentions: Mentions, inside: BoolArray) -> FloatArray:
    """(T,) how tempting each single token is."""
    capital = np.array([word[:1].isupper() for word in text.words], np.bool_)[text.token_ids]
    capital[text.offsets[:-1][text.lengths > 0]] = False  # every sentence opens with a capital
    times = np.bincount(text.token_ids, minlength=len(text.words))
    within = np.bincount(text.token_ids[inside], minlength=len(text.words))
    share = (within / np.maximum(times, 1))[text.token_ids]
    rarity = 1.0 / np.sqrt(times[text.token_ids])
    scores = rarity * (_ANY + _NEAR * _near(text, mentions)) + _CAPITAL * capital + _ELSEWHERE * share**2
    is_word = np.array([any(map(str.isalnum, word)) for word in text.words], np.bool_)[text.token_ids]
    return np.asarray(np.where(is_word, scores, scores * _NO_WORD))


def _near(text: Text, mentions: Mentions) -> BoolArray:
    """(T,) whether a mention of the same sentence is at most two tokens away."""
    table, sentences = mentions.table, mentions.sentences
    first = np.maximum(table.starts - _NEIGHBOURHOOD, text.offsets[sentences])
    last = np.minimum(table.ends + _NEIGHBOURHOOD, text.offsets[sentences + 1])
    near = np.zeros(text.n_tokens, np.bool_)
    near[gather_ranges(first, last - first)] = True
    return near


def _runs(text: Text, inside: BoolArray, length: int) -> IntArray:
    """First tokens of all runs of a length that lie in one sentence and outside all mentions."""
    n_starts = max(text.n_tokens - length + 1, 0)
    free = np.ones(n_starts, np.bool_)
    for step in range(length):
        free &= ~inside[step : step + n_starts]
    free &= text.sentence_of[:n_starts] == text.sentence_of[length - 1 : length - 1 + n_starts]
    return np.flatnonzero(free)


def _run_scores(scores: FloatArray, starts: IntArray, ends: IntArray) -> FloatArray:
    """(P,) a run is as tempting as its least tempting token."""
    lowest = scores[starts]
    for step in range(1, LONGEST):
        reaches = starts + step < ends
        lowest[reaches] = np.minimum(lowest[reaches], scores[starts[reaches] + step])
    return lowest


def _length_shares(mentions: Mentions) -> FloatArray:
    """(3,) share of mentions of one, two and more tokens, none of them quite zero."""
    counts = np.bincount(np.minimum(mentions.lengths, LONGEST), minlength=LONGEST + 1)[1:]
    shares: FloatArray = (counts + 0.01) / (counts.sum() + 0.01 * LONGEST)
    return shares


def _groups(text: Text, starts: IntArray, ends: IntArray) -> IntArray:
    """(P,) one number for each document and wording."""
    wording = number_pairs(text.document_of[text.sentence_of[starts]], text.token_ids[starts])
    for step in range(1, LONGEST):
        reaches = starts + step < ends
        further = np.where(reaches, text.token_ids[np.minimum(starts + step, text.n_tokens - 1)] + 1, 0)
        wording = number_pairs(wording, further)
    return wording


@dataclass(frozen=True, eq=False)
class Scene:
    """A text with its true mentions and its tempting places."""

    corpus: Corpus
    mentions: Mentions
    places: Places

    @classmethod
    def of(cls, corpus: Corpus) -> "Scene":
        mentions = Mentions.of(corpus)
        if len(mentions) == 0:
            raise AnnotationError(
                "the gold labels hold no mention at all, so no precision can be simulated on them"
            )
        return cls(corpus, mentions, Places.of(corpus.text, mentions))


def with_gold(corpus: Corpus) -> Corpus:
    """A corpus fit to be simulated on: gold for every token, and all tags that an error may need."""
    if corpus.n_tokens == 0:
        raise AnnotationError("the corpus holds no text, there is nothing to label")
    if not corpus.is_gold_complete:
        raise AnnotationError(_gold_is_missing(corpus))
    if corpus.scheme.is_plain:
        return corpus
    full = LabelScheme.of_types(corpus.scheme.types, corpus.scheme.kind)
    return corpus if set(full.tags) <= set(corpus.scheme.tags) else corpus.as_scheme(corpus.scheme.kind)


def _gold_is_missing(corpus: Corpus) -> str:
    unknown = np.flatnonzero(corpus.gold_tags < 0)
    empty = np.flatnonzero(~corpus.has_gold)
    first = int(corpus.text.sentence_of[unknown[0]]) if len(unknown) else int(empty[0])
    affected = len(np.unique(np.append(corpus.text.sentence_of[unknown], empty)))
    return (
        f"{corpus.text.ids[first]}: gold labels are missing here and in {affected - 1} further sentences of "
        f"{len(corpus)}, a crowd is simulated from gold: keep only sentences with gold for every token"
    )
