"""A snapshot of a large run: crowd, labels and reports as arrays, so that it opens in seconds.

It says nothing that the other files of the run do not say; where it is missing they are read instead.
"""

import json
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crowdseq.core.annotations import Annotations
from crowdseq.core.consensus import AnnotatorReport, Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import LabelScheme
from crowdseq.core.text import Column, Text
from crowdseq.errors import Advice, CrowdseqError
from crowdseq.storage.tensors import TensorFile, encode_tensors, read_tensors

_FORMAT, _VERSION = "crowdseq-snapshot", "1"
_COLUMN = "column "


def encode_snapshot(consensus: Consensus) -> bytes:
    """The content of `snapshot.safetensors`."""
    corpus, text, crowd = consensus.corpus, consensus.corpus.text, consensus.corpus.annotations
    arrays: dict[str, NDArray[Any]] = {
        "token_ids": text.token_ids,
        "offsets": text.offsets,
        "document_of": text.document_of,
        "voters": crowd.voters,
        "row_offsets": crowd.row_offsets,
        "tags": crowd.tags,
        "lengths": crowd.lengths,
        "gold_tags": corpus.gold_tags,
        "has_gold": corpus.has_gold,
        "tag_ids": consensus.tag_ids,
        "words": _packed(text.words),
        "ids": _packed(text.ids),
        "documents": _packed(text.documents),
        "extras": _packed([[number, extras] for number, extras in text.extras.items()]),
        "annotators": _packed(crowd.annotators),
        **encode_reports(consensus.annotators),
    }
    for name, column in text.columns.items():
        arrays |= {f"{_COLUMN}{name}": column.ids, f"table {name}": _packed(column.table)}
    return encode_tensors(arrays, {"format": _FORMAT, "version": _VERSION})


def read_snapshot(path: Path, scheme: LabelScheme, advice: Advice) -> Consensus:
    """The consensus without its probabilities, which are those of its own tags; see `Consensus`."""
    file = read_tensors(path, advice)
    if file.texts.get("format") != _FORMAT or file.texts.get("version") != _VERSION:
        raise file.fault("is no snapshot of this version")
    try:
        corpus = _corpus(file, scheme)
        tags = file.arrays["tag_ids"]
        certain = np.zeros((corpus.n_tokens, len(scheme)))
        certain[np.arange(corpus.n_tokens), tags] = 1.0
        return Consensus(corpus, tags, certain, decode_reports(file))
    except (CrowdseqError, KeyError, ValueError, TypeError, IndexError) as error:
        raise file.fault(f"is not as it was written ({error})") from None


def _corpus(file: TensorFile, scheme: LabelScheme) -> Corpus:
    arrays = file.arrays
    names = [name.removeprefix(_COLUMN) for name in arrays if name.startswith(_COLUMN)]
    text = Text(
        tuple(_unpacked(arrays["words"])),
        arrays["token_ids"],
        arrays["offsets"],
        tuple(_unpacked(arrays["ids"])),
        tuple(_unpacked(arrays["documents"])),
        arrays["document_of"],
        {
            name: Column(tuple(_unpacked(arrays[f"table {name}"])), arrays[f"{_COLUMN}{name}"])
            for name in names
        },
        dict(_unpacked(arrays["extras"])),
    )
    crowd = Annotations(
        tuple(_unpacked(arrays["annotators"])),
        arrays["voters"],
        arrays["row_offsets"],
        arrays["tags"],
        arrays["lengths"],
    )
    return Corpus(scheme, text, crowd, arrays["gold_tags"], arrays["has_gold"])


def encode_reports(reports: Sequence[AnnotatorReport]) -> dict[str, NDArray[Any]]:
    """Reports on annotators as arrays."""
    confusions = np.stack([one.confusion for one in reports]) if reports else np.zeros((0, 0, 0))
    return {"confusions": confusions, "reports": _packed([_report(one) for one in reports])}


def _report(report: AnnotatorReport) -> dict[str, Any]:
    made = {one.name: getattr(report, one.name) for one in fields(report) if one.name != "confusion"}
    return made | {"evidence": dict(report.evidence)}


def decode_reports(file: TensorFile) -> tuple[AnnotatorReport, ...]:
    pairs = zip(_unpacked(file.arrays["reports"]), file.arrays["confusions"], strict=True)
    return tuple(
        AnnotatorReport(
            **one
            | {
                "interval": None if one["interval"] is None else tuple(one["interval"]),
                "flags": tuple(one["flags"]),
                "confusion": confusion,
            }
        )
        for one, confusion in pairs
    )


def _packed(values: Any) -> NDArray[Any]:
    return np.frombuffer(json.dumps(list(values)).encode(), np.uint8)


def _unpacked(values: NDArray[Any]) -> Any:
    return json.loads(values.tobytes())
