"""Files to the chosen part of a corpus: what a person typed, name maps, whom to tell; `read` for Python."""

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from crowdseq.core.corpus import Corpus
from crowdseq.core.text import Sentence
from crowdseq.errors import (
    Advice,
    AnnotationError,
    FormatError,
    Missing,
    Problem,
    SettingsError,
    error_of,
)
from crowdseq.formats import ImportReport, read_layers
from crowdseq.formats import read as read_files
from crowdseq.formats.settings import ReadSettings, reading_options
from crowdseq.numerics.em import Progress, quiet

_REJECTS = "rejected.jsonl"
GOLD_ALONE = Advice(
    "to learn from gold tags, say {method}; if the labels of a file are one annotator's, {files_mean}",
    method="gold",
    files_mean="annotator",
)


@dataclass(frozen=True)
class Selection:
    """where: field and value that a sentence must have, all of them; annotators, without: whom to keep or to
    leave out."""

    where: tuple[tuple[str, str], ...] = ()
    annotators: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    def apply(self, corpus: Corpus) -> Corpus:
        """The part of the corpus that was asked for."""
        if self.where:
            check_fields(_fields_of(corpus), self.where)
            corpus = corpus.where(lambda sentence: all(_has(sentence, *pair) for pair in self.where))
            if len(corpus) == 0:
                wanted = ", ".join("=".join(pair) for pair in self.where)
                raise SettingsError(f"no record has {wanted}, nothing is left")
            present = {corpus.annotators[number] for number in set(corpus.annotations.voters.tolist())}
            corpus = corpus.keep_annotators(present)
        kept = self.annotators or corpus.annotators
        if self.annotators or self.without:
            corpus.keep_annotators(self.without)  # names who is not there
            corpus = corpus.keep_annotators(set(kept) - set(self.without))
        return corpus


class Reading(NamedTuple):
    """How files are read, and which part of them is kept."""

    settings: ReadSettings = ReadSettings()
    selection: Selection = Selection()


READ_ALL = Reading()


def typed_reading(
    typed: Mapping[str, Any],
    *,
    where: Sequence[str] = (),
    annotators: str | None = None,
    without: str | None = None,
    names: str | None = None,
) -> Reading:
    """What a person typed: settings by name, in which a list is one text with commas, and what to keep.

    names: a name map, as `read_names` reads it. Records that are skipped go to a file, since nobody at a
    terminal could look at them otherwise.
    """
    options = reading_options()
    settings: dict[str, Any] = {
        name: (_listed(value) or None) if options[name].is_list else value for name, value in typed.items()
    }
    if settings.get("on_error") == "skip" and settings.get("rejects") is None:
        settings["rejects"] = _REJECTS
    selection = Selection(parse_where(tuple(where)), _listed(annotators), _listed(without))
    if names is not None:
        settings["names"], settings["documents"] = read_names(names)
    return Reading(ReadSettings(**settings), selection)


def _listed(text: str | None) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip()) if text else ()


def parse_where(conditions: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """`split=test` to ("split", "test")."""
    pairs = []
    for condition in conditions:
        key, equals, value = condition.partition("=")
        if not equals or not key:
            advice = Advice("say {where}", where="field=value")
            raise SettingsError(f"'{condition}' is no condition:", advice)
        pairs.append((key, value))
    return tuple(pairs)


class Names(NamedTuple):
    """Old names to new ones, of annotators and of documents."""

    annotators: dict[str, str]
    documents: dict[str, str]


def read_names(path: str) -> Names:
    """A CSV file of old name, new name, and `document` where it is not an annotator that is renamed.

    A first line `old,new` is passed over.
    """
    names = Names({}, {})
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as lines:
            for number, row in enumerate(csv.reader(lines), start=1):
                cells = [cell.strip() for cell in row]
                if any(cells) and [cell.lower() for cell in cells[:2]] != ["old", "new"]:
                    _take_name(cells, names, Problem("", path, number))
    except OSError as error:
        kind = Missing if isinstance(error, FileNotFoundError) else Problem
        raise error_of(kind(f"cannot be opened ({error.strerror})", path)) from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise FormatError(Problem(f"is no CSV file in UTF-8 ({error})", path)) from None
    return names


def _take_name(cells: list[str], names: Names, at: Problem) -> None:
    old, new, kind = (*cells, "annotator") if len(cells) == 2 else (*cells, "", "", "")[:3]
    kinds = {"annotator": names.annotators, "document": names.documents}
    if len(cells) not in (2, 3) or not old or not new or kind not in kinds:
        what = "a name map has two columns, old name and new name, and a third one only to say 'document'"
        raise FormatError(replace(at, what=what))
    if kinds[kind].setdefault(old, new) != new:
        what = f"{old} has two new names, {kinds[kind][old]} and {new}: remove one"
        raise FormatError(replace(at, what=what))


def _has(sentence: Sentence, key: str, value: str) -> bool:
    if key in ("id", "doc"):
        return str(getattr(sentence, key)) == value
    return key in sentence.extras and str(sentence.extras[key]) == value


def _fields_of(corpus: Corpus) -> set[str]:
    return {"id", "doc"}.union(*(extras.keys() for extras in corpus.text.extras.values()))


def check_fields(known: set[str], where: tuple[tuple[str, str], ...]) -> None:
    """Whether records have the fields that they are chosen by."""
    for key, _ in where:
        if key not in known:
            raise SettingsError(f"no record has the field '{key}', there is {', '.join(sorted(known))}")


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


def read(*paths: str | PathLike[str] | Sequence[str | PathLike[str]], **settings: Any) -> Corpus:
    """The corpus of one or more files or folders, in any format that is known (`crowdseq formats`).

    paths: names, or lists of names; `-` is standard input. settings: how to read them, as `ReadSettings` has
    them, e.g. format="conll" or annotators' new names in names={"u17": "ada"}. A file that is not there
    raises a FileNotFoundError, one that is not as it should be a CrowdseqError.

    >>> import crowdseq, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "ada.conll"
    >>> _ = path.write_text("Ada B-PER\\nslept O\\n")
    >>> crowdseq.read(path, files_mean="gold")[0].gold
    ('B-PER', 'O')
    """
    names: list[str] = []
    for given in paths:
        names += map(_path, [given] if isinstance(given, str | PathLike) else _listed_paths(given))
    return read_files(tuple(names), ReadSettings(**settings)).corpus


def _listed_paths(given: Any) -> Sequence[Any]:
    return given if isinstance(given, list | tuple) else [given]


def _path(given: Any) -> str:
    if isinstance(given, str | PathLike):
        return str(given)
    if isinstance(given, Mapping):
        raise SettingsError("read takes files; make a corpus of records with crowdseq.Corpus.from_records(…)")
    if is_frame(given):
        raise SettingsError("read takes files; make a corpus of a table with crowdseq.Corpus.from_frame(…)")
    raise SettingsError(f"read takes names of files and folders, not a {type(given).__name__}")


def is_frame(given: object) -> bool:
    """Whether this looks like a data frame, of whatever library."""
    kind = type(given)  # of the class: to ask a lazy frame itself costs a query
    return hasattr(kind, "columns") or hasattr(kind, "collect_schema")


def corpus_of(source: Any) -> Corpus:
    """The corpus that a Python caller means: itself, the files of some paths, records, or a long table."""
    if isinstance(source, Corpus):
        return source
    if is_frame(source):
        return Corpus.from_frame(source)
    if isinstance(source, str | PathLike):
        return read(source)
    if isinstance(source, list | tuple) and source and all(isinstance(one, str | PathLike) for one in source):
        return read(*source)
    if isinstance(source, Iterable) and not isinstance(source, Mapping | bytes):
        return Corpus.from_records(source)
    raise SettingsError(
        f"a corpus, a path, a list of records or a data frame is expected, not a {type(source).__name__}"
    )


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
