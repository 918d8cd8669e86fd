"""The knowledge of a tagger in its two files, so that tagging new text needs no other."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from crowdseq.errors import SettingsError
from crowdseq.tagging.clusters import Clusters
from crowdseq.tagging.lexicons import Lexicons
from crowdseq.tagging.streams import KnowledgeSource

KEY = "knowledge"
_CLUSTERS = "clusters"
_ENCODING = ("utf-8", "surrogatepass")
_NUMBER = np.dtype("<u2")  # of a cluster
Bytes: TypeAlias = NDArray[np.uint8]


def describe(sources: Sequence[KnowledgeSource]) -> list[dict[str, Any]]:
    """What model.json tells of them."""
    return [_described(source) for source in sources]


def _described(source: KnowledgeSource) -> dict[str, Any]:
    if isinstance(source, Clusters):
        sizes, offsets = source.rounds
        told = {"kind": _CLUSTERS, "name": source.name, "sizes": sorted(source.tables)}
        return told | {"offsets": list(source.offsets), "rounds": [list(sizes), list(offsets)]}
    names = _lexicons(source).names
    return {"kind": source.name, "types": list(names), "offsets": list(source.offsets)}


def tensors(sources: Sequence[KnowledgeSource]) -> dict[str, NDArray[Any]]:
    """Lists of names, one a tensor; words of clusters, then the number of each word, one tensor a size."""
    found: dict[str, NDArray[Any]] = {}
    for number, source in enumerate(sources):
        parts = _parts_of_clusters(source) if isinstance(source, Clusters) else _parts_of_lists(source)
        found |= {_tensor(number, place): part for place, part in enumerate(parts)}
    return found


def _parts_of_lists(source: KnowledgeSource) -> list[Bytes]:
    return [_as_bytes(names) for names in _lexicons(source).names.values()]


def _parts_of_clusters(source: Clusters) -> list[Bytes]:
    tables = [source.tables[size].astype(_NUMBER) for size in sorted(source.tables)]
    return [_as_bytes(source.words), *(np.frombuffer(table.tobytes(), np.uint8) for table in tables)]


def read(content: Sequence[Mapping[str, Any]], take: Callable[[str], Bytes]) -> tuple[KnowledgeSource, ...]:
    """Back from what `describe` wrote; take: a tensor of bytes by name."""
    found: list[KnowledgeSource] = []
    for number, entry in enumerate(content):
        if entry["kind"] == Lexicons.name:
            found.append(_read_lists(entry, number, take))
        elif entry["kind"] == _CLUSTERS:
            found.append(_read_clusters(entry, number, take))
        else:
            raise ValueError(
                f"knowledge of the kind {entry['kind']!r:.60}, which this crowdseq does not know"
            )
    return tuple(found)


def _read_lists(entry: Mapping[str, Any], number: int, take: Callable[[str], Bytes]) -> Lexicons:
    names = [_from_bytes(take(_tensor(number, place))) for place in range(len(entry["types"]))]
    return Lexicons(dict(zip(map(str, entry["types"]), names, strict=True)), _whole(entry["offsets"]))


def _read_clusters(entry: Mapping[str, Any], number: int, take: Callable[[str], Bytes]) -> Clusters:
    words, sizes = _from_bytes(take(_tensor(number, 0))), _whole(entry["sizes"])
    tables = {
        size: np.frombuffer(take(_tensor(number, place)).tobytes(), _NUMBER)
        for place, size in enumerate(sizes, 1)
    }
    seen, around = entry["rounds"]
    rounds = (_whole(seen), _whole(around))
    return Clusters(str(entry["name"]), words, tables, _whole(entry["offsets"]), rounds)


def _whole(numbers: Sequence[Any]) -> tuple[int, ...]:
    return tuple(int(number) for number in numbers)


def _as_bytes(names: Sequence[str]) -> Bytes:
    return np.frombuffer("\n".join(names).encode(*_ENCODING), dtype=np.uint8)


def _from_bytes(text: Bytes) -> tuple[str, ...]:
    return tuple(text.tobytes().decode(*_ENCODING).split("\n"))


def _tensor(number: int, place: int) -> str:
    return f"{KEY}.{number}.{place}"


def _lexicons(source: KnowledgeSource) -> Lexicons:
    if not isinstance(source, Lexicons):
        raise SettingsError(f"knowledge of the kind {source.name} cannot be saved: it has no file format")
    return source
