"""Bounds of the Gromov–Wasserstein distance of two spaces."""

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

_ROWS = 1024  # of a distortion, at a time
_STEEP = 100.0  # orders beyond which powers of one half are next to nothing


@dataclass(frozen=True, eq=False)
class GromovWasserstein(Tabled):
    """What d_GWp of two spaces lies between. As in the paper, there is no factor ½.

    Attributes
    ----------
    p : float
    flb, slb, tlb : float
        Mémoli's lower bounds: by the distances from each point (their p-th means), by all distances, and by
        transport between the points with W_p of their distances as cost. flb ≤ tlb and slb ≤ tlb.
    identity : float, or None
        The distortion of the identity, ‖d − d'‖ in L^p(α ⊗ α): where the spaces have as many points, with the same
        weights. The bound of the proof of sampling convergence.
    upper : float
        The distortion of the best coupling known: the identity, that of `tlb`, or one that was given.
    plan : array of shape (n, n')
        That coupling.
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
        """The best lower bound."""
        return min(max(self.flb, self.slb, self.tlb), self.upper)  # they may meet, up to rounding


def gromov_wasserstein_bounds(
    one: Space, other: Space, p: float = 1.0, plan: ArrayLike | None = None, engine: Engine | None = None
) -> GromovWasserstein:
    """Lower and upper bounds of the Gromov–Wasserstein distance of order p, exactly computed.

    Parameters
    ----------
    one, other : Space
    p : float
        Order, ≥ 1 and finite.
    plan : array of shape (n, n'), optional
        A coupling to try, such as that of `gromov_wasserstein_plan`.
    engine : Engine, optional

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
        raise ValueError("p must be finite; bounds of order infinity are not there yet")
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
    """A coupling of small squared distortion, by POT's conditional gradient: a local minimum, no more.

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
            "the solver for the squared loss needs POT, which is not installed; "
            'pip install "wasserstein-transform[theory]" brings it'
        ) from None
    D, E = (space.metric.dense(engine) for space in (one, other))
    return np.asarray(gromov_wasserstein(D, E, one.weights, other.weights, "square_loss"))


def distortion(plan: Floats, one: Floats, other: Floats, p: float = 1.0) -> float:
    """(∬ |d(x, x') − d'(y, y')|^p π(dx, dy) π(dx', dy'))^{1/p}: at least the Gromov–Wasserstein distance of order p.

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
        raise ValueError("p must be finite; the distortion of order infinity is not there yet")
    rows, cols = np.nonzero(plan)
    masses = plan[rows, cols]

    def losses(part: slice) -> Floats:
        return np.asarray(np.abs(one[np.ix_(rows[part], rows)] - other[np.ix_(cols[part], cols)]))

    parts = [slice(k, k + _ROWS) for k in range(0, len(rows), _ROWS)]
    unit = 1.0 if p == 1 else max((_unit(losses(part), p) for part in parts), default=1.0)
    total = sum(float(masses[part] @ (losses(part) / unit) ** p @ masses) for part in parts)
    return float(unit * total ** (1 / p))


def _unit(values: Floats, p: float) -> float:
    """A power of 2 about as large as the largest: powers of what is left do not leave the range of floats.

    The largest itself for large p, where powers of a half would vanish.
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
        raise ValueError(f"plan must be ≥ 0 and have the weights of the spaces as sums; it is off by {off:.1e}")
    return values


def _line(one: Floats, a: Floats, other: Floats, b: Floats, p: float, engine: Engine) -> Floats:
    """W_p of numbers: from every row of `one` with the masses `a` to every row of `other` with the masses `b`."""
    ground = Euclidean(np.concatenate([one.ravel(), other.ravel()])[:, None])
    return Line(p).cross(_rows(one, a, 0, ground.n), _rows(other, b, one.size, ground.n), ground, engine)


def _rows(numbers: Floats, masses: Floats, first: int, size: int) -> Discrete:
    k, n = numbers.shape
    indptr, indices = np.arange(k + 1) * n, first + np.arange(k * n)
    return discrete(indptr, indices, np.tile(masses, k), np.full(k, first), size)
