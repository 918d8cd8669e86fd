"""The worker's side: waits for files to parse, sets its own limits, sends plain values or one line of fault.

Runs as a process of its own (see `worker.py`). Whatever it is sent is parsed by one of a few functions that
are named here; nothing that it is sent can name another.
"""

import os
import sys
import time
from importlib import import_module
from types import ModuleType
from typing import Any

from crowdseq.formats.foreign.frames import receive, send

# Task to the module that does it, below `crowdseq.formats.foreign`. Each has `prepare`, which imports what it
# needs before limits are set, and `parse`, which gives plain values one after the other.
TASKS = ("arrow_rows", "docbin_documents", "sheet_rows", "cas_spans", "pattern_cuts")
_ANY_SIZE = 1 << 62


class Fault(Exception):
    """What is wrong with a file, in a few words."""


class Refusal(Fault):
    """Why a file that may be sound is refused, in a whole sentence."""


def main() -> None:
    """Do what is asked until nobody asks any more."""
    # Libraries may print; what they say must not come between messages.
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    while True:
        try:
            request = receive(sys.stdin.buffer, _ANY_SIZE)
        except EOFError:
            return
        task, settings, parts = request
        for answer in _answers(str(task), settings, parts):
            send(out, answer)
        out.flush()


def _answers(task: str, settings: dict[str, Any], parts: list[bytes]) -> Any:
    """["value", …] for each, then ["end"]; or ["fault", text], ["refused", text], ["memory"], ["missing"]."""
    limits = settings.pop("limits")
    try:
        if task not in TASKS:
            raise Fault(f"there is no task {task}")
        module = import_module(f"crowdseq.formats.foreign.{task}")
        module.prepare()
        _limit(*limits)
        for value in module.parse(parts, **settings):
            yield ["value", value]
        yield ["end"]
    except ImportError:
        yield ["missing"]
    except MemoryError:
        yield ["memory"]
    except Refusal as refusal:
        yield ["refused", str(refusal)]
    except Fault as fault:
        yield ["fault", str(fault)]
    except RecursionError:
        yield ["fault", "it is nested too deep"]
    # Not narrower: on damaged bytes the libraries raise what they like (KeyError, AttributeError, their own
    # kinds, some without a common root), and a new version may raise another.
    except Exception as error:
        if "memory" in type(error).__name__.lower():
            yield ["memory"]
        else:
            yield ["fault", " ".join(f"{type(error).__name__}: {error}".split())[:300]]


def _limit(n_bytes: int, seconds: float) -> None:
    """So much more memory and time than now, where the system knows limits."""
    try:
        import resource
    except ImportError:
        return
    used = _data_bytes()
    if used:
        _set(resource, "RLIMIT_DATA", used + n_bytes)
    _set(resource, "RLIMIT_CPU", int(time.process_time() + seconds) + 1)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _set(resource: ModuleType, name: str, value: int) -> None:
    number = getattr(resource, name)
    hard = resource.getrlimit(number)[1]
    soft = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(number, (soft, hard))


def _data_bytes() -> int:
    """What this process holds already, as the limit counts it; 0 where nobody tells."""
    try:
        with open("/proc/self/status", encoding="ascii", errors="replace") as status:
            found = next(line for line in status if line.startswith("VmData:"))
        return int(found.split()[1]) << 10
    except (OSError, StopIteration, ValueError, IndexError):
        return 0
