"""tag: label new text with a trained tagger, keeping all that came with it."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import cast

import numpy as np

from crowdseq.errors import (
    Advice,
    FormatError,
    Missing,
    MissingFileError,
    Problem,
    SettingsError,
    UsageError,
)
from crowdseq.formats.carrying import format_to_tag
from crowdseq.formats.files import is_pattern, list_inputs
from crowdseq.formats.files.sources import (
    STANDARD_INPUT,
    Source,
    open_source,
)
from crowdseq.formats.findings.collector import Collector
from crowdseq.formats.format import Carried
from crowdseq.formats.models.taggers import load_tagger
from crowdseq.formats.settings import ReadSettings
from crowdseq.numerics.em import Progress, quiet
from crowdseq.storage.atomic import STANDARD_OUTPUT, AtomicFile, check_free, standard_output
from crowdseq.tagging.sequence_tagger import Context
from crowdseq.tagging.tagger import Tagger
from crowdseq.workflows.reading import READ_ALL, SILENT, Listener
from crowdseq.workflows.runs import SETTINGS, TAGGER_FILES, check_files
from crowdseq.workflows.text_to_tag import corpus_of_folder, for_text, is_folder, sentences_of, source_of

_SENTENCES_AT_A_TIME = 4096
_LINES, _COLUMNS, _TEXT = "jsonl", "conll", "text"
_ENDINGS = {
    **dict.fromkeys(("jsonl", "ndjson"), _LINES),
    **dict.fromkeys(("conll", "iob", "iob2", "bio"), _COLUMNS),
    "csv": "long",
    "parquet": "parquet",
    "spacy": "docbin",
}


@dataclass(frozen=True, kw_only=True)
class TagRequest:
    """A run or tagger folder, the text to tag, and where it goes with its tags; `-` is a standard stream.

    input: a pattern stands for many files, each of which goes into the folder `out` under its own name.
    confidence: add the probability of each tag. resume: leave parts alone that are there already.
    target: the format to write, told by the name of `out` if None, else as the text came (text as columns).
    engine, workers, address: who tags, as `learn` has them.
    """

    tagger: str
    input: str = STANDARD_INPUT
    out: str = STANDARD_OUTPUT
    target: str | None = None
    settings: ReadSettings = READ_ALL.settings
    confidence: bool = False
    threads: int = 1
    engine: str = "local"
    workers: int | None = None
    address: str | None = None
    force: bool = False
    resume: bool = False
    listener: Listener = SILENT


def tag_text(request: TagRequest) -> None:
    """Tag a text and write it, piece by piece; of many files, one after the other."""
    if not is_pattern(request.input):
        _target(request)  # before the tagger is opened
    tagger = open_tagger(request.tagger)
    if request.resume and not is_pattern(request.input):
        raise SettingsError("only parts of a pattern can be resumed, say which with a quoted pattern")
    with ExitStack() as stack:
        spread = _spread(tagger, request, stack)
        for part in _parts(request) if is_pattern(request.input) else [request]:
            _tag_one(spread, part)


def _parts(request: TagRequest) -> list[TagRequest]:
    """A request for each file that has not been tagged yet."""
    folder = Path(request.out)
    if request.out == STANDARD_OUTPUT or folder.is_file():
        raise UsageError("parts go into a folder,", Advice("name one with {out}", out=""))
    sources = [item for item in list_inputs(request.input) if isinstance(item, Source)]
    names = [Path(source.name).name for source in sources]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise UsageError(f"{twice[0]} is the name of several parts, whose answers would go to one file")
    folder.mkdir(parents=True, exist_ok=True)
    parts = [
        replace(request, input=source.name, out=str(folder / name))
        for source, name in zip(sources, names, strict=True)
        if not (request.resume and (folder / name).exists())
    ]
    for part in parts:  # before the first is tagged
        check_free(part.out, force=request.force)
    return parts


def _tag_one(tagger: Tagger, request: TagRequest) -> None:
    target = _target(request)
    with request.listener.progress() as progress:
        if target is not None:
            _tag_to(target, tagger, request, progress)
            return None
        pieces = tag_file(
            tagger,
            request.input,
            confidence=request.confidence,
            threads=request.threads,
            settings=request.settings,
            progress=progress,
        )
        return _write(pieces, request)


def _target(request: TagRequest) -> str | None:
    """The format asked for, or that which the name of the output tells; None for what came."""
    if request.target is not None:
        from crowdseq.workflows.tagging_to import check_target

        check_target(request.target)
        return request.target
    told = _ENDINGS.get(request.out.lower().removesuffix(".gz").rpartition(".")[2])
    if request.out == STANDARD_OUTPUT or told is None:
        return None
    comes_back = _COLUMNS if _came_as(request) in (_COLUMNS, _TEXT) else _LINES
    return None if told == comes_back else told


def _spread(tagger: Tagger, request: TagRequest, stack: ExitStack) -> Tagger:
    """The tagger, or one that has it with the workers of an engine."""
    if (request.engine, request.workers, request.address) == ("local", None, None):
        return tagger
    from crowdseq.engines.choosing import EngineWish
    from crowdseq.workflows.sharded.spread_tagging import SpreadTagger

    wish = EngineWish(request.engine, request.threads, request.workers, request.address)
    return cast(Tagger, SpreadTagger.open(tagger, wish, stack))


def _tag_to(target: str, tagger: Tagger, request: TagRequest, progress: Progress) -> None:
    """All of the input at once, for forms that are not written as the text came."""
    from crowdseq.workflows import tagging_to

    path, reading = request.input, for_text(request.settings)
    if path != STANDARD_INPUT and is_folder(path):
        corpus, came_as = corpus_of_folder(path, reading), _LINES
    else:
        corpus, came_as = tagging_to.corpus_to_tag(source_of(path), reading)
    found = tagging_to.tagged(tagger, corpus, request.threads, alone=came_as == _TEXT)
    progress("tagging sentences", len(corpus), 0)
    if target == _LINES:
        _write(tagging_to.lines_of(found, confidence=request.confidence), request)
    else:
        tagging_to.write_tagged(
            found, request.out, target, confidence=request.confidence, force=request.force
        )


def _write(pieces: Iterator[str], request: TagRequest) -> None:
    if request.out != STANDARD_OUTPUT:
        with AtomicFile(request.out, force=request.force) as file:
            for piece in pieces:
                file.write(piece.encode("utf-8"))
        return
    out = standard_output()
    for piece in pieces:
        out.write(piece.encode("utf-8"))
    out.flush()


def _came_as(request: TagRequest) -> str:
    """The format of the input."""
    path, reading = request.input, for_text(request.settings)
    if reading.format is not None or path == STANDARD_INPUT:
        return reading.format or _TEXT
    if is_folder(path):
        return _LINES
    with open_source(source_of(path), reading.limits) as stream, Collector(reading) as collector:
        return format_to_tag(stream, collector).name


def open_tagger(folder: str | Path) -> Tagger:
    """The tagger of a run folder, or a tagger folder itself."""
    path = Path(folder)
    if not path.is_dir():
        wanted = "the folder of a run or of a saved tagger"
        if path.exists():
            raise FormatError(Problem(f"is a file, not {wanted}", str(path)))
        raise MissingFileError(Missing(f"there is no such folder, give {wanted}", str(path)))
    if not (path / "model.json").exists():
        check_files(path, TAGGER_FILES)
    if (path / "tagger").is_dir():
        return load_tagger(path / "tagger")
    if (path / SETTINGS).exists() and not (path / "model.json").exists():
        advice = Advice("learn again and let it train one")
        raise FormatError(Problem("this run has no tagger", str(path), advice=advice))
    return load_tagger(path)


def tag_file(
    tagger: Tagger,
    path: str,
    *,
    confidence: bool = False,
    threads: int = 1,
    settings: ReadSettings | None = None,
    progress: Progress = quiet,
) -> Iterator[str]:
    """The input again, piece by piece, with a tag for every token.

    settings: how the input is read, its format recognised if they do not name it. confidence: add the
    probability of each tag.
    """
    with_tabs = any(" " in tag for tag in tagger.scheme.tags)
    sentences = sentences_of(path, settings, with_tabs=with_tabs)
    yield from _all_tagged(tagger, sentences, confidence, threads, progress)


def _all_tagged(
    tagger: Tagger, sentences: Iterator[Carried], confidence: bool, threads: int, progress: Progress
) -> Iterator[str]:
    done = 0
    # What a word looks like elsewhere in its document can only be known with the whole document at hand.
    portion = None if tagger.features.document else _SENTENCES_AT_A_TIME
    while waiting := list(islice(sentences, portion)):
        yield from _tagged(tagger, waiting, confidence, threads)
        done += len(waiting)
        progress("tagging sentences", done, 0)


def _tagged(tagger: Tagger, waiting: list[Carried], confidence: bool, threads: int) -> Iterator[str]:
    tokens = [sentence.tokens for sentence in waiting]
    context = Context(
        [id(sentence) if sentence.doc is None else sentence.doc for sentence in waiting],
        _needed_columns(tagger, waiting),
    )
    tags = tagger.tag_many(tokens, context, threads)
    if not confidence:
        yield from (sentence.back(given, None) for sentence, given in zip(waiting, tags, strict=True))
        return
    index = tagger.scheme.index
    for sentence, given, rows in zip(
        waiting, tags, tagger.marginals_many(tokens, context, threads), strict=True
    ):
        chosen = rows[np.arange(len(given)), [index[tag] for tag in given]] if given else rows[:, 0]
        yield sentence.back(given, np.round(chosen, 6).tolist())


def _needed_columns(tagger: Tagger, waiting: list[Carried]) -> dict[str, list[tuple[str, ...]]]:
    """The columns that the tagger has features of, where every sentence has them."""
    return {
        name: [sentence.columns.get(name, ()) for sentence in waiting]
        for name in tagger.features.columns
        if all(name in sentence.columns or not sentence.tokens for sentence in waiting)
    }
