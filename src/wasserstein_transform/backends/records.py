"""Results of operations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeVar

from .._archive import archived
from .._shown import Tabled
from .._types import Floats, Ints

Radius = TypeVar("Radius", float, Floats)


def rim(radius: Radius) -> Radius:
    """Return the radius of a closed ball with a tolerance for rounding in ties. All comparisons use it, or its square.

    Examples
    --------
    Three steps of 0.1 are as long as 0.3, but their sum is rounded up:

    >>> import wasserstein_transform as wt
    >>> 0.1 + 0.1 + 0.1 <= 0.3, 0.1 + 0.1 + 0.1 <= wt.spaces.rim(0.3)
    (False, True)
    """
    return radius * (1 + 1e-12)


def closed(radius: float) -> float:
    """Return the squared radius of a closed ball, with a tolerance for rounding in ties.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> (0.1 + 0.1 + 0.1) ** 2 <= 0.3**2, (0.1 + 0.1 + 0.1) ** 2 <= wt.spaces.closed(0.3)
    (False, True)
    """
    return rim(radius) * rim(radius)  # gives infinity where a power would raise


@archived
class Balls(NamedTuple):
    """Closed balls as compressed rows: members of ball i are `indices[indptr[i]:indptr[i+1]]`, sorted.

    Attributes
    ----------
    indptr : array of shape (n+1,)
    indices : array of shape (number of members in all balls,)
    distances : array of shape (number of members in all balls,)
        The distance of each member from the center of its ball.

    Examples
    --------
    The second of three points on a line has the first one, and itself, within 1:

    >>> import numpy as np, wasserstein_transform as wt
    >>> balls = wt.Euclidean(np.array([[0.0], [1.0], [3.0]])).balls(1.0)
    >>> balls.indptr
    array([0, 2, 4, 5])
    >>> balls.indices[balls.indptr[1] : balls.indptr[2]]
    array([0, 1])
    """

    indptr: Ints
    indices: Ints
    distances: Floats


class ReachTree(NamedTuple):
    """A minimum spanning tree of mutual reachability, with its edges in any order.

    Attributes
    ----------
    edges : array of shape (n−1, 2)
    heights : array of shape (n−1,)
        max(d, core, core) for the two ends.
    lengths : array of shape (n−1,)
        The distances d.
    """

    edges: Ints
    heights: Floats
    lengths: Floats


class Nearest(NamedTuple):
    """The k nearest points of each point, sorted by distance, then by index.

    Attributes
    ----------
    distances : array of shape (n, k)
    indices : array of shape (n, k)
    """

    distances: Floats
    indices: Ints


class Moments(NamedTuple):
    """Mass in the neighborhood of each point, and the means or covariances of that mass.

    Attributes
    ----------
    mass : array of shape (n,)
    values : array of shape (n, m) or (n, m, m)
        The means, or the covariances.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> points = np.array([[0.0], [1.0], [3.0], [9.0]])
    >>> found = wt.Truncation(2.0)(wt.Space.from_points(points)).means(points)
    >>> type(found).__name__, found.mass
    ('Moments', array([2., 3., 2., 1.]))
    >>> found.values.ravel().round(3)
    array([0.5  , 1.333, 2.   , 9.   ])
    """

    mass: Floats
    values: Floats


class MeansAndCovs(NamedTuple):
    """Mass in the neighborhood of each point, and the means and covariances of that mass.

    Attributes
    ----------
    mass : array of shape (n,)
    means : array of shape (n, m)
    covs : array of shape (n, m, m)

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> points = np.array([[0.0], [1.0], [3.0], [9.0]])
    >>> found = wt.Truncation(2.0)(wt.Space.from_points(points)).means_and_covs(points)
    >>> found.means.ravel().round(3)
    array([0.5  , 1.333, 2.   , 9.   ])
    >>> found.covs.ravel().round(3)
    array([0.25 , 1.556, 1.   , 0.   ])
    """

    mass: Floats
    means: Floats
    covs: Floats


class Neighborhoods(Protocol):
    """Neighborhoods in a weighted space, for means and covariances of any coordinates, without storing balls.

    Examples
    --------
    Means of the points within 2, from the neighborhoods and from stored measures:

    >>> import numpy as np, wasserstein_transform as wt
    >>> space = wt.Space.from_points([[0.0], [1.0], [3.0], [9.0]])
    >>> near = wt.Truncation(2.0).moments(space, wt.Engine())
    >>> near.means(space.points).values.ravel().round(3)
    array([0.5  , 1.333, 2.   , 9.   ])
    >>> wt.Truncation(2.0)(space).means(space.points).values.ravel().round(3)
    array([0.5  , 1.333, 2.   , 9.   ])
    """

    def means(self, points: Floats) -> Moments:
        """Mass and mean of `points`; without mass, the point itself."""

    def covs(self, points: Floats) -> Moments:
        """Mass and covariance of `points`, divided by the mass; 0 without mass."""

    def means_and_covs(self, points: Floats) -> MeansAndCovs:
        """Mass, mean and covariance of `points` in one pass."""

    def cached(self) -> Neighborhoods:
        """The same neighborhoods, with each pair tested once for all later passes."""


class Rows(NamedTuple):
    """Discrete measures: row r has `masses` on the points `indices[indptr[r]:indptr[r+1]]`, with sum `totals[r]`."""

    indptr: Ints
    indices: Ints
    masses: Floats
    totals: Floats


@archived
@dataclass(frozen=True)
class Report(Tabled):
    """How a batch of problems was solved.

    Attributes
    ----------
    n_problems : int
        Number of pairs that were solved.
    n_fallbacks : int
        Number of problems that failed their certificate at first and were solved again by the safe algorithm.
    gap : float
        The largest primal–dual gap, relative to the largest cost d^p of its problem.

    Examples
    --------
    Two reports add up to that of all their problems:

    >>> import wasserstein_transform as wt
    >>> both = wt.transport.Report(3, 0, 1e-16) + wt.transport.Report(2, 1, 1e-15)
    >>> both.n_problems, both.n_fallbacks, both.gap
    (5, 1, 1e-15)
    """

    n_problems: int = 0
    n_fallbacks: int = 0
    gap: float = 0.0

    def __add__(self, other: Report) -> Report:
        n_problems, n_fallbacks = self.n_problems + other.n_problems, self.n_fallbacks + other.n_fallbacks
        return Report(n_problems, n_fallbacks, max(self.gap, other.gap))
