"""Files of knowledge are UTF-8: the options of reading are about the crowd."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from crowdseq.errors import Advice, FormatError, Problem

_ENCODING = "encoding"


@contextmanager
def as_utf8() -> Iterator[None]:
    """A file in another encoding is to be written anew: naming it helps with a crowd alone."""
    try:
        yield
    except FormatError as error:
        problems = [_reworded(problem) for problem in error.problems]
        if problems == list(error.problems):
            raise
        raise FormatError(*problems) from None


def _reworded(problem: Problem) -> Problem:
    if problem.advice is None or _ENCODING not in problem.advice.settings:
        return problem
    return replace(problem, advice=Advice("write the file as UTF-8"))
