"""Drawn casts in which it is known who copies whom: which copies are found, and who is wrongly taken for one.

`python -m crowdseq_research.zoo.kinship_check DATA -o results/kinship.md`
"""

import argparse
import subprocess
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.random import Generator

from crowdseq.core.corpus import Corpus
from crowdseq.evaluation.kinship import find_kin
from crowdseq.evaluation.pair_agreements import Agreements
from crowdseq_research.zoo.casts import (
    BAD,
    EXPERT,
    GOOD,
    GREAT,
    MID,
    Character,
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
_NEW_SEED = 63  # of casts that nothing was chosen by
_INDEPENDENT = "independent pairs"
_EXPERTS = "of these, pairs of experts"
_BESIDE = "two experts beside three bad annotators"
_BESIDE_DRAWS = 200


@dataclass(frozen=True)
class Cast:
    """A drawn crowd, and of each family, by the first letter of its members' names, the kind of copying and
    whether an expert is copied, who hardly errs and so leaves hardly a trace. experts: names of those who
    hardly err, copies of them too."""

    corpus: Corpus
    families: Mapping[str, tuple[str, bool]]
    experts: frozenset[str] = frozenset()


def draw_cast(data: Path, draw: int, seed: int = _SEED) -> Cast:
    """5 to 12 people, at least two independent, up to two families; half of them share the work."""
    random = np.random.default_rng([seed, draw])
    text = gold_text(data, *_TEXTS[draw % len(_TEXTS)], 1500)
    size = int(random.integers(300, 1001))
    passage = Passage.of(text.select(np.sort(random.permutation(len(text))[:size])))
    count = int(random.integers(5, 13))
    people: dict[str, Marks] = {}
    families: dict[str, tuple[str, bool]] = {}
    for letter in "cd"[: int(random.integers(0, 3))]:
        room = count - 2 - len(people)
        if room < 2:
            break
        kind, copied = str(random.choice(list(KINDS))), _anybody(random)
        families[letter] = kind, copied in (GREAT, EXPERT)
        members = int(random.integers(2, min(room, 5) + 1))
        first = read_with_habits(passage, copied, random)
        people[f"{letter}1"] = first
        for number in range(2, members + 1):
            people[f"{letter}{number}"] = copy(passage, first, KINDS[kind], random)
    habit = float(random.choice([0.0, 0.8]))
    experts = {name for name in people if families[name[0]][1]}
    for number in range(1, count - len(people) + 1):
        own = _anybody(random)
        experts |= {f"a{number}"} if own in (GREAT, EXPERT) else set()
        people[f"a{number}"] = read(passage, replace(own, habit=habit), random)
    share = float(random.choice([1.0, 0.6]))
    seen = {name: random.random(size) < share for name in people}
    return Cast(to_corpus(passage, people, seen), families, frozenset(experts))


def draw_experts_beside_bad(data: Path, draw: int, seed: int = _NEW_SEED) -> Cast:
    """Two experts and three bad annotators, all on their own: two who are right are no copies."""
    random = np.random.default_rng([seed, 1, draw])
    text = gold_text(data, *_TEXTS[draw % len(_TEXTS)], 1500)
    size = int(random.integers(300, 1001))
    passage = Passage.of(text.select(np.sort(random.permutation(len(text))[:size])))
    habit = float(random.choice([0.0, 0.8]))
    people = {"a1": GREAT, "a2": GREAT if draw % 8 < 4 else EXPERT, "b1": BAD, "b2": BAD, "b3": BAD}
    marks = {name: read(passage, replace(own, habit=habit), random) for name, own in people.items()}
    return Cast(to_corpus(passage, marks), {}, frozenset({"a1", "a2"}))


def _anybody(random: Generator) -> Character:
    return _CHARACTERS[int(random.integers(len(_CHARACTERS)))]


def count_found(cast: Cast) -> Counter[tuple[str, bool]]:
    """Pairs with enough shared spans by the name of their kind and whether they were found."""
    names = cast.corpus.annotators
    found = {(kin.first, kin.second) for kin in find_kin(cast.corpus)}
    shared = Agreements.of(cast.corpus).shared
    counts: Counter[tuple[str, bool]] = Counter()
    for pair in combinations(range(len(names)), 2):
        if shared[pair] >= ENOUGH:
            one, other = names[pair[0]][0], names[pair[1]][0]
            kin = one == other and one in cast.families
            counts[_name(*cast.families[one]) if kin else _INDEPENDENT, pair in found] += 1
            if not kin and {names[pair[0]], names[pair[1]]} <= cast.experts:
                counts[_EXPERTS, pair in found] += 1
    return counts


def _name(kind: str, of_expert: bool) -> str:
    return f"{kind} copies{' of an expert' if of_expert else ''} ({KINDS[kind]:.0%} of spans changed)"


def page(counts: Sequence[Counter[tuple[str, bool]]], draws: int, commit: str) -> str:
    """The counts, of casts that settings were chosen by and of new ones, as a page in Markdown."""
    lines = [
        "# Kinship: who copies whom, told without a consensus",
        "",
        f"{draws} drawn casts of 5 to 12 people on 300 to 1,000 sentences of CoNLL-2003, NCBI disease,",
        "JNLPBA and BC2GM: up to two families of two to five, at least two people on their own, in half of",
        f"the crowds everybody has 60 % of the sentences. Pairs who share at least {ENOUGH:.0f} spans count.",
        "",
        f"Settings were chosen on seeds {_SEED} and 62, none of them on seed {_NEW_SEED}.",
        "",
        f"| pairs | drawn, seed {_SEED} | told to be kin | share | drawn, seed {_NEW_SEED} | told | share |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    names = [_name(kind, of_expert) for of_expert in (False, True) for kind in KINDS]
    for name in (*names, _INDEPENDENT, _EXPERTS, _BESIDE):
        cells = []
        for found in counts:
            taken, drawn = found[name, True], found[name, True] + found[name, False]
            cells += [f"{drawn:,}", f"{taken:,}", f"{taken / drawn:.1%}"] if drawn else ["", "", ""]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    lines += [
        "",
        "Who copies an expert is told by what both leave out of what others agree on. Where the expert",
        "leaves out hardly anything, all others are poor or few, or all who agree are copies, this tells",
        f"nothing. In the last row {_BESIDE_DRAWS} crowds have two experts and three bad annotators, all on",
        "their own: how often the two were taken for kin.",
    ]
    recipe = f"python -m crowdseq_research.zoo.kinship_check DATA --draws {draws} -o results/kinship.md"
    return "\n".join([*lines, "", f"Recipe: `{recipe}`, commit {commit}.", ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--draws", type=int, default=240)
    parser.add_argument("-o", "--output", type=Path, required=True)
    asked = parser.parse_args()
    counts = [Counter[tuple[str, bool]](), Counter[tuple[str, bool]]()]
    for found, seed in zip(counts, (_SEED, _NEW_SEED), strict=True):
        for draw in range(asked.draws):
            found += count_found(draw_cast(asked.data, draw, seed))
    for draw in range(_BESIDE_DRAWS):
        beside = count_found(draw_experts_beside_bad(asked.data, draw))
        for is_found in (False, True):
            counts[1][_BESIDE, is_found] += beside[_EXPERTS, is_found]
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=True
    ).stdout.strip()
    asked.output.write_text(page(counts, asked.draws, commit), encoding="utf-8")


if __name__ == "__main__":
    main()
