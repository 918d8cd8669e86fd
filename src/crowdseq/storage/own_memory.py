"""What this process has of the memory for itself, and how it gives back what it does not need."""

import ctypes
import sys
from contextlib import suppress
from functools import cache
from typing import Any

_STATUS = "/proc/self/status"


def own_megabytes() -> float:
    """Without what it shares or could read again from a file; 0 where the system does not tell."""
    try:
        with open(_STATUS) as lines:
            for line in lines:
                if line.startswith("RssAnon:"):
                    return int(line.split()[1]) / 1000
    except OSError:
        pass
    return 0.0


def give_back() -> None:
    """Return to the system what was freed; the C library would keep it, to have it at hand."""
    trim = _trim()
    if trim is not None:
        trim(0)


@cache
def _trim() -> Any:
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            return ctypes.CDLL(None).malloc_trim
    return None
