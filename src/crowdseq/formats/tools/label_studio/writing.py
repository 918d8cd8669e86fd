"""Label Studio tasks: a crowd as annotations, a consensus as predictions to start from."""

from collections.abc import Iterator
from typing import Any, BinaryIO

from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.formats.json_io import write_array
from crowdseq.formats.spans.align import Mark
from crowdseq.formats.spans.capacity import check_holdable
from crowdseq.formats.spans.from_corpus import CARRIED, Restored, Scored, crowds, settled

MODEL = "crowdseq"
_CONTROL, _OBJECT = "label", "text"


def write(corpus: Corpus, out: BinaryIO) -> list[str]:
    """Every annotator's marks as one annotation of the task; gold is a ground truth."""
    notes = check_holdable(corpus, "label-studio")
    write_array(out, _tasks(corpus))
    return notes


def write_consensus(consensus: Consensus, out: BinaryIO) -> list[str]:
    """The consensus as a prediction: labels to start from, with their confidence and who agreed."""
    notes = check_holdable(consensus.corpus.keep_annotators([]).without_gold(), "label-studio")
    write_array(out, _predicted(consensus))
    return notes


def _tasks(corpus: Corpus) -> Iterator[dict[str, Any]]:
    for number, (restored, votes, gold) in enumerate(crowds(corpus), 1):
        annotations: list[dict[str, Any]] = [
            {"completed_by": _person(name), "was_cancelled": False, "ground_truth": False}
            | {"result": _result(marks, restored.text)}
            for name, marks in votes.items()
        ]
        if gold is not None:
            truth = {"was_cancelled": False, "ground_truth": True, "result": _result(gold, restored.text)}
            annotations.append(truth)
        yield {"id": number, "data": _data(restored), "annotations": annotations, "predictions": []}


def _predicted(consensus: Consensus) -> Iterator[dict[str, Any]]:
    sure, is_crowd = consensus.sentence_confidence.tolist(), bool(consensus.corpus.annotators)
    for number, (restored, marks) in enumerate(settled(consensus), 1):
        result = [
            _scored(scored, region_number, restored.text, is_crowd=is_crowd)
            for region_number, scored in enumerate(marks, 1)
        ]
        prediction = {"model_version": MODEL, "score": round(sure[number - 1], 6), "result": result}
        yield {"id": number, "data": _data(restored), "predictions": [prediction]}


def _data(restored: Restored) -> dict[str, Any]:
    return {**restored.meta, _OBJECT: restored.text, CARRIED: restored.carried()}


def _person(name: str) -> int | dict[str, str]:
    """A number as Label Studio gives it, or else a name where it keeps the email."""
    return int(name) if name.isascii() and name.isdecimal() and str(int(name)) == name else {"email": name}


def _result(marks: list[Mark], text: str) -> list[dict[str, Any]]:
    return [_region(mark, region_number, text) for region_number, mark in enumerate(marks, 1)]


def _region(mark: Mark, region_number: int, text: str) -> dict[str, Any]:
    value = {
        "start": mark.start,
        "end": mark.end,
        "text": text[mark.start : mark.end],
        "labels": [mark.label],
    }
    return {
        "id": f"r{region_number}",
        "from_name": _CONTROL,
        "to_name": _OBJECT,
        "type": "labels",
        "value": value,
    }


def _scored(scored: Scored, region_number: int, text: str, *, is_crowd: bool) -> dict[str, Any]:
    """is_crowd: whether there are annotators, who could have marked it too; a tagger has none."""
    region = _region(scored.mark, region_number, text) | {"score": scored.confidence}
    agreed = ", ".join(scored.agreed) or "nobody"
    return region | ({"meta": {"text": [f"marked by {agreed}"]}} if is_crowd else {})
