"""PartDocuments: whether every document of a corpus in parts lies in one part."""

from array import array
from collections.abc import Iterator
from hashlib import blake2b

import numpy as np

from crowdseq.errors import Advice, Problem

_ADVICE = Advice("put all of its sentences into one part, one after the other")


class PartDocuments:
    """Notes where documents stand, in a few bytes for each; a corpus may have many millions."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._last: str | None = None
        self._portion = 0
        # One entry for each stretch of sentences of one document: in which part and portion, at which line.
        self._digests, self._part_of, self._portion_of = array("Q"), array("i"), array("i")
        self._lines, self._names, self._ends = array("q"), bytearray(), array("Q")

    def begin(self, part: str) -> None:
        """The sentences that follow are those of this part."""
        self._parts.append(part)
        self._last = None

    def next_portion(self) -> None:
        """The reader forgets what it has read so far: a document that began may not go on."""
        self._portion += 1
        self._last = None

    def note(self, document: str | None, line: int) -> None:
        """The next sentence is one of this document."""
        if document is None or document == self._last:
            return
        name = document.encode("utf-8", "surrogatepass")
        self._digests.append(int.from_bytes(blake2b(name, digest_size=8).digest(), "little"))
        self._part_of.append(len(self._parts) - 1)
        self._portion_of.append(self._portion)
        self._lines.append(line)
        self._names += name
        self._ends.append(len(self._names))
        self._last = document

    def problems(self) -> Iterator[Problem]:
        """One for each document that goes on in another part, or too far away."""
        digests = np.frombuffer(self._digests, np.uint64) if self._digests else np.zeros(0, np.uint64)
        order = np.argsort(digests, kind="stable")
        ordered = digests[order]
        for first in np.flatnonzero(ordered[1:] == ordered[:-1]).tolist():
            one, other = int(order[first]), int(order[first + 1])
            same_place = self._place(one) == self._place(other)
            if not same_place and self._name(one) == self._name(other):
                yield self._problem(one, other)

    def _place(self, number: int) -> tuple[int, int]:
        return self._part_of[number], self._portion_of[number]

    def _name(self, number: int) -> str:
        start = self._ends[number - 1] if number else 0
        return self._names[start : self._ends[number]].decode("utf-8", "surrogatepass")

    def _problem(self, one: int, other: int) -> Problem:
        parts = [self._parts[self._part_of[number]] for number in (one, other)]
        lines = [self._lines[number] for number in (one, other)]
        what = f"document '{self._name(one)}' goes on here and begins in {parts[0]} (line {lines[0]}):"
        if parts[0] == parts[1]:
            what = f"document '{self._name(one)}' goes on here, far from where it begins (line {lines[0]}):"
        return Problem(what, parts[1], lines[1], advice=_ADVICE)
