"""read: files to a corpus, for people who write Python; read_crowd and read_parts: for the doors."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from os import PathLike
from typing import Any, NamedTuple

from crowdseq.core.corpus import Corpus
from crowdseq.errors import AnnotationError
from crowdseq.formats import ImportReport, read_layers
from crowdseq.formats import read as read_files
from crowdseq.formats.settings import ReadSettings
from crowdseq.numerics.em import Progress, quiet
from crowdseq.workflows.choosing import READ_ALL, Reading

STANDARD_OUTPUT = "-"


def _ignore(_: ImportReport, *, is_gold: bool = False) -> None:
    """Nobody is there to hear it."""


@dataclass(frozen=True)
class Listener:
    """Whom a workflow tells what goes on while it works.

    imported: is given the report of every reading before anything long begins; is_gold: nobody misses
    annotators there. progress: opened around long work, gives the callback for it.
    """

    imported: Callable[..., None] = _ignore
    progress: Callable[[], AbstractContextManager[Progress]] = lambda: nullcontext(quiet)


SILENT = Listener()


@dataclass(frozen=True)
class CrowdRequest:
    """Files, and how and which part of them to read."""

    crowd: tuple[str, ...]
    reading: Reading = READ_ALL
    listener: Listener = SILENT


class Part(NamedTuple):
    """One corpus of some files; types name its layer of spans if there are several."""

    types: tuple[str, ...]
    corpus: Corpus


def read(*paths: str | PathLike[str], **settings: Any) -> Corpus:
    """The corpus of one or more files or folders; settings as in `ReadSettings`, e.g. format="conll"."""
    return read_files(tuple(map(str, paths)), ReadSettings(**settings)).corpus


def read_crowd(request: CrowdRequest, *, is_gold: bool = False) -> tuple[Corpus, ImportReport]:
    """The chosen part of some files, and the import report, which the listener has heard by then."""
    imported = read_files(request.crowd, request.reading.settings)
    request.listener.imported(imported.report, is_gold=is_gold)
    if len(imported.corpus) == 0:
        raise AnnotationError(f"{', '.join(request.crowd)}: {imported.report.why_empty()}")
    return request.reading.selection.apply(imported.corpus), imported.report


def read_parts(paths: tuple[str, ...], reading: Reading) -> tuple[list[Part], ImportReport]:
    """The chosen part of some files: one corpus, or with their types one for each layer of spans."""
    settings, selection = reading
    imported = read_layers(paths, settings)
    if len(imported.corpus) == 0:
        raise AnnotationError(f"{', '.join(paths)}: {imported.report.why_empty()}")
    layers = imported.layers
    if len(layers) < 2:
        whole = layers[0].corpus if layers else imported.corpus
        return [Part((), selection.apply(whole))], imported.report
    return [Part(layer.types, selection.apply(layer.corpus)) for layer in layers], imported.report
