"""Choosing ε from the data."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from .._types import Floats, Ints
from ..engine import Engine, current
from ..spaces import Space
from .places import distinct, read, rows_of, spread, weighted_median

NEIGHBORS = 10  # that give the scale; of few places, √n
_SMALL = 1500  # places up to which all distances are looked at
_NEAR, _ASKED = 100, 5000  # of more: neighbors that a tree finds, and places it is asked for
_DISTANCES, _FEWEST = 1e7, 50  # else: distances that are looked at, about; rows of them


class Scale(float):
    """A radius, and in `reason` why it was chosen. It is a number like any other."""

    reason: str

    def __new__(cls, eps: float, reason: str) -> Self:
        """The radius `eps`, chosen for the reason given."""
        self = super().__new__(cls, eps)
        self.reason = reason
        return self

    def __getnewargs__(self) -> tuple[float, str]:  # type: ignore[override]  # what __new__ takes
        return float(self), self.reason

    @property
    def eps(self) -> float:
        """The radius as a plain number."""
        return float(self)

    def __repr__(self) -> str:
        return f"Scale(eps={float(self)!r}, reason={self.reason!r})"

    def __str__(self) -> str:
        return f"eps = {float(self):.4g}: {self.reason}"


def suggest_eps(X: ArrayLike | Space, sample_weight: ArrayLike | None = None, metric: str | None = None) -> Scale:
    """A starting value for ε: the median distance to the 10th nearest place.

    It follows the spacing of the points, however many there are: small neighborhoods, which keep to one arm of a spiral
    or one side of a gap. With fewer than 100 places the √n-th nearest counts. Places in which
    several points lie count once, so that weight k is the same as k copies and weight 0 as no point. `wt.suggest` says
    more, and knows curves and surfaces.

    Parameters
    ----------
    X : array of shape (n, m), distances of shape (n, n) for metric="precomputed", or Space
    sample_weight : array of shape (n,), optional
        Masses of the points.
    metric : str, optional
        A SciPy name, or "precomputed"; Euclidean by default.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> print(wt.suggest_eps(np.arange(100.0)[:, None]))
    eps = 5: the median distance to the 10th nearest of 100 places
    """
    engine = current()
    with engine.watched() as engine:
        return scale_of(distinct(read(X, sample_weight, metric), engine), engine)


def scale_of(places: Space, engine: Engine) -> Scale:
    """The same, of distinct places in their order."""
    n = places.n
    if n == 1:
        return Scale(1.0, "all the mass is in one place, where every radius does the same")
    k = n_neighbors(n)
    eps = median_radii(places, [k], engine)[0]
    if n <= 3:
        return Scale(eps, f"{n} places tell no scale: this is a distance between two")
    return Scale(eps, f"the median distance to the {ordinal(k)} nearest of {n:,} places")


def n_neighbors(n: int) -> int:
    """The neighbor whose distance gives the scale of n places."""
    return max(1, min(NEIGHBORS, int(np.sqrt(n))))


def median_radii(places: Space, ks: list[int], engine: Engine) -> list[float]:
    """Median distances to the k-th nearest places, for each k: of all places, or of many, evenly spread."""
    by_tree = places.n > _SMALL and places.metric.is_euclidean and max(ks) <= _NEAR
    centers, radii = (_by_tree if by_tree else _by_rows)(places, ks, engine)
    known = np.isfinite(radii)
    if not known.any(axis=0).all():
        raise ValueError("too few distances are known between the points: a scale cannot be told")
    weights = places.weights[centers]
    return [weighted_median(column[is_], weights[is_]) for column, is_ in zip(radii.T, known.T, strict=True)]


def _by_tree(places: Space, ks: list[int], engine: Engine) -> tuple[Ints, Floats]:
    centers = spread(places.n, _ASKED)
    found = places.metric.neighbors(max(ks) + 1, places.metric.take(centers), engine.quiet())
    return centers, found.distances[:, ks]  # the first is the place itself


def _by_rows(places: Space, ks: list[int], engine: Engine) -> tuple[Ints, Floats]:
    least = places.n if places.n <= _SMALL else _FEWEST
    centers = spread(places.n, max(int(_DISTANCES / places.n), least))
    radii = np.empty((len(centers), len(ks)))
    for part, rows in rows_of(places, centers, engine):
        radii[part] = np.partition(rows, ks, axis=1)[:, ks]
    return centers, radii


def ordinal(k: int) -> str:
    """1st, 2nd, 3rd, 4th, …, 11th, …, 21st."""
    ending = "th" if k // 10 % 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(k % 10, "th")
    return f"{k}{ending}"
