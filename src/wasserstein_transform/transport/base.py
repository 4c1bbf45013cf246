"""What a transport is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum

from .._parts import Part
from .._types import Bools, Floats, Ints
from ..engine import Engine
from ..measures import Diracs, Discrete, Gaussians, Measures
from ..spaces import Metric

_MAKERS: dict[type[Measures], str] = {
    Discrete: "Truncation, Kernel, Once, Nearest, Heat, Given, Whole and Point",
    Diracs: "Mean and Ridge",
    Gaussians: "Gaussian",
}


class Status(Enum):
    """How a transport problem ended."""

    OPTIMAL = "the plan is optimal"
    STALLED = "the simplex did not reach the optimum within its limit of pivots"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, eq=False)
class Coupling:
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
    """

    accepts: type[Measures]
    p: float

    def fits(self, ground: Metric) -> bool:
        """Whether measures on a space with this metric can be compared."""
        return True

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
            f"{name} compares {self.accepts.__name__} measures, made by {_MAKERS.get(self.accepts, 'other parts')}; "
            f"it got {kind.__name__} measures, made by {_MAKERS.get(kind, 'other parts')}{hint}"
        )

    @abstractmethod
    def metric(self, measures: Measures, ground: Metric, engine: Engine | None = None) -> Metric:
        """The distances between all measures. `ground` is the metric of the space discrete measures live on."""

    @abstractmethod
    def cross(self, new: Measures, measures: Measures, ground: Metric, engine: Engine | None = None) -> Floats:
        """Distances of other measures on the same ground to the measures, `new.n` × `measures.n`."""

    @abstractmethod
    def coupling(self, measures: Measures, ground: Metric, i: int, j: int) -> Coupling:
        """The optimal plan between measures i and j."""
