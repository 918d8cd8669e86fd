"""Argilla 2.x records: a crowd as responses, a consensus as suggestions."""

import json
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, BinaryIO
from uuid import UUID

from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.formats.json_io import write_array
from crowdseq.formats.spans.align import Mark
from crowdseq.formats.spans.capacity import check_holdable
from crowdseq.formats.spans.from_corpus import CARRIED, Restored, crowds, settled

AGENT = "crowdseq"
_QUESTION, _FIELD = "ner", "text"


def write(corpus: Corpus, out: BinaryIO) -> list[str]:
    """Every annotator's spans as a submitted response."""
    notes = check_holdable(corpus, "argilla")
    if corpus.has_gold.any():
        notes.append("argilla has no room for gold, it was left out")
    other_files = [name for name in corpus.annotators if not _is_uuid(name)]
    if other_files:
        what = "names of annotators are no ids of Argilla users, put those in before you import"
        notes.append(f"{len(other_files):,} {what}: {', '.join(other_files[:3])}")
    write_array(out, _records(corpus))
    return notes


def write_consensus(consensus: Consensus, out: BinaryIO) -> list[str]:
    """The consensus as a suggestion with a score for each span."""
    notes = check_holdable(consensus.corpus.keep_annotators([]).without_gold(), "argilla")
    write_array(out, _suggested(consensus))
    return notes


def _records(corpus: Corpus) -> Iterator[dict[str, Any]]:
    for restored, votes, _ in crowds(corpus):
        responses = [
            {"value": _value(marks), "user_id": name, "status": "submitted"} for name, marks in votes.items()
        ]
        yield _record(restored) | {"responses": {_QUESTION: responses}, "suggestions": {}}


def _suggested(consensus: Consensus) -> Iterator[dict[str, Any]]:
    for restored, marks in settled(consensus):
        suggestion = {
            "value": _value([scored.mark for scored in marks]),
            "score": [scored.confidence for scored in marks],
            "agent": AGENT,
        }
        agreed = {"agreed": [scored.agreed for scored in marks]} if marks else {}
        yield _record(restored, agreed) | {"responses": {}, "suggestions": {_QUESTION: suggestion}}


def _record(restored: Restored, more: Mapping[str, Any] = MappingProxyType({})) -> dict[str, Any]:
    carried = {**restored.carried(), **more}
    metadata = restored.meta
    if len(carried) > 1:  # the id has a place of its own
        metadata |= {CARRIED: json.dumps(carried, ensure_ascii=False)}
    return {
        "id": restored.sentence.id,
        "fields": {_FIELD: restored.text},
        "metadata": metadata,
        "vectors": {},
    }


def _value(marks: Sequence[Mark]) -> list[dict[str, Any]]:
    return [{"start": mark.start, "end": mark.end, "label": mark.label} for mark in marks]


def _is_uuid(name: str) -> bool:
    try:
        return str(UUID(name)) == name.lower()
    except ValueError:
        return False
