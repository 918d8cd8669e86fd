"""Folders of shards, as `crowdseq shard` writes them: read as any other file, in the order of their input."""

from collections.abc import Iterator
from pathlib import Path

from crowdseq.core.building import Record
from crowdseq.core.corpus import Corpus
from crowdseq.engines.gathering import InputOrder
from crowdseq.engines.shard_files import StoredCorpus, is_stored
from crowdseq.errors import Advice, CrowdseqError, FormatError, Problem
from crowdseq.formats.files.sources import Folder
from crowdseq.formats.findings.collector import Collector
from crowdseq.formats.format import NO, SURE, Format, ReadRecord

_TOKENS_AT_A_TIME = 200_000
_AGAIN = Advice("restore it, or cut the corpus again")


def recognise_folder(folder: Folder) -> int:
    """Told by the index."""
    return SURE if is_stored(Path(folder.name)) else NO


def read_folder(folder: Folder, collector: Collector) -> Iterator[tuple[str, ReadRecord]]:
    """Every sentence, in the order in which it was read."""
    corpus = StoredCorpus.open(Path(folder.name))
    damaged = [
        Problem("is missing or damaged", str(corpus.folder / name), advice=_AGAIN) for name in corpus.verify()
    ]
    if damaged:
        raise FormatError(*damaged)
    order = InputOrder.of(corpus)
    collector.note_scheme(order.corpus.facts.scheme.kind)
    for block in order.blocks(_TOKENS_AT_A_TIME):
        for number, record in enumerate(_records(order, block, folder.name), block.start + 1):
            yield folder.name, ReadRecord(record, number, None)


def _records(order: InputOrder, block: slice, name: str) -> list[Record]:
    """Those of a stretch; whoever wrote the shards may have had no good in mind."""
    try:
        corpus = order.take(block)
        return [_record(corpus, number, name) for number in range(len(corpus))]
    except (
        KeyError,
        IndexError,
        ValueError,
        TypeError,
        AttributeError,
        RecursionError,
        CrowdseqError,
    ) as error:
        raise FormatError(Problem(f"is not as it was written ({error})", name, advice=_AGAIN)) from None


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
