"""Memory: how much is free."""

from __future__ import annotations

import os
from pathlib import Path

_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")


def available() -> float:
    """Return the free bytes of the machine or of the container, whichever is less; infinity if unknown."""
    return min(_from_meminfo(), _from_cgroup())


def _from_meminfo() -> float:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return 1024.0 * float(line.split()[1])
    except (OSError, ValueError):  # not Linux
        pass
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (OSError, ValueError, AttributeError):  # not Unix
        return float("inf")


def _from_cgroup() -> float:
    root = Path("/sys/fs/cgroup")
    try:
        limit = float((root / "memory.max").read_text())
        used = float((root / "memory.current").read_text())
        stat = dict(line.split() for line in (root / "memory.stat").read_text().splitlines())
        return limit - used + float(stat.get("inactive_file", 0))  # the page cache can be reclaimed
    except (OSError, ValueError):  # "max": no limit
        return float("inf")


def in_words(n_bytes: float) -> str:
    """Format a number of bytes: 1536 → '1.5 KiB'."""
    power = 0
    while n_bytes >= 1024 and power < len(_UNITS) - 1:
        n_bytes /= 1024
        power += 1
    return f"{n_bytes:.1f} {_UNITS[power]}" if power else f"{n_bytes:.0f} bytes"
