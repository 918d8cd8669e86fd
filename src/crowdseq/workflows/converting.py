"""convert: files in one format to another, one file for each layer where spans overlap."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from crowdseq.core.corpus import Corpus
from crowdseq.errors import SettingsError
from crowdseq.formats import ImportReport, ReadSettings, write, write_consensus
from crowdseq.formats.registry import format_for_writing
from crowdseq.formats.spans.capacity import without_gaps
from crowdseq.storage.atomic import check_free
from crowdseq.workflows.choosing import Selection
from crowdseq.workflows.reading import read_parts
from crowdseq.workflows.run_folder import load_run

_UNSAFE = re.compile(r"[^A-Za-z0-9_+-]")
_LONGEST_NAME = 60


class Part(NamedTuple):
    """A corpus and the file or folder that it goes to; types name the layer if there are several."""

    out: str
    corpus: Corpus
    types: tuple[str, ...] = ()


class Written(NamedTuple):
    """One file or folder: its name, what is in it, and a line for everything that it has no room for."""

    out: str
    corpus: Corpus
    notes: tuple[str, ...]


def convert(
    inputs: tuple[str, ...],
    out: str,
    reading: tuple[ReadSettings, Selection],
    *,
    target: str | None = None,
    as_scheme: str | None = None,
    force: bool = False,
    excel_safe: bool = False,
    unlabelled: str = "error",
    report: Callable[[ImportReport], None] = lambda _: None,
) -> list[Written]:
    """Read, choose, write; report is called with the report of the reading before anything is written.

    unlabelled: `outside` writes O for tokens that somebody left without a label; otherwise a format that
    cannot tell the two apart refuses them.
    """
    corpora, found = read_parts(inputs, reading)
    report(found)
    parts = name_parts(corpora, out, target)
    if len(parts) > 1:
        for part in parts:  # before the first is written, so that all are or none is
            check_free(part.out, force=force)
    made = []
    for part in parts:
        corpus = part.corpus if as_scheme is None else part.corpus.as_scheme(as_scheme)
        corpus, n_filled = without_gaps(corpus) if unlabelled == "outside" else (corpus, 0)
        notes = write(corpus, part.out, format=target, force=force, excel_safe=excel_safe)
        filled = f"{n_filled:,} tokens that were not labelled were written as outside of any entity"
        made.append(Written(part.out, corpus, (*([filled] if n_filled else []), *notes)))
    return made


def export_consensus(
    inputs: tuple[str, ...],
    out: str,
    *,
    target: str | None = None,
    force: bool = False,
    excel_safe: bool = False,
) -> list[Written]:
    """The consensus of a run folder in any form that has room for one."""
    if len(inputs) != 1 or not (Path(inputs[0]) / "settings.json").is_file():
        raise SettingsError(f"--consensus takes one run folder of crowdseq learn, not {', '.join(inputs)}")
    consensus = load_run(inputs[0]).consensus
    notes = write_consensus(consensus, out, format=target, force=force, excel_safe=excel_safe)
    return [Written(out, consensus.corpus, notes)]


def name_parts(corpora: list[tuple[tuple[str, ...], Corpus]], out: str, target: str | None) -> list[Part]:
    """`crowd.jsonl` for one corpus; for several `crowd.LOC.jsonl` and `crowd.ORG+PER.jsonl`."""
    if len(corpora) == 1:
        return [Part(out, corpora[0][1])]
    if out == "-":
        shown = " or ".join(f"--types {','.join(types)}" for types, _ in corpora)
        raise SettingsError(f"{len(corpora)} layers cannot go to standard output, choose one: {shown}")
    stem, ending = _split(out, target)
    names = ["+".join(_UNSAFE.sub("_", kind) for kind in types) for types, _ in corpora]
    if len({name.lower() for name in names}) < len(names) or max(map(len, names)) > _LONGEST_NAME:
        names = [f"layer{number}" for number in range(1, len(corpora) + 1)]
    return [
        Part(f"{stem}.{name}{ending}", corpus, types)
        for name, (types, corpus) in zip(names, corpora, strict=True)
    ]


def _split(out: str, target: str | None) -> tuple[str, str]:
    """A path to what stands before its ending, and the ending, which tells the format."""
    bare = out.rstrip("/") if out.rstrip("/") else out
    if bare != out:
        return bare, "/"
    form = format_for_writing(target or "", out)
    packed = ".gz" if out.lower().endswith(".gz") else ""
    plain = out[: len(out) - len(packed)]
    for ending in (f".{extension}" for extension in form.extensions):
        if plain.lower().endswith(ending):
            return plain[: -len(ending)], out[len(plain) - len(ending) :]
    suffix = Path(plain).suffix
    return plain[: len(plain) - len(suffix)], suffix + packed
