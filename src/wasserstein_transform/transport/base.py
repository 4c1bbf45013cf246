"""What a transport is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum
from typing import Self

import numpy as np

from .._parts import Part
from .._shown import Brief
from .._types import Bools, Floats, Ints
from ..engine import Engine
from ..localize import LOCALIZATIONS
from ..measures import Discrete, Measures
from ..spaces import Metric

_FAINT = 1e-200  # means of powers below this are next to underflow


class Status(Enum):
    """How a transport problem ended."""

    OPTIMAL = "the plan is optimal"
    STALLED = "the simplex did not reach the optimum within its limit of pivots"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, eq=False, repr=False)
class Coupling(Brief):
    """An optimal plan between two of the measures.

    Attributes
    ----------
    value : float
        The distance W_p.
    plan : array
        For discrete measures the mass moved from `sources[a]` to `targets[b]`; for Gaussians the covariance between
        the two sides.
    potentials : pair of arrays, or None
        Dual prices (u, v) with u[a] + v[b] ≤ d(a, b)^p for discrete measures.
    gap : float
        Cost of the plan minus the dual value (discrete), or minus the closed form (Gaussians), relative to the
        largest cost.
    status : Status
    sources, targets : arrays or None
        The points the plan's rows and columns stand for.
    violator : pair of boolean arrays, or None
        For p = ∞, what stands for potentials: sources (or targets) that together have more mass than all targets
        (sources) nearer to any of them than `value`, so that no plan stays below it.
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
    """Compares measures of one kind by optimal transport.

    Attributes
    ----------
    accepts : type
        The kind of measures it compares.
    p : float
        The order of the distance.
    makes_matrix : bool
        Whether its metric is a full matrix, which may be on disk.
    """

    accepts: type[Measures]
    p: float
    makes_matrix: bool = True

    @classmethod
    def examples(cls) -> list[Self]:
        """Some of the kind: what the laws are tested on."""
        return [cls()]

    def fits(self, ground: Metric) -> bool:
        """Whether measures on a space with this metric can be compared."""
        return True

    def memory(self, n: int, m: int) -> tuple[float, float]:
        """Bytes that the metric of n measures in R^m holds, and that are taken beside it on the way."""
        return 8.0 * n * n, 8.0 * n * n  # a matrix, and that of different measures only

    def seconds(self, n: int, n_seen: float) -> float:
        """About how long one core takes for the metric of n measures that hold so many points each; 0: no time."""
        return 0.0

    def check_pair(self, measures: Measures, ground: Metric, i: int, j: int) -> None:
        """Refuse what `coupling` cannot use."""
        self.check(measures)
        if not isinstance(ground, Metric):
            raise TypeError(f"a Metric is needed as ground, got {type(ground).__name__}; a Space has one: space.metric")
        if not (0 <= i < measures.n and 0 <= j < measures.n):
            raise IndexError(f"measures are numbered 0 to {measures.n - 1}, got {i} and {j}")

    def check(self, measures: Measures) -> None:
        """Refuse measures of another kind, and say who makes what."""
        if isinstance(measures, self.accepts):
            return
        name, kind = type(self).__name__, type(measures)
        partner = next((t for t in Transport.__subclasses__() if getattr(t, "accepts", None) is kind), None)
        hint = f"; to compare {kind.__name__} measures use {partner.__name__}" if partner else ""
        raise TypeError(
            f"{name} compares {self.accepts.__name__} measures, made by {_makers(self.accepts)}; "
            f"it got {kind.__name__} measures, made by {_makers(kind)}{hint}"
        )

    @abstractmethod
    def metric(self, measures: Measures, ground: Metric, engine: Engine | None = None) -> Metric:
        """The distances between all measures. `ground` is the metric of the space discrete measures live on."""

    @abstractmethod
    def cross(self, new: Measures, measures: Measures, ground: Metric, engine: Engine | None = None) -> Floats:
        """Distances of other measures on the same ground to the measures, `new.n` × `measures.n`."""

    def cross_diracs(self, distances: Floats, measures: Discrete) -> Floats:
        """Distances of Diracs off the space, known by rows of distances to its points, to measures on it.

        W_p(δ_y, m) needs no plan: it is the p-mean of the distances.
        """
        if self.p == np.inf:
            return np.maximum.reduceat(distances[:, measures.indices], measures.indptr[:-1], axis=1)
        top = distances.max(axis=1, initial=0.0, keepdims=True)
        top[top == 0] = 1.0
        with np.errstate(under="ignore"):
            means = (measures.matrix() @ ((distances / top) ** self.p).T).T
        found = np.asarray(top * means ** (1 / self.p))
        for i, j in np.argwhere(means < _FAINT):  # powers that vanish beside the farthest point of all
            part = slice(measures.indptr[j], measures.indptr[j + 1])
            found[i, j] = _power_mean(distances[i, measures.indices[part]], measures.masses[part], self.p)
        return found

    @abstractmethod
    def coupling(self, measures: Measures, ground: Metric, i: int, j: int) -> Coupling:
        """The optimal plan between measures i and j."""


def _power_mean(distances: Floats, masses: Floats, p: float) -> float:
    """The p-mean of some distances, powers taken of their shares of the largest."""
    top = float(distances.max())
    if top == 0.0:
        return 0.0
    with np.errstate(under="ignore"):
        share = float(masses @ (distances / top) ** p / masses.sum())
    return float(top * share ** (1 / p))


def _makers(kind: type[Measures]) -> str:
    """Who makes measures of a kind, in words."""
    names = [localize.__name__ for localize in LOCALIZATIONS.values() if localize.makes is kind]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names) or "other parts"
