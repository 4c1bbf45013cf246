"""Lower bounds of Wasserstein distances, at a fraction of the price. Upper ones come from plans: `Batch.at_most`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .._types import Bools, Floats, Ints
from ..engine import Engine
from ..kernels.distances import fill_pairs
from ..kernels.geometry import Cloud, Geometry, private
from ..measures import Discrete
from ..spaces import Euclidean, GaussianMetric, Metric, Sparse
from .landmarks import landmark_rows, seen_from

_SLACK = 1e-12  # bounds are lowered by this, relatively: rounding must not decide
_N_LANDMARKS = 48


@dataclass(frozen=True, eq=False)
class Lower:
    """Lower bounds of W_p between measures on the points of `ground`.

    By landmarks z, where the triangle inequality holds: |∫d(·,z)dα − ∫d(·,z)dβ| ≤ W1 ≤ W_p. On Euclidean ground also by
    means, |mean α − mean β| ≤ W1, and for p ≥ 2 by the Gaussians of the same moments, which are never farther apart.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> from wasserstein_transform.transport.bounds import Lower
    >>> space = wt.Space.from_points([[0.0], [1.0], [5.0], [6.0]])
    >>> Lower(wt.Truncation(1.0)(space), space.metric, 1.0).of(np.array([0]), np.array([3])).round(3)
    array([5.])
    """

    measures: Discrete
    ground: Metric
    p: float

    def of(self, rows: Ints, cols: Ints) -> Floats:
        """Bounds for the pairs (rows[k], cols[k])."""
        bounds = np.zeros(len(rows))
        if self._moments is not None:
            fill_pairs(private(self._moments), rows, cols, bounds)
        for column in self._seen:
            np.maximum(bounds, np.abs(column[rows] - column[cols]), out=bounds)
        return np.asarray(bounds * (1 - _SLACK))

    def may_reach(self, rows: Ints, cols: Ints, limit: float, chunk: int = 1_000_000) -> Bools:
        """Which of the pairs have a bound of at most `limit`."""
        parts = [slice(k, k + chunk) for k in range(0, len(rows), chunk)]
        return np.concatenate([self.of(rows[part], cols[part]) <= limit for part in parts] or [np.empty(0, bool)])

    def below(self, limit: float, engine: Engine, chunk: float = 1e6) -> tuple[Ints, Ints, Floats]:
        """All pairs i < j whose bound is at most `limit`, with their bounds."""
        n = self.measures.n
        found = []
        n_found, room = 0, 4_000_000
        step = max(1, int(chunk / n))
        for start in range(0, n, step):
            rows = np.arange(start, min(start + step, n))
            i, j = np.repeat(rows, n - 1 - rows), np.concatenate([np.arange(r + 1, n) for r in rows])
            bounds = self.of(i, j)
            kept = bounds <= limit
            found.append((i[kept], j[kept], bounds[kept]))
            n_found += len(found[-1][0])
            if n_found > room:
                room *= 4
                engine.reserve(96.0 * room, f"pairs that bounds cannot rule out, {n_found} so far", "use a smaller eps")
        i, j, bounds = (np.concatenate(column) for column in zip(*found, strict=True))
        return i, j, bounds

    @cached_property
    def _seen(self) -> Floats:
        """One row a landmark, one column a measure."""
        if not self.ground.triangle or isinstance(self.ground, Sparse):
            return np.empty((0, self.measures.n))
        return np.ascontiguousarray(seen_from(self.measures, landmark_rows(self.ground, _N_LANDMARKS)).T)

    @cached_property
    def _moments(self) -> Geometry | None:
        """What first and, for p ≥ 2, second moments know of the distances; Euclidean ground only."""
        if not isinstance(self.ground, Euclidean):
            return None
        means = self.measures.means(self.ground.points).values
        if self.p < 2:
            return Cloud(means)
        return GaussianMetric(means, self.measures.covs(self.ground.points).values, 1.0).geometry
