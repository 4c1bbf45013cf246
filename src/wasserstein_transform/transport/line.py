"""Exact transport between discrete measures on the real line, in closed form."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import _check as check
from .._types import Floats
from ..compute.exact.line_jit import Pieces
from ..compute.exact.on_line import distance_on_line, line_among, line_between, sort_on_line
from ..cuda import on
from ..engine import N_MATRICES, Engine, current
from ..measures import Discrete, Measures
from ..spaces import Dense, Euclidean, Metric
from .transport import Coupling, Status, Transport


@dataclass(frozen=True)
class Line(Transport):
    """Exact W_p between discrete measures on the real line, in closed form: the order-preserving plan is optimal.

    W_p(α, β)^p = ∫ |F_α⁻¹(u) − F_β⁻¹(u)|^p du with the quantile functions of the two measures. W_∞ is the largest
    difference. The space must have one coordinate and the Euclidean metric.

    Parameters
    ----------
    p : float, default 1.0
        Order ≥ 1, or `np.inf`.

    Notes
    -----
    Time per pair is linear in the number of points of the two measures. The matrix takes 8 n² bytes.

    Masses may be off by a few units of their last digit: ties broken by rounding change nothing, however large p is,
    and measures that differ only by a factor are equal. Shares of mass count down to 1e-25. The sums run from the left:
    for smaller shares, and if masses and coordinates both span fifteen orders of magnitude, `Exact` keeps more digits.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> lt = wt.Transform(wt.Truncation(1.0), wt.transport.Line(p=1))
    >>> lt(wt.Space.from_points([[0.0], [1.0], [2.0]])).metric.dense()
    array([[0. , 0.5, 1. ],
           [0.5, 0. , 0.5],
           [1. , 0.5, 0. ]])
    """

    p: float = 1.0
    accepts = Discrete

    def __post_init__(self) -> None:
        check.order_p(self.p)

    def fits(self, base_metric: Metric) -> bool:
        return isinstance(base_metric, Euclidean) and base_metric.points.shape[1:] == (1,)

    def metric(self, measures: Measures, base_metric: Metric, engine: Engine | None = None) -> Dense:
        """Compute all distances."""
        self.check(measures)
        assert isinstance(measures, Discrete)
        x, n, engine = _coordinates(base_metric), measures.n, current(engine)
        n_held = 0 if engine.goes_to_disk(8.0 * n * n, N_MATRICES) else n**2
        instead = "use fewer points or a smaller eps, or wt.iterate(…, out=folder)"
        _reserve(engine, n_held, f"distances of {n} measures on a line", measures, instead=instead)
        return Dense(on(engine, line_among)(x, float(self.p), measures.rows, engine), base_metric.triangle)

    def cross(self, new: Measures, measures: Measures, base_metric: Metric, engine: Engine | None = None) -> Floats:
        self.check(new)
        self.check(measures)
        assert isinstance(new, Discrete)
        assert isinstance(measures, Discrete)
        x, engine = _coordinates(base_metric), current(engine)
        _reserve(engine, new.n * measures.n, f"distances of {new.n} to {measures.n} measures on a line", new, measures)
        return on(engine, line_between)(x, float(self.p), new.rows, measures.rows, engine)

    def coupling(self, measures: Measures, base_metric: Metric, i: int, j: int) -> Coupling:
        """Compute the order-preserving plan, with dual variables (None for p = ∞) and the primal–dual gap."""
        self.check_pair(measures, base_metric, i, j)
        assert isinstance(measures, Discrete)
        x, both = _coordinates(base_metric), measures.take(np.array([i, j]))
        value, pieces = distance_on_line(sort_on_line(both.rows, x), float(self.p))
        a, b = np.split(both.masses, both.indptr[1:2])
        sources, targets = np.split(both.indices, both.indptr[1:2])
        rows, cols = (np.argsort(x[side], kind="stable") for side in (sources, targets))
        path = Pieces(rows[pieces.sources], cols[pieces.targets - len(a)], pieces.masses / pieces.masses.sum())
        plan = np.zeros((len(a), len(b)))
        plan[path.sources, path.targets] = path.masses
        if self.p == np.inf:
            return Coupling(value, plan, None, 0.0, Status.OPTIMAL, sources=sources, targets=targets)
        distances = np.abs(x[sources][:, None] - x[targets])
        top = distances.max() or 1.0
        costs = (distances / top) ** self.p
        u, v = _prices(path, costs)
        gap = float((plan * costs).sum() - u @ a / a.sum() - v @ b / b.sum())
        with np.errstate(over="ignore"):  # d^p may overflow even if the distance d does not
            unit = np.float64(top) ** self.p
        potentials = (unit * u, unit * v) if np.isfinite(unit) else None
        return Coupling(value, plan, potentials, gap, Status.OPTIMAL, sources=sources, targets=targets)


def _coordinates(base_metric: Metric) -> Floats:
    """The coordinate of each point; raises an error if there is more than one."""
    if not isinstance(base_metric, Euclidean):
        raise TypeError(
            f"Line needs points with one coordinate and the Euclidean metric, got {type(base_metric).__name__}; "
            "use Exact for other metrics"
        )
    if base_metric.points.shape[1:] != (1,):
        raise ValueError(
            f"Line needs points with one coordinate, got points of shape {base_metric.points.shape}; "
            "use Exact for more coordinates"
        )
    return base_metric.points[:, 0]


def _reserve(
    engine: Engine, n_pairs: int, what: str, *families: Discrete, instead: str = "use fewer points or a smaller eps"
) -> None:
    """Reserve the memory of the distances and of the sorted copies of the measures."""
    n_masses = sum(len(measures.masses) for measures in families)
    engine.reserve(8.0 * n_pairs + 48.0 * n_masses, what, instead)


def _prices(path: Pieces, costs: Floats) -> tuple[Floats, Floats]:
    """Dual variables with u + v ≤ costs, tight on the path; they exist since costs are convex in the displacement."""
    both = np.flatnonzero((np.diff(path.sources) != 0) & (np.diff(path.targets) != 0)) + 1  # ties: add the cell between
    sources = np.insert(path.sources, both, path.sources[both])
    targets = np.insert(path.targets, both, path.targets[both - 1])
    along = costs[sources, targets]
    u = np.zeros(len(costs))
    u[sources] = np.append(0.0, np.cumsum(np.where(np.diff(sources) != 0, np.diff(along), 0.0)))
    return u, (costs - u[:, None]).min(axis=0)
