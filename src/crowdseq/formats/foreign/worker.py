"""Workers: processes that parse foreign files for us, so that a crash is one line and never our end.

Started as `python -I -c …` with our own `sys.path`: nothing of the caller's `__main__` is run, so this works
in notebooks, threads and below any launcher.
"""

import io
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from importlib.util import find_spec
from typing import Any, BinaryIO, cast

from crowdseq.errors import Advice, FormatError, Problem
from crowdseq.formats.foreign.frames import receive, send
from crowdseq.formats.settings import Limits

_BOOT = (
    "import json, sys; sys.path[:] = json.loads(sys.stdin.buffer.readline()); "
    "from crowdseq.formats.foreign.child import main; main()"
)
# One thread each: a worker parses one file. Arrow's own pools of memory take more than they need.
_CALM = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "ARROW_DEFAULT_MEMORY_POOL": "system"}
_MOST_BYTES_AT_ONCE = 1 << 30
_SECONDS_TO_START = 60.0


class WorkerFault(Exception):
    """Why nothing came of a task; advice: the setting that allows more, if that is the reason.

    is_refusal: what is said is a whole sentence, and the file need not be damaged.
    """

    def __init__(self, what: str, advice: Advice | None = None, *, is_refusal: bool = False) -> None:
        self.what, self.advice, self.is_refusal = what, advice, is_refusal
        super().__init__(what)


class MissingLibrary(Exception):
    """The worker could not import what the task needs."""


_LIBRARIES = {
    "arrow_rows": "pyarrow",
    "cas_spans": "cassis",
    "docbin_documents": "spacy",
    "sheet_rows": "openpyxl",
}


class Workers:
    """As many workers as tasks run at the same time; each serves one task after the other."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._idle: list[_Worker] = []

    def ask(
        self, task: str, parts: list[bytes], *, seconds: float | None = None, **settings: Any
    ) -> Iterator[Any]:
        """The values that a task gives, one after the other; WorkerFault or MissingLibrary instead.

        parts: the bytes to parse. seconds: of computing, by default as the limits say for so many bytes.
        """
        if task in _LIBRARIES and find_spec(_LIBRARIES[task]) is None:
            raise MissingLibrary  # told without starting a process
        size = sum(map(len, parts))
        allowed = self._limits.parser_bytes + self._limits.parser_bytes_per_byte * size
        if seconds is None:
            seconds = self._limits.parser_seconds * (1.0 + size / (1 << 20))
        worker = self._idle.pop() if self._idle else _Worker()
        settings["limits"] = [allowed, seconds]
        try:
            yield from worker.values(task, settings, parts, seconds)
        except _Died as died:
            raise _explained(died, allowed, seconds) from None
        finally:
            if worker.is_idle:
                self._idle.append(worker)
            else:
                worker.end()

    def close(self) -> None:
        """End all workers."""
        while self._idle:
            self._idle.pop().end()


def parse_or_refuse(
    workers: Workers, task: str, parts: list[bytes], problem: Problem, **settings: Any
) -> Iterator[Any]:
    """The values that a task gives; what goes wrong is a FormatError, `problem` with the reason for {0}."""
    try:
        yield from workers.ask(task, parts, **settings)
    except WorkerFault as fault:
        advice = fault.advice or problem.advice
        what = fault.what if fault.is_refusal else problem.what.replace("{0}", fault.what)
        raise FormatError(Problem(what, problem.file, problem.line, problem.record, advice)) from None


class _Died(Exception):
    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


class _Worker:
    """One process and its pipes."""

    def __init__(self) -> None:
        if not sys.executable:
            raise WorkerFault("there is no Python interpreter to parse it with (sys.executable is empty)")
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-c", _BOOT],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,  # what is read ahead could not be waited for
                env={**os.environ, **_CALM},
            )
        except OSError as error:
            raise WorkerFault(f"no process could be started to parse it ({error.strerror})") from None
        self._from = cast(BinaryIO, self._process.stdout)
        self._to = io.BufferedWriter(cast(io.RawIOBase, self._process.stdin))
        self.is_idle = False
        self._is_new = True

    def values(
        self, task: str, settings: Mapping[str, Any], parts: list[bytes], seconds: float
    ) -> Iterator[Any]:
        self.is_idle = False
        try:
            if self._is_new:
                self._to.write(json.dumps(sys.path).encode() + b"\n")
            send(self._to, [task, settings, parts])
            self._to.flush()
        except OSError:
            raise _Died(self._why()) from None
        patience = 10.0 * seconds + _SECONDS_TO_START * self._is_new  # of time that passes, on a busy machine
        self._is_new = False
        while True:
            kind, *rest = self._answer(patience)
            if kind == "value":
                yield rest[0]
                continue
            self.is_idle = True
            if kind in ("fault", "refused"):
                raise WorkerFault(str(rest[0]), is_refusal=kind == "refused")
            if kind == "memory":
                raise _Died("memory")
            if kind == "missing":
                raise MissingLibrary
            return

    def _answer(self, patience: float) -> Any:
        try:
            # Only pipes of POSIX can be waited for.
            if os.name == "posix" and not select.select([self._from], [], [], patience)[0]:
                self._process.kill()
                self._process.wait()
                raise _Died("time")
            return receive(self._from, _MOST_BYTES_AT_ONCE)
        except (EOFError, ValueError, OSError):
            raise _Died(self._why()) from None

    def _why(self) -> str:
        """Why the process has ended."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(5)
        code = self._process.returncode
        if code is not None and code == -getattr(signal, "SIGXCPU", 0):
            return "time"
        with suppress(ValueError, TypeError):
            return signal.Signals(-int(code)).name
        return "it ended"

    def end(self) -> None:
        """End the process, whatever it does."""
        for pipe in (self._to, self._from):
            with suppress(OSError):
                pipe.close()
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()


def _explained(died: _Died, n_bytes: int, seconds: float) -> WorkerFault:
    if died.reason == "memory":
        what = f"it takes more than {n_bytes >> 20:,} MB of memory to parse"
        return WorkerFault(
            what, Advice("if you trust it, say {limits}", limits=f"parser_bytes={n_bytes * 4}")
        )
    if died.reason == "time":
        what = f"takes more than {seconds:.0f} s to parse;"
        more = Advice("if you trust it, say {limits}", limits=f"parser_seconds={max(1, round(seconds)) * 10}")
        return WorkerFault(what, more, is_refusal=True)
    return WorkerFault(f"it crashes the library that reads it, {died.reason}")
