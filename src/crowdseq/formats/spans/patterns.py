"""A user's pattern as a tokeniser: here where it is plainly quick, else in a worker with a time limit.

See docs/decisions/019-patterns-in-a-worker.md.
"""

import re
from collections.abc import Callable
from importlib import import_module
from typing import Any

from crowdseq.errors import Advice, AnnotationError
from crowdseq.formats.findings.collector import Collector
from crowdseq.formats.foreign.worker import WorkerFault

Places = list[tuple[int, int]]
# Names of what `re` parses a pattern to. Of one character each, and all that may be repeated:
_CHARACTERS = frozenset({"LITERAL", "NOT_LITERAL", "ANY", "IN"})
_REPEATS = frozenset({"MAX_REPEAT", "POSSESSIVE_REPEAT"})
_SHORT = 16  # so often at most may something be tried in vain at one place


def places_by_pattern(pattern: str, collector: Collector) -> Callable[[str], Places]:
    """A function from a text to the places of the matches."""
    if is_linear(pattern):
        compiled = re.compile(pattern)
        return lambda text: [match.span() for match in compiled.finditer(text) if match.group()]
    return _Guarded(pattern, collector)


class _Guarded:
    """Asks a worker; a pattern that took too long once is not tried again."""

    def __init__(self, pattern: str, collector: Collector) -> None:
        self._pattern, self._collector = pattern, collector
        self._fault: AnnotationError | None = None

    def __call__(self, text: str) -> Places:
        if self._fault is not None:
            raise self._fault
        seconds = self._collector.settings.limits.pattern_seconds
        data = text.encode("utf-8", "surrogatepass")
        flat: list[int] = []
        try:
            for some in self._collector.workers.ask(
                "pattern_cuts", [data], seconds=seconds, pattern=self._pattern
            ):
                flat += some
        except WorkerFault as fault:
            reason = f"does not end within {seconds:g} s" if fault.is_refusal else f"fails ({fault.what})"
            what = (
                f"the tokenizer's pattern {reason} on this text: write it without repeats inside or behind "
                "repeats, such as (a+)+,"
            )
            more = Advice("or say {limits}", limits=f"pattern_seconds={seconds * 10:g}")
            self._fault = AnnotationError(what, more)
            raise self._fault from None
        return list(zip(flat[::2], flat[1::2], strict=True))


def is_linear(pattern: str) -> bool:
    """Whether the work cannot grow faster than the text: plainly so, or False.

    Alternatives of single characters, of which only the last may be repeated without end: what was looked at
    is then taken, so that nothing is looked at again. `\\w+|[^\\w\\s]` is such a pattern.
    """
    try:
        parser: Any = import_module("re._parser")
        parsed = parser.parse(pattern)
    except (ImportError, AttributeError, re.error, RecursionError, OverflowError):
        return False
    branches = [parsed]
    if len(parsed) == 1 and str(parsed[0][0]) == "BRANCH":
        branches = parsed[0][1][1]
    return len(branches) <= _SHORT and all(map(_is_plain, branches))


def _is_plain(items: Any) -> bool:
    if not 0 < len(items) <= _SHORT:
        return False
    *firsts, (kind, value) = items
    if any(str(first) not in _CHARACTERS for first, _ in firsts):
        return False
    if str(kind) not in _REPEATS:
        return str(kind) in _CHARACTERS
    least, _, repeated = value
    return least <= _SHORT and len(repeated) == 1 and str(repeated[0][0]) in _CHARACTERS
