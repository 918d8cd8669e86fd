"""Drawn casts in which it is known who copies whom: how many copies are found, and who is wrongly taken for one.

`python -m crowdseq_research.zoo.kinship_check DATA -o results/kinship.md`
"""

import argparse
import subprocess
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.random import Generator

from crowdseq.core.corpus import Corpus
from crowdseq.evaluation.kinship import Agreements, find_kin
from crowdseq_research.zoo.casts import (
    BAD,
    EXPERT,
    GOOD,
    GREAT,
    MID,
    Marks,
    Passage,
    copy,
    read,
    read_with_habits,
    to_corpus,
)
from crowdseq_research.zoo.simulated_crowds import gold_text

KINDS = {"exact": 0.0, "noisy": 0.06, "loose": 0.25}  # share of the marks that a copy changes
ENOUGH = 100.0  # shared spans
_CHARACTERS = (GREAT, EXPERT, GOOD, MID, MID, BAD, BAD)
_TEXTS = (("conll2003", "dev"), ("ncbi_disease", "dev"), ("jnlpba", "dev"), ("bc2gm", "train"))
_SEED = 61


@dataclass(frozen=True)
class Cast:
    """A drawn crowd, and the kind of copying in each family by the first letter of its members' names."""

    corpus: Corpus
    families: Mapping[str, str]


def draw_cast(data: Path, draw: int) -> Cast:
    """5 to 12 people, at least two of them independent, up to two families; half of the crowds share the work."""
    random = np.random.default_rng([_SEED, draw])
    text = gold_text(data, *_TEXTS[draw % len(_TEXTS)], 1500)
    size = int(random.integers(300, 1001))
    passage = Passage.of(text.select(np.sort(random.permutation(len(text))[:size])))
    count = int(random.integers(5, 13))
    people: dict[str, Marks] = {}
    families: dict[str, str] = {}
    for letter in "cd"[: int(random.integers(0, 3))]:
        room = count - 2 - len(people)
        if room < 2:
            break
        families[letter] = str(random.choice(list(KINDS)))
        members = int(random.integers(2, min(room, 5) + 1))
        people |= _family(passage, random, letter, members, KINDS[families[letter]])
    habit = float(random.choice([0.0, 0.8]))
    for number in range(1, count - len(people) + 1):
        character = _CHARACTERS[int(random.integers(len(_CHARACTERS)))]
        people[f"a{number}"] = read(passage, replace(character, habit=habit), random)
    share = float(random.choice([1.0, 0.6]))
    seen = {name: random.random(size) < share for name in people}
    return Cast(to_corpus(passage, people, seen), families)


def _family(
    passage: Passage, random: Generator, letter: str, members: int, changes: float
) -> dict[str, Marks]:
    first = read_with_habits(passage, _CHARACTERS[int(random.integers(len(_CHARACTERS)))], random)
    copies = {f"{letter}{number}": copy(passage, first, changes, random) for number in range(2, members + 1)}
    return {f"{letter}1": first, **copies}


def count_found(cast: Cast) -> Counter[tuple[str, bool]]:
    """Pairs with enough shared spans by kind (`independent`, or the kind of copying) and whether found."""
    names = cast.corpus.annotators
    found = {(kin.first, kin.second) for kin in find_kin(cast.corpus)}
    shared = Agreements.of(cast.corpus).shared
    counts: Counter[tuple[str, bool]] = Counter()
    for pair in combinations(range(len(names)), 2):
        if shared[pair] >= ENOUGH:
            one, other = names[pair[0]][0], names[pair[1]][0]
            kind = cast.families[one] if one == other and one in cast.families else "independent"
            counts[kind, pair in found] += 1
    return counts


def page(counts: Counter[tuple[str, bool]], draws: int, commit: str) -> str:
    """The counts as a page in Markdown."""
    lines = [
        "# Kinship: who copies whom, told without a consensus",
        "",
        f"{draws} drawn casts of 5 to 12 people on 300 to 1,000 sentences of CoNLL-2003, NCBI disease, JNLPBA and",
        "BC2GM: up to two families of two to five, at least two people on their own, in half of the crowds everybody",
        f"has 60 % of the sentences. Pairs who share at least {ENOUGH:.0f} spans are counted.",
        "",
        "| pairs | drawn | told to be kin | share |",
        "|---|---:|---:|---:|",
    ]
    for kind in (*KINDS, "independent"):
        taken, drawn = counts[kind, True], counts[kind, True] + counts[kind, False]
        name = "independent" if kind == "independent" else f"{kind} copies ({KINDS[kind]:.0%} of spans changed)"
        lines.append(f"| {name} | {drawn:,} | {taken:,} | {taken / max(drawn, 1):.1%} |")
    recipe = f"python -m crowdseq_research.zoo.kinship_check DATA --draws {draws} -o results/kinship.md"
    return "\n".join([*lines, "", f"Recipe: `{recipe}`, commit {commit}.", ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--draws", type=int, default=240)
    parser.add_argument("-o", "--output", type=Path, required=True)
    asked = parser.parse_args()
    counts: Counter[tuple[str, bool]] = Counter()
    for draw in range(asked.draws):
        counts += count_found(draw_cast(asked.data, draw))
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=True
    ).stdout.strip()
    asked.output.write_text(page(counts, asked.draws, commit), encoding="utf-8")


if __name__ == "__main__":
    main()
