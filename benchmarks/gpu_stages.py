"""Times of the stages of a step on a GPU, from GPU events: `python -m benchmarks gpu_stages=1e6,2,100`.

The values are the numbers of points, coordinates and neighbors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import wasserstein_transform as wt
from wasserstein_transform.cuda import device_of
from wasserstein_transform.cuda.balls import leaders
from wasserstein_transform.cuda.cells import bounds, cells_of, places_of
from wasserstein_transform.cuda.distances import movement
from wasserstein_transform.cuda.neighborhoods import neighborhoods
from wasserstein_transform.spaces import GaussianMetric

from .timing import Row


def run(sizes: str = "1e6,2,100") -> list[Row]:
    n, m, n_neighbors = (int(float(size)) for size in sizes.split(","))
    engine = wt.Engine(device="cuda")
    device, rng = device_of(engine).device, np.random.default_rng(0)
    eps = float((n_neighbors / n / (2, np.pi, 4 * np.pi / 3)[m - 1]) ** (1 / m))
    spread = np.eye(m) * (eps / 3) ** 2 * rng.uniform(0.5, 1, (n, 1, 1))
    points, covs, weights = (
        device.wrap(device.put(array)) for array in (rng.random((n, m)), spread, np.full(n, 1 / n))
    )
    rows = []
    for kind, make in (
        ("points", lambda: wt.Euclidean(points)),
        ("Gaussians", lambda: GaussianMetric(points, covs, 1.0)),
    ):
        metric: Any = make()
        seen = neighborhoods(metric, weights, 0, eps, eps, engine, device=device)
        stages: dict[str, Callable[[], Any]] = {
            "bounds": lambda metric=metric: bounds(places_of(metric, device), device),
            "cells": lambda metric=metric: cells_of(metric, eps, device),
            "cells and sorted copies": lambda make=make: neighborhoods(
                make(), weights, 0, eps, eps, engine, device=device
            ),
            "means": lambda seen=seen: seen.means(points),
            "covariances": lambda seen=seen: seen.covs(points),
            "movement": lambda metric=metric, make=make: movement(metric, make(), engine, device=device),
            "merging": lambda metric=metric: leaders(metric, weights, eps / 1000, engine, device=device),
        }
        for stage, work in stages.items():
            name = f"{stage} of {n:,} {kind} in R^{m}, about {n_neighbors} neighbors"
            rows.append(Row(name, f"{_milliseconds(work):.3f} ms", "", ""))
    for what, work in {
        "fetching": lambda: [device.fetch(part.array) for part in (points, covs)],
        "sending": lambda: [device.put(part) for part in (points.host, covs.host)],
    }.items():
        rows.append(Row(f"{what} means and covariances", f"{_milliseconds(work):.3f} ms", "", ""))
    return rows


def _milliseconds(work: Callable[[], Any], repeat: int = 5) -> float:
    import cupy  # noqa: PLC0415  # only here, and only for this benchmark

    work()
    times = []
    for _ in range(repeat):
        start, end = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        work()
        end.record()
        end.synchronize()
        times.append(cupy.cuda.get_elapsed_time(start, end))
    return float(min(times))
