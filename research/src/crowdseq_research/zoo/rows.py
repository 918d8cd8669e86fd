"""The rows of the zoo's tables: methods with their settings."""

from functools import cache
from typing import Any, NamedTuple

from crowdseq.errors import CrowdseqError
from crowdseq.methods import list_methods


class Row(NamedTuple):
    """few: computed on the crowds of a quick run alone."""

    method: str
    settings: dict[str, Any]
    few: bool = False


VOTES, VOTES_OF_THE_SPEAKING = "majority-vote", "majority-vote, silence auto"
OURS, BEFORE, PAPER = "sa-slc", "sa-slc, preset 0.1", "sa-slc, paper preset"

# Better for every rival on the development crowds: they too take silent labelling functions as silent and
# count those who copy each other once.
_AT_FULL_STRENGTH = {"silence": "auto", "kinship": True}

# Settings of the rivals were chosen on development crowds with the same care as ours; `rivals.md` beside the
# results tells what was tried.
ROWS: dict[str, Row] = {
    VOTES: Row("majority-vote", {}),
    VOTES_OF_THE_SPEAKING: Row("majority-vote", {"silence": "auto"}),
    "majority-vote, chosen": Row("majority-vote", {**_AT_FULL_STRENGTH}),
    "dawid-skene": Row("dawid-skene", {**_AT_FULL_STRENGTH}),
    "ibcc": Row("ibcc", {"off_diagonal": 1.0, "diagonal": 0.3, **_AT_FULL_STRENGTH}),
    "mace": Row("mace", {"knows": 2.0, "guesses": 1.0, "habit": 100.0, **_AT_FULL_STRENGTH}),
    "hmm-crowd": Row("hmm-crowd", {"smoothing": 0.1, **_AT_FULL_STRENGTH}),
    "bsc": Row("bsc", {"cells": 0.1, "diagonal": 0.3, "slips": 0.01, **_AT_FULL_STRENGTH}),
    "sembler": Row("sembler", {"smoothing": 1.0, "silence": "auto"}),
    "crf-ma": Row("crf-ma", {"silence": "auto"}),
    PAPER: Row("sa-slc", {"preset": "paper"}, few=True),
    BEFORE: Row("sa-slc", {"preset": "0.1"}),
    OURS: Row("sa-slc", {}),
}


@cache
def known_rows() -> tuple[str, ...]:
    """The rows whose settings the methods have; others wait until they do."""
    return tuple(name for name, row in ROWS.items() if _is_known(row))


def _is_known(row: Row) -> bool:
    try:
        list_methods()[row.method](**row.settings)
    except (TypeError, CrowdseqError):
        return False
    return True
