"""Make a large Label Studio JSON export out of made-up words, the same for the same seed.

    python scripts/make_label_studio_export.py OUT.json --megabytes 200 --seed 0

Measure how it is read with `python scripts/measure_reading.py --label-studio 200`.
"""

import argparse
import json
import random
from itertools import accumulate
from pathlib import Path
from typing import Any

ANNOTATORS, VOTERS, WORDS = 40, 3, 150
TYPES = ("PER", "LOC", "ORG")


def write_export(path: Path, n_bytes: int, seed: int = 0) -> int:
    """Tasks until the file is as long as asked for; gives their number."""
    dice = random.Random(seed)
    words = Words(dice)
    number, length = 0, 0
    with path.open("w", encoding="utf-8") as out:
        while length < n_bytes:
            number += 1
            text = json.dumps(task(number, words, dice), ensure_ascii=False)
            length += out.write(("[" if number == 1 else ",\n") + text)
        out.write("]\n")
    return number


class Words:
    """Made-up words that come as often as those of a language do: the n-th as 1 / n (Zipf's law)."""

    def __init__(self, dice: random.Random) -> None:
        self.known = [f"word{number}" for number in range(60_000)]
        self.known[300:300] = ["Zürich", "don't", "U.S.", "🚀"]
        self.shares = list(accumulate(1 / place for place in range(1, len(self.known) + 1)))
        self.dice = dice

    def some(self, count: int) -> list[str]:
        """So many words, drawn at random."""
        return self.dice.choices(self.known, cum_weights=self.shares, k=count)


def task(number: int, words: Words, dice: random.Random) -> dict[str, Any]:
    """A text of many words and the spans of some annotators, as Label Studio writes them."""
    chosen = words.some(WORDS)
    starts = [0]
    for word in chosen:
        starts.append(starts[-1] + len(word) + 1)
    text = " ".join(chosen)
    annotations = [
        {
            "id": number * 10 + place,
            "completed_by": who,
            "result": [
                region(text, starts, first, dice) for first in range(2, WORDS - 3, dice.randint(8, 16))
            ],
            "was_cancelled": False,
            "ground_truth": False,
            "created_at": "2026-01-05T10:00:00.000000Z",
            "updated_at": "2026-01-05T10:00:00.000000Z",
            "lead_time": 9.5,
            "task": number,
        }
        for place, who in enumerate(dice.sample(range(ANNOTATORS), VOTERS))
    ]
    return {"id": number, "annotations": annotations, "drafts": [], "predictions": [], "data": {"text": text}}


def region(text: str, starts: list[int], first: int, dice: random.Random) -> dict[str, Any]:
    """One to three words with a label."""
    start, end = starts[first], starts[first + dice.randint(1, 3)] - 1
    value = {"start": start, "end": end, "text": text[start:end], "labels": [dice.choice(TYPES)]}
    about = {"id": f"r{dice.randrange(10**9)}", "from_name": "label", "to_name": "text", "type": "labels"}
    return {"value": value, **about, "origin": "manual"}


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    print(f"{write_export(asked.out, asked.megabytes << 20, asked.seed):,} tasks")


if __name__ == "__main__":
    main()
