"""Saving a run in shards: crowd and consensus are linked into the run folder, the rest is written."""

import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from crowdseq.aggregation.stored import StoredConsensus
from crowdseq.formats.json_io import encode_line
from crowdseq.formats.models.taggers import tagger_files
from crowdseq.reports.html import report_html
from crowdseq.storage.folders import AtomicFolder
from crowdseq.storage.manifest import MANIFEST, Manifest
from crowdseq.storage.tensors import encode_tensors
from crowdseq.workflows.run import SHARDED_VERSION
from crowdseq.workflows.runs import METRICS, PARAMETERS, REPORTS, SETTINGS, SUGGESTIONS
from crowdseq.workflows.runs.saving import RunTarget, encode_json, run_settings, run_tables
from crowdseq.workflows.runs.snapshot import encode_reports
from crowdseq.workflows.sharded import consensus_folder, crowd_folder
from crowdseq.workflows.sharded.measuring import ShardedRun


def save_sharded(run: ShardedRun, target: RunTarget, *, excel_safe: bool = False) -> None:
    """Write beside the target, then move into place: an old run stays until the new one is whole."""
    settings, metrics = sharded_settings(run), run.metrics
    with AtomicFolder(target.folder) as made:
        link_files(run.stored.corpus.folder, crowd_folder(made.path))
        link_files(run.stored.folder, consensus_folder(made.path))
        made.write(SETTINGS, encode_json(settings))
        made.write(PARAMETERS, encode_tensors(_arrays(run.stored.parameters)))
        made.write(REPORTS, encode_tensors(encode_reports(run.stored.annotators)))
        if run.tagger is not None:
            for name, content in tagger_files(run.tagger).items():
                made.write(f"tagger/{name}", content)
        for name, text in run_tables(run.consensus, excel_safe).items():
            made.write(name, text.encode("utf-8"))
        _write_suggestions(run.stored, made)
        title = f"Consensus report: {target.folder.name}"
        made.write("report.html", report_html(run.consensus, metrics, settings, title=title).encode("utf-8"))
        made.write(METRICS, encode_json(metrics))
        manifest = Manifest.of(made.path).encode()
        made.write(MANIFEST, manifest)
        if target.folder.is_dir():
            from crowdseq.workflows.runs.live import carry_live_files

            carry_live_files(target.folder, made.path)
        target.note_finished(manifest)
    target.drop_checkpoints()


def _write_suggestions(stored: StoredConsensus, made: AtomicFolder) -> None:
    """What the text suggests beside labels that were kept, of all shards."""
    if "suggested_tag_ids" not in stored.part(0).parameters:
        return
    from crowdseq.evaluation.suggestions import suggestions_of

    with made.file(SUGGESTIONS) as out:
        for part in stored.parts():
            for one in suggestions_of(part):
                out.write(encode_line(one.as_dict()))


def sharded_settings(run: ShardedRun) -> dict[str, Any]:
    """The content of `settings.json`."""
    corpus = run.stored.corpus
    shards = {
        "count": len(corpus.shards),
        "shard_tokens": corpus.shard_tokens,
        "fingerprint": corpus.fingerprint,
    }
    return {**run_settings(run), "format_version": SHARDED_VERSION, "shards": shards}


def _arrays(parameters: Any) -> dict[str, Any]:
    return {name: value for name, value in parameters.items() if isinstance(value, np.ndarray)}


def link_files(source: Path, target: Path, beginning: str = "") -> None:
    """The files of a folder, or some, under another name, without a copy where the disk knows links."""
    target.mkdir(parents=True, exist_ok=True)
    for path in sorted(source.iterdir()):
        if path.is_file() and path.name.startswith(beginning) and not path.name.startswith("."):
            try:
                os.link(path, target / path.name)
            except OSError:
                shutil.copyfile(path, target / path.name)
