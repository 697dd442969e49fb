"""What this machine has, and how much of it this process has taken."""

import os
import sys
from pathlib import Path


def peak_bytes() -> int:
    """Return the largest resident memory of this process so far.

    Linux carries ``ru_maxrss`` over from the process that started this one, so its own high-water mark is read first.
    """
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text(encoding="utf-8").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def processors() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
