"""Denoising against known truth: `python -m benchmarks curves`. The library's settings were chosen on other seeds."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree

import wasserstein_transform as wt

from .timing import Row

Distance = Callable[[np.ndarray], np.ndarray]
_SEEDS = (21, 22, 23)  # not used to choose settings


class Shape(NamedTuple):
    """How to draw points from a shape, and the distance to it."""

    draw: Callable[[int, np.random.Generator], np.ndarray]
    distance: Distance
    n: int
    noises: tuple[float, ...]
    dim: int


def run() -> list[Row]:
    print("\n| shape | noise | noise found | RMS before | RMS after | ratio | dim | steps | outcome of the first |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, shape in _shapes().items():
        for noise in shape.noises:
            print(_line(name, shape, noise, 0.0))
    for name in ("circle", "spiral", "sphere", "torus"):
        print(_line(name, _shapes()[name], _shapes()[name].noises[-2], 0.3))
    return list(_speed())


def _line(name: str, shape: Shape, noise: float, background: float) -> str:
    rows = [_measured(shape, noise, background, seed) for seed in _SEEDS]
    before, after, found = (np.mean([row[k] for row in rows]) for k in range(3))
    ratios = [row[1] / row[0] if row[0] > 0 else 1.0 for row in rows]
    dims = "/".join(str(row[3].dim) for row in rows)
    steps = "/".join(str(row[3].n_iter) for row in rows)
    what = f"{name}{f', {background:.0%} background' if background else ''}"
    shown = f"{np.mean(ratios):.2f} ({min(ratios):.2f}–{max(ratios):.2f})"
    outcome = rows[0][3].outcome.split(": ", 1)[-1].split(" (")[0][:70]
    return f"| {what} | {noise:g} | {found:.3g} | {before:.3g} | {after:.3g} | {shown} | {dims} | {steps} | {outcome} |"


def _measured(
    shape: Shape, noise: float, background: float, seed: int
) -> tuple[float, float, float, wt.curves.Denoised]:
    rng = np.random.default_rng(seed)
    clean = shape.draw(shape.n, rng)
    X = clean + rng.normal(scale=noise, size=clean.shape)
    if background:
        low, high = X.min(axis=0) - 0.2, X.max(axis=0) + 0.2
        X = np.concatenate([X, rng.uniform(low, high, (int(background / (1 - background) * len(X)), X.shape[1]))])
    found = wt.denoise(X)
    errors = [float(np.sqrt(np.mean(shape.distance(points[: len(clean)]) ** 2))) for points in (X, found.points)]
    return errors[0], errors[1], found.sigma, found


def _speed() -> Iterator[Row]:
    rng, n = np.random.default_rng(0), 118_000
    street, at = rng.integers(0, 80, n), 1e4 * rng.random(n)
    across = street // 2 * 256.0
    X = np.where((street % 2 == 0)[:, None], np.column_stack([at, across]), np.column_stack([across, at]))
    X = X + rng.normal(scale=8.0, size=X.shape)
    wt.denoise(X[:5000])  # compiled
    start = time.perf_counter()
    found = wt.denoise(X)
    middle = time.perf_counter()
    lines = wt.skeleton(found)
    stop = time.perf_counter()
    yield Row(f"denoise, {n:,} fixes", f"{middle - start:.1f} s", "", "")
    yield Row(f"skeleton of these, {lines.length / 1e3:.0f} km of 800", f"{stop - middle:.1f} s", "", "")


def _shapes() -> dict[str, Shape]:
    arm, torus = _spiral(np.linspace(0, 1, 200_000)), (1.0, 0.4)
    return {
        "circle": Shape(
            lambda n, rng: _circle(rng.random(n)), lambda x: np.abs(np.hypot(*x.T) - 1), 500,
            (0, 1e-4, 0.02, 0.1, 0.2), 1,
        ),
        "two circles": Shape(
            lambda n, rng: rng.choice([1.0, 1.8], (n, 1)) * _circle(rng.random(n)),
            lambda x: np.abs(np.hypot(*x.T)[:, None] - [1.0, 1.8]).min(axis=1), 500, (0, 0.05, 0.1), 1,
        ),
        "spiral": Shape(
            lambda n, rng: _evenly(arm, rng.random(n)), _to(arm), 1200, (0, 0.003, 0.01, 0.02, 0.04), 1
        ),
        "helix": Shape(
            lambda n, rng: _helix(6 * np.pi * rng.random(n)), _to(_helix(np.linspace(0, 6 * np.pi, 100_000))), 1000,
            (0, 0.02, 0.05, 0.1), 1,
        ),
        "sphere": Shape(_sphere, lambda x: np.abs(np.linalg.norm(x, axis=1) - 1), 2000, (0, 0.01, 0.05, 0.1), 2),
        "torus": Shape(
            lambda n, rng: _torus(rng.random((2, n)) * 2 * np.pi, *torus),
            lambda x: np.abs(np.hypot(np.hypot(x[:, 0], x[:, 1]) - 1, x[:, 2]) - torus[1]), 3000,
            (0, 0.01, 0.03, 0.06), 2,
        ),
        "swiss roll": Shape(
            lambda n, rng: np.column_stack([_evenly(_roll(), rng.random(n)), 2.1 * rng.random(n)]), _to_roll, 3000,
            (0, 0.01, 0.05), 2,
        ),
        "saddle": Shape(
            lambda n, rng: _saddle(rng.uniform(-1, 1, (n, 2))), _to(_saddle(_grid())), 2000, (0, 0.01, 0.05, 0.1), 2
        ),
    }  # fmt: skip


def _to(fine: np.ndarray) -> Distance:
    tree = cKDTree(fine)
    return lambda x: tree.query(x)[0]


def _to_roll(x: np.ndarray) -> np.ndarray:
    beyond = np.maximum(0.0, np.maximum(-x[:, 2], x[:, 2] - 2.1))
    return np.hypot(cKDTree(_roll()).query(x[:, :2])[0], beyond)


def _evenly(line: np.ndarray, shares: np.ndarray) -> np.ndarray:
    lengths = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=1)))
    return np.column_stack([np.interp(shares * lengths[-1], lengths, column) for column in line.T])


def _circle(shares: np.ndarray) -> np.ndarray:
    return np.column_stack([np.cos(2 * np.pi * shares), np.sin(2 * np.pi * shares)])


def _spiral(t: np.ndarray) -> np.ndarray:
    return t[:, None] * _circle(3 * t)


def _helix(turn: np.ndarray) -> np.ndarray:
    return np.column_stack([np.cos(turn), np.sin(turn), turn / 6])


def _sphere(n: int, rng: np.random.Generator) -> np.ndarray:
    points = rng.normal(size=(n, 3))
    return points / np.linalg.norm(points, axis=1, keepdims=True)


def _torus(turns: np.ndarray, large: float, small: float) -> np.ndarray:
    ring = large + small * np.cos(turns[1])
    return np.column_stack([ring * np.cos(turns[0]), ring * np.sin(turns[0]), small * np.sin(turns[1])])


def _roll() -> np.ndarray:
    turn = np.linspace(1.5 * np.pi, 4.5 * np.pi, 20_000)
    return turn[:, None] * np.column_stack([np.cos(turn), np.sin(turn)]) / 10


def _grid() -> np.ndarray:
    side = np.linspace(-1, 1, 700)
    return np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)


def _saddle(flat: np.ndarray) -> np.ndarray:
    return np.column_stack([flat, flat[:, 0] ** 2 - flat[:, 1] ** 2])
