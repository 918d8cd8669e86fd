"""Labels moved to the tokens that a sentence already has, where files cut the same characters in two ways."""

from collections.abc import Sequence
from dataclasses import replace

from crowdseq.core.building import Record
from crowdseq.errors import Problem
from crowdseq.formats.findings.collector import Collector
from crowdseq.formats.spans.align import project, visible


def realigned(record: Record, held: Sequence[str], collector: Collector, place: Problem) -> Record:
    """The record on other tokens of the same characters; as it is if they are others."""
    if not _is_sound(record) or visible(held) != visible(record.tokens):
        return record
    moved = 0
    votes = {}
    for name, tags in record.annotations.items():
        votes[name], inexact = project(tags, record.tokens, held)
        moved += inexact
    gold = None
    if record.gold is not None:
        gold, inexact = project(record.gold, record.tokens, held)
        moved += inexact
    what = "tokens differ between annotators of one sentence, aligned by characters"
    collector.warn("tokens-aligned", what, place)
    if moved:
        what = "labels ended inside a token when they were aligned, the whole token was taken"
        collector.warn("labels-moved", what, place, moved)
    return replace(record, tokens=held, annotations=votes, gold=gold, columns={})


def _is_sound(record: Record) -> bool:
    """Whether tokens and labels are what they should be; if not, the builder says what is wrong."""
    rows = [*record.annotations.values(), *([record.gold] if record.gold is not None else [])]
    return all(isinstance(token, str) for token in record.tokens) and all(
        len(row) == len(record.tokens) and all(tag is None or isinstance(tag, str) for tag in row)
        for row in rows
    )
