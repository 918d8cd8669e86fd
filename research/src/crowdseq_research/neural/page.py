"""results/neural.md out of its cells: a line for each row, means over its seeds."""

from collections.abc import Mapping, Sequence
from typing import Any

_PARTS = ("consensus val", "consensus test", "tagger dev", "tagger test")
_HEAD = """# Language models on the AMT crowd

Strict span F1, means over seeds; sa-slc learns from the whole crowd. Settings were chosen on `val` and
CoNLL dev; the test parts were computed once, with the cells that are shown. Calibration: expected error of
the confidences of entity tokens on `val`. Seconds of the processor and megabytes are of learning (the most of
a row), states of the text included where no earlier cell had kept them. Written by
`python -m crowdseq_research.neural` from `cells/neural.jsonl`, where each cell names its commit.

| row | model | seeds | consensus val | test | tagger dev | test | calibration | seconds | MB |
|---|---|---|---|---|---|---|---|---|---|
"""


def page(cells: Sequence[Mapping[str, Any]]) -> str:
    """The whole page."""
    groups: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for cell in cells:
        key = cell["key"]
        groups.setdefault((key["row"], key["model"], key["tagger"]), []).append(cell)
    return _HEAD + "".join(_line(key[0], key[1], group) for key, group in groups.items())


def _line(row: str, model: str | None, cells: Sequence[Mapping[str, Any]]) -> str:
    scores = [_mean([cell[part]["f1"] for cell in cells if part in cell]) for part in _PARTS]
    sure = _mean([cell["consensus val"]["calibration"] for cell in cells])
    seconds, megabytes = (max(cell[name] for cell in cells) for name in ("seconds", "megabytes"))
    shown = [row, model or "", len(cells), *scores, sure, seconds, megabytes]
    return "| " + " | ".join(map(str, shown)) + " |\n"


def _mean(values: Sequence[float]) -> str:
    return f"{sum(values) / len(values):.4f}" if values else ""
