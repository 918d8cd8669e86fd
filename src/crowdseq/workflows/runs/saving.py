"""Saving a run: the folder it may go to, and every file in it, whole or not at all."""

import csv
import hashlib
import io
import json
import os
import platform
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import asdict, dataclass, is_dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np

from crowdseq.aggregation.contract import describe_settings
from crowdseq.core.consensus import AnnotatorReport, Consensus
from crowdseq.errors import Advice, OutputExistsError, UsageError
from crowdseq.formats.json_io import encode_line
from crowdseq.formats.models.taggers import tagger_files
from crowdseq.formats.tools.native import jsonl
from crowdseq.reports.html import report_html
from crowdseq.reports.runs import dependency_tables
from crowdseq.storage.atomic import AtomicFile
from crowdseq.storage.folders import AtomicFolder, claimed
from crowdseq.storage.manifest import MANIFEST, Manifest
from crowdseq.storage.private import remove_tree
from crowdseq.storage.tensors import encode_tensors
from crowdseq.workflows.run import FORMAT_VERSION, Outcome
from crowdseq.workflows.runs import (
    CROWD,
    LABELS,
    LARGE,
    METRICS,
    PARAMETERS,
    POSTERIORS,
    SETTINGS,
    SNAPSHOT,
    SUGGESTIONS,
)

# In a folder of rounds: the run that they became, so that they are not taken for an unfinished one.
_FINISHED = "finished"


@dataclass(frozen=True)
class RunTarget:
    """The run folder to be, and beside it the folder where a long run keeps its rounds."""

    folder: Path

    @property
    def checkpoints(self) -> Path:
        return part_folder(self.folder)

    def note_finished(self, manifest: bytes) -> None:
        """Say in the folder of rounds, if there is one, which run they have become."""
        if self.checkpoints.is_dir():
            with AtomicFile(self.checkpoints / _FINISHED, force=True) as file:
                file.write(_digest(manifest))

    def drop_checkpoints(self) -> None:
        """Forget the rounds: the run stands in its place."""
        remove_tree(self.checkpoints)


@contextmanager
def open_target(folder: Path, *, force: bool = False, resume: bool = False) -> Iterator[RunTarget]:
    """The right to write a run here, found out before time is spent; an unfinished run is not dropped.

    A second process that wants the same folder is refused at once. force: replace a finished run, and drop
    an unfinished one unless resume is given. resume: go on with an unfinished one.
    """
    with _held(folder) as target:
        part = target.checkpoints
        if resume and not force and _is_run(target.folder) and not part.exists():
            raise OutputExistsError(
                f"{folder} is finished, nothing is left to resume;",
                Advice("name another folder or say {force}", force=""),
            )
        _check_free(folder, force)
        if part.exists() and not resume:
            if not force:
                raise OutputExistsError(
                    f"{part} holds an unfinished run:",
                    Advice("go on with {resume}, or start anew with {force}", resume="", force=""),
                )
            remove_tree(part)
        yield target


@contextmanager
def save_target(folder: Path, *, force: bool = False) -> Iterator[RunTarget]:
    """The same for a run that is learned already; rounds that were kept for it are dropped in the end."""
    with _held(folder) as target:
        _check_free(folder, force)
        yield target


def check_free(folder: Path, *, force: bool) -> None:
    """Whether a run may be written here."""
    _check_place(folder)
    _check_free(folder, force)


def part_folder(folder: Path) -> Path:
    """Where a long run keeps its rounds, beside the place where it will stand."""
    return folder.with_name(folder.name + ".part")


@contextmanager
def _held(folder: Path) -> Iterator[RunTarget]:
    _check_place(folder)
    # A link stays a link: what it points to is replaced.
    target = RunTarget(Path(os.path.realpath(folder)) if folder.is_symlink() else folder)
    with claimed(target.folder), _unreviewed(target.folder):
        _drop_finished(target)
        yield target


def _unreviewed(folder: Path) -> AbstractContextManager[None]:
    """A run that somebody reviews is not replaced, and nobody may begin to review one that will be."""
    if not folder.is_dir():
        return nullcontext()
    from crowdseq.storage.presence import unused

    return unused(folder)


def _drop_finished(target: RunTarget) -> None:
    """Remove rounds whose run stands already: their process was killed before it could do so."""
    note, manifest = target.checkpoints / _FINISHED, target.folder / MANIFEST
    with suppress(OSError):
        if note.is_file() and manifest.is_file() and note.read_bytes() == _digest(manifest.read_bytes()):
            target.drop_checkpoints()


def _check_place(folder: Path) -> None:
    """Whether there can be a folder of this name at all."""
    if str(folder) == "-":
        raise UsageError(
            "a run is a folder and cannot go to standard output,", Advice("name one with {out}", out="")
        )
    if folder.name in ("", ".."):  # the run is prepared beside its place and moved there under its name
        raise UsageError(f"{folder} cannot become a run, name a folder for it such as {folder / 'run'}")
    if folder.exists() and not folder.is_dir():
        raise OutputExistsError(f"{folder} is a file, name a folder for the run")
    near = next(parent for parent in folder.absolute().parents if parent.exists())
    if not os.access(near, os.W_OK):
        raise UsageError(f"{folder} cannot be written, the folder {near} may not be written to")
    try:
        Path(mkdtemp(dir=near)).rmdir()  # some places may be written to by name only
    except OSError as error:
        raise UsageError(
            f"{folder} cannot be written ({error.strerror}), name a folder for the run elsewhere"
        ) from None


def _check_free(folder: Path, force: bool) -> None:
    if folder.exists() and not force:
        raise OutputExistsError(
            f"{folder} exists already", Advice("choose another folder or say {force} to replace it", force="")
        )
    if folder.exists() and not _is_run(folder) and any(folder.iterdir()):
        raise OutputExistsError(
            f"{folder} is no run folder, it will not be replaced", Advice("not even with {force}", force="")
        )


def _is_run(folder: Path) -> bool:
    return (folder / SETTINGS).exists()


def _digest(manifest: bytes) -> bytes:
    return hashlib.sha256(manifest).hexdigest().encode()


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
    "verdict",
    "reason",
)


def save_outcome(
    outcome: Outcome, metrics: dict[str, Any], target: RunTarget, *, excel_safe: bool = False
) -> None:
    """Write beside the target, then move into place: an old run stays until the new one is whole.

    excel_safe: in tables, an apostrophe before names that a spreadsheet would take for a formula.
    """
    consensus, settings = outcome.consensus, run_settings(outcome)
    with AtomicFolder(target.folder) as made:
        made.write(SETTINGS, encode_json(settings))
        _write_corpus(consensus, made)
        made.write(
            POSTERIORS,
            encode_tensors({"probabilities": consensus.probabilities}),
        )
        arrays = {
            name: value for name, value in consensus.parameters.items() if isinstance(value, np.ndarray)
        }
        made.write(PARAMETERS, encode_tensors(arrays))
        if outcome.tagger is not None:
            for name, content in tagger_files(outcome.tagger).items():
                made.write(f"tagger/{name}", content)
        for name, text in run_tables(consensus, excel_safe).items():
            made.write(name, text.encode("utf-8"))
        if outcome.suggestions:
            made.write(SUGGESTIONS, b"".join(encode_line(one.as_dict()) for one in outcome.suggestions))
        if consensus.corpus.n_tokens >= LARGE:
            from crowdseq.workflows.runs.snapshot import encode_snapshot

            made.write(SNAPSHOT, encode_snapshot(consensus))
        title = f"Consensus report: {target.folder.name}"
        made.write("report.html", report_html(consensus, metrics, settings, title=title).encode("utf-8"))
        made.write(METRICS, encode_json(metrics))
        manifest = Manifest.of(made.path).encode()
        made.write(MANIFEST, manifest)
        if target.folder.is_dir():
            from crowdseq.workflows.runs.live import carry_live_files

            carry_live_files(target.folder, made.path)
        target.note_finished(manifest)
    target.drop_checkpoints()


def run_tables(consensus: Consensus, excel_safe: bool) -> dict[str, str]:
    """File name to content."""
    tables = {"annotators.csv": annotators_csv(consensus.annotators)} | dependency_tables(consensus)
    if not excel_safe:
        return tables
    from crowdseq.formats.table_io.csv_rows import safe_table

    return {name: safe_table(text) for name, text in tables.items()}


def _write_corpus(consensus: Consensus, made: AtomicFolder) -> None:
    with made.file(LABELS) as out:
        jsonl.write_consensus(consensus, out, with_names=False)
    with made.file(CROWD) as out:
        jsonl.write(consensus.corpus, out)


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


def encode_json(value: object) -> bytes:
    """The content of a JSON file of a run."""
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
        words = "; ".join(report.flags), report.verdict or "", report.reason
        rows.writerow([report.annotator, report.sentences, report.tokens, *shown, *words])
    return out.getvalue()


def run_paths(folder: Path) -> dict[str, str]:
    """What stands in a run folder, by name."""
    return {path.name: str(path) for path in sorted(folder.iterdir())}
