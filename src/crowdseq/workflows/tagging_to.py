"""Tagged text in another form than the text came in."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from crowdseq.core.consensus import Consensus
from crowdseq.core.corpus import Corpus
from crowdseq.errors import SettingsError
from crowdseq.formats import FORMATS, read, write_consensus
from crowdseq.formats.carrying import format_to_tag, line_of
from crowdseq.formats.files.lines import read_text
from crowdseq.formats.files.sources import STANDARD_INPUT, Source, open_source, stem_of
from crowdseq.formats.findings.collector import Collector
from crowdseq.formats.registry import find_format
from crowdseq.formats.settings import PART, TEXT, ReadSettings
from crowdseq.formats.tools.native.plain_text import document_of
from crowdseq.tagging.sequence_tagger import Context
from crowdseq.tagging.tagger import Tagger

LINES, PLAIN_TEXT = "jsonl", "text"


def check_target(target: str) -> None:
    """Refuse a form that has no room for tags, before anything is read."""
    form = find_format(target)
    if target != LINES and form.write_consensus is None and form.write_consensus_folder is None:
        able = [name for name, one in FORMATS.items() if one.write_consensus or one.write_consensus_folder]
        shown = ", ".join([LINES, *able])
        raise SettingsError(f"{target} has no room for tags, choose one of {shown}")


def corpus_to_tag(source: Source, reading: ReadSettings) -> tuple[Corpus, str]:
    """The sentences of a file without their labels, and the format that it is in."""
    with open_source(source, reading.limits) as stream, Collector(reading) as collector:
        form = format_to_tag(stream, collector)
        if form.name == PLAIN_TEXT:
            name = "text" if source.name == STANDARD_INPUT else stem_of(source.name)
            corpus = document_of(read_text(stream, collector), name, collector)
            collector.finish()
            return corpus, form.name
        data = b"".join(stream.blocks()) if source.name == STANDARD_INPUT else None
    found = read(source.name if data is None else data, replace(reading, format=form.name)).corpus
    return found, form.name


def tagged(tagger: Tagger, corpus: Corpus, threads: int, *, alone: bool = False) -> Consensus:
    """The corpus with the tags of a tagger in place of all labels; alone: sentences share no document."""
    bare = corpus.keep_annotators([]).without_gold()
    bare = replace(bare, scheme=tagger.scheme)
    context = Context.of_text(bare.text)
    if alone:
        context = Context(list(range(len(bare))), context.columns)
    tokens = [sentence.tokens for sentence in bare.sentences]
    index = tagger.scheme.index
    tags = [index[tag] for row in tagger.tag_many(tokens, context, threads) for tag in row]
    rows = [row for row in tagger.marginals_many(tokens, context, threads) if len(row)]
    empty = np.zeros((0, len(tagger.scheme)))
    chances = np.concatenate([empty, *rows])
    return Consensus(bare, np.array(tags, np.int16), chances / chances.sum(axis=1, keepdims=True), ())


def lines_of(found: Consensus, *, confidence: bool) -> Iterator[str]:
    """A line of JSON for each sentence; spans count the characters of the whole text where it was cut."""
    start = 0
    for number, sentence in enumerate(found.corpus.sentences):
        part, text = sentence.extras.get(PART), sentence.extras.get(TEXT)
        start = 0 if not isinstance(part, dict) or part.get("number") == 1 else start
        sure = np.round(found.confidence[number], 6).tolist() if confidence else None
        yield line_of(sentence, found.tags[number], sure, start)
        start += len(text) if isinstance(text, str) else 0


def write_tagged(found: Consensus, out: str, target: str, *, confidence: bool, force: bool) -> None:
    """In any form that has room for settled labels."""
    write_consensus(found, out, format=target, force=force, details=confidence)
