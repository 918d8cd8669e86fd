"""Small runs to review, and short ways to act on them."""

from itertools import count
from pathlib import Path
from typing import Any

from builders import corpus
from crowdseq.core.corpus import Corpus
from crowdseq.workflows.learning import learn
from crowdseq.workflows.reviewing.acting import Act
from crowdseq.workflows.reviewing.desk import Acted, Desk

_NUMBERS = count()


def washington() -> Corpus:
    """Five sentences by ann, bob, cy and (one) dee; "Washington" is disputed in three of them."""
    return corpus(
        "Washington/B-LOC/B-PER/B-LOC/? is/O/O/O/? nice/O/O/O/?",
        "Mr/O/O/O/O Washington/B-PER/B-PER/B-LOC/B-PER slept/O/O/O/O",
        "in/O/O/O/? New/B-LOC/B-LOC/B-LOC/? York/I-LOC/I-LOC/O/? today/O/O/O/?",
        "see/O/O/O/? Washington/B-LOC/B-LOC/O/? and/O/O/O/? Bo/B-PER/B-PER/B-PER/?",
        "nothing/O/O/O/? here/O/O/O/?",
        gold=False,
        annotators=["ann", "bob", "cy", "dee"],
        docs=["d1", "d1", "d2", "d2", "d3"],
    )


def saved(folder: Path, crowd: Corpus | None = None, method: str = "majority-vote") -> Path:
    """A run folder of a crowd."""
    learn(crowd or washington(), method, tagger=False).save(folder)
    return folder


def do(desk: Desk, kind: str, dispute: int | None = None, **more: Any) -> Acted:
    """One act of bea, based on what holds now."""
    asked: dict[str, Any] = {"id": f"a{next(_NUMBERS)}", "reviewer": "bea"} | more
    return desk.act(Act(kind=kind, dispute=dispute, **asked))


def words(desk: Desk, sentence: int) -> list[tuple[str, str]]:
    """What holds of a sentence: words and label of each mark."""
    tokens = desk.corpus.sentences[sentence].tokens
    return [(" ".join(tokens[begin:end]), label) for begin, end, label in desk.marks(sentence)]
