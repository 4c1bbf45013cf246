"""The CUDA sources: files in `source`, with includes expanded."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "source"
OPTIONS = ("--std=c++17", "--fmad=false")
"""Of NVIDIA's compilers. Sums and products are rounded one by one, as on the CPU; together where sources say fma."""
_INCLUDE = re.compile(r'^#include "([\w./]+)"\n', re.MULTILINE)


@cache
def source_of(file: str) -> str:
    """The text of a file, with included files inserted once."""
    seen = set[str]()

    def text(name: str) -> str:
        if name in seen:
            return ""
        seen.add(name)
        return _INCLUDE.sub(lambda found: text(found[1]), (FOLDER / name).read_text(encoding="utf-8"))

    return text(file)


def files() -> list[str]:
    """All files with kernels."""
    return sorted(path.name for path in FOLDER.glob("*.cu"))
