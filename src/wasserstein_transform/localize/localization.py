"""Base classes of localizations."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from .._archive import Part
from .._types import Floats
from ..compute import HasMoments
from ..engine import Engine
from ..measures import Discrete, Measures
from ..spaces import Space


class Localization(Part, ABC):
    """Base class: a map from a space to one probability measure m(x) per point x.

    A localization is an immutable value and stores nothing about a space. Its base class says what it can do:
    `Intrinsic` localizations make measures on the points of the space, `Inductive` ones also make them for new points,
    and `Extrinsic` ones turn the measures of an intrinsic one into measures in R^m.

    Attributes
    ----------
    makes : type
        The class of the measures: Discrete, Diracs or Gaussians.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> space = wt.Space.from_points([[0.0], [1.0], [5.0]])
    >>> localize = wt.Truncation(1.0)
    >>> isinstance(localize, wt.localize.Localization), localize.makes.__name__, localize.reach
    (True, 'Discrete', 1.0)
    >>> localize(space)
    <Discrete: 3 measures on 3 points, 5 masses>
    """

    makes: ClassVar[type[Measures]]

    @property
    def scale(self) -> float | None:
        """The radius ε that movements are compared with, in the unit of the distances; None if there is no radius."""
        return None

    @property
    def reach(self) -> float:
        """The distance beyond which every measure is 0; infinity if there is no such distance."""
        return float("inf")

    @property
    def of_alpha(self) -> bool:
        """Whether the measures depend on the weights α, so that a point of weight k acts like k copies of it."""
        return True

    def n_seen(self, space: Space) -> float | None:
        """Estimate the number of neighbors per point, without computing them; None if there is no cheap estimate."""
        return None

    @abstractmethod
    def __call__(self, space: Space, engine: Engine | None = None) -> Measures:
        """Compute the measures of all n points."""


class Intrinsic(Localization):
    """Base class of localizations whose measures are on the points of the space.

    Examples
    --------
    Row i of the matrix is the measure of point i on the three points:

    >>> import wasserstein_transform as wt
    >>> isinstance(wt.Truncation(1.0), wt.localize.Intrinsic), isinstance(wt.localize.Heat(1.0), wt.localize.Intrinsic)
    (True, True)
    >>> wt.Truncation(1.0)(wt.Space.from_points([[0.0], [1.0], [5.0]])).matrix().toarray()
    array([[0.5, 0.5, 0. ],
           [0.5, 0.5, 0. ],
           [0. , 0. , 1. ]])
    """

    makes = Discrete

    @abstractmethod
    def __call__(self, space: Space, engine: Engine | None = None) -> Discrete:
        """Compute the measures of all n points."""

    def moments(self, space: Space, engine: Engine, first: int = 0) -> HasMoments:
        """Return the measures of the points from index `first` on for means and covariances only, not always stored.

        Points from `first` > 0 on are new ones: only an `Inductive` localization has measures for them.
        """
        measures = self(space, engine)
        return measures if first == 0 else measures.take(np.arange(first, space.n))


class Inductive(Intrinsic):
    """Base class of intrinsic localizations that also give measures to new points, which carry no mass.

    Examples
    --------
    A new point at distances 3, 2 and 1 from the points of the space:

    >>> import numpy as np, wasserstein_transform as wt
    >>> space = wt.Space.from_points([[0.0], [1.0], [2.0]])
    >>> wt.Truncation(2.0).cross(np.array([[3.0, 2.0, 1.0]]), space).matrix().toarray()
    array([[0. , 0.5, 0.5]])
    """

    @abstractmethod
    def cross(self, distances: Floats, space: Space) -> Discrete:
        """Compute the measures of k new points from their distances to the n points of the space, shape (k, n)."""
