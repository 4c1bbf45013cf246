"""The base class of transports, and the optimal plan between two measures."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum

import numpy as np

from .._archive import Part
from .._display import ShortRepr
from .._types import Bools, Floats, Ints
from ..engine import Engine
from ..localize import LOCALIZATIONS
from ..measures import Discrete, Measures
from ..spaces import Metric

_MIN_POWER_MEAN = 1e-200  # means of powers below this are close to underflow


class Status(Enum):
    """How the solver of a transport problem ended; the values are messages.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> wt.wasserstein(None, None, [[0.0, 1.0], [1.0, 0.0]]).status
    <Status.OPTIMAL: 'the plan is optimal'>
    """

    OPTIMAL = "the plan is optimal"
    STALLED = "the simplex did not reach the optimum within its limit of pivots"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, eq=False, repr=False)
class Coupling(ShortRepr):
    """An optimal plan between two measures, with a certificate that it is optimal.

    `Transport.coupling` and `wt.wasserstein` return it. Below, k and l are the numbers of points with mass.

    Attributes
    ----------
    value : float
        The distance W_p, in the unit of the distances; for `wt.wasserstein` the total cost.
    plan : array of shape (k, l), or (m, m) for Gaussians
        For discrete measures, entry [a, b] is the mass moved from `sources[a]` to `targets[b]`. For Gaussians, the
        covariance between the two sides.
    potentials : pair of arrays of shapes (k,) and (l,), or None
        Dual variables (u, v) with u[a] + v[b] ≤ d(a, b)^p. None for Gaussians and for p = ∞.
    gap : float
        The cost of the plan minus the dual value (discrete) or minus the closed form (Gaussians), relative to the
        largest cost.
    status : Status
        How the solver ended.
    sources, targets : arrays of int, shapes (k,) and (l,), or None
        The points of the rows and columns of the plan. None for Gaussians.
    violator : pair of bool arrays of shapes (k,) and (l,), or None
        The certificate for p = ∞, in place of potentials: sources (or targets) that together have more mass than all
        targets (sources) nearer to any of them than `value`. So no plan has a smaller value. None otherwise.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> space = wt.Space.from_points([[0.0], [1.0], [2.0]])
    >>> plan = wt.Exact(p=1).coupling(wt.Truncation(1.0)(space), space.metric, 0, 2)
    >>> plan.value, plan.sources, plan.targets
    (1.0, array([0, 1]), array([1, 2]))
    >>> plan.status.value
    'the plan is optimal'
    """

    value: float
    plan: Floats
    potentials: tuple[Floats, Floats] | None
    gap: float
    status: Status
    sources: Ints | None = None
    targets: Ints | None = None
    violator: tuple[Bools, Bools] | None = None


class Transport(Part, ABC):
    """Base class: computes the Wasserstein distances between measures of one kind.

    Attributes
    ----------
    accepts : type
        The class of the measures: Discrete, Diracs or Gaussians.
    p : float
        The order of the distance W_p.
    makes_matrix : bool
        Whether the metric is a full matrix (in memory or on disk) and not computed on demand.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> space = wt.Space.from_points([[0.0], [1.0], [2.0]])
    >>> transport = wt.Exact(p=1)
    >>> isinstance(transport, wt.transport.Transport), transport.accepts.__name__
    (True, 'Discrete')
    >>> transport.metric(wt.Truncation(1.0)(space), space.metric).dense()[0]
    array([0. , 0.5, 1. ])
    """

    accepts: type[Measures]
    p: float
    makes_matrix: bool = True

    def fits(self, base_metric: Metric) -> bool:
        """Whether this transport supports measures on a space with this metric."""
        return True

    def memory(self, n: int, m: int) -> tuple[float, float]:
        """Estimate the bytes of the metric of n measures in R^m, and of the working memory."""
        return 8.0 * n * n, 8.0 * n * n  # the matrix of all measures, and the matrix of the distinct ones

    def seconds(self, n: int, n_seen: float) -> float:
        """Estimate the seconds that one core needs for n measures on `n_seen` points each; 0 if negligible."""
        return 0.0

    def check_pair(self, measures: Measures, base_metric: Metric, i: int, j: int) -> None:
        """Check the arguments of `coupling`."""
        self.check(measures)
        if not isinstance(base_metric, Metric):
            raise TypeError(f"base_metric must be a Metric, got {type(base_metric).__name__}; pass space.metric")
        if not (0 <= i < measures.n and 0 <= j < measures.n):
            raise IndexError(f"i and j must be indices of measures from 0 to {measures.n - 1}, got {i} and {j}")

    def check(self, measures: Measures) -> None:
        """Raise a TypeError, with a hint, if the measures are of another kind."""
        if isinstance(measures, self.accepts):
            return
        name, kind = type(self).__name__, type(measures)
        partner = next((t for t in Transport.__subclasses__() if getattr(t, "accepts", None) is kind), None)
        hint = f"; to compare {kind.__name__} measures use {partner.__name__}" if partner else ""
        raise TypeError(
            f"{name} compares {self.accepts.__name__} measures, made by {_name_makers(self.accepts)}; "
            f"it got {kind.__name__} measures, made by {_name_makers(kind)}{hint}"
        )

    @abstractmethod
    def metric(self, measures: Measures, base_metric: Metric, engine: Engine | None = None) -> Metric:
        """Compute the metric between all n measures; `base_metric` is the metric of the space of discrete measures."""

    @abstractmethod
    def cross(self, new: Measures, measures: Measures, base_metric: Metric, engine: Engine | None = None) -> Floats:
        """Compute the distances from new measures to `measures`, on the same base_metric, shape (new.n, measures.n)."""

    def cross_diracs(self, distances: Floats, measures: Discrete) -> Floats:
        """Compute the distances from k Diracs outside the space to the n measures, shape (k, n).

        `distances` holds the distances from the Diracs to the points of the space. W_p(δ_y, m) needs no plan: it is
        the p-mean of these distances under m.
        """
        if self.p == np.inf:
            return np.maximum.reduceat(distances[:, measures.indices], measures.indptr[:-1], axis=1)
        top = distances.max(axis=1, initial=0.0, keepdims=True)
        top[top == 0] = 1.0
        with np.errstate(under="ignore"):
            means = (measures.matrix() @ ((distances / top) ** self.p).T).T
        distances_to = np.asarray(top * means ** (1 / self.p))
        for i, j in np.argwhere(means < _MIN_POWER_MEAN):  # powers that underflow relative to the farthest point
            part = slice(measures.indptr[j], measures.indptr[j + 1])
            distances_to[i, j] = _power_mean(distances[i, measures.indices[part]], measures.masses[part], self.p)
        return distances_to

    @abstractmethod
    def coupling(self, measures: Measures, base_metric: Metric, i: int, j: int) -> Coupling:
        """Compute the optimal plan between measures i and j."""


def _power_mean(distances: Floats, masses: Floats, p: float) -> float:
    """The p-mean of distances; powers are taken relative to the largest to avoid overflow."""
    top = float(distances.max())
    if top == 0.0:
        return 0.0
    with np.errstate(under="ignore"):
        share = float(masses @ (distances / top) ** p / masses.sum())
    return float(top * share ** (1 / p))


def _name_makers(kind: type[Measures]) -> str:
    """The localizations that make measures of a kind, in words."""
    names = [localize.__name__ for localize in LOCALIZATIONS.values() if localize.makes is kind]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names) or "other parts"
