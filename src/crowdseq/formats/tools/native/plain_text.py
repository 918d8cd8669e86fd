"""Plain text, one sentence a line: what a tagger is given to label."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from crowdseq.core.building import CorpusBuilder, Record
from crowdseq.core.corpus import Corpus
from crowdseq.errors import Advice, AnnotationError, FormatError, Problem
from crowdseq.formats.files.lines import read_lines
from crowdseq.formats.files.sources import Source, Stream
from crowdseq.formats.findings.collector import Collector, problem_of
from crowdseq.formats.format import BY_NAME, NO, Back, Carried, Carrier, Format, ReadRecord, Sample, with_tags
from crowdseq.formats.settings import OFFSETS, TEXT
from crowdseq.formats.spans.kept_text import locate
from crowdseq.formats.spans.tokenize import cutter_of

_JSON_ARRAY = re.compile(r"\s*\[\s*[\[{]")


def recognise(sample: Sample) -> int:
    """Told by the name alone, since anything is text."""
    return BY_NAME if sample.has_extension(FORMAT.extensions) and "\0" not in sample.text else NO


def read(stream: Stream, source: Source, collector: Collector) -> Iterator[ReadRecord]:
    """Sentences without labels; an empty line parts documents."""
    cut = cutter_of(collector)
    document = 1
    for number, line in read_lines(stream, collector):
        try:
            tokens = cut(line).words
        except AnnotationError as error:
            collector.reject(problem_of(error, stream.name, number), line)
            continue
        if not tokens:
            document += 1
            continue
        name = f"{source.prefix}s{number}"
        doc = f"{source.prefix}d{document}"
        yield ReadRecord(Record(tokens, name, doc, place=f"{stream.name}:{number}"), number, line)


def recognise_to_carry(sample: Sample) -> int:
    """Whatever is nothing else, but for JSON arrays and for bytes that are no text."""
    is_text = not _JSON_ARRAY.match(sample.text) and "\0" not in sample.text
    return BY_NAME if is_text else NO


def carry(stream: Stream, source: Source, collector: Collector, _: bool) -> Iterator[Carried]:
    """One sentence a line, several if it is long; the answer is two columns, token and tag."""
    cut = cutter_of(collector)
    has_text, has_tokens = False, False
    for number, line in read_lines(stream, collector):
        has_text = has_text or bool(line.strip())
        try:
            pieces = _sentences(line, len(cut(line).words), collector.settings.sentences)
            found = [tuple(token for token in cut(piece).words if token.strip()) for piece in pieces]
        except AnnotationError as error:
            raise FormatError(problem_of(error, source.name, number)) from None
        has_tokens = has_tokens or any(found)
        yield from (Carried(tokens, None, _with_gap(tokens)) for tokens in found if tokens)
    if has_text and not has_tokens:
        advice = Advice("choose another {tokenizer}", tokenizer="")
        raise FormatError(Problem("no line has a token", source.name, advice=advice))


def document_of(text: str, name: str, collector: Collector) -> Corpus:
    """A whole text with its characters, cut into the same sentences; each knows its place in it."""
    from crowdseq.formats.spans.documents import cut_documents

    cut = cutter_of(collector)

    def starts(held: str) -> list[int]:
        found, place = [], 0
        for line in held.splitlines(keepends=True):
            bare = line.rstrip("\r\n")
            for piece in _sentences(bare, len(cut(bare).words), collector.settings.sentences):
                found.append(place)
                place += len(piece)
            place += len(line) - len(bare)
        return found

    words = cut(text)
    extras: dict[str, Any] = {TEXT: text}
    if locate(text, words.words) != words.bounds:
        extras[OFFSETS] = [list(pair) for pair in words.bounds]
    builder = CorpusBuilder()
    builder.add(Record(words.words, name, None, extras=extras))
    return cut_documents(builder.build(), [0], starts)


def _sentences(line: str, n_tokens: int, how: str) -> list[str]:
    """The sentences of a line: the line itself, unless it is running text or the settings ask for more."""
    if how in ("document", "newline"):
        return [line]
    from crowdseq.formats.spans.documents import LONG_DOCUMENT, splitter

    if how == "auto" and n_tokens <= LONG_DOCUMENT:
        return [line]
    edges = [*splitter(how)(line), len(line)]
    return [line[start:end] for start, end in pairwise(edges)]


def _with_gap(tokens: tuple[str, ...]) -> Back:
    shown = [token.replace("\t", " ") for token in tokens]  # a tab separates columns
    return lambda tags, confidence: with_tags(shown, "\t", tags, confidence) + "\n"


FORMAT = Format(
    name="text",
    summary="plain text, one sentence a line, an empty line between documents (no labels)",
    has_labels=False,
    extensions=("txt", "text"),
    settings=("tokenizer", "sentences"),
    recognise=recognise,
    read=read,
    carrier=Carrier(recognise_to_carry, carry),
)
