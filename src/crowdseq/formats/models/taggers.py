"""Taggers on disk, whatever their kind: `model.json` names the format, the format knows its files.

A new kind of tagger is a module with `load`, `holds` and `tagger_files`, and a line in the table below.
"""

import json
import os
from collections.abc import Collection
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from crowdseq.errors import (
    Advice,
    FormatError,
    Missing,
    MissingFileError,
    OutputExistsError,
    Problem,
    SettingsError,
)
from crowdseq.storage.folders import AtomicFolder, claimed
from crowdseq.storage.manifest import read_small_file
from crowdseq.tagging.sequence_tagger import SequenceTagger
from crowdseq.tagging.tagger import Tagger

MODEL = "model.json"
# The "format" in model.json to the module that reads and writes it; loaded when first needed.
_MODULES = {
    "crowdseq-tagger": "crowdseq.formats.models.crf",
    "crowdseq-neural-tagger": "crowdseq.formats.models.neural",
}
_LARGEST_MODEL_FILE = 16 * 2**20


def load_tagger(folder: str | Path) -> Tagger:
    """Read a tagger back, by the format that it names; anything else gives a FormatError."""
    source = Path(folder)
    content = _description(source / MODEL)
    found: Tagger = _module(content["format"], source / MODEL).load(source, content)
    return found


def save_tagger(tagger: SequenceTagger, folder: str | Path) -> None:
    """Write a tagger as a folder, whole or not at all; an older tagger there is replaced, nothing else is."""
    files = tagger_files(tagger)
    # A link stays a link: what it points to is replaced.
    target = Path(os.path.realpath(folder))
    _check_replaceable(target, files)
    with claimed(target):
        _check_replaceable(target, files)  # again, now that nobody else can write there
        with AtomicFolder(target) as made:
            for name, content in files.items():
                made.write(name, content)


def _check_replaceable(folder: Path, names: Collection[str]) -> None:
    """The whole folder is replaced, so it may hold nothing but a tagger."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise OutputExistsError(f"{folder} exists already and is no folder, choose another name")
    known = {*names, *_listed(folder / MODEL)}
    others = sorted(path.name for path in folder.iterdir() if path.name not in known)
    if others:
        raise OutputExistsError(f"{folder} holds other files too ({others[0]}), choose another folder")


def _listed(path: Path) -> list[str]:
    """Further files that belong to the tagger which stands there."""
    try:
        files = json.loads(path.read_bytes()).get("files", {}) if path.is_file() else {}
    except (OSError, ValueError, AttributeError, RecursionError):
        return []
    return [str(name) for name in files] if isinstance(files, dict) else []


def tagger_files(tagger: SequenceTagger) -> dict[str, bytes]:
    """The files of a saved tagger by name."""
    for name in _MODULES.values():
        module = import_module(name)
        if module.holds(tagger):
            found: dict[str, bytes] = module.tagger_files(tagger)
            return found
    raise SettingsError(
        f"a tagger of the kind {type(tagger).__name__} cannot be saved: it has no file format"
    )


def _module(name: str, path: Path) -> ModuleType:
    if name not in _MODULES:
        raise _fault(
            path,
            f"holds a tagger of the format '{name}', this crowdseq knows {', '.join(_MODULES)}",
            "update crowdseq to open it",
        )
    return import_module(_MODULES[name])


def _description(path: Path) -> dict[str, Any]:
    """What model.json holds: an object that names its format."""
    give = "give the folder of a saved tagger"
    raw = read_small_file(path, _LARGEST_MODEL_FILE, lambda what: _fault(path, what, give))
    if raw is None:
        what = "cannot be read (there is no such file)"
        raise MissingFileError(Missing(what, str(path), advice=Advice(give)))
    try:
        content = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise _fault(path, f"not JSON ({error})", "save the tagger again") from None
    if not isinstance(content, dict) or not isinstance(content.get("format"), str):
        raise _fault(path, "this is not the description of a crowdseq tagger", give)
    return content


def _fault(path: Path, what: str, advice: str) -> FormatError:
    return FormatError(Problem(what, file=str(path), advice=Advice(advice)))
