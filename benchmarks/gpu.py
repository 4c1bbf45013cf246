"""The same work on a GPU and on all cores of this machine: `python -m benchmarks gpu`, or `gpu=grid,exact` for some.

The time includes the copy of the results to the host unless the row says that they stay on the device. The results
of both are compared as well.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import wasserstein_transform as wt

from .clouds import circles, spiral
from .shift import blobs
from .timing import Row, median_seconds

_WORKS: dict[str, Callable[[], Iterator[Row]]] = {}


def run(names: str = "") -> list[Row]:
    rows = []
    for name in names.split(",") if names else _WORKS:
        for row in _WORKS[name]():
            print(" | ".join(row), file=sys.stderr, flush=True)
            rows.append(row)
    return rows


def _work(function: Callable[[], Iterator[Row]]) -> Callable[[], Iterator[Row]]:
    _WORKS[function.__name__.strip("_")] = function
    return function


def _row(work: str, gpu: Callable[[], Any], cpu: Callable[[], Any] | None, apart: str = "", repeat: int = 9) -> Row:
    with wt.using(device="cuda"):
        ours = median_seconds(lambda: _waited(gpu()), repeat)
    if cpu is None:
        return Row(work, _seconds(ours), apart, "")
    here = median_seconds(cpu, 1 if repeat < 5 else 3)
    return Row(work, _seconds(ours), f"CPU {_seconds(here)}{apart and '; ' + apart}", f"{here / ours:.1f}×")


def _waited(found: Any) -> Any:
    import cupy  # noqa: PLC0415  # only here, and only for this benchmark

    cupy.cuda.get_current_stream().synchronize()
    return found


def _seconds(seconds: float) -> str:
    return f"{1e3 * seconds:.2f} ms" if seconds < 1 else f"{seconds:.2f} s"


def _apart(one: Any, other: Any) -> str:
    one, other = np.asarray(one, np.float64), np.asarray(other, np.float64)
    return f"largest difference {np.abs(one - other).max() / np.abs(other).max():.0e} of the largest"


@_work
def _grid() -> Iterator[Row]:
    import cupy  # noqa: PLC0415

    process, X = wt.transforms.gaussian_transform(0.1, 1.0), wt.datasets.grid(200).points
    start = wt.iterate(process, wt.Space.from_points(X), n_iter=0).last
    with wt.using(device="cuda"):
        there = wt.iterate(process, wt.Space.from_points(cupy.asarray(X)), n_iter=0).last
        moved = process.at(0)(there).points
    apart = _apart(moved, process.at(0)(start).points)
    name = "a GT iteration of the 200×200 grid, ε = 0.1, on the device"
    yield _row(name, lambda: process.at(0)(there), lambda: process.at(0)(start), apart)
    out = cupy.empty((there.n, there.n), cupy.float32)
    with wt.using(device="cuda"):
        there.metric.dense(out=out)
    apart = _apart(cupy.asnumpy(out[::97]), start.metric.block(np.arange(0, start.n, 97), np.arange(start.n)))
    name = f"all {start.n:,}² GT distances, stored as float32, left on the device"
    yield _row(name, lambda: there.metric.dense(out=out), lambda: start.metric.dense(dtype=np.float32), apart)
    single = wt.Engine(device="cuda", precision="float32")
    there.metric.dense(single, out=out)
    apart = _apart(cupy.asnumpy(out[::97]), start.metric.block(np.arange(0, start.n, 97), np.arange(start.n)))
    yield _row("the same in float32 arithmetic", lambda: there.metric.dense(single, out=out), None, apart)


@_work
def _steps() -> Iterator[Row]:
    for n, m in ((100_000, 2), (1_000_000, 2), (1_000_000, 3), (10_000_000, 2)):
        X = np.random.default_rng(0).random((n, m))
        eps = float((100 / n / (np.pi, 4 * np.pi / 3)[m - 2]) ** (1 / m))
        process = wt.transforms.gaussian_transform(eps, 1.0)
        start = wt.iterate(process, wt.Space.from_points(X), n_iter=0).last
        means, covs = start.metric.means, start.metric.covs  # type: ignore[attr-defined]

        def step(means: Any = means, covs: Any = covs, weights: Any = start.weights, process: Any = process) -> Any:
            metric = wt.spaces.GaussianMetric(means, covs, 1.0)
            moved = process.at(0)(wt.Space(metric, weights, means))
            return moved.points, moved.metric.covs

        with wt.using(device="cuda"):
            found = step()
        apart = "" if n > 1_000_000 else _apart(found[1], step()[1])
        repeat = 3 if n > 1_000_000 else 7
        yield _row(f"a GT step of {n:,} points in R^{m}, ≈ 100 neighbors", step, step, apart, repeat)


@_work
def _shift() -> Iterator[Row]:
    for n in (2_000, 100_000):
        X = blobs(n)
        fit = lambda X=X: wt.MeanShift(eps=2.0).fit(X)  # noqa: E731
        with wt.using(device="cuda"):
            labels = fit().labels_
        apart = f"{np.count_nonzero(labels != fit().labels_)} labels differ"
        yield _row(f"mean shift of {n:,} points to rest", fit, fit, apart)


@_work
def _exact() -> Iterator[Row]:
    for name, points, eps in (
        ("spiral", spiral(), 4.0),
        ("circles", circles(), 0.7),
        ("circles", circles(1415), 0.307),
    ):
        space = wt.Space.from_points(points)
        measures = wt.Truncation(eps)(space)
        size, n_pairs = np.diff(measures.indptr).mean(), measures.n * (measures.n - 1) // 2
        for p in (1, 2):
            solve = lambda p=p, m=measures, s=space: wt.Exact(p).metric(m, s.metric, wt.engine.current())  # noqa: E731
            with wt.using(device="cuda"):
                found = solve()
            apart = _apart(found.dense(), solve().dense())
            work = f"exact W{p}, {name}: {n_pairs:,} pairs, ≈ {size:.0f} points each"
            yield _row(work, solve, solve, f"{apart}; {getattr(found, 'report', '')}", 5)


@_work
def _graphs() -> Iterator[Row]:
    X = np.random.default_rng(0).random((1_000_000, 3))
    for n, name, work in (
        (1_000_000, "the 10 nearest neighbors", lambda metric: metric.neighbors(10)[0]),
        (
            200_000,
            "the spanning tree",
            lambda metric: wt.hierarchy.spanning_tree(wt.Space.from_points(metric.points)).heights,
        ),
    ):
        metric = wt.spaces.Euclidean(X[:n])
        with wt.using(device="cuda"):
            found = work(metric)
        ask = lambda metric=metric, work=work: work(metric)  # noqa: E731
        yield _row(f"{name} of {n:,} points in R^3", ask, ask, _apart(found, work(metric)), 3)


@_work
def _bures() -> Iterator[Row]:
    for m in (2, 3, 10, 50):
        factors = np.random.default_rng(m).normal(size=(1000, m, 2 * m))
        covs = factors @ factors.transpose(0, 2, 1) / (2 * m)
        pairs = lambda covs=covs: wt.bures_pairs(covs)  # noqa: E731
        with wt.using(device="cuda"):
            found = pairs()
        work = f"pairwise Bures, 1,000 matrices, m = {m}, 499,500 pairs"
        yield _row(work, pairs, pairs, _apart(found, pairs()), 5 if m < 50 else 3)


@_work
def _pixels() -> Iterator[Row]:
    for height, width, channels in ((256, 256, 1), (3000, 4000, 1), (3000, 4000, 3)):
        image = _photo(height, width, channels)
        segment = lambda image=image: wt.image.segment_by_radii(image, 8, 8).labels  # noqa: E731
        with wt.using(device="cuda"):
            found = segment()
        apart = f"{np.count_nonzero(found != segment())} labels differ"
        what = "gray" if channels == 1 else "color"
        yield _row(f"segmentation of {height} × {width} {what} pixels, 8/8", segment, segment, apart, 3)


def _photo(height: int, width: int, channels: int) -> np.ndarray:
    """An image of smoothly shaded shapes with sharp edges and some noise."""
    y, x = np.mgrid[:height, :width] / 100.0
    layers = [
        120 + 60 * np.sin(x + np.sin(y + k)) + 50 * (np.cos(2 * y - k) > 0.3)
        + np.random.default_rng(k).normal(0, 3, x.shape) for k in range(channels)
    ]  # fmt: skip
    image = np.clip(np.stack(layers, axis=-1), 0, 255).astype(np.uint8)
    return image[..., 0] if channels == 1 else image
