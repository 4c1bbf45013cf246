"""A backend in plain NumPy: slow, obvious, and good enough for the laws."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from wasserstein_transform.backends import (
    Balls,
    Cloud,
    Cpu,
    Form,
    GaussianCloud,
    Matrix,
    MeansAndCovs,
    Moments,
    Nearest,
    NearRows,
    closed,
)
from wasserstein_transform.engine import Engine

_PROFILES = {
    0: np.ones_like,
    1: lambda t: np.exp(-0.5 * t),
    2: lambda t: np.maximum(1.0 - t, 0.0),
    3: lambda t: np.maximum(1.0 - np.sqrt(t), 0.0),
}


class Plain(Cpu):
    """Distances, balls, neighbors, moments, movement and merging of matrices and clouds; the rest is left to `Cpu`."""

    name = "plain"

    def block(self, form: Form, rows: np.ndarray, cols: np.ndarray, engine: Engine) -> np.ndarray:
        if not isinstance(form, Matrix | NearRows | Cloud | GaussianCloud):
            return super().block(form, rows, cols, engine)
        return _matrix(form)[np.ix_(rows, cols)]

    def pairs(self, form: Form, rows: np.ndarray, cols: np.ndarray, engine: Engine) -> np.ndarray:
        if not isinstance(form, Matrix | NearRows | Cloud | GaussianCloud):
            return super().pairs(form, rows, cols, engine)
        return _matrix(form)[rows, cols]

    def dense(self, form: Form, out: np.ndarray, engine: Engine) -> None:
        if isinstance(form, Matrix | Cloud | GaussianCloud):
            out[:] = _matrix(form)
        else:
            super().dense(form, out, engine)

    def condensed(self, form: Form, out: np.ndarray, engine: Engine) -> None:
        if isinstance(form, Matrix | Cloud | GaussianCloud):
            out[:] = _matrix(form)[np.triu_indices(form.n, 1)]
        else:
            super().condensed(form, out, engine)

    def movement(self, before: Form, after: Form, engine: Engine) -> float:
        if isinstance(before, Cloud) and isinstance(after, Cloud):
            return float(np.linalg.norm(before.points - after.points, axis=1).max())
        assert isinstance(before, GaussianCloud)
        assert isinstance(after, GaussianCloud)
        both = GaussianCloud(
            np.concatenate([before.means, after.means]), np.concatenate([before.covs, after.covs]), after.lam
        )
        return float(_matrix(both)[np.arange(before.n), np.arange(before.n, both.n)].max())

    def balls(self, form: Form, radius: float, engine: Engine) -> Balls:
        if not isinstance(form, Matrix | Cloud | GaussianCloud):
            return super().balls(form, radius, engine)
        D = _matrix(form)
        near = csr_array(closed(radius) >= D * D)
        owner = np.repeat(np.arange(form.n), np.diff(near.indptr))
        return Balls(near.indptr.astype(np.intp), near.indices.astype(np.intp), D[owner, near.indices])

    def nearest(self, form: Form, k: int, of: Form | None, engine: Engine) -> Nearest:
        if of is not None or not isinstance(form, Matrix | Cloud | GaussianCloud):
            return super().nearest(form, k, of, engine)
        D = _matrix(form).copy()
        np.fill_diagonal(D, np.inf)
        indices = np.argsort(D, axis=1, kind="stable")[:, :k]
        return Nearest(np.take_along_axis(D, indices, axis=1), indices)

    def neighborhoods(
        self, form: Form, weights: np.ndarray, profile: int, eps: float, reach: float, engine: Engine, first: int = 0
    ) -> DenseNeighborhoods:
        if not isinstance(form, Matrix | Cloud | GaussianCloud):
            return super().neighborhoods(form, weights, profile, eps, reach, engine, first)  # type: ignore[return-value]
        D = _matrix(form)[first:]
        masses = weights * _PROFILES[profile]((D / eps) ** 2)
        masses[(closed(reach) if np.isfinite(reach) else np.inf) < D * D] = 0.0
        return DenseNeighborhoods(masses, first)

    def leaders(self, form: Form, weights: np.ndarray, tol: float, engine: Engine) -> np.ndarray:
        if not isinstance(form, Matrix | Cloud | GaussianCloud):
            return super().leaders(form, weights, tol, engine)
        D, order = _matrix(form), np.argsort(weights == 0, kind="stable")
        leader, leads = np.empty(form.n, np.intp), []
        for i in order:
            near = [j for j in leads if D[i, j] ** 2 <= closed(tol)]
            leader[i] = near[0] if near else i
            if not near:
                leads.append(i)
        return leader


@dataclass
class DenseNeighborhoods:
    """Masses that each point sees, stored."""

    masses: np.ndarray
    first: int

    def means(self, points: np.ndarray) -> Moments:
        return Moments(*self.means_and_covs(points)[:2])

    def covs(self, points: np.ndarray) -> Moments:
        both = self.means_and_covs(points)
        return Moments(both.mass, both.covs)

    def means_and_covs(self, points: np.ndarray) -> MeansAndCovs:
        here, m = points[self.first :], points.shape[1]
        mass, means, covs = np.zeros(len(here)), here.copy(), np.zeros((len(here), m, m))
        for i, (x, w) in enumerate(zip(here, self.masses, strict=True)):
            mass[i] = w.sum()
            if mass[i] > 0:
                steps = points - x
                drift = w @ steps / mass[i]
                means[i] = x + drift
                covs[i] = (steps - drift).T * w @ (steps - drift) / mass[i]
        return MeansAndCovs(mass, means, covs)

    def cached(self) -> DenseNeighborhoods:
        return self


def _matrix(form: Form) -> np.ndarray:
    return form.kept("plain matrix", lambda: _computed(form))


def _computed(form: Form) -> np.ndarray:
    if isinstance(form, Matrix):
        return form.matrix
    if isinstance(form, NearRows):
        out = np.full((form.n, form.n), np.inf)
        out[np.repeat(np.arange(form.n), np.diff(form.indptr)), form.indices] = form.distances
        return out
    if isinstance(form, Cloud):
        return np.sqrt(((form.points[:, None] - form.points[None]) ** 2).sum(axis=2))
    assert isinstance(form, GaussianCloud)
    apart = ((form.means[:, None] - form.means[None]) ** 2).sum(axis=2)
    if form.lam == 0:
        return np.sqrt(apart)
    values, vectors = np.linalg.eigh(form.covs)
    values[values < 1e-15 * values.shape[1] * values[:, -1:]] = 0.0  # what rounding makes of an eigenvalue 0
    halves = (vectors * np.sqrt(values)[:, None, :]) @ vectors.transpose(0, 2, 1)
    gaps = np.zeros((form.n, form.n))
    for i in range(form.n):
        for j in range(i + 1, form.n):  # Procrustes: the smallest ‖A^½ − B^½Q‖, no cancellation
            u, _, vt = np.linalg.svd(halves[j] @ halves[i])
            gaps[i, j] = gaps[j, i] = (
                (halves[i] - u @ vt @ halves[j] if False else halves[i] - (halves[j] @ (u @ vt))) ** 2
            ).sum()
    return np.sqrt(apart + form.lam * gaps)
