"""Clusters as compact groups: k-means, mixtures of Gaussians, Ward's linkage, spectral cuts of the neighbor graph.

Points have masses, which scikit-learn's mixtures and SciPy's linkage do not know; Ward ignores them.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.sparse import csr_array, diags_array
from scipy.sparse.linalg import eigsh
from scipy.spatial.distance import cdist

from ..._types import Floats, Ints

Shape = Literal["full", "tied", "diagonal"]
"""Covariances of the components of a mixture: one for each, one for all, one for each and without correlations."""

SHAPES: tuple[Shape, ...] = ("full", "tied", "diagonal")
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
    labels = np.zeros(len(points), np.intp)
    for _ in range(_ROUNDS):
        found = cdist(points, centers, "sqeuclidean").argmin(axis=1)
        if (found == labels).all():
            break
        labels = found
        centers = _means(points, mass, labels, centers)
    return labels, centers


def _far_apart(points: Floats, mass: Floats, k: int, rng: np.random.Generator) -> Floats:
    centers = points[[rng.choice(len(points), p=mass / mass.sum())]]
    for _ in range(k - 1):
        apart = cdist(points, centers, "sqeuclidean").min(axis=1) * mass
        if apart.sum() == 0:
            break
        centers = np.concatenate([centers, points[[rng.choice(len(points), p=apart / apart.sum())]]])
    return centers


def _means(points: Floats, mass: Floats, labels: Ints, centers: Floats) -> Floats:
    """Return the mean of each cluster; the center of an empty cluster stays."""
    held = np.bincount(labels, weights=mass, minlength=len(centers))
    sums = np.column_stack([np.bincount(labels, weights=mass * x, minlength=len(centers)) for x in points.T])
    return np.where(held[:, None] > 0, sums / np.maximum(held, 1e-300)[:, None], centers)


def mixture(points: Floats, mass: Floats, labels: Ints, shape: Shape = "full") -> Ints:
    """Fit a mixture of Gaussians, started from the labels; return the likeliest component of each point."""
    n, m = points.shape
    k = int(labels.max()) + 1
    floor = _FLOOR * float(points.var(axis=0).mean())
    shares, before = np.eye(k)[labels], -np.inf
    logs = np.zeros((n, k))
    for _ in range(_ROUNDS):
        held = shares * mass[:, None]
        total = held.sum(axis=0) + 1e-9
        centers = held.T @ points / total[:, None]
        logs = np.log(total / n) - _energies(points, held, total, centers, shape, floor)
        top = logs.max(axis=1, keepdims=True)
        weights = np.exp(logs - top)
        likelihood = float(mass @ (top[:, 0] + np.log(weights.sum(axis=1)))) / n
        shares = weights / weights.sum(axis=1, keepdims=True)
        if likelihood - before < _SETTLED * m:
            break
        before = likelihood
    return np.asarray(logs.argmax(axis=1))


def _energies(points: Floats, held: Floats, total: Floats, centers: Floats, shape: Shape, floor: float) -> Floats:
    """Return minus the log density of each point under each component, up to a constant."""
    if shape == "diagonal":
        variances = np.maximum(held.T @ points**2 / total[:, None] - centers**2, 0.0) + floor
        off = (
            points**2 @ (1 / variances).T - 2 * points @ (centers / variances).T + (centers**2 / variances).sum(axis=1)
        )
        return np.asarray(0.5 * (np.maximum(off, 0.0) + np.log(variances).sum(axis=1)))
    eye = floor * np.eye(points.shape[1])
    if shape == "tied":
        cov = ((held.sum(axis=1)[:, None] * points).T @ points - (total[:, None] * centers).T @ centers) / total.sum()
        factor = np.linalg.inv(np.linalg.cholesky(cov + eye)).T
        return np.asarray(0.5 * cdist(points @ factor, centers @ factor, "sqeuclidean"))
    out = np.empty(held.shape)
    for c, center in enumerate(centers):
        off = points - center
        factor = np.linalg.cholesky((held[:, c, None] * off).T @ off / total[c] + eye)
        turned = off @ np.linalg.inv(factor).T
        out[:, c] = 0.5 * np.einsum("nm,nm->n", turned, turned) + np.log(np.diag(factor)).sum()
    return out


def ward(points: Floats, counts: list[int]) -> list[Ints]:
    """Return Ward's clusters, for each number of them."""
    merges = linkage(points, "ward")
    return [np.asarray(fcluster(merges, k, "maxclust"), np.intp) - 1 for k in counts]


def spectral_axes(indices: Ints, count: int) -> Floats:
    """Return the first eigenvectors of the neighbor graph, normalized by degrees, as columns."""
    n, near = indices.shape
    graph = csr_array((np.ones(n * near), (np.repeat(np.arange(n), near), indices.ravel())), shape=(n, n))
    graph = graph + graph.T
    scale = 1 / np.sqrt(graph.sum(axis=1))
    graph = diags_array(scale) @ graph @ diags_array(scale)
    values, vectors = eigsh(graph, min(count, n - 1), which="LA", v0=np.ones(n), tol=1e-6, maxiter=20 * n)
    return np.asarray(vectors[:, np.argsort(-values, kind="stable")])


def spectral(vectors: Floats, mass: Floats, k: int) -> Ints:
    """Return k-means of the first k vectors, with rows of length 1."""
    rows = vectors[:, :k]
    rows = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-300)
    return k_means(rows, mass, k)
