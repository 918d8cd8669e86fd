"""Table XI: one sentence of the Mechanical Turk crowd, and what SA-SLC makes of those who labelled it.

Cells hold tags and places, never words: the text is licensed.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from crowdseq.core.corpus import Corpus
from crowdseq.errors import FormatError, Problem
from crowdseq.workflows.learning import learn
from crowdseq_research.cells.sources import origin
from crowdseq_research.paper.cells.turk import turk_crowd

SENTENCE = "conll2003-train-d231-s21"
TRUTH, OUTSIDE = "B-LOC", "O"


def example_keys() -> list[dict[str, Any]]:
    return [{"data": "amt", "method": "sa-slc", "settings": {}, "sentence": SENTENCE}]


def compute_example(key: Mapping[str, Any], data: Path) -> dict[str, Any]:
    """All tags, the consensus with its confidence, and of each annotator α and β for the label in doubt."""
    crowd = turk_crowd(data, None)
    place = example_place(crowd, key["sentence"])
    run = learn(crowd, key["method"], tagger=False, **key["settings"])
    consensus = run.consensus
    start = int(crowd.offsets[place])
    shown = slice(start, start + len(crowd.text.tokens[place]))
    ballot = crowd.annotations.ballots[place]
    tags = crowd.scheme.tags
    return {
        "gold": list(crowd.gold[place] or ()),
        "consensus": list(consensus.tags[place]),
        "confidence": consensus.token_confidence[shown].round(4).tolist(),
        "annotators": [
            {
                "annotator": crowd.annotators[voter],
                "tags": [tags[tag] if tag >= 0 else None for tag in row],
                "local": _chances(consensus.parameters, "local", voter, tags, OUTSIDE),
                "repeat": {
                    context: _chances(consensus.parameters, "repeat", voter, tags, context)
                    for context in (TRUTH, OUTSIDE)
                },
            }
            for voter, row in zip(ballot.voters.tolist(), ballot.tags.tolist(), strict=True)
        ],
        **origin(run.recipe, key["method"]),
    }


def example_place(crowd: Corpus, sentence: str) -> int:
    """Where the sentence stands in the crowd."""
    for place, one in enumerate(crowd.sentences):
        if one.id == sentence:
            return place
    raise FormatError(Problem("the sentence of table XI is not in this crowd", record=sentence))


def example_words(data: Path) -> tuple[str, ...]:
    """The words, for the terminal alone."""
    crowd = turk_crowd(data, None)
    return tuple(crowd.text.tokens[example_place(crowd, SENTENCE)])


def _chances(
    parameters: Mapping[str, Any], name: str, voter: int, tags: Sequence[str], context: str
) -> dict[str, Any]:
    """What the annotator gives where the truth is B-LOC, after their own label `context`."""
    kinds, counts = parameters[f"{name}_kinds"], parameters[f"{name}_counts"][:, tags.index(TRUTH)]
    mine = (kinds[:, 0] == voter) & (kinds[:, 1] == tags.index(context))
    given = np.bincount(kinds[mine, 2], weights=counts[mine], minlength=len(tags))
    total = float(given.sum())
    shares = (
        {tag: round(float(given[tags.index(tag)]) / total, 4) for tag in (TRUTH, OUTSIDE)} if total else {}
    )
    return {"votes": round(total, 2), "shares": shares}
