"""Point masses in R^m."""

from __future__ import annotations

from dataclasses import dataclass

from .._types import Bools, Floats
from ..spaces import Euclidean
from .base import Measures


@dataclass(frozen=True, eq=False, repr=False)
class Diracs(Measures):
    """δ at each row of `points`."""

    points: Floats
    massless: Bools

    @property
    def n(self) -> int:
        return len(self.points)

    @property
    def centers(self) -> Floats:
        return self.points

    def metric(self) -> Euclidean:
        """W_p of Diracs is the distance of their points, for every p."""
        return Euclidean(self.points)
