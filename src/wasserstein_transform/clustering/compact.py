"""Clusters as compact groups: k-means, mixtures of Gaussians, Ward's linkage.

Points have masses, which scikit-learn's mixtures and SciPy's linkage do not know; Ward ignores them.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import cdist

from .._types import Floats, Ints
from ..compute import sample_evenly
from ..compute.trees.partitions_jit import move_centers
from ..spaces import Euclidean

Shape = Literal["full", "tied", "diagonal"]
"""Covariances of the components of a mixture: one for each, one for all, one for each and without correlations."""

SHAPES: tuple[Shape, ...] = ("full", "tied", "diagonal")
MOST_SHARES = 1 << 20
"""Points times clusters up to which each point is compared with each cluster; beyond, with the nearest of them."""
_ROUNDS = 40
_FITTED = 1000  # points to which a mixture is fitted, or more if many numbers determine it
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
    """Fit a mixture of Gaussians to some of the points, started from labels; return the likeliest component of each."""
    n_parts, points = int(labels.max()) + 1, points - points.mean(axis=0)
    kinds: dict[Shape, type[_Full | _Tied]] = {"full": _Full, "tied": _Tied, "diagonal": _Diagonal}
    energies = kinds[shape](points, _FLOOR * float(points.var(axis=0).mean()))
    some = sample_evenly(len(points), max(_FITTED, n_parts * len(energies.terms)))
    terms, mass, before = energies.terms[:, some], mass[some] / mass[some].mean(), -np.inf
    shares = np.eye(n_parts)[:, labels[some]]
    for _ in range(_ROUNDS):
        held = shares * mass
        total = held.sum(axis=1) + 1e-9
        energies.fit(terms, held, total)
        logs = np.log(total / len(some))[:, None] - energies.of(terms)
        top = logs.max(axis=0)
        shares = np.exp(logs - top)
        sums = shares.sum(axis=0)
        likelihood = float(mass @ (top + np.log(sums))) / len(some)
        shares /= sums
        if likelihood - before < _SETTLED * points.shape[1]:
            break
        before = likelihood
    return np.asarray((np.log(total)[:, None] - energies.of(energies.terms)).argmax(axis=0))


class _Full:
    """Minus log densities under components of any covariances, linear in `terms`: coordinates and their products."""

    def __init__(self, points: Floats, floor: float) -> None:
        self.rows, self.cols = self.pairs(points.shape[1])
        self.terms = np.concatenate([points.T, points.T[self.rows] * points.T[self.cols]])
        self.eye = floor * np.eye(points.shape[1])

    def pairs(self, m: int) -> tuple[Ints, Ints]:
        return np.tril_indices(m)

    def fit(self, terms: Floats, held: Floats, total: Floats) -> None:
        m, sums = len(self.eye), held @ terms.T
        centers, covs = sums[:, :m] / total[:, None], np.zeros((len(held), m, m))
        covs[:, self.rows, self.cols] = covs[:, self.cols, self.rows] = (
            sums[:, m:] / total[:, None] - centers[:, self.rows] * centers[:, self.cols]
        )
        factors = np.linalg.cholesky(covs + self.eye)
        inverses = np.linalg.inv(factors)
        inverses = inverses.transpose(0, 2, 1) @ inverses
        slopes = np.einsum("kij,kj->ki", inverses, centers)
        halves = inverses[:, self.rows, self.cols] * np.where(self.rows == self.cols, 0.5, 1.0)
        self.slopes = np.hstack([-slopes, halves])
        self.levels = np.log(np.einsum("kii->ki", factors)).sum(axis=1) + 0.5 * (slopes * centers).sum(axis=1)

    def of(self, terms: Floats) -> Floats:
        return np.asarray(self.slopes @ terms + self.levels[:, None])


class _Diagonal(_Full):
    """The same under components of diagonal covariances: squares of coordinates are enough."""

    def pairs(self, m: int) -> tuple[Ints, Ints]:
        return np.arange(m), np.arange(m)


class _Tied:
    """The same under components of one covariance; coordinates are enough."""

    def __init__(self, points: Floats, floor: float) -> None:
        self.terms, self.eye = points.T, floor * np.eye(points.shape[1])

    def fit(self, terms: Floats, held: Floats, total: Floats) -> None:
        centers = held @ terms.T / total[:, None]
        scatter = (held.sum(axis=0) * terms) @ terms.T - (total[:, None] * centers).T @ centers
        factor = np.linalg.cholesky(scatter / total.sum() + self.eye)
        self.level, self.axes = np.log(np.diag(factor)).sum(), np.linalg.inv(factor)
        self.centers = centers @ self.axes.T

    def of(self, terms: Floats) -> Floats:
        return np.asarray(0.5 * cdist(self.centers, (self.axes @ terms).T, "sqeuclidean") + self.level)


def ward(points: Floats, counts: list[int]) -> list[Ints]:
    """Return Ward's clusters, for each number of them."""
    merges = linkage(points, "ward")
    return [np.asarray(fcluster(merges, k, "maxclust"), np.intp) - 1 for k in counts]


def spectral(vectors: Floats, mass: Floats, k: int) -> Ints:
    """Return k-means of the first k eigenvectors of a graph, with rows of length 1."""
    rows = vectors[:, :k]
    rows = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-300)
    return k_means(np.ascontiguousarray(rows), mass, k)  # one layout for all, so that it is compiled once
