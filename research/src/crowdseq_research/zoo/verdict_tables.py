"""Verdicts as tables: how often each character gets which, and how often it is the right one."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from crowdseq.evaluation.verdicts import DROP, GOOD, UNKNOWN, VERDICTS
from crowdseq.reports.tables import Table
from crowdseq_research.zoo.verdict_casts import CHARACTERS, SIMULATED
from crowdseq_research.zoo.verdict_cells import METHODS, right_verdict

ENOUGH = 100  # spans that somebody drew, or that are there where they looked
Person = Mapping[str, Any]


def summary(cells: Sequence[Mapping[str, Any]]) -> Table:
    """For each method: how many, how often right, and the errors that hurt."""
    rows = [_summary(method, _people(cells, method)) for method in METHODS]
    columns = ("method", "casts", "annotators", f"with {ENOUGH} spans", "right", "good called drop")
    more = ("drop called good", "too little evidence", "interval holds F1", "mean error")
    casts = {method: sum(cell["key"]["method"] == method for cell in cells) for method in METHODS}
    return Table((*columns, *more), tuple((row[0], casts[str(row[0])], *row[1:]) for row in rows), "Verdicts")


def _people(cells: Sequence[Mapping[str, Any]], method: str) -> list[Person]:
    return [person for cell in cells if cell["key"]["method"] == method for person in cell["people"]]


def _summary(method: str, people: Sequence[Person]) -> tuple[object, ...]:
    judged = [one for one in people if one["spans"] >= ENOUGH]
    good, bad = ([one for one in judged if right_verdict(one["f1"]) == which] for which in (GOOD, DROP))
    known = [one for one in judged if one["value"] is not None]
    return (
        method,
        len(people),
        len(judged),
        _share(sum(one["verdict"] == right_verdict(one["f1"]) for one in judged), len(judged)),
        _share(sum(one["verdict"] == DROP for one in good), len(good)),
        _share(sum(one["verdict"] == GOOD for one in bad), len(bad)),
        sum(one["verdict"] == UNKNOWN for one in judged),
        _share(sum(one["low"] <= one["f1"] <= one["high"] for one in known), len(known)),
        float(np.mean([abs(one["value"] - one["f1"]) for one in known])) if known else None,
    )


def _share(count: int, total: int) -> str:
    return f"{count / max(total, 1):.1%} ({count:,} of {total:,})"


def by_character(cells: Sequence[Mapping[str, Any]], method: str, least: int = ENOUGH) -> Table:
    """How often each character gets which verdict, of those with so many spans."""
    people = [one for one in _people(cells, method) if one["spans"] >= least]
    others = sorted({one["character"] for one in people if one["character"].startswith(SIMULATED)})
    rows = []
    for character in (*CHARACTERS, *others):
        some = [one for one in people if one["character"] == character]
        if some:
            counts = [sum(one["verdict"] == verdict for one in some) for verdict in VERDICTS]
            right = sum(one["verdict"] == right_verdict(one["f1"]) for one in some)
            values = [one["f1"] for one in some]
            rows.append((character, len(some), f"{min(values):.2f} to {max(values):.2f}", *counts, right))
    columns = ("character", "annotators", "F1 against the truth", *VERDICTS, "right")
    return Table(columns, tuple(rows), f"Verdicts by character, {method}")


def by_few(cells: Sequence[Mapping[str, Any]], method: str) -> Table:
    """What those with fewer spans are told."""
    rows = []
    for low, high in ((0, 10), (10, 30), (30, 60), (60, ENOUGH)):
        some = [one for one in _people(cells, method) if low <= one["spans"] < high]
        told = [one for one in some if one["verdict"] != UNKNOWN]
        right = sum(one["verdict"] == right_verdict(one["f1"]) for one in told)
        rows.append((f"{low} to {high - 1}", len(some), len(some) - len(told), _share(right, len(told))))
    columns = ("spans", "annotators", UNKNOWN, "right, of the others")
    return Table(columns, tuple(rows), f"Those with fewer spans, {method}")
