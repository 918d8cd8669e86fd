"""read: files to a corpus, for people who write Python; read_parts: to all layers of it."""

from os import PathLike
from typing import Any

from crowdseq.core.corpus import Corpus
from crowdseq.errors import AnnotationError
from crowdseq.formats import ImportReport, read_layers
from crowdseq.formats import read as read_files
from crowdseq.formats.settings import ReadSettings
from crowdseq.workflows.choosing import Selection


def read(*paths: str | PathLike[str], **settings: Any) -> Corpus:
    """The corpus of one or more files or folders; settings as in `ReadSettings`, e.g. format="conll"."""
    return read_files(tuple(map(str, paths)), ReadSettings(**settings)).corpus


def read_parts(
    paths: tuple[str, ...], reading: tuple[ReadSettings, Selection]
) -> tuple[list[tuple[tuple[str, ...], Corpus]], ImportReport]:
    """The chosen part of some files: one corpus, or with their types one for each layer of spans."""
    settings, selection = reading
    imported = read_layers(paths, settings)
    if len(imported.corpus) == 0:
        raise AnnotationError(f"{', '.join(paths)}: {imported.report.why_empty()}")
    layers = imported.layers
    if len(layers) < 2:
        whole = layers[0].corpus if layers else imported.corpus
        return [((), selection.apply(whole))], imported.report
    return [(layer.types, selection.apply(layer.corpus)) for layer in layers], imported.report
