"""How votes depend on the truth and on an annotator's own earlier votes (α and β), as CSV files."""

import csv
import io

import numpy as np

from crowdseq.core.consensus import Consensus

FILES = {"local": ("local_confusion.csv", "previous"), "repeat": ("repeat_confusion.csv", "earlier_mention")}
_LEAST_COUNT = 0.5  # cells with less than half an expected vote say nothing


def dependency_tables(consensus: Consensus) -> dict[str, str]:
    """File name to content, for methods that keep the counts behind α and β; else nothing.

    Each row: annotator, their label before (or on the nearest earlier mention of the word), the truth, the
    given label, the expected number of such votes, and their share among all of that context and truth.
    """
    found = {}
    for name, (file, context) in FILES.items():
        kinds, counts = (consensus.parameters.get(f"{name}_{part}") for part in ("kinds", "counts"))
        if kinds is None or counts is None:
            continue
        out = io.StringIO()
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(["annotator", context, "truth", "given", "count", "share"])
        tags, people = consensus.corpus.scheme.tags, consensus.corpus.annotators
        totals: dict[tuple[int, int], np.ndarray] = {}
        for (who, before, _), row in zip(kinds.tolist(), counts, strict=True):
            totals[who, before] = totals.get((who, before), np.zeros(len(tags))) + row
        for (who, before, given), row in zip(kinds.tolist(), counts, strict=True):
            for truth in np.flatnonzero(row >= _LEAST_COUNT).tolist():
                share = row[truth] / totals[who, before][truth]
                earlier = tags[before] if before >= 0 else ""
                rows.writerow(
                    [people[who], earlier, tags[truth], tags[given], f"{row[truth]:.2f}", f"{share:.4f}"]
                )
        found[file] = out.getvalue()
    return found
