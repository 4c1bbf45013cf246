"""The Gaussian Transform on the grid of the paper's table of accelerations, row by row."""

from __future__ import annotations

import numpy as np

import wasserstein_transform as wt
from wt_paper.experiments.methods import PAPER_FULL, V4, VARIANTS, Variant, accelerated, time_steps

from .timing import Row, median_seconds

_EPS, _LAM, _STEPS = 0.1, 1.0, 5
_MERGE = 0.01  # of ε


def run() -> list[Row]:
    space = wt.Space.from_points(wt.datasets.grid(200).points)
    return [_step(space), _matrix(space), _stored(), *(_accelerated(variant, space) for variant in VARIANTS)]


def _step(space: wt.Space) -> Row:
    process = wt.transforms.gaussian_transform(_EPS, _LAM)
    start = wt.iterate(process, space, n_iter=0).last
    ours = median_seconds(lambda: process.at(0)(start), 9)
    best = V4.paper[0]
    work = f"one GT iteration (both passes), 200×200 grid, ε={_EPS}, λ={_LAM:g}"
    return Row(work, f"{ours:.2f} s", f"the paper's best row: {best} s on 48 cores", f"{best / ours:.0f}×")


def _matrix(space: wt.Space) -> Row:
    metric = wt.iterate(wt.transforms.gaussian_transform(_EPS, _LAM), space, n_iter=0).last.metric
    ours = median_seconds(lambda: metric.dense(dtype=np.float32), 3)
    work = f"all {metric.n:,}² GT distances, float32"
    return Row(work, f"{ours:.1f} s", f"the paper: {PAPER_FULL} s on 48 cores", f"{PAPER_FULL / ours:.0f}×")


def _stored() -> Row:
    """Time of a step with the full distance matrix, on a grid where it fits into memory."""
    space = wt.Space.from_points(wt.datasets.grid(100).points)
    lazy, stored = (accelerated(_EPS, _LAM, transport=t).at(0) for t in (wt.Bures(), wt.transport.Stored(wt.Bures())))
    start = wt.iterate(wt.transforms.gaussian_transform(_EPS, _LAM), space, n_iter=0).last
    ours, full = (median_seconds(lambda step=step: step(start), 3) for step in (lazy, stored))
    work = "the same on a 100×100 grid"
    return Row(work, f"{ours:.3f} s", f"with the full matrix stored: {full:.2f} s", f"{full / ours:.0f}×")


def _accelerated(variant: Variant, space: wt.Space) -> Row:
    merge = _MERGE if variant.merges else None
    times, _ = time_steps(accelerated(_EPS, _LAM, variant.once), space, _STEPS, merge, 3, wt.Engine())
    return Row(
        f"{variant.about} ({variant.name}), iterations 1 to {_STEPS}",
        " / ".join(f"{t:.2f}" for t in times) + " s",
        "the paper: " + " / ".join(f"{t:g}" for t in variant.paper) + " s on 48 cores",
        f"{sum(variant.paper) / sum(times):.0f}×",
    )
