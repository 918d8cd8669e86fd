"""The command line as a door to knock at thousands of times: each knock is a process of its own, measured.

A server without threads imports everything once and is forked for each command, so that a command costs some
milliseconds, may crash or fill its memory, and harms nobody.
"""

import json
import os
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

_PRELOADED = (
    "crowdseq.cli.check",
    "crowdseq.cli.convert",
    "crowdseq.cli.evaluate",
    "crowdseq.cli.agree",
    "crowdseq.formats.reading",
    "crowdseq.formats.spans.documents",
    "crowdseq.formats.spans.overlaps",
    "crowdseq.reports.descriptions",
    "crowdseq.reports.runs",
    "crowdseq.workflows.describing",
    "crowdseq.workflows.converting",
)
_MOST_SECONDS = 7  # of CPU
_MOST_MEMORY = 8 << 30  # beyond it the machine of a tester is protected, and the test has failed long before


class Outcome(NamedTuple):
    """How a command ended: its code, minus the signal if one killed it; what it said; what it took.

    seconds: of CPU, with those of processes that it started. megabytes: of the largest of them.
    """

    code: int
    out: str
    err: str
    seconds: float
    megabytes: float

    @property
    def has_traceback(self) -> bool:
        return "Traceback (most recent call last)" in self.err


class Door:
    """Runs commands in a folder; to be used as a context."""

    def __init__(
        self,
        folder: Path,
        *,
        most_seconds: float = 120.0,
        most_cpu: int = _MOST_SECONDS,
        preloaded: Sequence[str] = _PRELOADED,
    ) -> None:
        settings = json.dumps([most_seconds, most_cpu, *preloaded])
        command = [sys.executable, str(Path(__file__)), settings]
        self._server = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def knock(self, *arguments: str, folder: Path | None = None, stdin: str = "") -> Outcome:
        """`knock("check", "file")` runs `crowdseq check file`, in the folder of the door or in another."""
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        where = None if folder is None else str(folder)
        self._server.stdin.write(json.dumps([where, stdin, *arguments]) + "\n")
        self._server.stdin.flush()
        return Outcome(**json.loads(self._server.stdout.readline()))

    def __enter__(self) -> "Door":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.close()
        self._server.wait(30)
        self._server.stdout.close()


def serve(most_seconds: float, most_cpu: int, preloaded: Sequence[str]) -> None:
    from importlib import import_module

    for name in preloaded:
        import_module(name)
    for line in sys.stdin:
        folder, given, *arguments = json.loads(line)
        answer = _run(arguments, folder or os.curdir, given.encode(), most_seconds, most_cpu)
        print(json.dumps(answer), flush=True)


def _run(
    arguments: Sequence[str], folder: str, given: bytes, most_seconds: float, most_cpu: int
) -> dict[str, Any]:
    with (
        tempfile.TemporaryFile() as into,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
    ):
        into.write(given)
        into.seek(0)
        child = os.fork()
        if child == 0:
            _command(arguments, folder, (into.fileno(), out.fileno(), err.fileno()), most_cpu)
        watch = os.pidfd_open(child)
        end = time.monotonic() + most_seconds
        while time.monotonic() < end and not select.select([watch], [], [], end - time.monotonic())[0]:
            pass
        if not select.select([watch], [], [], 0)[0]:
            os.kill(child, signal.SIGKILL)
        os.close(watch)
        _, status, used = os.wait4(child, 0)
        said = [_text(file.fileno()) for file in (out, err)]
    return {
        "code": os.waitstatus_to_exitcode(status),
        "out": said[0],
        "err": said[1],
        "seconds": used.ru_utime + used.ru_stime,
        "megabytes": used.ru_maxrss / 1024,
    }


def _command(arguments: Sequence[str], folder: str, streams: Sequence[int], most_cpu: int) -> None:
    code = 70
    try:
        resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (most_cpu, most_cpu))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.chdir(folder)
        for place, stream in enumerate(streams):
            os.dup2(stream, place)
        sys.argv = ["crowdseq", *arguments]
        from crowdseq.cli.main import main

        main()
        code = 0
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else 0 if leaving.code is None else 1
    except BaseException:
        import traceback

        traceback.print_exc()
        code = 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _text(number: int) -> str:
    os.lseek(number, 0, os.SEEK_SET)
    return os.read(number, 1 << 20).decode("utf-8", "replace")


if __name__ == "__main__":
    longest, most, *names = json.loads(sys.argv[1])
    serve(longest, most, names)
