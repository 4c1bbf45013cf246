"""What a localization is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Protocol

import numpy as np

from .._parts import Part
from .._types import Bools, Floats
from ..engine import Engine
from ..measures import Discrete, Measures
from ..spaces import Both, Moments, Space


class Seen(Protocol):
    """What points see of a space: the means and covariances of any coordinates under their measures."""

    def means(self, points: Floats) -> Moments: ...

    def covs(self, points: Floats) -> Moments: ...

    def both(self, points: Floats) -> Both: ...

    def once(self) -> Seen: ...


class Localization(Part, ABC):
    """L : α ↦ (x ↦ m(x)): one probability measure per point of a space.

    Localizations are values: nothing about a space is kept in them.
    """

    @property
    def scale(self) -> float | None:
        """The radius movements are measured by; None if the localization has no scale of its own."""
        return None

    @property
    def reach(self) -> float:
        """Distance beyond which a point sees nothing; infinity if there is none."""
        return float("inf")

    @abstractmethod
    def __call__(self, space: Space, engine: Engine | None = None) -> Measures:
        """The measures of all points."""

    @abstractmethod
    def see(self, space: Space, engine: Engine, first: int = 0) -> Seen:
        """What the points from `first` on see of the space, for means and covariances only."""

    @abstractmethod
    def cross(self, distances: Floats, space: Space) -> Discrete:
        """The measures, on the space, of new points that carry no mass, given by rows of distances to it."""


def check_mass(mass: Floats, weights: Floats) -> Bools:
    """Points that see no mass. Only points that carry none may: the others get an error."""
    massless = mass == 0
    wrong = massless & (weights > 0)
    if wrong.any():
        raise ValueError(
            f"{wrong.sum()} points with positive weight see no mass, the first is point {int(wrong.argmax())}; "
            "a kernel must be positive at distance 0 or reach a neighbour: use a larger eps or another profile"
        )
    return np.asarray(massless)
