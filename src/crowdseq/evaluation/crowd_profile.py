"""CrowdProfile: what kind of crowd this is, told from the votes alone, before anything is learned."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from crowdseq.arrays import BoolArray, FloatArray, IntArray
from crowdseq.core.annotations import Votes
from crowdseq.core.corpus import Corpus
from crowdseq.core.ragged import gather_ranges
from crowdseq.core.spans import SpanTable, find_spans
from crowdseq.evaluation.coefficients import divide

SILENCES = ("auto", "labelled", "abstains")

# Annotators read the text: half of them and more find at least this share of what others mark. Sources that
# look for some things only, as labelling functions do, find less.
_LEAST_RECALL = 0.1
_MANY_MISSED = 50  # tokens marked by others, by this one never: then it is no chance
_LEAST_ASKED = 50  # tokens marked by others, of all together: with fewer a crowd is taken for people who read
# A source works by rule: what it marks here it marks there. Timid people leave out as chance has it. Sources
# at hand have .74 and more, people who find little .57 and less.
_LEAST_REPEATED = 0.7
_FEW_REPEATS = 20  # marks on what comes again; with fewer nothing is known of rules


@dataclass(frozen=True, eq=False)
class ProfileCounts:
    """What `CrowdProfile` is made of, of a corpus or a part of it.

    votes (5, K): all votes of each annotator, those on tokens that others labelled too, those on tokens that
    others marked, marks among these, and marks anywhere. repeats (2, K): marks on words that the annotator
    met more than once before the same word, and the sum over these of the share of the other times at which
    they marked the word there. n_marked: tokens that somebody marked.
    """

    votes: IntArray
    repeats: FloatArray
    n_marked: int

    @classmethod
    def of(cls, corpus: Corpus) -> "ProfileCounts":
        size, outside = len(corpus.annotators), corpus.scheme.outside
        votes = corpus.annotations.votes()
        voters = np.bincount(votes.tokens, minlength=corpus.n_tokens)
        marked = votes.labels != outside
        marks = np.bincount(votes.tokens[marked], minlength=corpus.n_tokens)
        by_others = marks[votes.tokens] - marked > 0
        every = np.ones(len(marked), np.bool_)
        chosen = (every, voters[votes.tokens] > 1, by_others, by_others & marked, marked)
        counts = np.stack([np.bincount(votes.annotators[one], minlength=size) for one in chosen])
        return cls(counts, _repeats(corpus, votes, marked), int((marks > 0).sum()))

    def __add__(self, other: "ProfileCounts") -> "ProfileCounts":
        votes, repeats = self.votes + other.votes, self.repeats + other.repeats
        return ProfileCounts(votes, repeats, self.n_marked + other.n_marked)


def _repeats(corpus: Corpus, votes: Votes, marked: BoolArray) -> FloatArray:
    """See `ProfileCounts.repeats`; of a corpus in shards, within each of them."""
    size, n_words = len(corpus.annotators), len(corpus.text.words) + 1
    words = corpus.text.token_ids.astype(np.int64)
    after = np.append(words[1:], n_words - 1)
    after[corpus.offsets[1:][np.diff(corpus.offsets) > 0] - 1] = n_words - 1  # the end of a sentence
    _, kinds = np.unique(words * n_words + after, return_inverse=True)
    n_kinds = int(kinds.max(initial=0)) + 1
    keys, places = np.unique(
        votes.annotators.astype(np.int64) * n_kinds + kinds[votes.tokens], return_inverse=True
    )
    seen = np.bincount(places, minlength=len(keys))
    marks = np.bincount(places[marked], minlength=len(keys))
    again = seen > 1
    who, seen, marks = keys[again] // n_kinds, seen[again], marks[again]
    sums = (marks, marks * (marks - 1) / np.maximum(seen - 1, 1))
    return np.stack([np.bincount(who, weights=one, minlength=size) for one in sums])


@dataclass(frozen=True, eq=False)
class CrowdProfile:
    """What the votes tell of a crowd of K annotators.

    recalls (K,): of the tokens that somebody else marked and the annotator labelled too, the share that they
    marked, NaN where there are none. pooled_recall: the same over all of them together. alone (K,): whether
    they share no token with anybody. asked (K,): tokens that they labelled and others marked. blank (K,):
    whether they marked nothing although these are many. repeats (2, K): see `ProfileCounts`. n_marked: tokens
    that somebody put inside something.
    """

    recalls: FloatArray
    pooled_recall: float
    alone: BoolArray
    asked: IntArray
    blank: BoolArray
    repeats: FloatArray
    n_marked: int

    @classmethod
    def of(cls, corpus: Corpus) -> "CrowdProfile":
        return cls.of_counts(ProfileCounts.of(corpus))

    @classmethod
    def of_counts(cls, counts: "ProfileCounts") -> "CrowdProfile":
        """From the counts of a corpus, or those of all its shards added up."""
        seen, shared, asked, found, marked = counts.votes
        pooled = found.sum() / asked.sum() if asked.sum() else np.nan
        alone = (shared == 0) & (seen > 0)
        recalls = divide(found.astype(np.float64), asked.astype(np.float64))
        blank = (asked >= _MANY_MISSED) & (marked == 0)
        return cls(recalls, float(pooled), alone, asked, blank, counts.repeats, counts.n_marked)

    @property
    def looks_for_some(self) -> bool:
        """Whether those who mark anything are sources that leave most of what there is to others."""
        known = np.isfinite(self.recalls) & ~self.blank
        if self.asked[known].sum() < _LEAST_ASKED:
            return False
        return float(np.median(self.recalls[known])) < _LEAST_RECALL and self.marks_by_rule

    @property
    def marks_by_rule(self) -> bool:
        """Whether what is marked is mostly marked wherever it stands, as far as can be told."""
        marks, again = self.repeats.sum(axis=1)
        return bool(marks < _FEW_REPEATS or again >= _LEAST_REPEATED * marks)

    def silence(self, wanted: str, has_outside: bool = True) -> str:
        """What it means to leave a token outside: `labelled`, a vote for O, or `abstains`, no vote."""
        if not has_outside:
            return "labelled"
        if wanted != "auto":
            return wanted
        return "abstains" if self.looks_for_some else "labelled"

    def silent(self, wanted: str, has_outside: bool = True) -> BoolArray:
        """(K,) whose silence is no vote: everybody's, or among people who read only theirs who never mark."""
        if self.silence(wanted, has_outside) == "abstains":
            return np.ones(len(self.blank), np.bool_)
        return self.blank & (wanted == "auto") & has_outside


@dataclass(frozen=True, eq=False)
class CrowdView:
    """A crowd as one looks at it: each answer is made when it is asked for, and once."""

    corpus: Corpus

    @cached_property
    def profile(self) -> CrowdProfile:
        return CrowdProfile.of(self.corpus)

    @cached_property
    def votes(self) -> Votes:
        return self.corpus.annotations.votes()

    @cached_property
    def voters(self) -> IntArray:
        """(T,) annotators who labelled each token."""
        return np.bincount(self.votes.tokens, minlength=self.corpus.n_tokens)

    @cached_property
    def witnesses(self) -> IntArray:
        """(T,) the same without people who marked nothing of much that others marked: that they left a token
        out says nothing about those who marked it."""
        if self.are_sources:
            return self.voters
        tells = ~self.profile.blank[self.votes.annotators]
        return np.bincount(self.votes.tokens[tells], minlength=self.corpus.n_tokens)

    @cached_property
    def working(self) -> IntArray:
        """The annotators who labelled anything."""
        return np.unique(self.votes.annotators)

    @property
    def overlap(self) -> float:
        """The share of the labelled tokens that two or more labelled."""
        return float((self.voters > 1).sum() / max((self.voters > 0).sum(), 1))

    @property
    def are_sources(self) -> bool:
        """Whether most leave what there is to others: then they are no people who read, but functions."""
        return self.corpus.scheme.outside >= 0 and len(self.working) > 1 and self.profile.looks_for_some

    @cached_property
    def spans(self) -> tuple[SpanTable, IntArray]:
        """The spans of all annotators in cells of their rows, and (S,) whose they are."""
        crowd = self.corpus.annotations
        table = find_spans(crowd.tags, np.append(crowd.row_starts, len(crowd.tags)), self.corpus.scheme)
        return table, np.repeat(crowd.voters, crowd.lengths[crowd.row_sentences])[table.starts]

    @property
    def n_spans(self) -> IntArray:
        """(K,) spans of each annotator."""
        return np.bincount(self.spans[1], minlength=len(self.corpus.annotators))

    def names(self, numbers: IntArray) -> list[str]:
        return [self.corpus.annotators[number] for number in numbers]


def hear(corpus: Corpus, silence: str) -> Corpus:
    """The corpus with the votes that count, silence being `labelled`, `abstains` or what the crowd tells."""
    if silence == "labelled":
        return corpus
    silent = CrowdProfile.of(corpus).silent(silence, corpus.scheme.outside >= 0)
    return without_silence(corpus, silent) if silent.any() else corpus


def without_silence(corpus: Corpus, silent: BoolArray) -> Corpus:
    """The corpus without votes for O on tokens that somebody marked, of those who did not speak by them: (K,)
    silent."""
    crowd, outside = corpus.annotations, corpus.scheme.outside
    tokens = tokens_of_cells(corpus)
    marked = np.zeros(corpus.n_tokens, np.bool_)
    marked[tokens[(crowd.tags >= 0) & (crowd.tags != outside)]] = True
    unsaid = (crowd.tags == outside) & marked[tokens]
    unsaid &= np.repeat(silent[crowd.voters], crowd.lengths[crowd.row_sentences])
    tags = np.where(unsaid, -1, crowd.tags).astype(crowd.tags.dtype)
    return replace(corpus, annotations=replace(crowd, tags=tags))


def tokens_of_cells(corpus: Corpus) -> IntArray:
    """The token of each cell of the annotations' `tags`."""
    crowd = corpus.annotations
    return gather_ranges(corpus.offsets[crowd.row_sentences], crowd.lengths[crowd.row_sentences])
