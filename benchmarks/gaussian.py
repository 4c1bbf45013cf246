"""The Gaussian Transform on the grid of the paper's table of accelerations, row by row."""

from __future__ import annotations

import time

import numpy as np

import wasserstein_transform as wt

from .timing import Row, median_seconds

_EPS, _LAM, _STEPS = 0.1, 1.0, 5
_MERGE = 0.01  # of ε
_PAPER = {  # seconds of iterations 1 to 5 on 48 cores
    "neighbourhood mechanism (v1)": (20.2, 11.3, 9.0, 7.1, 6.7),
    "each pair once (v2)": (14.8, 10.0, 7.4, 6.2, 6.3),
    "v1, merging collocated points (v3)": (20.9, 9.4, 5.3, 2.8, 1.5),
    "v2, merging collocated points (v4)": (14.7, 8.2, 4.1, 2.6, 1.4),
}
_FULL = 48.7  # seconds, full matrix


def run() -> list[Row]:
    space = wt.Space.from_points(wt.grid(200).points)
    return [_step(space), _matrix(space), _stored(), *_accelerations(space)]


def _step(space: wt.Space) -> Row:
    process = wt.gaussian_transform(_EPS, _LAM)
    start = wt.iterate(process, space, n_iter=0).last
    ours = median_seconds(lambda: process.at(0)(start), 9)
    best = _PAPER["v2, merging collocated points (v4)"][0]
    work = f"one GT iteration (both passes), 200×200 grid, ε={_EPS}, λ={_LAM:g}"
    return Row(work, f"{ours:.2f} s", f"the paper's best row: {best} s on 48 cores", f"{best / ours:.0f}×")


def _matrix(space: wt.Space) -> Row:
    metric = wt.iterate(wt.gaussian_transform(_EPS, _LAM), space, n_iter=0).last.metric
    ours = median_seconds(lambda: metric.dense(dtype=np.float32), 3)
    work = f"all {metric.n:,}² GT distances, float32"
    return Row(work, f"{ours:.1f} s", f"the paper: {_FULL} s on 48 cores", f"{_FULL / ours:.0f}×")


def _stored() -> Row:
    """What the full matrix costs a step, on a grid where it fits."""
    space = wt.Space.from_points(wt.grid(100).points)
    lazy = wt.Transform(wt.Gaussian(wt.Truncation(_EPS), _LAM, move=True), wt.Bures())
    stored = wt.Transform(lazy.localize, wt.Stored(wt.Bures()))
    start = wt.iterate(wt.gaussian_transform(_EPS, _LAM), space, n_iter=0).last
    ours, full = (median_seconds(lambda step=step: step(start), 3) for step in (lazy, stored))
    work = "the same on a 100×100 grid"
    return Row(work, f"{ours:.3f} s", f"with the full matrix stored: {full:.2f} s", f"{full / ours:.0f}×")


def _accelerations(space: wt.Space) -> list[Row]:
    plain, once = wt.Truncation(_EPS), wt.Once(wt.Truncation(_EPS))
    parts = zip(_PAPER, ((plain, None), (once, None), (plain, _MERGE), (once, _MERGE)), strict=True)
    return [_accelerated(name, base, merge, space) for name, (base, merge) in parts]


def _accelerated(name: str, base: wt.Localization, merge: float | None, space: wt.Space) -> Row:
    process = wt.Process(
        wt.Transform(wt.Gaussian(wt.Truncation(_EPS), _LAM), wt.Bures()),
        wt.Transform(wt.Gaussian(base, _LAM, move=True), wt.Bures()),
    )
    runs = [_seconds_per_step(process, merge, space) for _ in range(3)]
    times = np.median(runs, axis=0)
    return Row(
        f"{name}, iterations 1 to {_STEPS}",
        " / ".join(f"{t:.2f}" for t in times) + " s",
        "the paper: " + " / ".join(f"{t:g}" for t in _PAPER[name]) + " s on 48 cores",
        f"{sum(_PAPER[name]) / times.sum():.0f}×",
    )


def _seconds_per_step(process: wt.Process, merge: float | None, space: wt.Space) -> list[float]:
    """Differences of the times of runs of 0, 1, 2 … iterations would add their noise: time each state's own step."""
    walk = wt.iterate(process, space, n_iter=_STEPS, merge=merge, keep="all")
    times = []
    for state in walk.quotients[:-1]:
        start = time.perf_counter()
        wt.iterate(process.at(0), state.space, n_iter=1, merge=merge)
        times.append(time.perf_counter() - start)
    return times
