"""A finished run to its folder: all that it found and all that repeats it, written whole or not at all."""

import csv
import io
import json
import platform
from dataclasses import asdict, is_dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from crowdseq.aggregation.contract import describe_settings
from crowdseq.core.consensus import AnnotatorReport, Consensus
from crowdseq.formats.models.taggers import tagger_files
from crowdseq.formats.table_io.csv_rows import safe_table
from crowdseq.formats.tools.native import consensus_jsonl, crowd_jsonl
from crowdseq.reports.html import report_html
from crowdseq.reports.runs import dependency_tables
from crowdseq.storage.folders import AtomicFolder
from crowdseq.storage.manifest import MANIFEST, Manifest
from crowdseq.storage.tensors import encode_tensors
from crowdseq.workflows.metrics import FORMAT_VERSION, Outcome
from crowdseq.workflows.runs.target import RunTarget

ANNOTATOR_COLUMNS = (
    "annotator",
    "sentences",
    "tokens",
    "precision",
    "recall",
    "f1",
    "skill",
    "skill_low",
    "skill_high",
    "spam",
    "flags",
)


def save_outcome(
    outcome: Outcome, metrics: dict[str, Any], target: RunTarget, *, excel_safe: bool = False
) -> None:
    """Write beside the target, then move into place: an old run stays until the new one is whole.

    excel_safe: in tables, an apostrophe before names that a spreadsheet would take for a formula.
    """
    consensus, settings = outcome.consensus, run_settings(outcome)
    with AtomicFolder(target.folder) as made:
        made.write("settings.json", _json(settings))
        _write_corpus(consensus, made)
        made.write(
            "posteriors.safetensors",
            encode_tensors({"probabilities": consensus.probabilities}),
        )
        arrays = {
            name: value for name, value in consensus.parameters.items() if isinstance(value, np.ndarray)
        }
        made.write("parameters.safetensors", encode_tensors(arrays))
        if outcome.tagger is not None:
            for name, content in tagger_files(outcome.tagger).items():
                made.write(f"tagger/{name}", content)
        table = safe_table if excel_safe else str
        tables = {"annotators.csv": annotators_csv(consensus.annotators)} | dependency_tables(consensus)
        for name, text in tables.items():
            made.write(name, table(text).encode("utf-8"))
        title = f"Consensus report: {target.folder.name}"
        made.write("report.html", report_html(consensus, metrics, settings, title=title).encode("utf-8"))
        made.write("metrics.json", _json(metrics))
        manifest = Manifest.of(made.path).encode()
        made.write(MANIFEST, manifest)
        target.note_finished(manifest)
    target.drop_checkpoints()


def _write_corpus(consensus: Consensus, made: AtomicFolder) -> None:
    with made.file("consensus.jsonl") as out:
        consensus_jsonl.write_consensus(consensus, out, with_names=False)
    with made.file("crowd.jsonl.gz") as out:
        crowd_jsonl.write(consensus.corpus, out)


def run_settings(outcome: Outcome) -> dict[str, Any]:
    """The content of `settings.json`."""
    packages = ("crowdseq", "numpy", "scipy", "numba")
    return {
        "format_version": FORMAT_VERSION,
        "method": outcome.recipe.name,
        "settings": {name: _plain(value) for name, value in describe_settings(outcome.recipe).items()},
        "scheme": outcome.consensus.corpus.scheme.kind,
        "tags": list(outcome.consensus.corpus.scheme.tags),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": {name: version(name) for name in packages} | {"python": platform.python_version()},
        **outcome.source,
    }


def _plain(value: Any) -> Any:
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value


def _json(value: object) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode("utf-8")


def annotators_csv(reports: tuple[AnnotatorReport, ...]) -> str:
    """One row for each annotator, the most skilled first; what cannot be judged is left empty."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(ANNOTATOR_COLUMNS)
    for report in sorted(reports, key=lambda report: -(report.skill if report.skill is not None else -2.0)):
        low, high = report.interval or (None, None)
        numbers = (report.precision, report.recall, report.f1, report.skill, low, high, report.spam)
        shown = ["" if number is None else f"{number:.4f}" for number in numbers]
        rows.writerow([report.annotator, report.sentences, report.tokens, *shown, "; ".join(report.flags)])
    return out.getvalue()


def run_paths(folder: Path) -> dict[str, str]:
    """What stands in a run folder, by name."""
    return {path.name: str(path) for path in sorted(folder.iterdir())}
