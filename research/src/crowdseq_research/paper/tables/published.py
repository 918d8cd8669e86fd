"""The numbers that the paper prints (Lu and Chow, §V): published.json beside this file, as typed tables."""

import json
from importlib.resources import files
from typing import Any

_PRINTED: dict[str, Any] = json.loads(files(__package__).joinpath("published.json").read_text("utf-8"))

# The paper's names of corpora and methods, by ours.
TITLES: dict[str, str] = _PRINTED["titles"]
METHODS: dict[str, str] = _PRINTED["methods"]
ANNOTATORS: tuple[int, ...] = tuple(_PRINTED["annotators"])
PRECISIONS: tuple[float, ...] = tuple(_PRINTED["precisions"])

# Sizes of train, dev and test, and labels, by corpus.
TABLE_1: dict[str, tuple[int, ...]] = {
    data: tuple(sizes) for data, sizes in _PRINTED["table_1"]["rows"].items()
}

# Mean, standard deviation and the paper's verdict on SA-SLC beside it, by corpus and method.
TABLES_2_3: dict[str, dict[str, tuple[float, float, str]]] = {
    data: {method: (mean, spread, verdict) for method, (mean, spread, verdict) in rows.items()}
    for data, rows in _PRINTED["tables_2_3"]["rows"].items()
}

# F1 for each of PRECISIONS, by corpus, K and method.
TABLES_8_9: dict[str, dict[int, dict[str, tuple[float, ...]]]] = {
    data: {
        int(annotators): {method: tuple(scores) for method, scores in rows.items()}
        for annotators, rows in crowds.items()
    }
    for data, crowds in _PRINTED["tables_8_9"]["rows"].items()
}

# Precision, recall and F1, by method.
TABLE_10: dict[str, tuple[float, ...]] = {
    method: tuple(scores) for method, scores in _PRINTED["table_10"]["rows"].items()
}


def published_f1(data: str, annotators: int, precision: float, method: str) -> float:
    """What tables VIII and IX print for a method on a crowd."""
    return TABLES_8_9[data][annotators][method][PRECISIONS.index(precision)]
