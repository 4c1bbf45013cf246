"""Spanning trees and nearest neighbors under the GT distance, against all pairs."""

from __future__ import annotations

import numpy as np
from scipy.sparse.csgraph import minimum_spanning_tree
from sklearn.neighbors import NearestNeighbors

import wasserstein_transform as wt

from .timing import Row, median_seconds

_MANY = 50_000
_WHERE = {2: "the plane", 3: "space"}


def run() -> list[Row]:
    times = {n: _tree(n) for n in (_MANY, 200_000)}
    growth = times[200_000] / times[_MANY]
    return [
        _against_matrix(4_000),
        _against_matrix(8_000),
        Row(f"the same, {_MANY:,} points", f"{times[_MANY]:.2f} s", f"a matrix of {8e-9 * _MANY**2:.0f} GB", "–"),
        Row("the same, 200,000 points", f"{times[200_000]:.2f} s", "here, 50,000 points", f"{growth:.1f}× for 4×"),
        *_neighbors(),
        _against_matrix(8_000, 3),
        _neighbors_of_gaussians(3),
    ]


def moved(n: int, m: int = 2) -> wt.Space:
    """Uniform points in the plane, or in space, after one GT iteration with about 20 neighbors, λ = 1."""
    space = wt.Space.from_points(np.random.default_rng(0).random((n, m)))
    ball = np.pi if m == 2 else 4 * np.pi / 3
    return wt.iterate(wt.transforms.gaussian_transform(float((20 / (ball * n)) ** (1 / m)), 1.0), space, n_iter=1).last


def _tree(n: int) -> float:
    space = moved(n)
    return median_seconds(lambda: wt.hierarchy.spanning_tree(space), 3)


def _against_matrix(n: int, m: int = 2) -> Row:
    space = moved(n, m)
    ours = median_seconds(lambda: wt.hierarchy.spanning_tree(space), 3)
    matrix = median_seconds(space.metric.dense, 1)
    raised = space.metric.dense() + (1 - np.eye(n))  # SciPy reads 0 as no edge, and some points coincide
    peer = median_seconds(lambda: minimum_spanning_tree(raised), 1)
    worst = np.abs(np.sort(minimum_spanning_tree(raised).data) - 1 - wt.hierarchy.spanning_tree(space).heights).max()
    work = f"spanning tree of the GT distance, {n:,} points in {_WHERE[m]}, all cores"
    other = f"SciPy's: {peer:.1f} s, its matrix (here): {matrix:.1f} s (largest difference of heights {worst:.0e})"
    return Row(work, f"{ours:.3f} s", other, f"{(matrix + peer) / ours:.0f}×")


def _neighbors_of_gaussians(m: int) -> Row:
    metric = moved(_MANY, m).metric
    ours = median_seconds(lambda: metric.neighbors(10), 3)
    few = np.arange(0, _MANY, 250)  # rows computed by the peer: all of them would take minutes
    everybody = np.arange(_MANY)
    rows = median_seconds(lambda: np.partition(metric.block(few, everybody), 10, axis=1), 3) / len(few) * _MANY
    work = f"10 nearest of each of {_MANY:,} points in {_WHERE[m]}, GT distance"
    return Row(work, f"{ours:.2f} s", f"rows of `block` and a partition: {rows:.0f} s", _x(rows / ours))


def _neighbors() -> list[Row]:
    points = moved(_MANY).metric.means
    ours_flat = median_seconds(lambda: wt.spaces.Euclidean(points).neighbors(10), 3)
    tree = median_seconds(lambda: NearestNeighbors(n_neighbors=10, n_jobs=-1).fit(points).kneighbors(), 3)
    work = f"10 nearest of each of {_MANY:,} points in the plane"
    return [
        _neighbors_of_gaussians(2),
        Row(f"{work}, Euclidean", f"{ours_flat:.2f} s", f"scikit-learn's: {tree:.2f} s", _x(tree / ours_flat)),
    ]


def _x(ratio: float) -> str:
    return f"{ratio:.1f}×"
