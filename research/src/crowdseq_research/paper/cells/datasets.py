"""Table I: the corpora in the paper's sizes, counted."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from crowdseq.core.corpus import Corpus
from crowdseq_research.paper.cells.splits import DATASETS, DEMO, PARTS, load_split


def dataset_keys(*, quick: str | None = None) -> list[dict[str, Any]]:
    """One cell for each corpus; quick: for this one alone."""
    return [{"data": name} for name in ([quick] if quick else [one.name for one in DATASETS])]


def compute_dataset(key: Mapping[str, Any], data: Path) -> dict[str, Any]:
    """Counts of each part; borrowed: sentences that come from another official part."""
    split = load_split(data, key["data"])
    counted = {part: _count(getattr(split, part)) for part in PARTS}
    for part, borrowed in zip(PARTS, split.borrowed, strict=True):
        counted[part]["borrowed"] = borrowed
    has_documents = key["data"] == DEMO or len(split.train) > counted["train"]["documents"]
    return {"parts": counted, "labels": len(split.train.scheme), "has_documents": has_documents}


def _count(corpus: Corpus) -> dict[str, int]:
    opens = np.array([tag.startswith("B-") for tag in corpus.scheme.tags])
    return {
        "sentences": len(corpus),
        "documents": len(set(corpus.text.document_of.tolist())),
        "tokens": corpus.n_tokens,
        "entities": int(opens[corpus.gold_tags].sum()),
    }
