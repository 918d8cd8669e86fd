"""Files to read: what the user names (paths, patterns, folders, `-`, bytes) as sources, always in the same
order."""

import gc
import glob
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PurePath
from typing import TypeAlias

from crowdseq.errors import FormatError, Missing, MissingFileError, Problem
from crowdseq.formats.files.sources import STANDARD_INPUT, Folder, Source, stem_of

RUN_CROWD, RUN_SHARDS = "crowd.jsonl.gz", "crowd"
_OF_SHARDS = ("index.json", "tables.safetensors")  # the one without the other is damaged

Input: TypeAlias = str | os.PathLike[str] | bytes


def list_inputs(inputs: Input | Iterable[Input]) -> list[Source | Folder]:
    """Every input as a file or a folder; stems are made unique by the folders above them."""
    items = [inputs] if isinstance(inputs, str | bytes | os.PathLike) else inputs
    found = [source for item in items for source in _inputs(item)]
    if not found:
        raise FormatError(Problem("nothing was given to read, name a file, a folder or -"))
    return _with_unique_stems(found)


def _inputs(item: Input) -> list[Source | Folder]:
    """What one name stands for: itself, or all files that a pattern such as `part-*.jsonl` fits."""
    if not isinstance(item, str) or not is_pattern(item):
        return [_input(item)]
    names = [name for name in sorted(glob.glob(item, recursive=True)) if os.path.isfile(name)]
    if not names:
        raise MissingFileError(Missing("no file fits this pattern", item))
    return [Source(name, stem_of(name), Path(name), is_part=True) for name in names]


def is_pattern(name: str) -> bool:
    """Whether a name stands for files that it fits; a file of that very name is itself."""
    return glob.has_magic(name) and not os.path.lexists(name)


def _input(item: Input) -> Source | Folder:
    if isinstance(item, bytes):
        return Source("<bytes>", "bytes", data=item)
    name = os.fspath(item)
    if name == STANDARD_INPUT:
        return Source("<stdin>", "stdin")
    path = Path(name)
    if is_run_folder(path):
        crowd = path / RUN_CROWD
        return Source(str(Path(name) / RUN_CROWD), stem_of(path.resolve().name), crowd)
    if is_sharded_run(path):
        return Folder(f"{name}/{RUN_SHARDS}", stem_of(path.resolve().name), _members(path / RUN_SHARDS, name))
    if os.path.isdir(name):  # of os.path, which says no where pathlib raises on a name that cannot be
        return Folder(name, path.resolve().name, _members(path, name))
    return Source(name, stem_of(name), path)


def is_run_folder(path: Path) -> bool:
    """Whether this is a run folder: as an input it stands for the crowd that it was learned from."""
    return all(os.path.isfile(path / name) for name in (RUN_CROWD, "consensus.jsonl", "settings.json"))


def is_sharded_run(path: Path) -> bool:
    """The same of a run whose crowd lies in shards."""
    return all(os.path.isfile(path / name) for name in (f"{RUN_SHARDS}/index.json", "settings.json"))


def may_hold_shards(path: Path) -> bool:
    """Whether a folder looks like one of shards, or a run that has them."""
    return any(os.path.isfile(path / name) for name in _OF_SHARDS) or is_sharded_run(path)


def is_run(path: Path) -> bool:
    """Whether this is a run folder of either kind."""
    return is_run_folder(path) or is_sharded_run(path)


def _members(folder: Path, name: str) -> tuple[Source, ...]:
    found: list[Source] = []
    for above, folders, files in os.walk(folder, onerror=_refuse_locked):
        folders[:] = sorted(part for part in folders if not part.startswith("."))
        for file in sorted(files):
            path = Path(above) / file
            if not file.startswith("."):
                inside = path.relative_to(folder)
                found.append(Source(str(Path(name) / inside), stem_of(file), path, folder=name))
    return tuple(found)


def _refuse_locked(error: OSError) -> None:
    """A folder that cannot be listed may hold an annotator, who would be lost without a word."""
    what = f"the folder cannot be opened ({error.strerror}), make it readable or move it elsewhere"
    raise FormatError(Problem(what, str(error.filename)))


def _with_unique_stems(found: Sequence[Source | Folder]) -> list[Source | Folder]:
    stems = [item.stem for item in found]
    depth = 2
    while len(set(stems)) < len(stems) and depth < 20:
        stems = [_longer_stem(item, stem, stems, depth) for item, stem in zip(found, stems, strict=True)]
        depth += 1
    seen: set[str] = set()
    for item, stem in zip(found, stems, strict=True):
        if stem in seen:
            raise FormatError(Problem("is given twice, name it once", item.name))
        seen.add(stem)
    alone = len(found) == 1
    return [_named(item, stem, "" if alone else f"{stem}-") for item, stem in zip(found, stems, strict=True)]


def _named(item: Source | Folder, stem: str, prefix: str) -> Source | Folder:
    if isinstance(item, Source):
        return replace(item, stem=stem, prefix=prefix)
    members = tuple(replace(member, prefix=prefix) for member in item.members)
    return replace(item, stem=stem, members=members)


def _longer_stem(item: Source | Folder, stem: str, stems: list[str], depth: int) -> str:
    """The stem with one more folder before it, where it is not unique yet."""
    path = item.path if isinstance(item, Source) else Path(item.name)
    if stems.count(stem) == 1 or path is None:
        return stem
    above = path.absolute().parts[:-1][1 - depth :]
    return "/".join([*above, item.stem])


def why_nothing_is_known(folder: Folder) -> str:
    """What a folder holds that cannot be read."""
    names = [PurePath(member.name).name for member in folder.members]
    if not names:
        return "is empty, there is nothing to read"
    if "[Content_Types].xml" in names:
        return "is an Office document, save the sheet as CSV"
    if "mimetype" in names and "content.xml" in names:
        return "is an OpenDocument file, save the sheet as .xlsx or CSV"
    return f"holds no file in a known format, only {', '.join(names[:3])}{' …' if len(names) > 3 else ''}"


@contextmanager
def no_collection() -> Iterator[None]:
    """While a file is read, most objects live on: looking for dead ones among them is time lost.

    The same holds for the first look afterwards: to freeze and thaw all objects makes them old ones.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if gc.get_freeze_count() == 0:
            gc.freeze()
            gc.unfreeze()
        if was_on:
            gc.enable()
