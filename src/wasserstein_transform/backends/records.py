"""Results of operations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeVar

from .._archive import archived
from .._shown import Tabled
from .._types import Floats, Ints

Radius = TypeVar("Radius", float, Floats)


def rim(radius: Radius) -> Radius:
    """Enlarge the radius of a closed ball by 1e-12 of it, so that rounding does not exclude points at the radius.

    All comparisons of distances with radii use this radius, or its square.

    Parameters
    ----------
    radius : float or array
        In the unit of the distances.

    Returns
    -------
    float or array

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> 0.1 + 0.2 <= 0.3, 0.1 + 0.2 <= wt.spaces.rim(0.3)
    (False, True)
    """
    return radius * (1 + 1e-12)


def closed(radius: float) -> float:
    """Square the radius of a closed ball, with the tolerance of `rim`.

    Parameters
    ----------
    radius : float
        In the unit of the distances.

    Returns
    -------
    float
        Infinity if the square is too large for a float.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> wt.spaces.closed(2.0) >= 4.0, wt.spaces.closed(1e200)
    (True, inf)
    """
    return rim(radius) * rim(radius)  # gives infinity where a power would raise


@archived
class Balls(NamedTuple):
    """Closed balls as compressed rows: the members of ball i are `indices[indptr[i]:indptr[i+1]]`, sorted.

    Attributes
    ----------
    indptr : array of shape (n + 1,)
        Where the rows begin.
    indices : array of shape (k,)
        The members of all balls, one ball after the other.
    distances : array of shape (k,)
        Their distances to the centers.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> balls = wt.Euclidean([[0.0], [1.0], [3.0]]).balls(1.0)
    >>> balls.indptr.tolist(), balls.indices.tolist(), balls.distances.tolist()
    ([0, 2, 4, 5], [0, 1, 0, 1, 2], [0.0, 1.0, 1.0, 0.0, 0.0])
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
        Sum of the weights in the neighborhood.
    values : array of shape (n, m) or (n, m, m)
        Means or covariances, in the unit of the points or its square.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> space = wt.Space.from_points([[0.0], [1.0], [5.0]])
    >>> found = wt.Truncation(1.0)(space).means(space.points)
    >>> found.mass.shape, found.values.ravel().tolist()
    ((3,), [0.5, 0.5, 5.0])
    """

    mass: Floats
    values: Floats


class MeansAndCovs(NamedTuple):
    """Mass in the neighborhood of each point, and the means and covariances of that mass.

    Attributes
    ----------
    mass : array of shape (n,)
        Sum of the weights in the neighborhood.
    means : array of shape (n, m)
        In the unit of the points.
    covs : array of shape (n, m, m)
        In the squared unit of the points.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> space = wt.Space.from_points([[0.0], [1.0], [5.0]])
    >>> found = wt.Truncation(1.0)(space).means_and_covs(space.points)
    >>> found.means.ravel().tolist(), found.covs.ravel().tolist()
    ([0.5, 0.5, 5.0], [0.25, 0.25, 0.0])
    """

    mass: Floats
    means: Floats
    covs: Floats


class Neighborhoods(Protocol):
    """Protocol: neighborhoods in a weighted space, for means and covariances of any coordinates, without stored balls.

    Examples
    --------
    `moments` of a localization returns one:

    >>> import wasserstein_transform as wt
    >>> space = wt.Space.from_points([[0.0], [1.0], [5.0]])
    >>> near = wt.Truncation(1.0).moments(space, wt.Engine())
    >>> near.means(space.points).values.ravel().tolist()
    [0.5, 0.5, 5.0]
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
    >>> import wasserstein_transform as wt
    >>> found = wt.wasserstein_pairs([[0.5, 0.5, 0.0], [0.0, 0.5, 0.5]], [[0.0], [1.0], [2.0]])
    >>> found.report.n_problems, found.report.n_fallbacks, found.report.gap < 1e-12
    (1, 0, True)
    """

    n_problems: int = 0
    n_fallbacks: int = 0
    gap: float = 0.0

    def __add__(self, other: Report) -> Report:
        n_problems, n_fallbacks = self.n_problems + other.n_problems, self.n_fallbacks + other.n_fallbacks
        return Report(n_problems, n_fallbacks, max(self.gap, other.gap))
