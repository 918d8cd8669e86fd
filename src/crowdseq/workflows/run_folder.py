"""A run folder: all that a run found and all that repeats it, written whole or not at all."""

import csv
import io
import json
import os
import platform
import shutil
from collections.abc import Iterator
from dataclasses import asdict, is_dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
from safetensors.numpy import load_file, save

from crowdseq.aggregation.contract import describe_settings
from crowdseq.aggregation.judging import judge_annotators
from crowdseq.aggregation.settling import sharpened
from crowdseq.core.consensus import AnnotatorReport, Consensus
from crowdseq.errors import FormatError, OutputExistsError, Problem, UsageError
from crowdseq.formats import read, write, write_consensus
from crowdseq.formats.models.crf import load_tagger, save_tagger
from crowdseq.formats.settings import ReadSettings
from crowdseq.formats.table_io.csv_rows import safe_table
from crowdseq.reports.html import report_html
from crowdseq.reports.runs import dependency_tables
from crowdseq.workflows.checkpoints import CHECKPOINT_FILE
from crowdseq.workflows.learning import Run
from crowdseq.workflows.metrics import FORMAT_VERSION, run_metrics
from crowdseq.workflows.recipes import make_recipe

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


def part_folder(folder: Path) -> Path:
    """Where a run is prepared, beside the place where it will stand."""
    return folder.with_name(folder.name + ".part")


def check_free(folder: Path, *, force: bool) -> None:
    """Whether a run may be written here."""
    _check_name(folder)
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
    if folder.exists() and not force:
        raise OutputExistsError(
            f"{folder} exists already, choose another folder or say --force to replace it"
        )
    if folder.exists() and not (folder / "settings.json").exists() and any(folder.iterdir()):
        raise OutputExistsError(f"{folder} is no run folder, it will not be replaced even with --force")


def _check_name(folder: Path) -> None:
    if str(folder) == "-":
        raise UsageError("a run is a folder and cannot go to standard output, name one with -o")
    if folder.name in ("", ".."):  # the run is prepared beside its place and moved there under its name
        raise UsageError(f"{folder} cannot become a run, name a folder for it such as {folder / 'run'}")


def prepare_folder(folder: Path, *, force: bool, resume: bool) -> None:
    """Make sure that a run can be kept here before time is spent; an unfinished one is not dropped."""
    _check_name(folder)
    part = part_folder(folder)
    if resume and not force and (folder / "settings.json").exists() and not part.exists():
        raise OutputExistsError(
            f"{folder} is finished, nothing is left to resume; name another folder or say --force"
        )
    check_free(folder, force=force)
    if part.exists() and force and not resume:
        shutil.rmtree(part)
    elif part.exists() and not resume:
        raise OutputExistsError(
            f"{part} holds an unfinished run: go on with --resume, or start anew with --force"
        )


def save_run(run: Run, folder: Path, *, force: bool = False, excel_safe: bool = False) -> dict[str, Any]:
    """Write beside the target, then move into place: an old run stays until the new one is whole.

    Gives back the metrics that were written.

    excel_safe: in tables, an apostrophe before names that a spreadsheet would take for a formula.
    """
    table = safe_table if excel_safe else str
    check_free(folder, force=force)
    part = part_folder(folder)
    part.mkdir(parents=True, exist_ok=True)
    settings, metrics = run_settings(run), run_metrics(run)
    _write_json(part / "settings.json", settings)
    write_consensus(run.consensus, str(part / "consensus.jsonl"), force=True, with_names=False)
    (part / "annotators.csv").write_text(
        table(annotators_csv(run.consensus.annotators)), encoding="utf-8", newline=""
    )
    write(run.consensus.corpus, str(part / "crowd.jsonl.gz"), force=True)
    arrays = {
        name: value for name, value in run.consensus.parameters.items() if isinstance(value, np.ndarray)
    }
    posteriors = {"probabilities": np.ascontiguousarray(run.consensus.probabilities)}
    (part / "posteriors.safetensors").write_bytes(save(posteriors))
    parameters = {name: np.ascontiguousarray(value) for name, value in arrays.items()}
    (part / "parameters.safetensors").write_bytes(save(parameters))
    if run.tagger is not None:
        save_tagger(run.tagger, part / "tagger")
    for name, text in dependency_tables(run.consensus).items():
        (part / name).write_text(table(text), encoding="utf-8", newline="")
    page = report_html(run.consensus, metrics, settings, title=f"Consensus report: {folder.name}")
    (part / "report.html").write_text(page, encoding="utf-8")
    _write_json(part / "metrics.json", metrics)
    (part / CHECKPOINT_FILE).unlink(missing_ok=True)
    _sync(part)
    _swap(part, folder)
    return metrics


def _swap(part: Path, folder: Path) -> None:
    old = folder.with_name(folder.name + ".old")
    if folder.exists():
        shutil.rmtree(old, ignore_errors=True)
        folder.rename(old)
    part.rename(folder)
    shutil.rmtree(old, ignore_errors=True)


def _sync(folder: Path) -> None:
    """Make sure that every file is on the disk before the folder gets its name."""
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("rb") as handle:
                os.fsync(handle.fileno())


def run_settings(run: Run) -> dict[str, Any]:
    """The content of `settings.json`."""
    packages = ("crowdseq", "numpy", "scipy", "numba")
    return {
        "format_version": FORMAT_VERSION,
        "method": run.recipe.name,
        "settings": {name: _plain(value) for name, value in describe_settings(run.recipe).items()},
        "scheme": run.consensus.corpus.scheme.kind,
        "tags": list(run.consensus.corpus.scheme.tags),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": {name: version(name) for name in packages} | {"python": platform.python_version()},
        **run.source,
    }


def _plain(value: Any) -> Any:
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value


def run_paths(folder: Path) -> dict[str, str]:
    """What stands in a run folder, by name."""
    return {path.name: str(path) for path in sorted(folder.iterdir())}


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


def load_run(folder: str | Path) -> Run:
    """A run as it was saved; opening it runs no code."""
    place = Path(folder)
    settings = _read_json(place / "settings.json")
    if settings.get("format_version", 0) > FORMAT_VERSION:
        raise FormatError(Problem("was written by a newer crowdseq, update to open it", str(place)))
    scheme = ReadSettings(scheme=settings["scheme"], labels=tuple(settings["tags"]))
    corpus = read(str(place / "crowd.jsonl.gz"), scheme).corpus
    probabilities = load_file(place / "posteriors.safetensors")["probabilities"]
    tag_ids = corpus.scheme.ids(
        label for line in _read_lines(place / "consensus.jsonl") for label in line["labels"]
    )
    metrics = _read_json(place / "metrics.json")
    parameters = dict(load_file(place / "parameters.safetensors")) | metrics.get("parameters", {})
    belief = sharpened(probabilities, parameters.get("temperature", 1.0))
    consensus = Consensus(
        corpus,
        tag_ids,
        probabilities,
        judge_annotators(corpus, belief, tag_ids),
        parameters,
        tuple(metrics["history"]),
    )
    tagger = load_tagger(place / "tagger") if (place / "tagger").exists() else None
    return Run(consensus, tagger, make_recipe(settings["method"], settings["settings"]), metrics["seconds"])


def _write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _read_json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise FormatError(
            Problem(f"is no finished run folder, {path.name} is missing", str(path.parent))
        ) from None
    except ValueError as error:
        raise FormatError(Problem(f"not JSON ({error})", str(path))) from None
    if not isinstance(value, dict):
        raise FormatError(Problem("holds no JSON object", str(path)))
    return value


def _read_lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8", newline="\n") as lines:
        yield from map(json.loads, lines)
