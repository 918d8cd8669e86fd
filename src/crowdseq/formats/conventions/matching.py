"""Sentences joined by their text, where files give other ids to the same text."""

import hashlib
from collections import defaultdict
from dataclasses import replace

from crowdseq.core.building import Record
from crowdseq.errors import Problem
from crowdseq.formats.findings.collector import Collector
from crowdseq.formats.settings import TEXT

_GOLD, _NOBODY = 0, 1  # beside the names of annotators, which are texts


class TextMatcher:
    """Gives records of one text one id, the first that it had.

    A text that comes again from the same annotator is another sentence, and the next one of that text.
    by_document: only sentences of one document are joined, of which annotators may have seen different ones.
    """

    def __init__(self, collector: Collector, *, by_document: bool = False) -> None:
        self._collector, self._by_document = collector, by_document
        self._ids: dict[str, list[str]] = defaultdict(list)
        self._exact: dict[str, str] = {}
        self._docs: dict[str, str | None] = {}
        self._seen: dict[tuple[str, str | int], int] = defaultdict(int)
        self._by_file: dict[tuple[str, str, str], int] = {}

    def matched(self, record: Record, file: str, line: int) -> Record:
        """The record under the id, and in the document, that its text had first."""
        key = self._key(record, Problem("", file, line, record.id or ""))
        if key is None:
            return record
        key = f"{record.doc}\0{key}" if self._by_document else key
        number = self._number(key, record, file)
        known = self._ids[key]
        if number >= len(known):
            known.append(self._free_id(record.id, key, number))
            self._docs[known[-1]] = record.doc
        name = known[number]
        return replace(record, id=name, doc=self._docs[name] if self._docs[name] is not None else record.doc)

    def _key(self, record: Record, place: Problem) -> str | None:
        """The text without white space; with it where two texts differ in nothing else."""
        if not all(isinstance(token, str) for token in record.tokens):
            return None
        text = record.extras.get(TEXT)
        key = "".join("".join(record.tokens).split())
        if not isinstance(text, str):
            return key
        if self._exact.setdefault(key, text) == text:
            return key
        what = "texts differ only in white space from others, not joined with them"
        self._collector.warn("texts-nearly-equal", what, place)
        return text

    def _number(self, key: str, record: Record, file: str) -> int:
        """Which of the sentences of this text it is."""
        own = None if record.id is None else (file, key, record.id)
        who: list[str | int] = [*record.annotations, *([_GOLD] if record.gold is not None else [])]
        who = who or [_NOBODY]
        number = self._by_file.get(own, -1) if own is not None else -1
        if number < 0:
            number = max(self._seen[key, one] for one in who)
        for one in who:
            self._seen[key, one] = max(self._seen[key, one], number + 1)
        if own is not None:
            self._by_file[own] = number
        return number

    def _free_id(self, name: str | None, key: str, number: int) -> str:
        """The id that the text came with, unless another text has it."""
        if name is not None and name not in self._docs:
            return name
        made = f"text-{hashlib.sha256(key.encode('utf-8', 'replace')).hexdigest()[:12]}"
        return made if number == 0 and made not in self._docs else f"{made}-{number + 1}"
