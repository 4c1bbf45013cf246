"""The Gaussian Transform on the grid of the paper's table of accelerations."""

from __future__ import annotations

import wasserstein_transform as wt

from .clouds import grid
from .timing import Row, median_seconds

_PAPER = 14.7  # seconds, the table's best row at its first iteration, on 48 cores


def run() -> list[Row]:
    process = wt.gaussian_transform(0.1, 1.0)
    start = wt.iterate(process, wt.Space.from_points(grid(200)), n_iter=0).last
    ours = median_seconds(lambda: process.at(0)(start), 5)
    work = "one GT iteration, 200×200 grid, ε=0.1, λ=1"
    return [Row(work, f"{ours:.2f} s", f"the paper's best row: {_PAPER} s on 48 cores", f"{_PAPER / ours:.0f}×")]
