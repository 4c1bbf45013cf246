"""Timing: after a warm-up, the median of several runs."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import NamedTuple


class Row(NamedTuple):
    """One line of the table."""

    work: str
    ours: str
    peer: str
    ratio: str


def median_seconds(work: Callable[[], object], repeat: int = 5) -> float:
    """Median time of `repeat` runs, after a warm-up run."""
    work()
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def table(rows: list[Row]) -> str:
    """The rows as Markdown."""
    head = Row("work", "here", "peer", "ratio")
    lines = [f"| {' | '.join(row)} |" for row in (head, Row("---", "---", "---", "---"), *rows)]
    return "\n".join(lines)
