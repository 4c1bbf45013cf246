"""Memory: how much is free."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from .. import _check as check

_SIZE = re.compile(r"\s*(\d+\.?\d*)\s*([KMGT]?)(i?)B?\s*", re.IGNORECASE)
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


def in_bytes(size: Any) -> float:
    """Return a limit in bytes, given as a number, or as a text such as 4GB and 500MiB."""
    match = _SIZE.fullmatch(size) if isinstance(size, str) else None
    if match is not None:
        unit: int = (1024 if match[3] else 1000) ** " KMGT".index(match[2].upper() or " ")
        return float(match[1]) * unit
    number = check.number(size)
    if not number >= 0:
        name = check.option_text("memory")
        raise ValueError(f"{name} must be a number of bytes, such as 4GB or 500MiB, got {check.shown(size)}")
    return number


def in_words(n_bytes: float) -> str:
    """Format a number of bytes: 1536 → '1.5 KiB'."""
    power = 0
    while n_bytes >= 1024 and power < len(_UNITS) - 1:
        n_bytes /= 1024
        power += 1
    return f"{n_bytes:.1f} {_UNITS[power]}" if power else f"{n_bytes:.0f} bytes"
