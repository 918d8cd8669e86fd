"""Which sentence of a corpus a decision belongs to: by text, and by document and id where a text repeats."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from crowdseq.core.corpus import Corpus
from crowdseq.store.entries import CARRY, SETTLING, Entry, NewDecision, SentenceKey, text_digest
from crowdseq.store.replaying import SentenceState

CARRIED = "carry:"
_KEPT_KEYS = 4_096  # the digest of a text takes a while, and a page asks for the same ones again and again


@dataclass(frozen=True)
class Placed:
    """own: the states that were logged for just these sentences, by number. adopted: those of a sentence with
    the same text that is not in this corpus. homeless: those whose text is not there, or was decided anew."""

    own: Mapping[int, SentenceState]
    adopted: Mapping[int, SentenceState]
    homeless: tuple[SentenceState, ...]

    def states(self) -> dict[int, SentenceState]:
        """What holds of each sentence that anything was said of."""
        return {**self.adopted, **self.own}


class SentenceKeys:
    """The keys of all sentences of a corpus, each made when asked for."""

    def __init__(self, corpus: Corpus) -> None:
        self._text = corpus.text
        self.key = lru_cache(_KEPT_KEYS)(self._key)

    def _key(self, number: int) -> SentenceKey:
        text = self._text
        doc = text.documents[text.document_of[number]]
        return SentenceKey(text_digest(text.tokens[number]), doc or "", text.ids[number])

    def number(self, key: SentenceKey) -> int | None:
        """The sentence that has just this key."""
        found = self._by_id.get(key.id)
        return found if found is not None and self.key(found) == key else None

    @cached_property
    def _by_id(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self._text.ids)}

    @cached_property
    def by_text(self) -> dict[str, list[int]]:
        """The sentences of every text; all texts are looked at."""
        found: dict[str, list[int]] = {}
        for number, tokens in enumerate(self._text.tokens):
            found.setdefault(text_digest(tokens), []).append(number)
        return found

    def place(self, states: Iterable[SentenceState]) -> Placed:
        """Every state to its sentence. A sentence without any adopts that of the same text, if no other
        sentence here is the one that it was said of: best from the same document, else the newest."""
        own: dict[int, SentenceState] = {}
        others: list[SentenceState] = []
        for state in states:
            number = self.number(state.key)
            if number is None:
                others.append(state)
            else:
                own[number] = state
        adopted: dict[int, SentenceState] = {}
        homeless = []
        for state in sorted(others, key=_age):
            free = [one for one in self.by_text.get(state.key.text, ()) if one not in own]
            for one in free:
                if one not in adopted or self._is_nearer(one, state, adopted[one]):
                    adopted[one] = state
            if not free:
                homeless.append(state)
        return Placed(own, adopted, tuple(homeless))

    def _is_nearer(self, number: int, state: SentenceState, than: SentenceState) -> bool:
        doc = self.key(number).doc
        return state.key.doc == doc or than.key.doc != doc

    def to_carry(self, adopted: Mapping[int, SentenceState]) -> list[NewDecision]:
        """What to log so that adopted decisions are the sentences' own."""
        return [
            _carried(entry, self.key(number)) for number, state in adopted.items() for entry in state.entries
        ]


def _age(state: SentenceState) -> int:
    return max((entry.seq for entry in (*state.entries, *state.undone)), default=0)


def _carried(entry: Entry, key: SentenceKey) -> NewDecision:
    """The same said of another sentence; asked for twice it is logged once."""
    target = hashlib.blake2b(f"{key.text}\x1f{key.doc}\x1f{key.id}".encode(), digest_size=8).hexdigest()
    return NewDecision(
        id=f"{CARRIED}{entry.seq}:{target}",
        action=CARRY if entry.action in SETTLING else entry.action,
        key=key,
        reviewer=entry.reviewer,
        run=entry.run,
        begin=entry.begin,
        end=entry.end,
        marks=entry.marks,
        shown=dict(entry.shown) | {"carried": {"seq": entry.seq, "doc": entry.key.doc, "id": entry.key.id}},
        comment=entry.comment,
        batch=f"{CARRIED}{entry.batch}:{target}" if entry.batch else "",
    )
