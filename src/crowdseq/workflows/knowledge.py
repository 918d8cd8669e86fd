"""Knowledge beyond the crowd's own text: gathered for a run, and what the run records of it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any, TypeAlias

from crowdseq.errors import SettingsError
from crowdseq.formats.knowledge.lexicons import names_of_list, read_names
from crowdseq.tagging.lexicons import Lexicons
from crowdseq.tagging.streams import KnowledgeSource

Names: TypeAlias = str | PathLike[str] | Iterable[str]  # a file, or the names themselves


@dataclass(frozen=True)
class Knowledge:
    """Sources of features, and the part of `settings.json` that tells where they came from."""

    sources: tuple[KnowledgeSource, ...]
    record: Mapping[str, Any]

    @property
    def fingerprint(self) -> tuple[tuple[str, str], ...]:
        """What tells other knowledge apart; where a file lies does not count."""
        return tuple((entry["type"], entry["sha256"]) for entry in self.record["lexicons"])


def gather_lexicons(lists: Sequence[tuple[str, Names]]) -> Knowledge:
    """Types with their lists of names; several lists of one type count as one."""
    names: dict[str, dict[str, None]] = {}
    record = []
    for kind, given in lists:
        is_file = isinstance(given, str | PathLike)
        found, digest = read_names(given) if is_file else names_of_list(given, f"lexicon {kind}")  # type: ignore[arg-type]
        names.setdefault(kind, {}).update(dict.fromkeys(found))
        place = {"file": fspath(given)} if isinstance(given, str | PathLike) else {}
        record.append({"type": kind, **place, "sha256": digest, "forms": len(found)})
    lexicons = Lexicons({kind: tuple(listed) for kind, listed in names.items()})
    return Knowledge((lexicons,), {"lexicons": record})


def typed_lexicons(texts: Sequence[str]) -> list[tuple[str, Names]]:
    """`TYPE=FILE` texts to pairs."""
    pairs: list[tuple[str, Names]] = []
    for text in texts:
        kind, equals, file = text.partition("=")
        if not (kind and equals and file):
            raise SettingsError(f"'{text}' is no lexicon, write it as TYPE=FILE")
        pairs.append((kind, file))
    return pairs
