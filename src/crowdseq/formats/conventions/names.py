"""Names of annotators, documents and labels as the user wants them, and who agreed with a consensus."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import Any
from unicodedata import normalize

import numpy as np

from crowdseq.arrays import IntArray
from crowdseq.core.annotations import Annotations
from crowdseq.core.building import Record
from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import OUTSIDE, PLAIN, LabelScheme, split_tag
from crowdseq.core.names import Tags, counted
from crowdseq.errors import Advice, Problem, SchemeError
from crowdseq.formats.findings.collector import Collector
from crowdseq.formats.settings import SPANS, ReadSettings


class LabelSet:
    """Labels that may occur; keeps the first place and the count of every other."""

    def __init__(self, settings: ReadSettings) -> None:
        labels = settings.labels or ()
        self._skips = settings.on_error == "skip"
        self._names = sorted(labels)
        self._types = {split_tag(label)[1] for label in labels} - {""}
        self._known: set[str | None] = {None, *labels, *({OUTSIDE} if settings.scheme != PLAIN else ())}
        self._counts: Counter[str] = Counter()
        self._places: dict[str, Problem] = {}

    def check(self, record: Record, place: Problem) -> None:
        """Note the unknown labels of a record; where bad records are skipped, refuse it."""
        rows = [*record.annotations.values(), *([record.gold] if record.gold is not None else [])]
        for tags in rows:
            try:
                strange = [tag for tag in dict.fromkeys(tags) if tag not in self._known]
            except TypeError:  # a label that is no text: the builder says so
                return
            for label in strange:
                if isinstance(label, str) and self._is_unknown(label):
                    self._counts[label] += list(tags).count(label)
                    self._places.setdefault(label, place)
                    if self._skips:
                        raise SchemeError(self._message(label, 0))

    def _is_unknown(self, label: str) -> bool:
        prefix, kind = split_tag(label)
        if prefix and kind in self._types:
            self._known.add(label)
            return False
        return True

    def unknown(self) -> list[Problem]:
        """One problem for each unknown label, at its first place."""
        return [
            Problem(self._message(label, self._counts[label]), place.file, place.line, place.record)
            for label, place in self._places.items()
        ]

    def _message(self, label: str, count: int) -> str:
        times = f" ({counted(count, 'time')})" if count else ""
        near = get_close_matches(split_tag(label)[1] or label, [*self._types, *self._names], 1, 0.5)
        hint = f"did you mean '{near[0]}'?" if near else f"which has {', '.join(self._names[:12])}"
        return f"label '{label}'{times} is not in the label set, {hint} (or take the labels from the data)"


def widen(corpus: Corpus, labels: tuple[str, ...]) -> Corpus:
    """The corpus under a scheme that has all given labels, used or not; in their order if they are all."""
    scheme = _wider_scheme(corpus.scheme, labels)
    numbers: IntArray = np.array([*(scheme.index[tag] for tag in corpus.scheme.tags), -1], np.int16)
    crowd = corpus.annotations
    tags = numbers[crowd.tags]
    votes = Annotations(crowd.annotators, crowd.voters, crowd.row_offsets, tags, crowd.lengths)
    return Corpus(scheme, corpus.text, votes, numbers[corpus.gold_tags], corpus.has_gold)


def _wider_scheme(scheme: LabelScheme, labels: tuple[str, ...]) -> LabelScheme:
    if scheme.is_plain:
        return LabelScheme((*labels, *(tag for tag in scheme.tags if tag not in labels)), PLAIN)
    types = {split_tag(label)[1] for label in labels} - {""}
    full = LabelScheme.of_types({*types, *scheme.types}, scheme.kind)
    return LabelScheme(labels, scheme.kind) if set(labels) == set(full.tags) else full


AGREED = "agreed"


def renamed(record: Record, settings: ReadSettings) -> Record:
    """The record with its new names, and without labels that stand for none; without new names, the old."""
    if settings.names:
        record = _with_new_annotators(record, settings.names)
    if settings.documents:
        record = _with_new_document(record, settings.documents)
    return record if settings.missing is None else _without_marks(record, frozenset(settings.missing))


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


def in_normal_form(record: Record, collector: Collector, place: Problem) -> Record:
    """The record with tokens in NFC; one that is no text is left for the builder to complain about."""
    if not all(isinstance(token, str) for token in record.tokens):
        return record
    from crowdseq.formats.spans.kept_text import refuse_long_runs  # few ask for a normal form

    refuse_long_runs("".join(record.tokens))
    tokens = [normalize("NFC", token) for token in record.tokens]
    if tokens == list(record.tokens):
        return record
    collector.warn("tokens-normalised", "sentences have tokens that were brought to NFC", place)
    return replace(record, tokens=tokens)


def _without_marks(record: Record, marks: Collection[str]) -> Record:
    """The record without labels that stand for none; who has nothing else has not seen the sentence."""
    rows = {name: _labels(tags, marks) for name, tags in record.annotations.items()}
    votes = {name: tags for name, tags in rows.items() if tags is not None}
    return replace(
        record, annotations=votes, gold=None if record.gold is None else _labels(record.gold, marks)
    )


def _labels(tags: Tags, marks: Collection[str]) -> Tags | None:
    made = [None if isinstance(tag, str) and tag in marks else tag for tag in tags]
    return made if not made or any(tag is not None for tag in made) else None


def agreements(consensus: Consensus) -> Iterator[list[list[str]]]:
    """Sentence by sentence the names for each token, in the order of the annotators."""
    corpus = consensus.corpus
    bounds = corpus.offsets.tolist()
    for number, ballot in enumerate(corpus.annotations.ballots):
        names = [corpus.annotators[who] for who in ballot.voters.tolist()]
        same = (ballot.tags == consensus.tag_ids[bounds[number] : bounds[number + 1]]).T.tolist()
        yield [[name for name, is_it in zip(names, row, strict=True) if is_it] for row in same]
