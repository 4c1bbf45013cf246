"""Distances beside transport: Prokhorov's, bounds of Gromov–Wasserstein's, and ultrametric ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.cluster.hierarchy import cophenet
from scipy.spatial.distance import squareform

from wasserstein_transform import _check as check
from wasserstein_transform._display import HtmlTable
from wasserstein_transform._types import Floats
from wasserstein_transform.engine import Engine, current
from wasserstein_transform.hierarchy import spanning_tree
from wasserstein_transform.measures import Discrete, make_discrete
from wasserstein_transform.spaces import Dense, Euclidean, Metric, Quotient, Space, check_space, quotient
from wasserstein_transform.transport import Line, wasserstein
from wasserstein_transform.transport.inputs import MetricLike, as_metric

BLOCK_ROWS = 1024  # rows of a distortion at a time
MAX_ORDER = 100.0  # orders beyond which powers of one half are negligible


def prokhorov(a: ArrayLike, b: ArrayLike, metric: MetricLike) -> float:
    """Compute the exact Prokhorov distance between two weightings of the points of a metric space.

    By Strassen's theorem it is the smallest r for which a coupling moves at most the mass r farther than r. The
    smallest mass that must move farther than r is found by transport with costs 0 and 1. It changes only at distances
    and falls as r grows, so that bisection over the distances finds the result.

    Parameters
    ----------
    a, b : arrays of shape (n,)
        Masses ≥ 0; they are divided by their totals.
    metric : array, graph, Metric or Space
        Distances, points or a graph, as in `wt.wasserstein_pairs`.

    Returns
    -------
    float
        The distance, in the unit of the distances.

    Notes
    -----
    O(log n) transport problems with n × n costs.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> from wt_paper import theory
    >>> line = [[0.0], [0.3], [4.0]]
    >>> theory.prokhorov([1, 0, 0], [0, 1, 0], line)
    0.3
    >>> theory.prokhorov([1, 0, 0], [0.75, 0, 0.25], line)  # a quarter of the mass is far away
    0.25
    """
    ground = as_metric(metric)
    masses = [_masses(values, ground.n, name) for values, name in ((a, "a"), (b, "b"))]
    rows, cols = (np.flatnonzero(values) for values in masses)
    one, other, distances = masses[0][rows], masses[1][cols], ground.block(rows, cols)
    radii = np.unique(np.append(0.0, distances))
    low, high = 0, len(radii) - 1  # beyond(radii[high]) ≤ radii[high] always
    while low < high:
        middle = (low + high) // 2
        low, high = (
            (low, middle) if _beyond(one, other, distances, radii[middle]) <= radii[middle] else (middle + 1, high)
        )
    before = _beyond(one, other, distances, radii[low - 1]) if low else np.inf
    return float(min(radii[low], before))


def _masses(values: ArrayLike, n: int, name: str) -> Floats:
    try:
        return check.weights(check.floats(values, name), n)
    except ValueError as error:
        raise ValueError(f"{name} must hold one mass per point of the metric: {error}") from None


def _beyond(one: Floats, other: Floats, distances: Floats, radius: float) -> float:
    """The smallest mass that a coupling must move farther than the radius."""
    return float(wasserstein(one, other, (distances > radius).astype(float)).value)


@dataclass(frozen=True, eq=False)
class GromovWasserstein(HtmlTable):
    """Lower and upper bounds of the Gromov–Wasserstein distance d_GWp, without a factor ½, as in the paper.

    `gromov_wasserstein_bounds` returns it.

    Attributes
    ----------
    p : float
        The order.
    flb : float
        Mémoli's first lower bound: W_p between the p-th means of the distances from each point.
    slb : float
        Mémoli's second lower bound: W_p between the distributions of all distances.
    tlb : float
        Mémoli's third lower bound: transport between the points, with W_p of their distances as cost. flb ≤ tlb and
        slb ≤ tlb.
    identity : float, or None
        The distortion of the identity, ‖d − d'‖ in L^p(α ⊗ α), the bound in the proof of sampling convergence. None if
        the spaces have different weights or numbers of points.
    upper : float
        The distortion of the best known coupling: the identity, the coupling of `tlb`, or the given plan.
    plan : array of shape (n, n')
        That coupling.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> from wt_paper import theory
    >>> one, other = wt.Space.from_points([[0.0], [1.0]]), wt.Space.from_points([[0.0], [3.0]])
    >>> result = theory.gromov_wasserstein_bounds(one, other)
    >>> result.lower, result.upper
    (1.0, 1.0)
    """

    p: float
    flb: float
    slb: float
    tlb: float
    identity: float | None
    upper: float
    plan: Floats

    @property
    def lower(self) -> float:
        """The largest lower bound."""
        return min(max(self.flb, self.slb, self.tlb), self.upper)  # rounding may put it above `upper`


def gromov_wasserstein_bounds(
    one: Space, other: Space, p: float = 1.0, plan: ArrayLike | None = None, engine: Engine | None = None
) -> GromovWasserstein:
    """Compute lower and upper bounds of the Gromov–Wasserstein distance of order p between two spaces.

    Parameters
    ----------
    one, other : Space
        The spaces, with n and n' points.
    p : float, default 1.0
        The order, ≥ 1 and finite.
    plan : array of shape (n, n'), optional
        A coupling to try for the upper bound, such as that of `gromov_wasserstein_plan`. None: only the built-in ones.
    engine : Engine, optional
        Threads, device, memory limit and store. None: the current engine.

    Returns
    -------
    GromovWasserstein

    Notes
    -----
    n·n' transport problems on the line, one n × n' transport problem, and one on n² + n'² points of the line.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> from wt_paper import theory
    >>> one = wt.Space.from_points([[0.0], [1.0], [3.0]])
    >>> other = wt.Space.from_points([[0.0], [1.0], [4.0]])
    >>> result = theory.gromov_wasserstein_bounds(one, other)
    >>> round(result.lower, 4), round(result.upper, 4), round(result.identity, 4)
    (0.4444, 0.4444, 0.4444)
    """
    check_space(one)
    check_space(other)
    if check.order_p(p) == np.inf:
        raise ValueError("p must be finite; bounds of order infinity are not implemented")
    engine = current(engine)
    D, E = one.metric.dense(engine), other.metric.dense(engine)
    a, b = one.weights, other.weights
    means = [_means(distances, weights, p) for distances, weights in ((D, a), (E, b))]
    flb = _line(means[0][None], a, means[1][None], b, p, engine)[0, 0]
    slb = _line(D.reshape(1, -1), np.outer(a, a).ravel(), E.reshape(1, -1), np.outer(b, b).ravel(), p, engine)[0, 0]
    costs = _line(D, a, E, b, p, engine)
    unit = _unit(costs, p)
    result = wasserstein(a, b, (costs / unit) ** p)
    same = len(a) == len(b) and bool(np.abs(a - b).max() <= 1e-12)
    couplings = [*([np.diag(a)] if same else []), result.plan]
    if plan is not None:
        couplings.append(_check_plan(plan, a, b))
    losses = [distortion(some, D, E, p) for some in couplings]
    best = int(np.argmin(losses))
    identity = losses[0] if same else None
    tlb = unit * max(result.value, 0.0) ** (1 / p)
    return GromovWasserstein(float(p), float(flb), float(slb), float(tlb), identity, losses[best], couplings[best])


def gromov_wasserstein_plan(one: Space, other: Space, engine: Engine | None = None) -> Floats:
    """Find a coupling of two spaces with a small squared distortion: a local minimum, by POT's conditional gradient.

    Needs POT, the extra `theory`.

    Parameters
    ----------
    one, other : Space
        The spaces, with n and n' points.
    engine : Engine, optional
        Threads, device, memory limit and store. None: the current engine.

    Returns
    -------
    array of shape (n, n')
        The coupling, for `gromov_wasserstein_bounds`.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> from wt_paper import theory
    >>> one = wt.Space.from_points([[0.0], [1.0], [3.0]])
    >>> other = wt.Space.from_points([[3.0], [2.0], [0.0]])
    >>> plan = theory.gromov_wasserstein_plan(one, other)
    >>> result = theory.gromov_wasserstein_bounds(one, other, p=2, plan=plan)
    >>> result.upper
    0.0
    """
    check_space(one)
    check_space(other)
    try:
        from ot.gromov import gromov_wasserstein
    except ImportError:
        raise ImportError("gromov_wasserstein_plan needs POT, which is not installed; use pip install POT") from None
    D, E = (space.metric.dense(engine) for space in (one, other))
    return np.asarray(gromov_wasserstein(D, E, one.weights, other.weights, "square_loss"))


def distortion(plan: Floats, one: Floats, other: Floats, p: float = 1.0) -> float:
    """Compute the distortion of a coupling, an upper bound of the Gromov–Wasserstein distance of order p.

    (∬ |d(x, x') − d'(y, y')|^p π(dx, dy) π(dx', dy'))^{1/p}.

    Parameters
    ----------
    plan : array of shape (n, n')
        The coupling π.
    one, other : arrays of shapes (n, n) and (n', n')
        The distances d and d'.
    p : float, default 1.0
        The order, ≥ 1 and finite.

    Returns
    -------
    float
        The distortion, in the unit of the distances.

    Notes
    -----
    Time O(k²) for k nonzero entries of the plan.

    Examples
    --------
    >>> import numpy as np
    >>> from wt_paper import theory
    >>> D = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> theory.distortion(np.eye(2) / 2, D, 3 * D)
    1.0
    """
    plan, one, other = (check.floats(some, name) for some, name in ((plan, "plan"), (one, "one"), (other, "other")))
    if plan.ndim != 2 or one.shape != (plan.shape[0],) * 2 or other.shape != (plan.shape[1],) * 2:
        raise ValueError(
            f"a plan of shape (n, n') needs distances of shapes (n, n) and (n', n'), got {plan.shape}, {one.shape} and "
            f"{other.shape}"
        )
    if check.order_p(p) == np.inf:
        raise ValueError("p must be finite; the distortion of order infinity is not implemented")
    rows, cols = np.nonzero(plan)
    masses = plan[rows, cols]

    def losses(part: slice) -> Floats:
        return np.asarray(np.abs(one[np.ix_(rows[part], rows)] - other[np.ix_(cols[part], cols)]))

    parts = [slice(k, k + BLOCK_ROWS) for k in range(0, len(rows), BLOCK_ROWS)]
    unit = 1.0 if p == 1 else max((_unit(losses(part), p) for part in parts), default=1.0)
    total = sum(float(masses[part] @ (losses(part) / unit) ** p @ masses) for part in parts)
    return float(unit * total ** (1 / p))


def _unit(values: Floats, p: float) -> float:
    """A power of 2 of the size of the largest value: p-th powers of the quotients do not overflow.

    For large p it is the largest value itself, since powers of one half would vanish.
    """
    top = float(values.max())
    if top > 0 and p > MAX_ORDER:
        return top
    return 2.0 ** int(np.frexp(top)[1]) if top > 0 else 2.0**-1074


def _means(distances: Floats, weights: Floats, p: float) -> Floats:
    """The p-th mean of the distances from each point."""
    top = distances.max(axis=1, keepdims=True)
    top[top == 0] = 1.0
    units = top if p > MAX_ORDER else 2.0 ** np.frexp(top)[1]
    return np.asarray(units[:, 0] * ((distances / units) ** p @ weights) ** (1 / p))


def _check_plan(plan: ArrayLike, a: Floats, b: Floats) -> Floats:
    values = check.floats(plan, "plan")
    if values.shape != (len(a), len(b)):
        raise ValueError(f"plan must couple {len(a)} with {len(b)} points, got shape {values.shape}")
    off = max(np.abs(values.sum(axis=1) - a).max(), np.abs(values.sum(axis=0) - b).max(), -values.min())
    if off > 1e-9:
        raise ValueError(f"plan must be ≥ 0 with the weights of the spaces as row and column sums, off by {off:.1e}")
    return values


def _line(one: Floats, a: Floats, other: Floats, b: Floats, p: float, engine: Engine) -> Floats:
    """W_p on the line, from every row of `one` with masses `a` to every row of `other` with masses `b`."""
    ground = Euclidean(np.concatenate([one.ravel(), other.ravel()])[:, None])
    return Line(p).cross(_rows(one, a, 0, ground.n), _rows(other, b, one.size, ground.n), ground, engine)


def _rows(numbers: Floats, masses: Floats, first: int, size: int) -> Discrete:
    k, n = numbers.shape
    indptr, indices = np.arange(k + 1) * n, first + np.arange(k * n)
    return make_discrete(indptr, indices, np.tile(masses, k), np.full(k, first), size)


def subdominant_ultrametric(metric: MetricLike, engine: Engine | None = None) -> Dense:
    """Compute the largest ultrametric below a metric: u(x, x') is the height at which single linkage joins x and x'.

    Parameters
    ----------
    metric : array, graph, Metric or Space
        Distances, points or a graph, as in `wt.wasserstein_pairs`.
    engine : Engine, optional
        Threads, device, memory limit and store. None: the current engine.

    Returns
    -------
    Dense
        The ultrametric, as an n × n matrix.

    Notes
    -----
    One spanning tree, and 8 n² bytes.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> from wt_paper import theory
    >>> theory.subdominant_ultrametric([[0.0], [1.0], [3.0]]).matrix
    array([[0., 1., 2.],
           [1., 0., 2.],
           [2., 2., 0.]])
    """
    engine = current(engine)
    return Dense(_minimax(as_metric(metric), engine), triangle=True)


def is_ultrametric(metric: MetricLike, rounding: float = 1e-12, engine: Engine | None = None) -> bool:
    """Return whether d(x, z) ≤ max(d(x, y), d(y, z)) for all points, up to rounding.

    Parameters
    ----------
    metric : array, graph, Metric or Space
        Distances, points or a graph, as in `wt.wasserstein_pairs`.
    rounding : float, default 1e-12
        The tolerance, relative to the largest distance.
    engine : Engine, optional
        Threads, device, memory limit and store. None: the current engine.

    Returns
    -------
    bool

    Notes
    -----
    One spanning tree, and O(n²) memory.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> from wt_paper import theory
    >>> theory.is_ultrametric([[0.0, 1.0, 2.0], [1.0, 0.0, 2.0], [2.0, 2.0, 0.0]])
    True
    >>> theory.is_ultrametric([[0.0], [1.0], [3.0]])
    False
    """
    engine = current(engine)
    ground = as_metric(metric)
    distances = ground.dense(engine)
    off = float((distances - _minimax(ground, engine)).max())  # an ultrametric equals its subdominant ultrametric
    return off <= check.tolerance(rounding, "rounding") * float(distances.max())


def closed_quotient(space: Space, eps: float, engine: Engine | None = None) -> Quotient:
    """Compute the ε-closed quotient of an ultrametric space: points within ε are merged, other distances stay.

    LT-WT1 gives the same space, for any weights (proposition on LT-WT of ultrametric spaces). For a comparison with it,
    `closed_quotient(space, eps).expand()` has all points.

    Parameters
    ----------
    space : Space
        An ultrametric space.
    eps : float
        The distance ε ≥ 0, in the unit of the distances.
    engine : Engine, optional
        Threads, device, memory limit and store. None: the current engine.

    Returns
    -------
    Quotient

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> from wt_paper import theory
    >>> space = wt.Space.from_distances([1.0, 2.0, 2.0], triangle=True)
    >>> result = theory.closed_quotient(space, 1.0)
    >>> result.labels, result.space.metric.dense()
    (array([0, 0, 1]), array([[0., 2.],
           [2., 0.]]))
    """
    check_space(space)
    if not is_ultrametric(space, 1e-9, engine):
        raise ValueError(
            "the closed quotient needs an ultrametric space, but this space is not ultrametric; "
            "use wt_paper.theory.subdominant_ultrametric(space), the largest ultrametric below its metric"
        )
    return quotient(space, check.tolerance(eps, "eps"))


def _minimax(metric: Metric, engine: Engine) -> Floats:
    """Minimax path distances: the heights at which the spanning tree joins two points."""
    if metric.n == 1:
        return np.zeros((1, 1))
    tree = spanning_tree(Space(metric, np.full(metric.n, 1 / metric.n), None), engine)
    return np.asarray(squareform(cophenet(tree.Z)))
