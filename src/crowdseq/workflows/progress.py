"""Progress for people in Python: a few plain lines in a notebook; a script that did not ask hears why it
waits for the compiler, on standard error, and nothing else."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from crowdseq.numerics.em import Progress, quiet

# True: tell it. False: do not. None: tell it in a notebook, and elsewhere only that kernels are compiled. A
# function is told by being called.
Wish: TypeAlias = Progress | bool | None
COMPILING = "compiling"  # the stage in which so many functions are done
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 30.0
_COMPILING = "compiling what this run needs, some seconds; the next runs of this kind start at once"


@contextmanager
def progress_told(wish: Wish = None) -> Iterator[Progress]:
    """The callback for some work, as its caller wishes it."""
    if wish is False:
        yield quiet
        return
    from crowdseq.numerics.compiling import compiling_told

    if callable(wish):
        with compiling_told(lambda done: wish(COMPILING, done, 0)):
            yield wish
    elif wish or in_notebook():
        lines = Lines()
        with compiling_told(lambda done: lines(COMPILING, done, 0) if done else lines.say(_COMPILING)):
            yield lines
        lines.finish()
    else:
        with compiling_told(lambda done: None if done else _say_aside(_COMPILING)):
            yield quiet


def _say_aside(line: str) -> None:
    if sys.stderr is not None:  # there is none in some windowed programs
        sys.stderr.write(f"crowdseq: {line}\n")


def in_notebook() -> bool:
    """Whether this process is the kernel of a notebook; IPython is asked only if it is there already."""
    found = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return hasattr(found, "kernel")


class Lines:
    """Plain lines on standard output: none for the first second, then fewer and fewer, half a minute apart at
    most, so that the longest run stays readable."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._begun = clock, clock()
        self._said, self._pause, self._is_silent = self._begun, _FIRST_PAUSE, True

    def __call__(self, stage: str, done: int, total: int) -> None:
        now = self._clock()
        if now - self._said < self._pause:
            return
        self._said, self._pause = now, min(2 * self._pause, _LONGEST_PAUSE)
        share = f" {done} of {total}" if done > 0 and total > 1 else ""
        self.say(f"{stage}{share}, {now - self._begun:.0f} s")

    def say(self, line: str) -> None:
        """One line, at once."""
        self._is_silent = False
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()

    def finish(self) -> None:
        """Say how long it took, if anything was said at all."""
        if not self._is_silent:
            self.say(f"done, {self._clock() - self._begun:.0f} s")
