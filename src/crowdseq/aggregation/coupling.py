"""Coupling: what is believed of a word elsewhere in its document is evidence for the word here."""

from dataclasses import dataclass

import numpy as np

from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import LabelScheme

_LEAST = 1e-4  # a type that nobody believes in elsewhere is unlikely here, not impossible


@dataclass(frozen=True, eq=False)
class Coupling:
    """Mentions of one word in one document.

    groups (T,): the number of the group of each token, -1 for a token that is alone. types (M,): the number
    of the entity type of each label, the last one for outside; single labels in a plain scheme. Types and
    not labels are coupled, since a name may be one token here and the second of two there.
    """

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
        return cls(np.where(alone, -1, groups), sizes, type_numbers(corpus.scheme))

    def scores(self, truth: FloatArray, weight: float, doubt: float = 1.0) -> FloatArray:
        """(T, M) log scores: `weight` times how much likelier a type is in the other mentions than overall.

        doubt: how many mentions' worth of the corpus' own shares is added to the others.
        """
        result = np.zeros_like(truth)
        coupled = np.flatnonzero(self.groups >= 0)
        if weight == 0.0 or len(coupled) == 0:
            return result
        n_types = int(self.types.max()) + 1
        by_type = np.zeros((len(truth), n_types))
        for label, kind in enumerate(self.types.tolist()):
            by_type[:, kind] += truth[:, label]
        usual = by_type.mean(axis=0)
        groups = self.groups[coupled]
        sums = np.zeros((len(self.sizes), n_types))
        np.add.at(sums, groups, by_type[coupled])
        others = (sums[groups] - by_type[coupled] + doubt * usual) / (self.sizes[groups] - 1 + doubt)[:, None]
        ratio = np.log(np.maximum(others, _LEAST) / np.maximum(usual, _LEAST))
        result[coupled] = weight * ratio[:, self.types]
        return result


def type_numbers(scheme: LabelScheme) -> IntArray:
    """(M,) entity type of each label, O last."""
    return np.where(scheme.type_ids >= 0, scheme.type_ids, len(scheme.types)).astype(np.int64)


def telling_words(corpus: Corpus, least_share: float) -> BoolArray:
    """(W,) words of the word table that are part of an entity in at least this share of their votes.

    Links between mentions of "the" or "," say nothing; which words do is told by the votes, in any language.
    """
    votes = corpus.annotations.votes()
    words = corpus.text.token_ids[votes.tokens]
    size = len(corpus.text.words)
    seen = np.bincount(words, minlength=size)
    inside = np.bincount(words[votes.labels != corpus.scheme.outside], minlength=size)
    found: BoolArray = (inside > 0) & (inside >= least_share * seen)
    return found
