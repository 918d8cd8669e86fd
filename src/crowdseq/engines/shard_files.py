"""StoredCorpus: a corpus as a folder of shards, each a file that is mapped into memory.

Sentences stand in canonical order, whole documents in each shard. Words and the values of columns are sorted
tables that all shards number into.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias, cast

from crowdseq.arrays import IntArray
from crowdseq.core.corpus import Corpus
from crowdseq.core.labels import LabelScheme
from crowdseq.engines.shard_layout import (
    COLUMN,
    FORMAT,
    INDEX_FILE,
    TABLES_FILE,
    VERSION,
    ShardTables,
    shard_corpus,
    shard_name,
)
from crowdseq.engines.shards import CorpusFacts, Cut
from crowdseq.errors import Advice, FormatError
from crowdseq.storage.json_file import JsonFile
from crowdseq.storage.mapped import map_tensors, unpack_texts
from crowdseq.storage.tensors import TensorFile

_AGAIN = Advice("cut the corpus into shards again")


@dataclass(frozen=True)
class StoredShard:
    """One shard on disk, small enough to travel: `corpus` opens it where it is asked for."""

    folder: Path
    number: int
    file: str
    sentences: int
    tokens: int
    documents: int
    votes: int
    gold: int
    digest: str

    @property
    def path(self) -> Path:
        return self.folder / self.file

    @property
    def corpus(self) -> Corpus:
        """With arrays that are mapped, and tables that all shards of this process share."""
        return open_stored(self.folder).open_shard(self.number)


@dataclass(frozen=True, eq=False)
class StoredCorpus:
    """A folder of shards that is whole as far as its index tells."""

    folder: Path
    facts: CorpusFacts
    shards: tuple[StoredShard, ...]
    shard_tokens: int
    column_names: tuple[str, ...]
    tables_digest: str

    @classmethod
    def open(cls, folder: Path) -> "StoredCorpus":
        """A FormatError tells what is missing."""
        index = JsonFile.read(folder / INDEX_FILE, _AGAIN)
        if index.text("format") != FORMAT or index.whole("version") != VERSION:
            raise index.fault(f"is no index of shards in version {VERSION}")
        scheme, tables = index.object("scheme"), index.object("tables")
        try:
            shards = tuple(_stored(folder, number, e) for number, e in enumerate(index.content["shards"]))
            labels = LabelScheme(tuple(scheme["tags"]), str(scheme["kind"]))
            digest = str(tables["sha256"])
        except (KeyError, TypeError, ValueError) as error:
            raise index.fault(f"is not as it was written ({error})") from None
        facts = CorpusFacts(
            labels,
            index.texts("annotators"),
            sum(one.sentences for one in shards),
            sum(one.tokens for one in shards),
            index.whole("words"),
            sum(one.votes for one in shards),
            sum(one.gold for one in shards),
        )
        return cls(folder, facts, shards, index.whole("shard_tokens"), index.texts("columns"), digest)

    def __len__(self) -> int:
        return self.facts.n_sentences

    @property
    def cut(self) -> Cut:
        """The shards as methods take them."""
        return Cut(self.facts, self.shards)

    @property
    def fingerprint(self) -> str:
        """Tells a corpus from any other, by the digests of its files."""
        digests = [self.tables_digest, *(shard.digest for shard in self.shards), *self.facts.scheme.tags]
        return hashlib.blake2b("\n".join(digests).encode(), digest_size=16).hexdigest()

    @cached_property
    def _tables(self) -> TensorFile:
        return map_tensors(self.folder / TABLES_FILE, _AGAIN)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """All words, sorted."""
        return cast(tuple[str, ...], unpack_texts("words", self._tables))

    @cached_property
    def columns(self) -> dict[str, tuple[str, ...]]:
        """The values of each column, sorted."""
        return {
            name: cast(tuple[str, ...], unpack_texts(COLUMN + name, self._tables))
            for name in self.column_names
        }

    @property
    def annotator_order(self) -> IntArray:
        """(K,) the annotators as their answers order them."""
        return self._tables.take("annotator_order", "i8", (len(self.facts.annotators),))

    @cached_property
    def tables(self) -> ShardTables:
        """What all shards share."""
        facts = self.facts
        return ShardTables(facts.scheme, facts.annotators, self.words, self.columns, self.annotator_order)

    def open_shard(self, number: int) -> Corpus:
        """One shard as a corpus of its own; FormatError, which names the file, where it is lost."""
        shard = self.shards[number]
        return shard_corpus(self.shard_file(number), self.tables, (shard.sentences, shard.tokens))

    def shard_file(self, number: int) -> TensorFile:
        """The arrays of a shard, mapped."""
        return map_tensors(self.shards[number].path, _AGAIN)

    def places(self, number: int) -> IntArray:
        """(N,) where each sentence of a shard stood in the input."""
        shard = self.shards[number]
        return map_tensors(shard.path, _AGAIN).take("places", "i8", (shard.sentences,))

    def parts(self) -> Iterator[Corpus]:
        """All shards, one after the other."""
        return (self.open_shard(shard.number) for shard in self.shards)

    def verify(self, numbers: Sequence[int] | None = None) -> list[str]:
        """The files that are missing or not as they were written, of all shards or of some."""
        shards = self.shards if numbers is None else [self.shards[number] for number in numbers]
        wanted = [(TABLES_FILE, self.tables_digest), *((shard.file, shard.digest) for shard in shards)]
        return [name for name, digest in wanted if _digest_of(self.folder / name) != digest]


def _stored(folder: Path, number: int, entry: Mapping[str, Any]) -> StoredShard:
    sizes = {name: int(entry[name]) for name in ("sentences", "tokens", "documents", "votes", "gold")}
    return StoredShard(folder, number, str(entry["file"]), **sizes, digest=str(entry["sha256"]))


def _digest_of(path: Path) -> str | None:
    if not path.is_file():
        return None
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


_OPENED: dict[Path, StoredCorpus] = {}  # of this process: shards that were sent here share their tables


def open_stored(folder: Path) -> StoredCorpus:
    """The corpus in a folder, opened once by each process."""
    if folder not in _OPENED:
        _OPENED[folder] = StoredCorpus.open(folder)
    return _OPENED[folder]


TableName: TypeAlias = tuple[str, str]  # folder, and a column or nothing for the words


def table_name(table: tuple[str, ...]) -> TableName | None:
    """By which `find_table` finds this very table of a corpus that this process has opened."""
    for folder, stored in _OPENED.items():
        if table is stored.words:
            return str(folder), ""
        for name, values in stored.columns.items():
            if table is values:
                return str(folder), name
    return None


def find_table(name: TableName) -> tuple[str, ...]:
    """The table of that name, in this process."""
    stored = open_stored(Path(name[0]))
    return stored.columns[name[1]] if name[1] else stored.words


def is_stored(path: Path) -> bool:
    """Whether a folder holds shards, if only damaged ones: `StoredCorpus.open` tells what is wrong."""
    index = path / INDEX_FILE
    if (path / TABLES_FILE).is_file() and (path / shard_name(0)).is_file():
        return True
    if not index.is_file():
        return False
    try:
        return JsonFile.read(index, _AGAIN).content.get("format") == FORMAT
    except FormatError:
        return False
