"""The knowledge of a tagger in its two files, so that tagging new text needs no other."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crowdseq.errors import SettingsError
from crowdseq.tagging.lexicons import Lexicons
from crowdseq.tagging.streams import KnowledgeSource

KEY = "knowledge"
_ENCODING = ("utf-8", "surrogatepass")


def describe(sources: Sequence[KnowledgeSource]) -> list[dict[str, Any]]:
    """What model.json tells of them."""
    return [
        {"kind": source.name, "types": list(_lexicons(source).names), "offsets": list(source.offsets)}
        for source in sources
    ]


def tensors(sources: Sequence[KnowledgeSource]) -> dict[str, NDArray[Any]]:
    """Their names, one list a tensor."""
    found: dict[str, NDArray[Any]] = {}
    for number, source in enumerate(sources):
        for place, names in enumerate(_lexicons(source).names.values()):
            text = "\n".join(names).encode(*_ENCODING)
            found[_tensor(number, place)] = np.frombuffer(text, dtype=np.uint8)
    return found


def read(
    content: Sequence[Mapping[str, Any]], take: Callable[[str], NDArray[Any]]
) -> tuple[KnowledgeSource, ...]:
    """Back from what `describe` wrote; take: a tensor of bytes by name."""
    found = []
    for number, entry in enumerate(content):
        if entry["kind"] != Lexicons.name:
            raise ValueError(
                f"knowledge of the kind {entry['kind']!r:.60}, which this crowdseq does not know"
            )
        lists = [take(_tensor(number, place)).tobytes() for place in range(len(entry["types"]))]
        names = [tuple(text.decode(*_ENCODING).split("\n")) for text in lists]
        offsets = tuple(int(offset) for offset in entry["offsets"])
        found.append(Lexicons(dict(zip(map(str, entry["types"]), names, strict=True)), offsets))
    return tuple(found)


def _tensor(number: int, place: int) -> str:
    return f"{KEY}.{number}.{place}"


def _lexicons(source: KnowledgeSource) -> Lexicons:
    if not isinstance(source, Lexicons):
        raise SettingsError(f"knowledge of the kind {source.name} cannot be saved: it has no file format")
    return source
