"""Short ways to ask a store for something."""

from itertools import count
from typing import Any

from crowdseq.store.entries import NewDecision, SentenceKey

_NUMBERS = count()


def key(text: str = "Ada slept", id: str = "s1") -> SentenceKey:
    return SentenceKey.of(text.split(), None, id)


def decision(**fields: Any) -> NewDecision:
    """A decision of bea on the sentence "Ada slept" unless told otherwise, with an id of its own."""
    known: dict[str, Any] = {
        "id": f"d{next(_NUMBERS)}",
        "action": "decide",
        "key": key(),
        "reviewer": "bea",
        "run": "run-1",
        "begin": 0,
        "end": 1,
        "marks": ((0, 1, "PER"),),
    }
    made = known | fields
    if made["action"] not in ("decide", "audit", "carry"):
        made["marks"] = ()
    return NewDecision(**made)
