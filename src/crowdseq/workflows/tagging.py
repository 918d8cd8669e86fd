"""tag: label new text with a trained tagger, keeping all that came with it."""

from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path

import numpy as np

from crowdseq.errors import FormatError, Problem
from crowdseq.formats.carrying import carry, guess_input
from crowdseq.formats.files.lines import read_lines
from crowdseq.formats.files.sources import STANDARD_INPUT, Source, open_source
from crowdseq.formats.findings.collector import Collector
from crowdseq.formats.models.taggers import load_tagger
from crowdseq.formats.settings import ReadSettings
from crowdseq.formats.tools.conll.carrying import Carried
from crowdseq.formats.tools.conll.columns import parse_columns
from crowdseq.numerics.em import Progress, quiet
from crowdseq.tagging.tagger import Context, Tagger
from crowdseq.workflows.runs.files import TAGGER_FILES, check_files

_SENTENCES_AT_A_TIME = 4096
_GUESSED_FROM = 200


def open_tagger(folder: str | Path) -> Tagger:
    """The tagger of a run folder, or a tagger folder itself."""
    place = Path(folder)
    if not place.is_dir():
        what = "is a file, not" if place.exists() else "there is no such folder, give"
        raise FormatError(Problem(f"{what} the folder of a run or of a saved tagger", str(place)))
    if not (place / "model.json").exists():
        check_files(place, TAGGER_FILES)
    if (place / "tagger").is_dir():
        return load_tagger(place / "tagger")
    if (place / "settings.json").exists() and not (place / "model.json").exists():
        raise FormatError(Problem("this run has no tagger, learn it without --no-tagger", str(place)))
    return load_tagger(place)


def tag_file(
    tagger: Tagger,
    path: str,
    *,
    kind: str | None = None,
    words: str = "words",
    confidence: bool = False,
    threads: int = 1,
    settings: ReadSettings | None = None,
    progress: Progress = quiet,
) -> Iterator[str]:
    """The input again, piece by piece, with a tag for every token.

    kind: text, conll or jsonl; guessed if not given. words: the tokenizer for plain text. confidence: add the
    probability of each tag.
    """
    reading = settings or ReadSettings()
    source = Source(path, Path(path).name, None if path == STANDARD_INPUT else Path(path))
    with open_source(source, reading.limits) as stream, Collector(reading) as collector:
        lines = read_lines(stream, collector)
        first = list(islice(lines, _GUESSED_FROM))
        if kind is None:
            kind = "conll" if reading.columns else guess_input(path, [line for _, line in first])
        spaced = any(" " in tag for tag in tagger.scheme.tags)
        held = parse_columns(reading.columns) if reading.columns else None
        sentences = carry(kind, chain(first, lines), path, words, spaced, held)
        done = 0
        # What a word looks like elsewhere in its document can only be known with the whole document at hand.
        portion = None if tagger.features.document else _SENTENCES_AT_A_TIME
        while waiting := list(islice(sentences, portion)):
            yield from _tagged(tagger, waiting, confidence, threads)
            done += len(waiting)
            progress("tagging sentences", done, done)
        if not done and kind == "text" and any(line.strip() for _, line in first):
            raise FormatError(Problem("no line has a token, choose another --tokenizer", path))
        collector.finish()


def _tagged(tagger: Tagger, waiting: list[Carried], confidence: bool, threads: int) -> Iterator[str]:
    tokens = [sentence.tokens for sentence in waiting]
    context = Context(
        [id(sentence) if sentence.doc is None else sentence.doc for sentence in waiting],
        _needed_columns(tagger, waiting),
    )
    tags = tagger.tag_many(tokens, context, threads)
    if not confidence:
        yield from (sentence.back(found, None) for sentence, found in zip(waiting, tags, strict=True))
        return
    index = tagger.scheme.index
    for sentence, found, rows in zip(
        waiting, tags, tagger.marginals_many(tokens, context, threads), strict=True
    ):
        chosen = rows[np.arange(len(found)), [index[tag] for tag in found]] if found else rows[:, 0]
        yield sentence.back(found, np.round(chosen, 6).tolist())


def _needed_columns(tagger: Tagger, waiting: list[Carried]) -> dict[str, list[tuple[str, ...]]]:
    """The columns that the tagger has features of, where every sentence has them."""
    return {
        name: [sentence.columns.get(name, ()) for sentence in waiting]
        for name in tagger.features.columns
        if all(name in sentence.columns or not sentence.tokens for sentence in waiting)
    }
