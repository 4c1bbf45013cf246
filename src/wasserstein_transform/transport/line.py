"""Exact transport between discrete measures on the real line, in closed form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from .. import _check as check
from .._types import Floats, Ints
from ..backends import backend_of
from ..backends.host import FAINT, Climbs, climbs_of, line_distance
from ..engine import AT_A_TIME, Engine, current, goes_to_disk
from ..measures import Discrete, Measures
from ..spaces import Dense, Euclidean, Metric
from .base import Coupling, Status, Transport


@dataclass(frozen=True)
class Line(Transport):
    """W_p of discrete measures on the real line, p = ∞ included: the plan that keeps the order is optimal.

    W_p(α, β)^p = ∫ |F_α⁻¹(u) − F_β⁻¹(u)|^p du with the quantile functions of the two measures; W_∞ is the largest
    difference. One pair costs as many steps as the two have points.

    Parameters
    ----------
    p : float
        Order, ≥ 1; `np.inf` is allowed.

    Notes
    -----
    Mass of less than 2e-15 of the whole is taken for rounding: ties that rounding broke move nothing far, however
    large p is, and measures that differ by a factor are equal.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> lt = wt.Transform(wt.Truncation(1.0), wt.Line(p=1))
    >>> lt(wt.Space.from_points([[0.0], [1.0], [2.0]])).metric.dense()
    array([[0. , 0.5, 1. ],
           [0.5, 0. , 0.5],
           [1. , 0.5, 0. ]])
    """

    p: float = 1.0
    accepts = Discrete

    def __post_init__(self) -> None:
        check.order_p(self.p)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(1.0), cls(2.0), cls(np.inf)]

    def fits(self, ground: Metric) -> bool:
        return isinstance(ground, Euclidean) and ground.points.shape[1:] == (1,)

    def metric(self, measures: Measures, ground: Metric, engine: Engine | None = None) -> Dense:
        """All distances."""
        self.check(measures)
        assert isinstance(measures, Discrete)
        x, n, engine = _coordinates(ground), measures.n, current(engine)
        n_held = 0 if goes_to_disk(8.0 * n * n, engine, AT_A_TIME) else n**2
        instead = "use fewer points or a smaller eps, or Engine(store=folder)"
        _reserve(engine, n_held, f"distances of {n} measures on a line", measures, instead=instead)
        return Dense(backend_of(engine).line_among(x, float(self.p), measures.rows, engine), ground.triangle)

    def cross(self, new: Measures, measures: Measures, ground: Metric, engine: Engine | None = None) -> Floats:
        self.check(new)
        self.check(measures)
        assert isinstance(new, Discrete)
        assert isinstance(measures, Discrete)
        x, engine = _coordinates(ground), current(engine)
        _reserve(engine, new.n * measures.n, f"distances of {new.n} to {measures.n} measures on a line", new, measures)
        return backend_of(engine).line_between(x, float(self.p), new.rows, measures.rows, engine)

    def coupling(self, measures: Measures, ground: Metric, i: int, j: int) -> Coupling:
        """The plan that keeps the order, with dual prices (none for p = ∞) and the gap between the two."""
        self.check_pair(measures, ground, i, j)
        assert isinstance(measures, Discrete)
        x, both = _coordinates(ground), measures.take(np.array([i, j]))
        climbs = climbs_of(both.rows, x)
        value = line_distance(climbs, float(self.p))
        a, b = np.split(both.masses, both.indptr[1:2])
        sources, targets = np.split(both.indices, both.indptr[1:2])
        path = _staircase(climbs, np.argsort(x[sources], kind="stable"), np.argsort(x[targets], kind="stable"))
        plan = np.zeros((len(a), len(b)))
        plan[path.sources, path.targets] = path.masses
        if self.p == np.inf:
            return Coupling(value, plan, None, 0.0, Status.OPTIMAL, sources, targets)
        distances = np.abs(x[sources][:, None] - x[targets])
        top = distances.max() or 1.0
        costs = (distances / top) ** self.p
        u, v = _prices(path, costs)
        gap = float((plan * costs).sum() - u @ a / a.sum() - v @ b / b.sum())
        with np.errstate(over="ignore"):  # d^p may be beyond all numbers though its root, the distance, is not
            unit = np.float64(top) ** self.p
        potentials = (unit * u, unit * v) if np.isfinite(unit) else None
        return Coupling(value, plan, potentials, gap, Status.OPTIMAL, sources, targets)


def _coordinates(ground: Metric) -> Floats:
    """The coordinate of each point; refuses what is no line."""
    if not isinstance(ground, Euclidean):
        raise TypeError(
            f"Line needs points with one coordinate under the Euclidean metric as ground, got {type(ground).__name__}; "
            "use Exact, which takes any metric"
        )
    if ground.points.shape[1:] != (1,):
        raise ValueError(
            f"Line needs points with one coordinate, got points of shape {ground.points.shape}; "
            "use Exact, which takes any number of coordinates"
        )
    return ground.points[:, 0]


def _reserve(
    engine: Engine, n_pairs: int, what: str, *families: Discrete, instead: str = "use fewer points or a smaller eps"
) -> None:
    """Announce the distances and the sorted copies of the measures."""
    n_masses = sum(len(measures.masses) for measures in families)
    engine.reserve(8.0 * n_pairs + 48.0 * n_masses, what, instead)


class _Path(NamedTuple):
    """Cells of a plan, each a step to the next source or the next target from the one before, and their masses."""

    sources: Ints
    targets: Ints
    masses: Floats


def _staircase(climbs: Climbs, rows: Ints, cols: Ints) -> _Path:
    """The plan between two measures that keeps the order; `rows` and `cols` list their points as they lie."""
    a, b = np.split(climbs.levels, climbs.indptr[1:2])
    ends = np.concatenate([a[:-1] * b[-1], b[:-1] * a[-1]])
    order = np.argsort(ends, kind="stable")
    levels = np.append(ends[order], a[-1] * b[-1])
    kept = np.diff(levels, prepend=0.0) > FAINT * levels[-1]  # other pieces are broken ties and go with the next
    masses = np.zeros(len(levels))
    masses[kept] = np.diff(levels[kept], prepend=0.0)
    next_source = order < len(a) - 1
    sources, targets = (np.append(0, np.cumsum(steps)) for steps in (next_source, ~next_source))
    return _Path(rows[sources], cols[targets], masses / masses.sum())


def _prices(path: _Path, costs: Floats) -> tuple[Floats, Floats]:
    """Feasible prices u + v ≤ costs, tight on the path: costs convex in the displacement have such."""
    along = costs[path.sources, path.targets]
    u = np.zeros(len(costs))
    u[path.sources] = np.append(0.0, np.cumsum(np.where(np.diff(path.sources) != 0, np.diff(along), 0.0)))
    return u, (costs - u[:, None]).min(axis=0)
