"""Point masses in R^m."""

from __future__ import annotations

from dataclasses import dataclass

from .._elsewhere import on_host, where_it_lies
from .._types import Bools, Floats
from ..spaces import Euclidean
from .base import Measures


@on_host("points")
@dataclass(frozen=True, eq=False, repr=False)
class Diracs(Measures):
    """Point masses in R^m, one per point. `Mean` and `Ridge` return them.

    Attributes
    ----------
    points : array of shape (n, m)
        The position of each Dirac, in the unit of the coordinates.
    massless : array of bool, shape (n,)
        Points with no mass within reach. They do not move.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> space = wt.Space.from_points([[0.0], [1.0], [5.0]])
    >>> moved = wt.Mean(wt.Truncation(1.0))(space)
    >>> moved.points.ravel(), moved.massless
    (array([0.5, 0.5, 5. ]), array([False, False, False]))
    """

    points: Floats
    massless: Bools

    @property
    def n(self) -> int:
        return len(where_it_lies(self, "points"))

    @property
    def centers(self) -> Floats:
        return self.points

    @property
    def moved(self) -> Floats:
        points: Floats = where_it_lies(self, "points")
        return points

    def metric(self) -> Euclidean:
        """The Euclidean distance of the points, which is W_p of Diracs for every p."""
        return Euclidean(self.moved)
