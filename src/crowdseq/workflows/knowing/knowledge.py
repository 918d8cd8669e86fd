"""Knowledge beyond the crowd's own text: gathered for a run, and what the run records of it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike, fspath
from typing import Any, Protocol, TypeAlias

from crowdseq.core.corpus import Corpus
from crowdseq.errors import SettingsError
from crowdseq.formats.knowledge.lexicons import names_of_list, read_names
from crowdseq.numerics.em import Progress
from crowdseq.tagging.lexicons import Lexicons
from crowdseq.tagging.streams import KnowledgeSource

Names: TypeAlias = str | PathLike[str] | Iterable[str]  # a file, or the names themselves
LEXICONS = "lexicons"
# What `settings.json` tells of knowledge, by the name of the option.
RECORDS = (LEXICONS, "vectors", "unlabelled")


class Wish(Protocol):
    """Knowledge that is made once the crowd is read."""

    @property
    def name(self) -> str:
        """Of its source, and of its record."""

    def fulfil(self, corpus: Corpus, progress: Progress) -> tuple[KnowledgeSource, dict[str, Any]]:
        """The source, and what the run records of it."""


@dataclass(frozen=True)
class Knowledge:
    """Sources of features, and the part of `settings.json` that tells where they came from.

    wishes: what is still to be made.
    """

    sources: tuple[KnowledgeSource, ...]
    record: Mapping[str, Any]
    wishes: tuple[Wish, ...] = ()

    def fulfilled(self, corpus: Corpus, progress: Progress) -> "Knowledge":
        """The same with all that was wished for."""
        made = [(wish.name, *wish.fulfil(corpus, progress)) for wish in self.wishes]
        sources = (*self.sources, *(source for _, source, _ in made))
        return Knowledge(sources, {**self.record, **{name: entry for name, _, entry in made}})

    @property
    def on_trial(self) -> tuple[KnowledgeSource, ...]:
        """Sources of which nobody knows whether they fit this text: those that the record tells of singly."""
        return tuple(source for source in self.sources if source.name in self.record)

    @property
    def fingerprint(self) -> tuple[tuple[str, str], ...]:
        """What tells other knowledge apart; where a file lies does not count."""
        lists = tuple((entry["type"], entry["sha256"]) for entry in self.record.get(LEXICONS, ()))
        others = [name for name in RECORDS if name in self.record and name != LEXICONS]
        return lists + tuple(
            (name, f"{self.record[name]['sha256']} {self.record[name]['seed']}") for name in others
        )


def is_used(record: Mapping[str, Any]) -> bool:
    """Whether a run with this record used any of it."""
    return LEXICONS in record or any(entry.get("used") != "nothing" for entry in record.values())


def gather(
    lists: Sequence[tuple[str, Names]],
    vectors: str | PathLike[str] | None,
    unlabelled: Sequence[str],
    seed: int,
) -> Knowledge | None:
    """All that a run was given; None if it is nothing. Lists are read, the rest is made with the crowd."""
    known = gather_lexicons(lists) if lists else Knowledge((), {})
    wishes: list[Wish] = []
    if vectors is not None or unlabelled:
        from crowdseq.workflows.knowing.word_vectors import OwnText, wished_vectors  # few runs have any

        wishes += [wished_vectors(fspath(vectors), seed)] if vectors is not None else []
        wishes += [OwnText(tuple(map(fspath, unlabelled)), seed)] if unlabelled else []
    return replace(known, wishes=tuple(wishes)) if lists or wishes else None


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
    return Knowledge((lexicons,), {LEXICONS: record})


def typed_lexicons(texts: Sequence[str]) -> list[tuple[str, Names]]:
    """`TYPE=FILE` texts to pairs."""
    pairs: list[tuple[str, Names]] = []
    for text in texts:
        kind, equals, file = text.partition("=")
        if not (kind and equals and file):
            raise SettingsError(f"'{text}' is no lexicon, write it as TYPE=FILE")
        pairs.append((kind, file))
    return pairs
