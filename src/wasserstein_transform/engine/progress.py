"""Progress of long work, shown only when asked."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TextIO, TypeAlias

Progress: TypeAlias = Callable[[str, int, int], None]
"""Called with a label, the tiles done and the tiles in all."""


def bar(stream: TextIO | None = None, width: int = 30, delay: float = 0.2) -> Progress:
    """A one-line bar on `stream` (standard error), redrawn at most every `delay` seconds.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> engine = wt.Engine(progress=wt.bar())
    """
    last, shown = 0.0, ("", -1)

    def show(label: str, done: int, total: int) -> None:
        nonlocal last, shown
        now, what = time.monotonic(), (label, 100 * done // max(total, 1))
        if done < total and (now - last < delay or what == shown):
            return
        last, shown = now, what
        filled = width * done // max(total, 1)
        out = stream if stream is not None else sys.stderr
        out.write(f"\r{label:<28.28} [{'#' * filled}{'.' * (width - filled)}] {100 * done // max(total, 1):3d} %")
        if done >= total:
            out.write("\n")
        out.flush()

    return show
