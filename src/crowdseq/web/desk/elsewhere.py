"""Elsewhere: undisputed places that read otherwise than what was decided on the same words."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice

import numpy as np

from crowdseq.arrays import IntArray
from crowdseq.core.text import Text
from crowdseq.store.entries import DECIDE, Entry, Marks
from crowdseq.store.replaying import SentenceState
from crowdseq.web.desk.desk import ReviewDesk
from crowdseq.workflows.reviewing.editing import inside
from crowdseq.workflows.reviewing.laying_over import covered
from crowdseq.workflows.reviewing.progress import FINISH

Words = tuple[str, ...]
Place = tuple[int, int, int]  # sentence, begin, end
Spot = tuple[int, int, int, str]  # sentence, begin, end, the label that was decided elsewhere
_AGREED = 0.8  # of the decisions on some words that must say the same
# Places for each decision on the words. Where all agree on many more, the decision is the exception, or a
# slip, and must not be spread by a key.
_MOST_PER_DECISION = 5


class Elsewhere:
    """What waits to be looked at.

    It follows the log: only words that were decided and sentences that changed are looked at anew.
    """

    def __init__(self, desk: ReviewDesk) -> None:
        self._desk, self._seen = desk, 0
        self._said: dict[int, list[tuple[Words, str]]] = {}
        self._decided: dict[Words, Counter[str]] = {}
        self._waiting: dict[Words, dict[Place, Spot]] = {}
        self._words_in: dict[int, set[Words]] = {}  # that wait in a sentence
        self._passed: set[Place] = set()

    def pass_over(self, places: Iterable[Place]) -> None:
        """Do not show these again, which somebody saw and left as they are."""
        with self._desk.lock:
            for place in places:
                self._passed.add(place)
                self._check_sentence(place[0])

    def count(self) -> int:
        """How many places wait."""
        with self._desk.lock:
            self._catch_up()
            return sum(map(len, self._waiting.values()))

    def spots(self, most: int | None = None) -> list[Spot]:
        """The places that wait, those of the words with most of them first."""
        with self._desk.lock:
            self._catch_up()
            ranked = sorted(self._waiting.items(), key=lambda pair: (-len(pair[1]), pair[0]))
            return list(islice((spot for _, spots in ranked for spot in spots.values()), most))

    def _catch_up(self) -> None:
        desk = self._desk
        if desk.corpus.scheme.is_plain:
            return  # a word of plain tags has another tag in another sentence, and rightly so
        desk.sync()
        self._seen, changed = desk.store.changed_after(self._seen)
        numbers = {desk.keys.number(state.key): state for state in changed}
        touched: set[Words] = set()
        for number, state in numbers.items():
            if number is not None:
                touched |= self._learn(number, state)
        for words in touched:
            found = {spot[:3]: spot for spot in self._found(words)}
            self._waiting.pop(words, None)
            if found:
                self._waiting[words] = found
            for number, *_ in found:
                self._words_in.setdefault(number, set()).add(words)
        for number in numbers:
            if number is not None:
                self._check_sentence(number)

    def _check_sentence(self, number: int) -> None:
        """Drop what waits in a sentence and is open no more."""
        for words in self._words_in.pop(number, set()):
            spots = self._waiting.get(words, {})
            mine = [spot for place, spot in spots.items() if place[0] == number]
            for spot in mine:
                if self._is_open(spot):
                    self._words_in.setdefault(number, set()).add(words)
                else:
                    del spots[spot[:3]]
            if not spots:
                self._waiting.pop(words, None)

    def _learn(self, number: int, state: SentenceState) -> set[Words]:
        """Take what is decided in a sentence instead of what was decided there.

        Gives the words that were decided otherwise than before.
        """
        before, tokens = self._said.pop(number, []), self._desk.corpus.text.tokens[number]
        now = [
            (tokens[begin:end], label)
            for one in state.decisions
            if _is_read(one)
            for begin, end, label in one.marks
        ]
        self._said[number] = now
        for words, label in before:
            self._decided[words][label] -= 1
        for words, label in now:
            self._decided.setdefault(words, Counter())[label] += 1
        return {words for words, _ in (*before, *now)}

    def _found(self, words: Words) -> Iterator[Spot]:
        counts = +self._decided[words]
        if not counts or max(counts.values()) < _AGREED * counts.total():
            return
        label, times = counts.most_common(1)[0]
        found: list[Spot] = []
        for number, begin in self._places.of(words):
            spot = (number, begin, begin + len(words), label)
            if self._is_open(spot):
                found.append(spot)
            if len(found) > _MOST_PER_DECISION * times:
                return
        yield from found

    def _is_open(self, spot: Spot) -> bool:
        """Whether nobody differs or decided there, and it reads otherwise; inside longer marks it may."""
        number, begin, end, label = spot
        if spot[:3] in self._passed:
            return False
        desk, columns = self._desk, self._desk.disputes.columns
        for one in desk.progress.of_sentence(number):
            if columns.begins[one] < end and begin < columns.ends[one]:
                return False
        here: Marks = inside(desk.marks(number), begin, end)
        if here == ((begin, end, label),) or any(first < begin or last > end for first, last, _ in here):
            return False
        return not covered(desk.state(number).decisions, begin, end)

    @property
    def _places(self) -> "_Places":
        made: _Places = self._desk.once("places of words", lambda: _Places(self._desk.corpus.text))
        return made


def _is_read(entry: Entry) -> bool:
    """Whether somebody looked at the place, other than what was accepted unread."""
    return entry.action == DECIDE and entry.shown.get("page") != FINISH


class _Places:
    """Where words stand in a text, found by the one of them that is the rarest."""

    def __init__(self, text: Text) -> None:
        self._text = text
        self._numbers = {word: number for number, word in enumerate(text.words)}
        self._order: IntArray = np.argsort(text.token_ids, kind="stable")
        self._bounds: IntArray = np.searchsorted(text.token_ids[self._order], np.arange(len(text.words) + 1))

    def of(self, words: Words) -> Iterable[tuple[int, int]]:
        """Sentence and first token of the places, in the order of the text."""
        ids = [self._numbers[word] for word in words]
        sizes = [int(self._bounds[one + 1] - self._bounds[one]) for one in ids]
        rarest = int(np.argmin(sizes))
        bounds = slice(int(self._bounds[ids[rarest]]), int(self._bounds[ids[rarest] + 1]))
        starts = self._order[bounds] - rarest
        tokens, sentence_of = self._text.token_ids, self._text.sentence_of
        starts = starts[(starts >= 0) & (starts + len(ids) <= len(tokens))]
        for shift, one in enumerate(ids):
            starts = starts[tokens[starts + shift] == one]
        starts = starts[sentence_of[starts] == sentence_of[starts + len(ids) - 1]]
        sentences = sentence_of[starts]
        return zip(sentences.tolist(), (starts - self._text.offsets[sentences]).tolist(), strict=True)
