"""Names of lists in a text: against looking at every span."""

import random

import pytest

from crowdseq.errors import SettingsError
from crowdseq.tagging.lexicons import BREAK, Lexicons
from crowdseq.tagging.streams import Passage


def found(names: dict[str, list[str]], *sentences: str) -> list[list[tuple[str, ...]]]:
    lexicons = Lexicons(
        {kind: tuple(n.replace(" ", BREAK) for n in listed) for kind, listed in names.items()}
    )
    tokens = [sentence.split() for sentence in sentences]
    stream = lexicons.stream(Passage.of_sentences(tokens))
    pieces = iter([stream.table[i] for i in stream.ids.tolist()])
    return [[next(pieces) for _ in sentence] for sentence in tokens]


def test_the_longest_name_wins() -> None:
    told = found({"LOC": ["New York", "new york city", "York"]}, "in new york city today")
    assert told == [
        [(), *[(f"LOC:{part}", f"LOC:{part}:as-listed") for part in ("first", "inside", "last")], ()]
    ]


def test_a_name_in_other_case_is_found_and_told_apart() -> None:
    assert found({"PER": ["Ada"]}, "ADA met Ada") == [
        [("PER:whole",), (), ("PER:whole", "PER:whole:as-listed")]
    ]


def test_a_name_does_not_reach_across_sentences() -> None:
    assert found({"PER": ["Ada Lovelace"]}, "met Ada", "Lovelace slept") == [[(), ()], [(), ()]]


def test_a_token_tells_of_all_types() -> None:
    told = found({"PER": ["paris"], "LOC": ["Paris"]}, "Paris")
    assert told == [[("LOC:whole", "LOC:whole:as-listed", "PER:whole")]]


def test_spans_are_those_of_a_search_through_all() -> None:
    random.seed(7)
    for _ in range(200):
        names = {" ".join(random.choices("ab", k=random.randint(1, 3))) for _ in range(3)}
        words = random.choices("abc", k=9)
        covered, place = set(), 0
        while place < len(words):
            fitting = range(min(3, len(words) - place), 0, -1)
            length = next((n for n in fitting if " ".join(words[place : place + n]) in names), 0)
            covered |= set(range(place, place + length))
            place += max(length, 1)
        told = found({"X": sorted(names)}, " ".join(words))[0]
        assert {i for i, pieces in enumerate(told) if pieces} == covered


def test_a_type_must_be_a_plain_word() -> None:
    with pytest.raises(SettingsError, match="no type of a lexicon"):
        Lexicons({"a b": ("x",)})
