"""What a localization is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Protocol, Self

import numpy as np

from .._parts import Part
from .._types import Bools, Floats
from ..engine import Engine
from ..measures import Discrete, Measures
from ..spaces import MeansAndCovs, Moments, Space


class HasMoments(Protocol):
    """Measures that tell the means and covariances of any coordinates, whether they are stored or not."""

    def means(self, points: Floats) -> Moments: ...

    def covs(self, points: Floats) -> Moments: ...

    def means_and_covs(self, points: Floats) -> MeansAndCovs: ...

    def cached(self) -> HasMoments: ...


class Localization(Part, ABC):
    """L : α ↦ (x ↦ m(x)): one probability measure per point of a space.

    Localizations are values: nothing about a space is kept in them. What one offers is said by what it derives from:
    `Intrinsic` ones make measures on the space itself, `Inductive` ones also those of new points, `Extrinsic` ones
    make measures in R^m of what an intrinsic one sees.

    Attributes
    ----------
    makes : type
        The kind of measures it makes.
    """

    makes: ClassVar[type[Measures]]

    @property
    def scale(self) -> float | None:
        """The radius movements are measured by; None if the localization has no scale of its own."""
        return None

    @property
    def reach(self) -> float:
        """Distance beyond which a point sees nothing; infinity if there is none."""
        return float("inf")

    @property
    def of_alpha(self) -> bool:
        """Whether the measures are made from the weights α, so that weight k is the same as k copies."""
        return True

    def n_seen(self, space: Space) -> float | None:
        """About how many points of a space each of them sees; None where that is not known before it is computed."""
        return None

    @classmethod
    def examples(cls, n: int, eps: float) -> list[Self]:
        """Some of the kind for n points that are about eps apart: what the laws are tested on."""
        return [cls(eps)]  # type: ignore[call-arg]  # one of another constructor says so

    @abstractmethod
    def __call__(self, space: Space, engine: Engine | None = None) -> Measures:
        """The measures of all points."""


class Intrinsic(Localization):
    """A localization whose measures live on the space itself."""

    makes = Discrete

    @abstractmethod
    def __call__(self, space: Space, engine: Engine | None = None) -> Discrete:
        """The measures of all points."""

    def moments(self, space: Space, engine: Engine) -> HasMoments:
        """The measures of all points, for means and covariances only: they need not be stored."""
        return self(space, engine)


class Inductive(Intrinsic):
    """An intrinsic localization that also has measures for points that were not there: they carry no mass."""

    def moments(self, space: Space, engine: Engine, first: int = 0) -> HasMoments:
        """The measures of the points from `first` on, for means and covariances only."""
        measures = self(space, engine)
        return measures if first == 0 else measures.take(np.arange(first, space.n))

    @abstractmethod
    def cross(self, distances: Floats, space: Space) -> Discrete:
        """The measures, on the space, of new points that carry no mass, given by rows of distances to it."""


def check_mass(mass: Floats, weights: Floats) -> Bools:
    """Points that see no mass. Only points that carry none may: the others get an error."""
    if mass.min(initial=np.inf) > 0:
        return np.zeros(len(mass), bool)
    massless = mass == 0
    wrong = massless & (weights > 0)
    if wrong.any():
        raise ValueError(
            f"{wrong.sum()} points with positive weight see no mass, the first is point {int(wrong.argmax())}; "
            "a kernel must be positive at distance 0 or reach a neighbor: use a larger eps or another profile"
        )
    return np.asarray(massless)
