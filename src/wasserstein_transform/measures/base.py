"""The base class of families of measures."""

from __future__ import annotations

from abc import ABC, abstractmethod

from .._types import Bools, Floats
from ..spaces import Metric


class Measures(ABC):
    """Base class of families of n probability measures, one per point; localizations return them.

    Attributes
    ----------
    massless : array of bool, shape (n,)
        Points with no mass within reach. They do not move.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> space = wt.Space.from_points([[0.0], [1.0], [5.0]])
    >>> measures = wt.Mean(wt.Truncation(1.0))(space)
    >>> measures
    <Diracs: 3 measures in R^1>
    >>> measures.centers.ravel()
    array([0.5, 0.5, 5. ])
    >>> measures.metric().block([0], [1, 2])
    array([[0. , 4.5]])
    """

    massless: Bools

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.n} measures{self._in_words()}>"

    def _in_words(self) -> str:
        """The end of the repr."""
        return "" if self.centers is None else f" in R^{self.centers.shape[1]}"

    @property
    @abstractmethod
    def n(self) -> int:
        """Number of measures."""

    @property
    def centers(self) -> Floats | None:
        """Means of the measures in R^m, the new points, shape (n, m). None if the measures are on the space itself."""
        return None

    @property
    def moved(self) -> Floats | None:
        """The same as `centers`, but left on the GPU if they are there."""
        return self.centers

    def metric(self) -> Metric | None:
        """The Wasserstein distance as a metric if a formula gives it; None if transport problems must be solved."""
        return None
