"""Synthetic runs: one with many sentences, and one that holds a very long sentence with many lanes."""

import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import crowdseq
from crowdseq.storage.atomic import AtomicFile

VOTES = 5  # annotators of each sentence
LANES, LONG_TOKENS = 20, 5_000
_PEOPLE = [f"w{number:02}" for number in range(50)]
_LABELS = ["PER", "LOC", "ORG", "MISC"]
_WORDS = [f"word{number}" for number in range(30_000)]
_NAMES = [
    *("Washington", "Paris", "Jordan", "Lincoln", "Chelsea", "Ada", "Bo", "Reading", "Nice", "Bath"),
    *(f"Name{number}" for number in range(20_000)),
]


def made_run(work: Path, sentences: int) -> Path:
    """The folder of a run of majority vote on that many sentences, made unless it is there."""
    return _made(work / f"run-{sentences}", records(sentences))


def made_long_run(work: Path) -> Path:
    """The same of one sentence with 5,000 tokens and 20 annotators, and a few others."""
    return _made(work / "run-long", _long_records())


def _made(run: Path, crowd: Iterator[dict[str, Any]]) -> Path:
    if run.exists():
        return run
    run.parent.mkdir(parents=True, exist_ok=True)
    file_name, unfinished = run.with_suffix(".jsonl"), run.with_suffix(".unfinished")
    with AtomicFile(file_name, force=True) as file:
        for record in crowd:
            file.write(json.dumps(record).encode() + b"\n")
    shutil.rmtree(unfinished, ignore_errors=True)
    crowdseq.learn(crowdseq.read(str(file_name)), "majority-vote", tagger=False).save(unfinished)
    unfinished.rename(run)
    file_name.unlink()
    return run


def records(count: int) -> Iterator[dict[str, Any]]:
    """Sentences of 8 to 30 tokens, each labelled by 5 of 50 people; the same for the same count."""
    draw = random.Random(0)
    for number in range(count):
        yield _record(draw, number, draw.randint(8, 30), VOTES)


def _long_records() -> Iterator[dict[str, Any]]:
    draw = random.Random(1)
    yield _record(draw, 0, LONG_TOKENS, LANES)
    for number in range(1, 20):
        yield _record(draw, number, 12, VOTES)


def _record(draw: random.Random, number: int, length: int, votes: int) -> dict[str, Any]:
    tokens = [draw.choice(_WORDS) for _ in range(length)]
    truth, at = ["O"] * length, 0
    while at < length - 2:
        if draw.random() >= 0.12:
            at += 1
            continue
        size, label = draw.choice([1, 1, 2]), draw.choice(_LABELS)
        for place in range(at, at + size):
            # A few names are frequent, most are rare.
            tokens[place] = _NAMES[int(len(_NAMES) * draw.random() ** 4)]
            truth[place] = f"{'B' if place == at else 'I'}-{label}"
        at += size + 1
    marked = {one: _marked(draw, truth) for one in draw.sample(_PEOPLE, votes)}
    return {"id": f"s{number}", "doc": f"d{number // 10}", "tokens": tokens, "annotations": marked}


def _marked(draw: random.Random, truth: list[str]) -> list[str]:
    """What somebody marks: of ten names one is missed, one gets any label, and some longer ones are cut."""
    tags, at = list(truth), 0
    while at < len(tags):
        if tags[at][0] != "B":
            at += 1
            continue
        end = at + 1
        while end < len(tags) and tags[end][0] == "I":
            end += 1
        luck = draw.random()
        if luck < 0.1:
            tags[at:end] = ["O"] * (end - at)
        elif luck < 0.2:
            label = draw.choice(_LABELS)
            tags[at:end] = [tag[:2] + label for tag in tags[at:end]]
        elif luck < 0.25 and end - at > 1:
            tags[end - 1] = "O"
        at = end
    return tags
