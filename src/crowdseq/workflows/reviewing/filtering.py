"""Filters of the queue: which disputes somebody wants to see, as masks over columns made once."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np

from crowdseq.arrays import BoolArray, IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.core.ragged import gather_ranges
from crowdseq.errors import SettingsError
from crowdseq.evaluation.disputes import KINDS, Disputes, LabelPair, label_pairs
from crowdseq.evaluation.disputes.regions import CONSENSUS

OPEN, SKIPPED, SETTLED, DECIDED, AUDITED = STATES = ("open", "skipped", "settled", "decided", "audited")
ANY = "any"
_KEPT_MASKS = 64


@dataclass(frozen=True, kw_only=True)
class QueueFilter:
    """What to show of the disputes; None or empty for no wish.

    state: one of STATES, or `any`; `open` shows the skipped ones too, last. label: one that somebody or the
    consensus reads there. annotator: who reads it otherwise than the consensus. pair: two labels that are
    mistaken for each other, the second None for nothing. kind: boundary, type or missed. least, most:
    confidence. commented: only with a comment. search: words in the sentence, in any case. sentence: its
    number.
    """

    state: str = OPEN
    label: str | None = None
    annotator: str | None = None
    pair: tuple[str, str | None] | None = None
    kind: str | None = None
    least: float = 0.0
    most: float = 1.0
    commented: bool = False
    search: str = ""
    sentence: int | None = None

    def __post_init__(self) -> None:
        if self.state not in (*STATES, ANY):
            raise SettingsError(f"state is '{self.state!s:.40}', choose one of {', '.join((*STATES, ANY))}")
        if self.kind is not None and self.kind not in KINDS:
            raise SettingsError(f"kind is '{self.kind!s:.40}', choose one of {', '.join(KINDS)}")

    @property
    def wishes(self) -> tuple[str, ...]:
        """The names of those that are set, the state aside."""
        plain = QueueFilter()
        names = [one.name for one in fields(self) if one.name != "state"]
        return tuple(name for name in names if getattr(self, name) != getattr(plain, name))

    def without(self, name: str) -> "QueueFilter":
        """The same filter with one wish less."""
        return replace(self, **{name: getattr(QueueFilter(), name)})


class DisputeMasks:
    """(D,) masks of disputes by what never changes of them; each is made once and kept for a while."""

    def __init__(self, corpus: Corpus, disputes: Disputes) -> None:
        self._corpus, self._disputes = corpus, disputes
        self._kept: OrderedDict[QueueFilter, BoolArray] = OrderedDict()

    def mask(self, wanted: QueueFilter) -> BoolArray:
        """Those that fit all wishes but state and comment."""
        plain = replace(wanted, state=OPEN, commented=False)
        if plain not in self._kept:
            self._kept[plain] = self._made(plain)
            if len(self._kept) > _KEPT_MASKS:
                self._kept.popitem(last=False)
        self._kept.move_to_end(plain)
        return self._kept[plain]

    def _made(self, wanted: QueueFilter) -> BoolArray:
        disputes = self._disputes
        found: BoolArray = np.ones(len(disputes), np.bool_)
        parts: dict[str, Callable[[], BoolArray]] = {
            "label": lambda: self._labelled(str(wanted.label)),
            "annotator": lambda: self._differing(str(wanted.annotator)),
            "pair": lambda: self._mistaken(wanted.pair),
            "kind": lambda: disputes.has_kind(str(wanted.kind)),
            "least": lambda: disputes.confidence >= wanted.least,
            "most": lambda: disputes.confidence <= wanted.most,
            "search": lambda: self._searched(wanted.search),
            "sentence": lambda: disputes.columns.sentences == wanted.sentence,
        }
        for name in wanted.wishes:
            found &= parts[name]()
        return found

    def _none(self) -> BoolArray:
        return np.zeros(len(self._disputes), np.bool_)

    def _labelled(self, label: str) -> BoolArray:
        columns, types, found = self._disputes.columns, self._corpus.scheme.types, self._none()
        if label in types:
            found[columns.owners[columns.mark_types == types.index(label)]] = True
        return found

    def _differing(self, annotator: str) -> BoolArray:
        """Whom the annotator saw and read otherwise than the consensus."""
        corpus, columns = self._corpus, self._disputes.columns
        if annotator not in corpus.annotators:
            return self._none()
        who = corpus.annotators.index(annotator)
        rows = np.full(len(corpus), -1, np.int64)
        mine = np.flatnonzero(corpus.annotations.voters == who)
        rows[corpus.annotations.row_sentences[mine]] = mine
        seen = np.flatnonzero(rows[columns.sentences] >= 0)
        # Whoever left a token there without a label did not see it.
        starts = corpus.annotations.row_starts[rows[columns.sentences[seen]]] + columns.begins[seen]
        lengths = columns.ends[seen] - columns.begins[seen]
        gaps = corpus.annotations.tags[gather_ranges(starts, lengths)] < 0
        n_gaps = np.bincount(np.repeat(np.arange(len(seen)), lengths), gaps, minlength=len(seen))
        found = self._none()
        differs = self._signatures(who) != self._signatures(CONSENSUS)
        marked = self._none()
        marked[columns.owners[columns.annotators == who]] = True
        found[seen] = differs[seen] & ((n_gaps == 0) | marked[seen])
        return found

    def _signatures(self, who: int) -> IntArray:
        """(D,) equal numbers for equal marks, as good as surely."""
        columns = self._disputes.columns
        chosen = columns.annotators == who
        owners, signs = columns.owners[chosen], self._signs[chosen]
        totals = np.zeros(len(self._disputes), np.uint64)
        np.add.at(totals, owners, signs)
        return totals.view(np.int64)

    @cached_property
    def _signs(self) -> IntArray:
        """(marks,) a scattered number for each mark."""
        columns = self._disputes.columns
        made = columns.mark_begins.astype(np.uint64)
        for column in (columns.mark_ends, columns.mark_types):
            made = (made * np.uint64(0x9E3779B97F4A7C15)) ^ (column.astype(np.uint64) + np.uint64(0x7F4A7C15))
            made ^= made >> np.uint64(29)
            made *= np.uint64(0xBF58476D1CE4E5B9)
        signs: IntArray = made ^ (made >> np.uint64(32))
        return signs

    def _mistaken(self, pair: tuple[str, str | None] | None) -> BoolArray:
        found = self._none()
        for known in self.pairs:
            if {known.first, known.second} == set(pair or ()):
                found[list(known.disputes)] = True
        return found

    @cached_property
    def pairs(self) -> tuple[LabelPair, ...]:
        """The pairs of labels that are mistaken for each other, the most frequent first."""
        return label_pairs(self._disputes)

    def _searched(self, search: str) -> BoolArray:
        sentences = np.zeros(len(self._corpus), np.bool_)
        sentences[self._corpus.text.sentence_of[tokens_with(self._corpus, search)]] = True
        return sentences[self._disputes.columns.sentences]


def tokens_with(corpus: Corpus, search: str) -> IntArray:
    """The tokens at which words begin that are searched for; in any case, also parts of words."""
    text, words = corpus.text, search.casefold().split()
    if not words or not text.n_tokens:
        return np.arange(text.n_tokens)
    folded = [word.casefold() for word in text.words]
    fits = [_fits(word, place, len(words)) for place, word in enumerate(words)]
    masks = [np.fromiter(map(fit, folded), np.bool_, len(folded))[text.token_ids] for fit in fits]
    found = masks[0].copy()
    for place, mask in enumerate(masks[1:], 1):
        later = np.zeros_like(found)
        later[:-place] = mask[place:] & (text.sentence_of[place:] == text.sentence_of[:-place])
        found &= later
    return np.flatnonzero(found)


def _fits(word: str, place: int, n_words: int) -> Callable[[str], bool]:
    """Of several words the first may end a token and the last begin one; those between are whole."""
    if n_words == 1:
        return lambda token: word in token
    if place == 0:
        return lambda token: token.endswith(word)
    if place == n_words - 1:
        return lambda token: token.startswith(word)
    return lambda token: token == word
