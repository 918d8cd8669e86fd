"""How much memory this process has held at most."""

import resource
import sys
from pathlib import Path

_STATUS = Path("/proc/self/status")


def peak_megabytes() -> float:
    """The high-water mark of this program; what getrusage tells includes the process it was started from."""
    if not _STATUS.exists():
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak / (1024 * 1024 if sys.platform == "darwin" else 1024)
    line = next(line for line in _STATUS.read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024
