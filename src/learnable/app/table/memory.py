"""How much memory a run may use."""

import os
from contextlib import suppress
from pathlib import Path

_MEMINFO = Path("/proc/meminfo")
_CONTROL_GROUP = Path("/sys/fs/cgroup/memory.max")


def memory_left() -> int:
    """Bytes that this process may still take: the least of what the machine, its limits and its container allow.

    >>> memory_left() > 0
    True
    """
    found = [_available()]
    with suppress(OSError, ValueError):  # "max" where there is no limit
        found.append(int(_CONTROL_GROUP.read_text()))
    with suppress(ImportError, OSError):
        import resource

        for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA):
            limit = resource.getrlimit(kind)[0]
            if limit != resource.RLIM_INFINITY:
                found.append(limit)
    return min(found)


def _available() -> int:
    with suppress(OSError, ValueError):
        for line in _MEMINFO.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    if hasattr(os, "sysconf"):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return 4 * 2**30
