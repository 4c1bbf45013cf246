"""Compact clusters: k-means and Gaussian mixtures of weighted points (scikit-learn's mixtures take no weights).

Sums are computed in the order of the points by one thread, so the clusters are the same on any machine.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist

from ..._types import Floats, Ints

_ROUNDS = 40
_STARTS = 3
_FLOOR = 1e-4  # relative to the mean variance: least variance along an axis of a component
_SETTLED = 1e-4  # gain in log-likelihood below which the iteration ends


def k_means(points: Floats, mass: Floats, k: int) -> Ints:
    """Return the best of several runs of Lloyd's algorithm, with k-means++ starts."""
    rng, best, least = np.random.default_rng(0), np.zeros(len(points), np.intp), np.inf
    for _ in range(_STARTS):
        centers = _far_apart(points, mass, k, rng)
        labels = np.zeros(len(points), np.intp)
        for _ in range(_ROUNDS):
            found = cdist(points, centers, "sqeuclidean").argmin(axis=1)
            if (found == labels).all():
                break
            labels = found
            centers = _means(points, mass, labels, centers)
        cost = float(mass @ ((points - centers[labels]) ** 2).sum(axis=1))
        if cost < least * (1 - 1e-9):
            best, least = labels, cost
    return best


def mixture(points: Floats, mass: Floats, labels: Ints) -> Ints:
    """Fit a mixture of Gaussians, started from the labels; return the likeliest component of each point."""
    n, m = points.shape
    k = int(labels.max()) + 1
    floor = _FLOOR * float(points.var(axis=0).mean()) * np.eye(m)
    shares, before = np.eye(k)[labels], -np.inf
    logs = np.zeros((n, k))
    for _ in range(_ROUNDS):
        held = shares * mass[:, None]
        total = held.sum(axis=0) + 1e-9
        centers = held.T @ points / total[:, None]
        for c in range(k):
            off = points - centers[c]
            cov = (held[:, c, None] * off).T @ off / total[c] + floor
            factor = np.linalg.cholesky(cov)
            turned = np.linalg.solve(factor, off.T)
            logs[:, c] = np.log(total[c] / n) - 0.5 * (turned**2).sum(axis=0) - np.log(np.diag(factor)).sum()
        top = logs.max(axis=1, keepdims=True)
        weights = np.exp(logs - top)
        likelihood = float(mass @ (top[:, 0] + np.log(weights.sum(axis=1)))) / n
        shares = weights / weights.sum(axis=1, keepdims=True)
        if likelihood - before < _SETTLED * m:
            break
        before = likelihood
    return np.asarray(logs.argmax(axis=1))


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
