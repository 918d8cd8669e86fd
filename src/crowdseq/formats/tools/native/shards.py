"""Folders of shards, as `crowdseq shard` writes them: read as any other file, in the order of their input."""

from collections.abc import Iterator
from pathlib import Path

from crowdseq.core.building import Record
from crowdseq.core.corpus import Corpus
from crowdseq.engines.gathering import InputOrder
from crowdseq.engines.shard_files import StoredCorpus, is_stored
from crowdseq.formats.files.sources import Folder
from crowdseq.formats.findings.collector import Collector
from crowdseq.formats.format import NO, SURE, Format, ReadRecord

_TOKENS_AT_A_TIME = 200_000


def recognise_folder(folder: Folder) -> int:
    """Told by the index."""
    return SURE if is_stored(Path(folder.name)) else NO


def read_folder(folder: Folder, collector: Collector) -> Iterator[tuple[str, ReadRecord]]:
    """Every sentence, in the order in which it was read."""
    order = InputOrder.of(StoredCorpus.open(Path(folder.name)))
    collector.note_scheme(order.corpus.facts.scheme.kind)
    for block in order.blocks(_TOKENS_AT_A_TIME):
        corpus = order.take(block)
        for number in range(len(corpus)):
            yield (
                folder.name,
                ReadRecord(_record(corpus, number, folder.name), block.start + number + 1, None),
            )


def _record(corpus: Corpus, number: int, place: str) -> Record:
    one = corpus[number]
    return Record(
        one.tokens, one.id, one.doc, one.annotations, one.gold, one.columns, one.extras, f"{place}: {one.id}"
    )


FORMAT = Format(
    name="shards",
    summary="a folder that crowdseq shard wrote: a large corpus in parts of whole documents",
    recognise_folder=recognise_folder,
    read_folder=read_folder,
)
