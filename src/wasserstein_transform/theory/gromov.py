"""Bounds of the Gromov–Wasserstein distance between two spaces."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .. import _check as check
from .._shown import Tabled
from .._types import Floats
from ..engine import Engine, current
from ..measures import Discrete
from ..measures.discrete import discrete
from ..spaces import Euclidean, Space, check_space
from ..transport import Line, wasserstein

_ROWS = 1024  # rows of a distortion at a time
_STEEP = 100.0  # orders beyond which powers of one half are negligible


@dataclass(frozen=True, eq=False)
class GromovWasserstein(Tabled):
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
    >>> one, other = wt.Space.from_points([[0.0], [1.0]]), wt.Space.from_points([[0.0], [3.0]])
    >>> found = wt.theory.gromov_wasserstein_bounds(one, other)
    >>> found.lower, found.upper
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
    >>> one = wt.Space.from_points([[0.0], [1.0], [3.0]])
    >>> other = wt.Space.from_points([[0.0], [1.0], [4.0]])
    >>> found = wt.theory.gromov_wasserstein_bounds(one, other)
    >>> round(found.lower, 4), round(found.upper, 4), round(found.identity, 4)
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
    found = wasserstein(a, b, (costs / unit) ** p)
    same = len(a) == len(b) and bool(np.abs(a - b).max() <= 1e-12)
    couplings = [*([np.diag(a)] if same else []), found.plan]
    if plan is not None:
        couplings.append(_check_plan(plan, a, b))
    losses = [distortion(some, D, E, p) for some in couplings]
    best = int(np.argmin(losses))
    identity = losses[0] if same else None
    tlb = unit * max(found.value, 0.0) ** (1 / p)
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
    >>> one = wt.Space.from_points([[0.0], [1.0], [3.0]])
    >>> other = wt.Space.from_points([[3.0], [2.0], [0.0]])
    >>> plan = wt.theory.gromov_wasserstein_plan(one, other)
    >>> found = wt.theory.gromov_wasserstein_bounds(one, other, p=2, plan=plan)
    >>> found.upper
    0.0
    """
    check_space(one)
    check_space(other)
    try:
        from ot.gromov import gromov_wasserstein  # noqa: PLC0415 - POT is an extra
    except ImportError:
        raise ImportError(
            'gromov_wasserstein_plan needs POT, which is not installed; use pip install "wasserstein-transform[theory]"'
        ) from None
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
    >>> import numpy as np, wasserstein_transform as wt
    >>> D = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> wt.theory.distortion(np.eye(2) / 2, D, 3 * D)
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

    parts = [slice(k, k + _ROWS) for k in range(0, len(rows), _ROWS)]
    unit = 1.0 if p == 1 else max((_unit(losses(part), p) for part in parts), default=1.0)
    total = sum(float(masses[part] @ (losses(part) / unit) ** p @ masses) for part in parts)
    return float(unit * total ** (1 / p))


def _unit(values: Floats, p: float) -> float:
    """A power of 2 of the size of the largest value: p-th powers of the quotients do not overflow.

    For large p it is the largest value itself, since powers of one half would vanish.
    """
    top = float(values.max())
    if top > 0 and p > _STEEP:
        return top
    return 2.0 ** int(np.frexp(top)[1]) if top > 0 else 2.0**-1074


def _means(distances: Floats, weights: Floats, p: float) -> Floats:
    """The p-th mean of the distances from each point."""
    top = distances.max(axis=1, keepdims=True)
    top[top == 0] = 1.0
    units = top if p > _STEEP else 2.0 ** np.frexp(top)[1]
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
    return discrete(indptr, indices, np.tile(masses, k), np.full(k, first), size)
