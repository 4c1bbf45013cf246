"""Lower bounds of Wasserstein distances, much cheaper than the distances."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from .._types import Bools, Floats, Ints, cached_property
from ..compute.exact.problems import landmark_distances, mean_distances
from ..engine import Engine, current
from ..measures import Discrete
from ..spaces import Euclidean, GaussianMetric, Metric

_MACHINE_EPS = float(np.finfo(np.float64).eps)
_SINGULAR_ERROR = 1e-7  # relative to √trace: error of the Bures distance of covariances that may be singular
_N_LANDMARKS = 48
_BLOCK_PAIRS = 1e6  # pairs per block
_GROUP_LANDMARKS = 6  # landmarks per group; after each group, pairs that are ruled out are dropped


@dataclass(frozen=True, eq=False)
class LowerBound:
    """Lower bounds of W_p between measures on the points of `base_metric`.

    If the triangle inequality holds, landmarks z give |∫d(·,z)dα − ∫d(·,z)dβ| ≤ W1 ≤ W_p. In Euclidean space, means
    give |mean α − mean β| ≤ W1, and for p ≥ 2 the W2 distance of the Gaussians with the same moments is a bound.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> from wasserstein_transform.transport.bounds import LowerBound
    >>> space = wt.Space.from_points([[0.0], [1.0], [5.0], [6.0]])
    >>> LowerBound(wt.Truncation(1.0)(space), space.metric, 1.0).of(np.array([0]), np.array([3])).round(3)
    array([5.])
    """

    measures: Discrete
    base_metric: Metric
    p: float

    def of(self, rows: Ints, cols: Ints, limit: float = np.inf) -> Floats:
        """Bounds for the pairs (rows[k], cols[k]); for pairs above the limit the first bound that tells."""
        bounds, left = np.zeros(len(rows)), np.arange(len(rows))
        for bound in self._bounds:
            bounds[left] = np.maximum(bounds[left], bound(rows[left], cols[left]) * (1 - self._rounding))
            left = left[bounds[left] <= limit]
        return bounds

    def may_reach(self, rows: Ints, cols: Ints, limit: float) -> Bools:
        """Mark the pairs whose bound is at most `limit`."""
        step = int(_BLOCK_PAIRS)
        starts = range(0, max(len(rows), 1), step)
        return np.concatenate([self.of(rows[k : k + step], cols[k : k + step], limit) <= limit for k in starts])

    @cached_property
    def _bounds(self) -> list[Callable[[Ints, Ints], Floats]]:
        """The bounds by moments, then those by groups of landmarks."""
        groups = [self._seen[k : k + _GROUP_LANDMARKS] for k in range(0, len(self._seen), _GROUP_LANDMARKS)]
        return [
            *(partial(self._by_moments, metric, doubt) for metric, doubt in self._moments),
            *(partial(self._by_landmarks, group) for group in groups),
        ]

    def _by_moments(self, metric: Metric, doubt: Floats, rows: Ints, cols: Ints) -> Floats:
        return np.asarray(np.maximum(metric.pairs(rows, cols) - doubt[rows] - doubt[cols], 0.0))

    def _by_landmarks(self, landmark_means: Floats, rows: Ints, cols: Ints) -> Floats:
        bounds = np.zeros(len(rows))
        for column in landmark_means:
            x, y = column[rows], column[cols]
            np.maximum(bounds, np.abs(x - y) - self._rounding * (x + y), out=bounds)
        return bounds

    @property
    def _rounding(self) -> float:
        """The relative rounding error of sums over a measure, by which bounds are lowered."""
        return _MACHINE_EPS * (16.0 + float(np.diff(self.measures.indptr).max()))

    def below(
        self, limit: float, engine: Engine, keep: Callable[[Ints, Ints, Floats], Bools] | None = None
    ) -> tuple[Ints, Ints, Floats]:
        """Find all pairs i < j whose bound is at most `limit` (and that `keep` accepts), with their bounds."""
        n = self.measures.n
        parts = []
        n_kept, announced = 0, 1_000_000
        step = max(1, int(_BLOCK_PAIRS / n))
        for start in range(0, n, step):
            rows = np.arange(start, min(start + step, n))
            i, j = np.repeat(rows, n - 1 - rows), np.concatenate([np.arange(r + 1, n) for r in rows])
            bounds = self.of(i, j, limit)
            kept = bounds <= limit
            if keep is not None:
                kept[kept] = keep(i[kept], j[kept], bounds[kept])
            parts.append((i[kept], j[kept], bounds[kept]))
            n_kept += len(parts[-1][0])
            if n_kept > announced:
                announced = 2 * n_kept
                engine.reserve(
                    96.0 * announced, f"pairs that bounds cannot rule out, {n_kept} so far", "use a smaller eps"
                )
        i, j, bounds = (np.concatenate(column) for column in zip(*parts, strict=True))
        return i, j, bounds

    @cached_property
    def _seen(self) -> Floats:
        """Mean distances to landmarks: one row per landmark, one column per measure."""
        if not self.base_metric.triangle or not self.base_metric.is_whole:
            return np.empty((0, self.measures.n))
        rows = landmark_distances(self.base_metric, current(), _N_LANDMARKS)
        return np.ascontiguousarray(mean_distances(self.measures.rows, rows).T)

    @cached_property
    def _moments(self) -> list[tuple[Metric, Floats]]:
        """Metrics of the means and, for p ≥ 2 in the plane, of the Gaussians, each with its rounding error."""
        points = self.base_metric.euclidean
        if points is None:
            return []
        means = self.measures.means(points).values
        doubt = np.full(len(means), self._rounding * np.abs(points).max() * np.sqrt(means.shape[1]))
        known: list[tuple[Metric, Floats]] = [(Euclidean(means), doubt)]
        if self.p >= 2 and means.shape[1] <= 2:  # in higher dimensions, Bures distances cost as much as solving
            covs = self.measures.covs(points).values
            sizes = np.sqrt(np.trace(covs, axis1=1, axis2=2))
            known.append((GaussianMetric(means, covs, 1.0), doubt + _SINGULAR_ERROR * sizes))
        return known
