"""Suggestions: where the text would add to kept labels, doubts them, or would put others in their place."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from crowdseq.arrays import IntArray
from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.core.spans import Span, find_spans

_DIGITS = 6
_Row: TypeAlias = tuple[int, int, str]  # first token of the corpus, token after the last, label


@dataclass(frozen=True)
class Suggestion:
    """A place where the text speaks against labels that were kept, or for some that are not there.

    kind: `add` (the text finds a span where none is), `doubt` (the text does not find a kept span) or
    `instead` (it finds other bounds or another type; of plain tags another label). start, end: the tokens of
    the sentence (half-open) that all spans of it cover together. tokens: their words. kept: the spans as
    they stand in the consensus. suggested: those that the text finds. confidence: the probability of the
    suggested tags, that of the least sure token.
    """

    sentence: str
    doc: str | None
    kind: str
    start: int
    end: int
    tokens: tuple[str, ...]
    kept: tuple[Span, ...]
    suggested: tuple[Span, ...]
    confidence: float

    @property
    def text(self) -> str:
        return " ".join(self.tokens)

    def words(self, span: Span) -> str:
        """The text of one of its spans."""
        return " ".join(self.tokens[span.start - self.start : span.end - self.start])

    def as_dict(self) -> dict[str, Any]:
        """A line of `suggestions.jsonl`."""
        return {
            "sentence": self.sentence,
            **({} if self.doc is None else {"doc": self.doc}),
            "kind": self.kind,
            "start": self.start,
            "end": self.end,
            "text": self.text,
            "kept": [{**vars(span), "text": self.words(span)} for span in self.kept],
            "suggested": [{**vars(span), "text": self.words(span)} for span in self.suggested],
            "confidence": round(self.confidence, _DIGITS),
        }


def suggestions_of(consensus: Consensus) -> tuple[Suggestion, ...]:
    """In the order of the text; none where a consensus did not keep labels against what was found."""
    found = consensus.parameters.get("suggested_tag_ids")
    if found is None:
        return ()
    corpus = consensus.corpus
    sure = consensus.probabilities[np.arange(len(found)), found]
    rows = [_rows(tags, corpus) for tags in (consensus.tag_ids, found)]
    same = set(rows[0]) & set(rows[1])
    kept, suggested = ([row for row in one if row not in same] for one in rows)
    if corpus.scheme.is_plain:
        groups: Iterator[tuple[list[_Row], list[_Row]]] = (
            ([one], [other]) for one, other in zip(kept, suggested, strict=True)
        )
    else:
        groups = _overlapping(kept, suggested)
    return tuple(_suggestion(corpus, sure, *group) for group in groups)


def _rows(tags: IntArray, corpus: Corpus) -> list[_Row]:
    """Spans; of plain tags every token, so that what stands at one place can be told against the other."""
    scheme = corpus.scheme
    if scheme.is_plain:
        return [(token, token + 1, scheme.tags[tag]) for token, tag in enumerate(tags.tolist())]
    table = find_spans(tags, corpus.offsets, scheme)
    names = [scheme.types[kind] for kind in table.types.tolist()]
    return [*zip(table.starts.tolist(), table.ends.tolist(), names, strict=True)]


def _overlapping(kept: list[_Row], suggested: list[_Row]) -> Iterator[tuple[list[_Row], list[_Row]]]:
    """Spans of both sides that hang together by sharing tokens."""
    group: tuple[list[_Row], list[_Row]] = ([], [])
    reach = 0
    for row, side in sorted([*((row, 0) for row in kept), *((row, 1) for row in suggested)]):
        if row[0] >= reach and any(group):
            yield group
            group = ([], [])
        group[side].append(row)
        reach = max(reach, row[1])
    if any(group):
        yield group


def _suggestion(corpus: Corpus, sure: np.ndarray, kept: list[_Row], suggested: list[_Row]) -> Suggestion:
    both = [*kept, *suggested]
    start, end = min(row[0] for row in both), max(row[1] for row in both)
    number = int(corpus.text.sentence_of[start])
    sentence, first = corpus.sentences[number], int(corpus.offsets[number])
    before, after = (
        tuple(Span(row[0] - first, row[1] - first, row[2]) for row in rows) for rows in (kept, suggested)
    )
    return Suggestion(
        sentence.id,
        sentence.doc,
        "instead" if kept and suggested else "doubt" if kept else "add",
        start - first,
        end - first,
        sentence.tokens[start - first : end - first],
        before,
        after,
        float(sure[start:end].min()),
    )
