"""Annotators and documents under the names that the user gives them."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from crowdseq.core.building import Record
from crowdseq.core.consensus import Consensus
from crowdseq.errors import Advice, SchemeError
from crowdseq.formats.extra_keys import SPANS
from crowdseq.formats.settings import ReadSettings

AGREED = "agreed"


def renamed(record: Record, settings: ReadSettings) -> Record:
    """The record with its new names; whoever has none keeps the old one."""
    if settings.names:
        record = _with_new_annotators(record, settings.names)
    if settings.documents:
        record = _with_new_document(record, settings.documents)
    return record


def _with_new_annotators(record: Record, names: Mapping[str, str]) -> Record:
    votes: dict[str, Any] = {}
    for name, tags in record.annotations.items():
        new = names.get(name, name)
        if new in votes:
            raise SchemeError(
                f"annotator {new} stands for two annotators of this sentence",
                Advice("rename one of them or leave one out ({without})", without=""),
            )
        votes[new] = tags
    spans = record.extras.get(SPANS)
    if isinstance(spans, dict):
        spans = {names.get(name, name): marks for name, marks in spans.items()}
        return replace(record, annotations=votes, extras={**record.extras, SPANS: spans})
    return replace(record, annotations=votes)


def _with_new_document(record: Record, names: Mapping[str, str]) -> Record:
    """A document may be one record, of its name, or several that have it before their own."""
    doc, own = record.doc, record.id
    if doc is not None and doc in names:
        if own is not None and own.startswith(f"{doc}-"):
            own = f"{names[doc]}{own[len(doc) :]}"
        doc = names[doc]
    return replace(record, id=None if own is None else names.get(own, own), doc=doc)


def agreements(consensus: Consensus) -> Iterator[list[list[str]]]:
    """Sentence by sentence the names for each token, in the order of the annotators."""
    corpus = consensus.corpus
    bounds = corpus.offsets.tolist()
    for number, ballot in enumerate(corpus.annotations.ballots):
        names = [corpus.annotators[who] for who in ballot.voters.tolist()]
        same = (ballot.tags == consensus.tag_ids[bounds[number] : bounds[number + 1]]).T.tolist()
        yield [[name for name, is_it in zip(names, row, strict=True) if is_it] for row in same]
