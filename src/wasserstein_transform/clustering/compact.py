"""Clusters as compact groups: k-means, mixtures of Gaussians, Ward's linkage.

Points have masses, which scikit-learn's mixtures and SciPy's linkage do not know; Ward ignores them.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import cdist

from .._types import Floats, Ints
from ..compute.trees.partitions_jit import move_centers
from ..spaces import Euclidean

Shape = Literal["full", "tied", "diagonal"]
"""Covariances of the components of a mixture: one for each, one for all, one for each and without correlations."""

SHAPES: tuple[Shape, ...] = ("full", "tied", "diagonal")
MOST_SHARES = 1 << 20
"""Points times clusters up to which each point is compared with each cluster; beyond, with the nearest of them."""
_ROUNDS = 40
_N_STARTS = 3
_FLOOR = 1e-4  # relative to the mean variance: least variance along an axis of a component
_SETTLED = 1e-4  # gain in log-likelihood below which the iteration ends


def k_means(points: Floats, mass: Floats, k: int) -> Ints:
    """Return the best of several runs of Lloyd's algorithm, with k-means++ starts."""
    rng, best, least = np.random.default_rng(0), np.zeros(len(points), np.intp), np.inf
    for _ in range(_N_STARTS):
        labels, centers = _lloyd(points, mass, _far_apart(points, mass, k, rng))
        cost = float(mass @ ((points - centers[labels]) ** 2).sum(axis=1))
        if cost < least * (1 - 1e-9):
            best, least = labels, cost
    return best


def lloyd(points: Floats, mass: Floats, labels: Ints) -> Ints:
    """Return the clusters of Lloyd's algorithm, started from labels."""
    return _lloyd(points, mass, _means(points, mass, labels, np.zeros((int(labels.max()) + 1, points.shape[1]))))[0]


def _lloyd(points: Floats, mass: Floats, centers: Floats) -> tuple[Ints, Floats]:
    labels, centers = np.zeros(len(points), np.intp), centers.copy()
    if len(points) * len(centers) > MOST_SHARES:
        for _ in range(_ROUNDS):
            before, labels = labels, Euclidean(centers).neighbors(1, Euclidean(points)).indices[:, 0]
            if (labels == before).all():
                break
            centers = _means(points, mass, labels, centers)
        return labels, centers
    move_centers(points, mass, centers, labels, np.empty_like(centers), np.empty(len(centers)), _ROUNDS)
    return labels, centers


def _far_apart(points: Floats, mass: Floats, k: int, rng: np.random.Generator) -> Floats:
    centers = points[[rng.choice(len(points), p=mass / mass.sum())]]
    apart = np.full(len(points), np.inf)
    for _ in range(k - 1):
        apart = np.minimum(apart, cdist(points, centers[-1:], "sqeuclidean")[:, 0])
        chances = apart * mass
        if chances.sum() == 0:
            break
        centers = np.concatenate([centers, points[[rng.choice(len(points), p=chances / chances.sum())]]])
    return centers


def _means(points: Floats, mass: Floats, labels: Ints, centers: Floats) -> Floats:
    """Return the mean of each cluster; the center of an empty cluster stays."""
    held = np.bincount(labels, weights=mass, minlength=len(centers))
    sums = np.column_stack([np.bincount(labels, weights=mass * x, minlength=len(centers)) for x in points.T])
    return np.where(held[:, None] > 0, sums / np.maximum(held, 1e-300)[:, None], centers)


def mixture(points: Floats, mass: Floats, labels: Ints, shape: Shape = "full") -> Ints:
    """Fit a mixture of Gaussians, started from the labels; return the likeliest component of each point."""
    n, m = points.shape
    floor, before = _FLOOR * float(points.var(axis=0).mean()), -np.inf
    kinds: dict[Shape, type[_Full | _Tied | _Diagonal]] = {"full": _Full, "tied": _Tied, "diagonal": _Diagonal}
    energies = kinds[shape](points - points.mean(axis=0), floor)
    shares = np.eye(int(labels.max()) + 1)[:, labels]
    logs = np.zeros(shares.shape)
    for _ in range(_ROUNDS):
        held = shares * mass
        total = held.sum(axis=1) + 1e-9
        logs = np.log(total / n)[:, None] - energies(held, total)
        top = logs.max(axis=0)
        shares = np.exp(logs - top)
        sums = shares.sum(axis=0)
        likelihood = float(mass @ (top + np.log(sums))) / n
        shares /= sums
        if likelihood - before < _SETTLED * m:
            break
        before = likelihood
    return np.asarray(logs.argmax(axis=0))


class _Diagonal:
    """Minus the log densities of all points under components of diagonal covariances, up to a constant."""

    def __init__(self, points: Floats, floor: float) -> None:
        self.points, self.squares, self.floor = points, points**2, floor

    def __call__(self, held: Floats, total: Floats) -> Floats:
        centers = held @ self.points / total[:, None]
        variances = np.maximum(held @ self.squares / total[:, None] - centers**2, 0.0) + self.floor
        off = (1 / variances) @ self.squares.T - 2 * (centers / variances) @ self.points.T
        off += (centers**2 / variances).sum(axis=1)[:, None]
        return np.asarray(0.5 * (np.maximum(off, 0.0) + np.log(variances).sum(axis=1)[:, None]))


class _Tied:
    """The same under components of one covariance."""

    def __init__(self, points: Floats, floor: float) -> None:
        self.points, self.eye = points, floor * np.eye(points.shape[1])

    def __call__(self, held: Floats, total: Floats) -> Floats:
        centers, points = held @ self.points / total[:, None], self.points
        cov = ((held.sum(axis=0)[:, None] * points).T @ points - (total[:, None] * centers).T @ centers) / total.sum()
        factor = np.linalg.inv(np.linalg.cholesky(cov + self.eye)).T
        return np.asarray(0.5 * cdist(centers @ factor, points @ factor, "sqeuclidean"))


class _Full:
    """The same under components of any covariances: products of coordinates, and their weights in all components."""

    def __init__(self, points: Floats, floor: float) -> None:
        self.rows, self.cols = np.tril_indices(points.shape[1])
        self.terms = np.concatenate([points.T, points.T[self.rows] * points.T[self.cols]])
        self.eye = floor * np.eye(points.shape[1])

    def __call__(self, held: Floats, total: Floats) -> Floats:
        m, sums = len(self.eye), held @ self.terms.T
        centers, covs = sums[:, :m] / total[:, None], np.empty((len(held), m, m))
        covs[:, self.rows, self.cols] = covs[:, self.cols, self.rows] = sums[:, m:]
        covs -= (total + 1e-9)[:, None, None] * centers[:, :, None] * centers[:, None, :]
        factors = np.linalg.cholesky(covs / total[:, None, None] + self.eye)
        inverses = np.linalg.inv(factors)
        inverses = inverses.transpose(0, 2, 1) @ inverses
        slopes = np.einsum("kij,kj->ki", inverses, centers)
        halves = inverses[:, self.rows, self.cols] * np.where(self.rows == self.cols, 0.5, 1.0)
        logs = np.log(np.einsum("kii->ki", factors)).sum(axis=1) + 0.5 * (slopes * centers).sum(axis=1)
        return np.asarray(np.hstack([-slopes, halves]) @ self.terms + logs[:, None])


def ward(points: Floats, counts: list[int]) -> list[Ints]:
    """Return Ward's clusters, for each number of them."""
    merges = linkage(points, "ward")
    return [np.asarray(fcluster(merges, k, "maxclust"), np.intp) - 1 for k in counts]


def spectral(vectors: Floats, mass: Floats, k: int) -> Ints:
    """Return k-means of the first k eigenvectors of a graph, with rows of length 1."""
    rows = vectors[:, :k]
    rows = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-300)
    return k_means(np.ascontiguousarray(rows), mass, k)  # one layout for all, so that it is compiled once
