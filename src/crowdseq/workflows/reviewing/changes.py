"""What a new run labels otherwise than the one before, by mention, and why."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from crowdseq.core.consensus import Consensus
from crowdseq.core.text import Text
from crowdseq.errors import Advice
from crowdseq.storage.json_file import JsonFile
from crowdseq.store.entries import Marks
from crowdseq.store.replaying import SentenceState
from crowdseq.workflows.reviewing.laying_over import marks_of
from crowdseq.workflows.runs import CHANGES

SAME_WORDS, SAME_SENTENCE, WEIGHED = "same words decided", "same sentence decided", "weighed anew"
_MOST_PLACES = 50


@dataclass(frozen=True)
class ChangedMention:
    """Words that have another label than before, None for nothing, in some places.

    sentences: the ids of the first of them. why: `same words decided` (decided says how often, by label),
    `same sentence decided`, or `weighed anew`: annotators count otherwise now.
    """

    words: tuple[str, ...]
    before: str | None
    after: str | None
    places: int
    why: str
    decided: tuple[tuple[str | None, int], ...]
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class ChangedSkill:
    """An annotator whose skill is judged otherwise than before."""

    annotator: str
    before: float | None
    after: float | None


@dataclass(frozen=True)
class Changes:
    """All that changed elsewhere than at the decisions themselves, the most frequent first."""

    mentions: tuple[ChangedMention, ...]
    skills: tuple[ChangedSkill, ...]

    @property
    def n_places(self) -> int:
        return sum(one.places for one in self.mentions)

    def encode(self) -> bytes:
        """The content of `changes.json`."""
        content = {"format_version": 1, **asdict(self)}
        return (json.dumps(content, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "backslashreplace")


def read_changes(folder: str | Path) -> dict[str, Any] | None:
    """What `changes.json` of a run says; None for a run that was not learned again."""
    path = Path(folder) / CHANGES
    return JsonFile.read(path, Advice("learn again")).content if path.exists() else None


def changes_between(old: Consensus, new: Consensus, states: Mapping[int, SentenceState]) -> Changes:
    """What is other in the new labels; both hold the same sentences and the same decisions."""
    corpus = old.corpus
    decided = _decided(corpus.text, states)
    found: dict[tuple[tuple[str, ...], str | None, str | None], list[int]] = {}
    for number in np.unique(corpus.text.sentence_of[old.tag_ids != new.tag_ids]).tolist():
        bounds = slice(int(corpus.offsets[number]), int(corpus.offsets[number + 1]))
        before, after = (marks_of(one.tag_ids[bounds], corpus.scheme) for one in (old, new))
        tokens = corpus.text.tokens[number]
        for begin, end, left, right in _differences(before, after):
            found.setdefault((tokens[begin:end], left, right), []).append(number)
    made = [
        ChangedMention(
            words,
            left,
            right,
            len(numbers),
            _why(words, numbers, decided, states),
            tuple(decided.get(words, Counter()).most_common()),
            tuple(corpus.text.ids[number] for number in numbers[:_MOST_PLACES]),
        )
        for (words, left, right), numbers in found.items()
    ]
    ranked = sorted(made, key=lambda one: (-one.places, one.words, one.before or "", one.after or ""))
    return Changes(tuple(ranked), _skills(old, new))


def _differences(before: Marks, after: Marks) -> list[tuple[int, int, str | None, str | None]]:
    """Places with the label before and after; a mark that moved is gone from one, new in another."""
    old, new = ({(begin, end): label for begin, end, label in marks} for marks in (before, after))
    places = sorted(old.keys() | new.keys())
    pairs = ((begin, end, old.get((begin, end)), new.get((begin, end))) for begin, end in places)
    return [pair for pair in pairs if pair[2] != pair[3]]


def _decided(text: Text, states: Mapping[int, SentenceState]) -> dict[tuple[str, ...], Counter[str | None]]:
    """How often the words of each decided place got each label; a place decided to be nothing counts too."""
    found: dict[tuple[str, ...], Counter[str | None]] = {}
    for number, state in states.items():
        tokens = text.tokens[number]
        for one in state.decisions:
            empty: Sequence[tuple[int, int, str | None]] = ((one.begin, one.end, None),)
            for begin, end, label in one.marks or empty:
                found.setdefault(tokens[begin:end], Counter())[label] += 1
    return found


def _why(
    words: tuple[str, ...],
    numbers: Sequence[int],
    decided: Mapping[tuple[str, ...], Counter[str | None]],
    states: Mapping[int, SentenceState],
) -> str:
    if words in decided:
        return SAME_WORDS
    return SAME_SENTENCE if all(number in states for number in numbers) else WEIGHED


def _skills(old: Consensus, new: Consensus) -> tuple[ChangedSkill, ...]:
    pairs = zip(old.annotators, new.annotators, strict=True)
    made = [ChangedSkill(one.annotator, one.skill, other.skill) for one, other in pairs]
    moved = [one for one in made if one.before is not None and one.after is not None]
    return tuple(sorted(moved, key=lambda one: -abs((one.after or 0.0) - (one.before or 0.0))))
