"""Coupling: what is believed of a word elsewhere in its document is evidence for the word here."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import LabelScheme

_LEAST = 1e-4  # a type that nobody believes in elsewhere is unlikely here, not impossible
_OTHERS = 10.0  # mentions elsewhere that it takes to trust what a word is there as much as what any word is


@dataclass(frozen=True, eq=False)
class WordSums:
    """What is believed of words over all of a text, or of all its shards.

    by_type (W, types): summed over the tokens of each word; counts (W,): how many they are. total (types,):
    summed over all tokens, n_tokens of them.
    """

    by_type: FloatArray
    counts: IntArray
    total: FloatArray
    n_tokens: int


@dataclass(frozen=True, eq=False)
class Coupling:
    """Mentions of one word in one document.

    word_numbers (W,): the different words. words (T,): which of them each token is. groups (T,): the group
    of each token, -1 for a token that is alone. sizes: of the groups. types (M,): the number of the
    entity type of each label, the last one for outside; single labels in a plain scheme. Types and not labels
    are coupled, since a name may be one token here and the second of two there.
    """

    word_numbers: IntArray
    words: IntArray
    groups: IntArray
    sizes: IntArray
    types: IntArray

    @classmethod
    def of(cls, corpus: Corpus, words: IntArray, linked: BoolArray) -> "Coupling":
        """words (T,): equal for mentions of one word. linked (T,): tokens that take part."""
        text = corpus.text
        documents = np.repeat(text.document_of.astype(np.int64), text.lengths)
        keys = np.where(linked, documents * (int(words.max(initial=0)) + 1) + words, -1)
        _, groups, sizes = np.unique(keys, return_inverse=True, return_counts=True)
        alone = ~linked | (sizes[groups] < 2)
        different, numbers = np.unique(words, return_inverse=True)
        return cls(different, numbers, np.where(alone, -1, groups), sizes, type_numbers(corpus.scheme))

    def sums(self, truth: FloatArray) -> WordSums:
        """What (T, M) says of all words of this text."""
        by_type = self._by_type(truth)
        sums = np.zeros((len(self.word_numbers), by_type.shape[1]))
        np.add.at(sums, self.words, by_type)
        counts = np.bincount(self.words, minlength=len(self.word_numbers))
        return WordSums(sums, counts, by_type.sum(axis=0), len(truth))

    def scores(self, truth: FloatArray, weight: float, sums: WordSums | None = None) -> FloatArray:
        """(T, M) log scores: `weight` times how much likelier a type is in the other mentions of the document
        than for the word in other documents.

        A word that is now and then part of an entity everywhere, such as "cells", tells nothing by being one
        again; the features of the CRF know that already. sums: of these words in all shards, if there are
        others.
        """
        believed = self._by_type(truth)
        elsewhere = self._in_other_documents(believed, sums or self.sums(truth))
        return self._spread(weight, self._in_other_mentions(believed, elsewhere), elsewhere)

    def surprises(
        self, truth: FloatArray, expected: FloatArray, weight: float, sums: WordSums | None = None
    ) -> FloatArray:
        """(T, M) the same against what was `expected` (T, M) of the other mentions from the text alone."""
        believed, foreseen = self._by_type(truth), self._by_type(expected)
        whole = sums or self.sums(truth)
        usual = whole.total / whole.n_tokens
        return self._spread(
            weight, self._in_other_mentions(believed, usual), self._in_other_mentions(foreseen, usual)
        )

    @cached_property
    def coupled(self) -> IntArray:
        """The tokens with another mention in their document."""
        return np.flatnonzero(self.groups >= 0)

    def _by_type(self, beliefs: FloatArray) -> FloatArray:
        """(T, M) by label to (T, types)."""
        by_type = np.zeros((len(beliefs), int(self.types.max()) + 1))
        for label, kind in enumerate(self.types.tolist()):
            by_type[:, kind] += beliefs[:, label]
        return by_type

    def _group_sums(self, by_type: FloatArray) -> FloatArray:
        """(coupled, types) summed over all mentions in the document."""
        groups = self.groups[self.coupled]
        sums = np.zeros((len(self.sizes), by_type.shape[1]))
        np.add.at(sums, groups, by_type[self.coupled])
        return sums[groups]

    def _in_other_mentions(self, by_type: FloatArray, usual: FloatArray) -> FloatArray:
        """(coupled, types) shares in the other mentions, with one more that is as usual."""
        others = self._group_sums(by_type) - by_type[self.coupled] + usual
        return np.asarray(others / self.sizes[self.groups[self.coupled]][:, None])

    def _in_other_documents(self, by_type: FloatArray, sums: WordSums) -> FloatArray:
        """(coupled, types) shares of the word there, with some mentions more that are as any word's."""
        words = self.words[self.coupled]
        others = np.maximum(sums.by_type[words] - self._group_sums(by_type), 0.0)
        others = others + _OTHERS * (sums.total / sums.n_tokens)
        count = sums.counts[words] - self.sizes[self.groups[self.coupled]]
        return np.asarray(others / (count + _OTHERS)[:, None])

    def _spread(self, weight: float, here: FloatArray, elsewhere: FloatArray) -> FloatArray:
        """(T, M) weighted log ratios, 0 for tokens that are alone."""
        result = np.zeros((len(self.groups), len(self.types)))
        ratio = np.log(np.maximum(here, _LEAST) / np.maximum(elsewhere, _LEAST))
        result[self.coupled] = weight * ratio[:, self.types]
        return result


def type_numbers(scheme: LabelScheme) -> IntArray:
    """(M,) entity type of each label, O last."""
    return np.where(scheme.type_ids >= 0, scheme.type_ids, len(scheme.types)).astype(np.int64)


def word_votes(corpus: Corpus) -> tuple[IntArray, IntArray]:
    """(W,) how many votes each word of the word table has, and how many of them put it in an entity."""
    votes = corpus.annotations.votes()
    words = corpus.text.token_ids[votes.tokens]
    size = len(corpus.text.words)
    seen = np.bincount(words, minlength=size)
    inside = np.bincount(words[votes.labels != corpus.scheme.outside], minlength=size)
    return seen, inside


def majority_words(words: IntArray, size: int, counts: FloatArray, outside: int) -> FloatArray:
    """(3, W) from the words of tokens (T,), `size` of them, and votes (T, M): how many tokens each word is,
    on how many of them at least half of the votes mark something, and on how many fewer do."""
    voted = counts.sum(axis=1)
    marked = voted - counts[:, outside]
    held = (marked > 0) & (2.0 * marked >= voted)
    kinds = (np.ones(len(words), np.bool_), held, (marked > 0) & ~held)
    return np.stack([np.bincount(words[kind], minlength=size) for kind in kinds]).astype(np.float64)


def left_out(by_word: FloatArray) -> float:
    """0 to 1, from `majority_words` of a whole text: how far what lacks the majority is the same words that
    have it elsewhere, beside how far these have it elsewhere themselves.

    What people miss are other mentions of what they find; what single people invent is mostly not. 1 where
    no word that has the majority has it twice, and 0 where nothing lacks it.
    """
    total, held, lost = by_word[:, by_word[0] > 1]
    if not lost.any():
        return 0.0
    others = total - 1.0
    usual = float(held @ ((held - 1.0) / others)) / max(float(held.sum()), 1.0)
    return min(float(lost @ (held / others)) / float(lost.sum()) / usual, 1.0) if usual > 0.0 else 1.0


def content_words(seen: IntArray, inside: IntArray, least_share: float) -> BoolArray:
    """(W,) words that are part of an entity in at least this share of their votes.

    Links between mentions of "the" or "," say nothing; which words do is told by the votes, in any language.
    """
    found: BoolArray = (inside > 0) & (inside >= least_share * seen)
    return found
