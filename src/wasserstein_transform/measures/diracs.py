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
    """δ at each row of `points`."""

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
        """W_p of Diracs is the distance of their points, for every p."""
        return Euclidean(self.moved)
