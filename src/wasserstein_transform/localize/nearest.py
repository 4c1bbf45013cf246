"""Localization by mass: the nearest points that hold a given mass, the whole space, the point itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import _check as check
from .._types import Floats, Ints
from ..compute import HasMoments
from ..engine import Engine, current
from ..measures import Discrete, make_discrete, reserve_masses
from ..spaces import Metric, Space, check_space, rim
from .kernel import divide_by_largest
from .localization import Inductive

_ROWS_PER_NEIGHBOR = 16  # rows of all distances that take the time of one more neighbor of every point
_BLOCK_DISTANCES = 2**20  # distances of such rows held at a time


@dataclass(frozen=True)
class Nearest(Inductive):
    """Nearest neighbors: α restricted to the smallest closed ball around x with at least a given mass, normalized.

    The ball includes all ties at its radius, so that a point of weight k acts like k copies. In a graph, points that
    no path joins to x are never in the ball, even if it then has less mass.

    Parameters
    ----------
    k : float
        A share of the total mass if k < 1. A whole number k ≥ 1 means the mass k/n, where n is the number of points
        with positive weight; x itself counts. Only a share treats a point of weight k like k copies.

    Notes
    -----
    Memory O(n k), where k is the number of neighbors; it doubles until all balls but some per neighbor hold their mass.
    The distances of the others are computed to all points, some rows at a time.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> space = wt.Space.from_points([[0.0], [1.0], [3.0], [4.0]])
    >>> wt.Nearest(2)(space).matrix().toarray()
    array([[0.5, 0.5, 0. , 0. ],
           [0.5, 0.5, 0. , 0. ],
           [0. , 0. , 0.5, 0.5],
           [0. , 0. , 0.5, 0.5]])
    """

    k: float

    def __post_init__(self) -> None:
        check.positive(self.k, "k")
        if self.k >= 1:
            check.count(self.k, "k, a number of points (or a share of their mass below 1),", 1)

    def n_seen(self, space: Space) -> float | None:
        return float(space.n * self.k if self.k < 1 else min(self.k, space.n))

    def __call__(self, space: Space, engine: Engine | None = None) -> Discrete:
        check_space(space)
        return self._measures(space, current(engine))

    def moments(self, space: Space, engine: Engine, first: int = 0) -> HasMoments:
        if first == 0 or space.metric.coordinates is None:
            return super().moments(space, engine, first)
        return self._measures(space, engine, first)

    def _measures(self, space: Space, engine: Engine, first: int = 0) -> Discrete:
        """The measures of all points, or of those from `first` on, new ones, on the points before them."""
        queries, n = np.arange(first, space.n), first or space.n
        weights, need = divide_by_largest(space.weights[:n]), self._need(space)
        if space.n == 1:
            return make_discrete(np.array([0, 1]), np.zeros(1, np.intp), np.ones(1), np.zeros(1, np.intp), 1)
        most = n if first else n - 1
        k = int(min(max(np.ceil(2 * need / weights.mean()), 8), most))
        while True:
            masses, indices, open_ = self._within(space.metric, first, weights, need, k, engine)
            if len(open_) <= _ROWS_PER_NEIGHBOR * k:
                break
            k = min(2 * k, most)
        rows, places = np.nonzero(masses)
        entries = [(rows, indices[rows, places], masses[rows, places])]
        size = max(1, _BLOCK_DISTANCES // n)
        for part in (open_[start : start + size] for start in range(0, len(open_), size)):
            masses = self._weigh(space.metric.block(queries[part], np.arange(n), engine), weights, need)
            rows, indices = np.nonzero(masses)
            entries.append((part[rows], indices, masses[rows, indices]))
        rows, indices, values = map(np.concatenate, zip(*entries, strict=True))
        order = np.lexsort((indices, rows))
        indptr = np.searchsorted(rows[order], np.arange(len(queries) + 1))
        return make_discrete(indptr, indices[order], values[order], queries, space.n)

    def cross(self, distances: Floats, space: Space) -> Discrete:
        masses = self._weigh(distances, divide_by_largest(space.weights), self._need(space))
        indptr, indices = np.arange(len(distances) + 1) * space.n, np.tile(np.arange(space.n), len(distances))
        return make_discrete(indptr, indices, masses.ravel(), np.zeros(len(distances), np.intp), space.n)

    @staticmethod
    def _weigh(distances: Floats, weights: Floats, need: float) -> Floats:
        """Masses of all points, as weighted by each row of distances."""
        masses = np.zeros(distances.shape)
        for row, out in zip(distances, masses, strict=True):
            order = np.argsort(row, kind="stable")
            last = min(int(np.searchsorted(np.cumsum(weights[order]), need)), len(row) - 1)
            is_near = (row <= rim(row[order[last]])) & np.isfinite(row)
            out[is_near] = weights[is_near]
        return masses

    def _need(self, space: Space) -> float:
        """Mass to reach, in units of the largest weight, minus a margin for rounding."""
        share = self.k if self.k < 1 else min(self.k / np.count_nonzero(space.weights), 1.0)
        return float(share * divide_by_largest(space.weights).sum() * (1 - 1e-12))

    @staticmethod
    def _within(
        metric: Metric, first: int, weights: Floats, need: float, k: int, engine: Engine
    ) -> tuple[Floats, Ints, Ints]:
        """Masses and indices of the k nearest, and the points whose balls, ties included, need more of them.

        They are the nearest others of all points, each after itself, or those of the points from `first` on among the
        points before them.
        """
        n = metric.n - first
        engine.reserve(48.0 * n * (k + 1), f"the {k} nearest of {n} points", "use a smaller k")
        if first:
            old, new = metric.take(np.arange(first)), metric.take(np.arange(first, metric.n))
            distances, indices = old.neighbors(k, new, engine)
        else:
            nearest = metric.neighbors(k, engine=engine)
            distances = np.column_stack([np.zeros(n), nearest.distances])
            indices = np.column_stack([np.arange(n), nearest.indices])
        known = np.isfinite(distances)
        masses = np.where(known, weights[indices], 0.0)
        enough = np.cumsum(masses, axis=1) >= need
        has = enough.any(axis=1)
        edge = rim(np.where(has, distances[np.arange(n), enough.argmax(axis=1)], np.inf))
        masses[distances > edge[:, None]] = 0.0
        # a point beyond the k nearest could tie with the last
        open_ = np.flatnonzero((indices.shape[1] < len(weights)) & (edge >= distances[:, -1]) & known[:, -1])
        masses[open_] = 0.0
        return masses, indices, open_


@dataclass(frozen=True)
class Whole(Inductive):
    """The whole space: m(x) = α for every x, so that the transform makes all distances 0.

    Notes
    -----
    Memory O(n²): every measure is stored.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> wt.Transform(wt.localize.Whole(), wt.Exact(p=1))(wt.Space.from_points([[0.0], [1.0]])).metric.dense()
    array([[0., 0.],
           [0., 0.]])
    """

    def __call__(self, space: Space, engine: Engine | None = None) -> Discrete:
        check_space(space)
        reserve_masses(space.n**2, current(engine))
        return self.cross(np.empty((space.n, 0)), space)

    def cross(self, distances: Floats, space: Space) -> Discrete:
        n = len(distances)
        indptr, indices = np.arange(n + 1) * space.n, np.tile(np.arange(space.n), n)
        return make_discrete(indptr, indices, np.tile(space.weights, n), np.zeros(n, np.intp), space.n)


@dataclass(frozen=True)
class Identity(Inductive):
    """The point itself: m(x) = δ_x, so that the transform changes no distance.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> wt.Transform(wt.localize.Identity(), wt.Exact(p=1))(wt.Space.from_points([[0.0], [2.0]])).metric.dense()
    array([[0., 2.],
           [2., 0.]])
    """

    def n_seen(self, space: Space) -> float | None:
        return 1.0

    def __call__(self, space: Space, engine: Engine | None = None) -> Discrete:
        check_space(space)
        n = space.n
        return make_discrete(np.arange(n + 1), np.arange(n), np.ones(n), np.zeros(n, np.intp), n)

    def cross(self, distances: Floats, space: Space) -> Discrete:
        """Mark all new points as massless: their Dirac is not on a point of the space."""
        n = len(distances)
        none = np.zeros(0)
        return make_discrete(np.zeros(n + 1, np.intp), none.astype(np.intp), none, np.zeros(n, np.intp), space.n)
