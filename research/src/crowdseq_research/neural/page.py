"""results/neural.md out of its cells: a line for each row, means over its seeds."""

from collections.abc import Mapping, Sequence
from typing import Any

_PARTS = ("consensus val", "consensus test", "tagger dev", "tagger test")
_HEAD = """# Language models on the AMT crowd

Strict span F1, means over seeds; sa-slc learns from the whole crowd. Settings were chosen on `val` and
CoNLL dev; the test parts were computed once, with the cells that are shown. Calibration: expected error of
the confidences of entity tokens on `val`. Seconds of the processor and megabytes are of learning (the most of
a row), states of the text included where no earlier cell had kept them; those of vectors + transformer are of
a machine that did other work too. Written by `python -m crowdseq_research.neural` from `cells/neural.jsonl`,
where each cell names its commit.

| row | model | seeds | consensus val | test | tagger dev | test | calibration | seconds | MB |
|---|---|---|---|---|---|---|---|---|---|
"""

_OTHERS = """
## Other crowds

All sentences, one draw and seed; names as in the [zoo](zoo.md). A model is asked where the CRF, with vectors
if they are used, agrees with what is believed by 0.8; elsewhere the run is that without it
([why](../docs/decisions/047-a-model-where-text-tells.md)).

| crowd | model | crf | vectors | vectors + network | difference | agreement | asked | seconds |
|---|---|---|---|---|---|---|---|---|
"""
_WITHOUT, _WITH = "vectors", "vectors + network"


def page(cells: Sequence[Mapping[str, Any]]) -> str:
    """The whole page."""
    groups: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    others: dict[str, dict[str, Mapping[str, Any]]] = {}
    for cell in cells:
        key = cell["key"]
        if "crowd" in key:
            others.setdefault(key["crowd"], {})[key["row"]] = cell
        else:
            groups.setdefault((key["row"], key["model"], key["tagger"]), []).append(cell)
    found = _HEAD + "".join(_line(key[0], key[1], group) for key, group in groups.items())
    lines = [_other(crowd, rows) for crowd, rows in others.items() if {_WITHOUT, _WITH} <= set(rows)]
    return found + (_OTHERS + "".join(lines) if lines else "")


def _other(crowd: str, rows: Mapping[str, Mapping[str, Any]]) -> str:
    """A crowd that is not AMT."""
    scores = {row: cell["consensus val"]["f1"] for row, cell in rows.items()}
    plain = f"{scores['crf']:.4f}" if "crf" in scores else ""
    told, gain = rows[_WITH]["told"], scores[_WITH] - scores[_WITHOUT]
    shown = [crowd, rows[_WITH]["key"]["model"], plain, f"{scores[_WITHOUT]:.4f}", f"{scores[_WITH]:.4f}"]
    shown += [f"{gain:+.4f}", f"{told['agreement_without_model']:.2f}"]
    shown += ["yes" if told["model_in_rounds"] else "no", str(rows[_WITH]["seconds"])]
    return "| " + " | ".join(shown) + " |\n"


def _line(row: str, model: str | None, cells: Sequence[Mapping[str, Any]]) -> str:
    scores = [_mean([cell[part]["f1"] for cell in cells if part in cell]) for part in _PARTS]
    sure = _mean([cell["consensus val"]["calibration"] for cell in cells])
    seconds, megabytes = (max(cell[name] for cell in cells) for name in ("seconds", "megabytes"))
    shown = [row, model or "", len(cells), *scores, sure, seconds, megabytes]
    return "| " + " | ".join(map(str, shown)) + " |\n"


def _mean(values: Sequence[float]) -> str:
    return f"{sum(values) / len(values):.4f}" if values else ""
