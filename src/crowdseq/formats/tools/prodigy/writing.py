"""Prodigy JSONL: a crowd as it would export it, a consensus as tasks that are already labelled."""

import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import Any, BinaryIO

from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.formats.json_io import write_lines
from crowdseq.formats.spans.align import Mark
from crowdseq.formats.spans.capacity import check_holdable
from crowdseq.formats.spans.from_corpus import CARRIED, META, Restored, crowds, settled

MODEL = "crowdseq"
_VIEW = "ner_manual"


def write(corpus: Corpus, out: BinaryIO) -> list[str]:
    """A line for each sentence and annotator, one for its gold; a bare task where nobody labelled."""
    notes = check_holdable(corpus, "prodigy")
    write_lines(out, _lines(corpus))
    return notes


def write_consensus(consensus: Consensus, out: BinaryIO) -> list[str]:
    """Tasks to correct: spans with their confidence and the annotators who marked exactly them."""
    notes = check_holdable(consensus.corpus.keep_annotators([]).without_gold(), "prodigy")
    write_lines(out, _settled(consensus))
    return notes


def _lines(corpus: Corpus) -> Iterator[dict[str, Any]]:
    for restored, votes, gold in crowds(corpus):
        task = _task(restored)
        for name, marks in votes.items():
            spans = [_span(mark, restored) for mark in marks]
            yield task | {"spans": spans, "answer": "accept", "_annotator_id": name, "_session_id": name}
        if gold is not None:
            carried = task[CARRIED] | {"gold": True}
            yield task | {
                "spans": [_span(mark, restored) for mark in gold],
                "answer": "accept",
                CARRIED: carried,
            }
        if not votes and gold is None:
            yield task


def _settled(consensus: Consensus) -> Iterator[dict[str, Any]]:
    for restored, marks in settled(consensus):
        spans = [
            _span(scored.mark, restored) | {"score": scored.confidence, "agreed": scored.agreed}
            for scored in marks
        ]
        yield _task(restored) | {"spans": spans}


def _task(restored: Restored) -> dict[str, Any]:
    text, bounds = restored.text, list(zip(restored.starts, restored.ends, strict=True))
    tokens = [
        {"text": text[start:end], "start": start, "end": end, "id": number}
        | {"ws": text[end : end + 1].isspace()}
        for number, (start, end) in enumerate(bounds)
    ]
    carried = {key: value for key, value in restored.carried().items() if key != "tokens"}
    meta = {META: restored.meta} if restored.meta else {}
    number = zlib.crc32(text.encode("utf-8"))
    return (
        {"text": text, "_input_hash": number, "tokens": tokens, "_view_id": _VIEW} | meta | {CARRIED: carried}
    )


def _span(mark: Mark, restored: Restored) -> dict[str, Any]:
    """With the numbers of its tokens, of which the last is included, as Prodigy has it."""
    first = bisect_right(restored.ends, mark.start)
    last = bisect_left(restored.starts, mark.end) - 1
    place = {"token_start": first, "token_end": last} if first <= last else {}
    return {"start": mark.start, "end": mark.end, **place, "label": mark.label}
