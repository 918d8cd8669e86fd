"""load_run: a run folder opened again, with every file checked before it is believed."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from crowdseq.aggregation.contract import Aggregator
from crowdseq.aggregation.judging import judge_annotators
from crowdseq.aggregation.settling import sharpened
from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import LabelScheme
from crowdseq.errors import Advice, CrowdseqError, FormatError, Missing, MissingFileError, Problem
from crowdseq.formats import read
from crowdseq.formats.files import is_sharded_run
from crowdseq.formats.models.taggers import load_tagger
from crowdseq.formats.settings import ReadSettings
from crowdseq.methods import find_method, method_names
from crowdseq.storage.json_file import JsonFile
from crowdseq.storage.manifest import MANIFEST, read_manifest
from crowdseq.tagging.tagger import Tagger
from crowdseq.workflows.recipes import as_recorded, make_recipe, settings_of
from crowdseq.workflows.run import FORMAT_VERSION, SHARDED_VERSION, Run, judged
from crowdseq.workflows.runs import (
    CROWD,
    LABELS,
    LEARN_AGAIN,
    METRICS,
    NEEDED,
    PARAMETERS,
    POSTERIORS,
    SETTINGS,
    SNAPSHOT,
    TAGGER_FILES,
    check_files,
)
from crowdseq.workflows.runs.arrays import read_parameters, read_probabilities
from crowdseq.workflows.runs.labels import read_labels

# Settings of 0.1.0 that tell how a run was computed and not what, and that a method may not have any more.
_OF_THE_MACHINE = ("threads", "max_memory")


@dataclass(frozen=True)
class OpenedRun:
    """A run, and what its `settings.json` says."""

    run: Run
    settings: dict[str, Any]


def load_run(folder: str | Path) -> Run:
    """A run as it was saved; opening it runs no code.

    Anything damaged or missing is a FormatError, a folder that is not there a FileNotFoundError too.

    >>> import crowdseq, tempfile
    >>> folder = tempfile.mkdtemp() + "/run"
    >>> crowdseq.learn(crowdseq.demo_corpus(), "majority-vote", tagger=False).save(folder)
    >>> crowdseq.load(folder)
    <Run: majority-vote, 501 sentences, 8 annotators, without a tagger>
    """
    return open_run(folder).run


def open_run(folder: str | Path) -> OpenedRun:
    """The same, with the settings as they stand in the folder."""
    path = Path(folder)
    check_is_run(path)
    if is_sharded_run(path):
        return _open_sharded(path)
    manifest = check_files(path, (*NEEDED, *TAGGER_FILES))
    # Nothing that is used is read before the manifest: else a run that takes this place in between would
    # open with settings of the old one.
    settings = JsonFile.read(path / SETTINGS, LEARN_AGAIN)
    scheme = _scheme(settings)
    corpus = _read_crowd(path / CROWD, scheme)
    metrics = _read_metrics(path / METRICS, corpus)
    probabilities = read_probabilities(path / POSTERIORS, corpus, LEARN_AGAIN)
    tag_ids = read_labels(path / LABELS, corpus, probabilities, LEARN_AGAIN)
    parameters = _parameters(path, metrics, corpus)
    belief = sharpened(probabilities, _temperature(metrics), tag_ids)
    reports = judge_annotators(corpus, belief, tag_ids)
    history = metrics.numbers("history")
    try:
        consensus = Consensus(corpus, tag_ids, probabilities, reports, parameters, history)
    except CrowdseqError as error:
        raise FormatError(Problem(str(error), str(path / LABELS), advice=LEARN_AGAIN)) from None
    recipe = _recipe(settings)
    run = Run(judged(consensus, recipe), _read_tagger(path, corpus), recipe, metrics.number("seconds"))
    if read_manifest(path) != manifest:
        raise FormatError(Problem("was replaced while it was read, open it again", str(path)))
    return OpenedRun(run, settings.content)


def _open_sharded(path: Path) -> OpenedRun:
    """A run in shards as one in memory, in the order in which its crowd was read."""
    from crowdseq.workflows.sharded.opening import open_shards

    opened = open_shards(path)
    consensus = opened.in_order.take(opened.in_order.everything)
    recipe = _recipe(JsonFile.read(path / SETTINGS, LEARN_AGAIN))
    tagger = _read_tagger(path, consensus.corpus)
    return OpenedRun(Run(consensus, tagger, recipe, opened.metrics.number("seconds")), opened.settings)


@dataclass(frozen=True)
class OpenedLabels:
    """The consensus of a run, and what its `settings.json` says."""

    consensus: Consensus
    settings: dict[str, Any]


def open_labels(folder: str | Path) -> OpenedLabels:
    """The consensus of a run without its tagger; a large run opens in seconds, from its snapshot.

    What the snapshot says is believed because it stands in the manifest, which says the same of the files
    that it was made from.
    """
    path = Path(folder)
    check_is_run(path)
    manifest = None if is_sharded_run(path) else read_manifest(path)
    if manifest is None or SNAPSHOT not in manifest.files:
        opened = open_run(path)
        return OpenedLabels(opened.run.consensus, opened.settings)
    from crowdseq.workflows.runs.snapshot import read_snapshot

    check_files(path, (SETTINGS, SNAPSHOT, POSTERIORS, PARAMETERS, METRICS))
    settings = JsonFile.read(path / SETTINGS, LEARN_AGAIN)
    found = read_snapshot(path / SNAPSHOT, _scheme(settings), LEARN_AGAIN)
    metrics = _read_metrics(path / METRICS, found.corpus)
    try:
        consensus = replace(
            found,
            probabilities=read_probabilities(path / POSTERIORS, found.corpus, LEARN_AGAIN),
            parameters=_parameters(path, metrics, found.corpus),
            history=metrics.numbers("history"),
        )
    except CrowdseqError as error:
        raise FormatError(Problem(str(error), str(path / SNAPSHOT), advice=LEARN_AGAIN)) from None
    if read_manifest(path) != manifest:
        raise FormatError(Problem("was replaced while it was read, open it again", str(path)))
    return OpenedLabels(consensus, settings.content)


def _parameters(path: Path, metrics: JsonFile, corpus: Corpus) -> dict[str, Any]:
    arrays = read_parameters(path / PARAMETERS, corpus, LEARN_AGAIN)
    return arrays | _scalars(metrics) | _remarks(metrics)


def _scalars(metrics: JsonFile) -> dict[str, Any]:
    return metrics.object("parameters") if "parameters" in metrics.content else {}


def check_is_run(folder: Path) -> None:
    """Whether this is a run folder at all, and none of a newer version."""
    if not folder.is_dir():
        advice = Advice("give the folder of a finished run")
        if folder.exists():
            raise FormatError(Problem("is no folder", str(folder), advice=advice))
        raise MissingFileError(Missing("there is no such folder", str(folder), advice=advice))
    path = folder / SETTINGS
    if not path.exists() and not (folder / MANIFEST).exists():
        raise FormatError(Problem(f"is no finished run folder, {SETTINGS} is missing", str(folder)))
    settings = JsonFile.read(path, LEARN_AGAIN)
    # Before anything else is asked: a newer version may have other files, and another manifest.
    if settings.whole("format_version") > (SHARDED_VERSION if is_sharded_run(folder) else FORMAT_VERSION):
        raise FormatError(Problem("was written by a newer crowdseq, update to open it", str(folder)))


def _scheme(settings: JsonFile) -> LabelScheme:
    try:
        return LabelScheme(settings.texts("tags"), settings.text("scheme"))
    except FormatError:
        raise
    except CrowdseqError as error:
        raise settings.fault(str(error)) from None


def _read_crowd(path: Path, scheme: LabelScheme) -> Corpus:
    reading = ReadSettings(format="jsonl", scheme=scheme.kind, labels=scheme.tags)
    try:
        corpus = read(str(path), reading).corpus
    except FormatError:
        raise
    except CrowdseqError as error:
        raise FormatError(Problem(str(error), str(path), advice=LEARN_AGAIN)) from None
    if corpus.scheme != scheme:
        raise FormatError(Problem(f"has other labels than {SETTINGS}", str(path), advice=LEARN_AGAIN))
    return corpus


def _read_metrics(path: Path, corpus: Corpus) -> JsonFile:
    metrics = JsonFile.read(path, LEARN_AGAIN)
    held = {"sentences": len(corpus), "tokens": corpus.n_tokens, "annotators": len(corpus.annotators)}
    for name, number in held.items():
        if metrics.whole(name) != number:
            raise metrics.fault(f"tells of {metrics.whole(name)} {name}, {CROWD} holds {number}")
    return metrics


def _temperature(metrics: JsonFile) -> float:
    found = _scalars(metrics).get("temperature", 1.0)
    if type(found) not in (int, float) or not 1e-3 <= found <= 1e3:
        raise metrics.fault(f"the temperature is {found!r:.40}, expected a number above 0")
    return float(found)


def _remarks(metrics: JsonFile) -> dict[str, Any]:
    """What the run said when it was learned; runs of 0.1.0 said nothing."""
    told = metrics.content.get("remarks", [])
    if not (isinstance(told, list) and all(map(_is_remark, told))):
        raise metrics.fault("'remarks' are not what a run says of itself")
    return {"remarks": told} if told else {}


def _is_remark(one: object) -> bool:
    texts = ("kind", "level", "text")
    if not isinstance(one, dict) or set(one) != {*texts, "evidence"}:
        return False
    return all(isinstance(one[key], str) for key in texts) and isinstance(one["evidence"], dict)


def _read_tagger(folder: Path, corpus: Corpus) -> Tagger | None:
    path = folder / "tagger"
    if not path.exists():
        return None
    tagger = load_tagger(path)
    if tagger.scheme != corpus.scheme:
        raise FormatError(
            Problem(f"was learned from other labels than those of {CROWD}", str(path), advice=LEARN_AGAIN)
        )
    return tagger


def _recipe(settings: JsonFile) -> Aggregator:
    method, values = settings.text("method"), settings.object("settings")
    known = settings_of(find_method(method)) if method in method_names() else {}
    kept = {name: value for name, value in values.items() if name in known or name not in _OF_THE_MACHINE}
    try:
        return make_recipe(method, as_recorded(method, kept))
    except CrowdseqError as error:
        raise settings.fault(str(error)) from None
    except (TypeError, ValueError, AttributeError, OverflowError) as error:
        # Methods trust the types of their settings, which nobody has checked in this file.
        raise settings.fault(f"'settings' do not fit the method {method} ({error})") from None
