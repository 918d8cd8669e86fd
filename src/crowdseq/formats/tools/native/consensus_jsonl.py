"""Consensus JSONL, as a run folder holds it: settled labels with their confidence, one sentence a line."""

import re
from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np

from crowdseq.core.consensus import Consensus
from crowdseq.errors import AnnotationError
from crowdseq.formats.conventions.names import AGREED, agreements
from crowdseq.formats.files.sources import Source, Stream
from crowdseq.formats.findings.collector import Collector, problem_of
from crowdseq.formats.format import NO, SURE, Format, ReadRecord, Sample
from crowdseq.formats.json_io.records import encode_line, read_objects
from crowdseq.formats.tools.native.crowd_jsonl import about_file, record_of

_LABELS = re.compile(r'"labels"\s*:\s*\[')
_CONFIDENCE = re.compile(r'"confidence"\s*:\s*\[')
_DIGITS = 6


def recognise(sample: Sample) -> int:
    """Objects with `tokens`, `labels` and `confidence`."""
    text = sample.text
    return SURE if '"tokens"' in text and _LABELS.search(text) and _CONFIDENCE.search(text) else NO


def read(stream: Stream, source: Source, collector: Collector) -> Iterator[ReadRecord]:  # noqa: ARG001
    """The labels stand as gold, so that a consensus can be scored, compared and trained on like any gold."""
    for line, value, raw in read_objects(stream, collector):
        try:
            if not isinstance(value.get("labels"), list):
                raise AnnotationError("'labels' is missing, or is no list")
            renamed = {key: item for key, item in value.items() if key != "labels"} | {
                "gold": value["labels"]
            }
            yield ReadRecord(record_of(renamed, f"{stream.name}:{line}", collector), line, raw)
        except AnnotationError as error:
            collector.reject(problem_of(error, stream.name, line, str(value.get("id") or "")), raw)


def write_consensus(consensus: Consensus, out: BinaryIO, with_names: bool = True) -> list[str]:
    """One line for each sentence; with_names: and in it, for each token, who gave it the settled label."""
    named = agreements(consensus)
    for number, line in enumerate(consensus_objects(consensus)):
        version = about_file(consensus.corpus) if number == 0 else {}
        out.write(encode_line({**version, **line, **({AGREED: next(named)} if with_names else {})}))
    return []


def consensus_objects(consensus: Consensus) -> Iterator[dict[str, Any]]:
    """One object for each sentence: `labels`, `confidence` of each label, `sentence_confidence`."""
    corpus, bounds = consensus.corpus, consensus.corpus.offsets.tolist()
    confidence = np.round(consensus.token_confidence, _DIGITS)
    for number, sentence in enumerate(corpus.sentences):
        yield {
            "id": sentence.id,
            **({"doc": sentence.doc} if sentence.doc is not None else {}),
            "tokens": list(sentence.tokens),
            "labels": list(consensus.tags[number]),
            "confidence": confidence[bounds[number] : bounds[number + 1]].tolist(),
            "sentence_confidence": round(float(consensus.sentence_confidence[number]), _DIGITS),
        }


FORMAT = Format(
    name="consensus",
    summary="consensus JSONL: settled labels, confidence, who agreed (but in run folders); read as gold",
    extensions=("consensus.jsonl",),
    recognise=recognise,
    read=read,
    write_consensus=write_consensus,
)
