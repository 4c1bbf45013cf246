"""What all families of measures share."""

from __future__ import annotations

from abc import ABC, abstractmethod

from .._types import Bools, Floats
from ..spaces import Metric


class Measures(ABC):
    """One probability measure per point.

    Attributes
    ----------
    massless : array of bool
        Points that see no mass: they stay where they are.
    """

    massless: Bools

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.n} measures{self._in_words()}>"

    def _in_words(self) -> str:
        """What else there is to say."""
        return "" if self.centers is None else f" in R^{self.centers.shape[1]}"

    @property
    @abstractmethod
    def n(self) -> int:
        """Number of measures."""

    @property
    def centers(self) -> Floats | None:
        """Where the measures sit in R^m: the new points. None if they live on the space itself."""
        return None

    @property
    def moved(self) -> Floats | None:
        """The same where they lie, for those who only pass them on: they may be on a device."""
        return self.centers

    def metric(self) -> Metric | None:
        """Their distance where a formula gives it; None where transport must be solved."""
        return None
