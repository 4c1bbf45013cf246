"""Records of results, and the properties of a whole cloud that make results of its parts identical."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from .._archive import archived
from .._types import Floats, Ints


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
    >>> balls = wt.spaces.Euclidean([[0.0], [1.0], [3.0]]).balls(1.0)
    >>> balls.indptr.tolist(), balls.indices.tolist(), balls.distances.tolist()
    ([0, 2, 4, 5], [0, 1, 0, 1, 2], [0.0, 1.0, 1.0, 0.0, 0.0])
    """

    indptr: Ints
    indices: Ints
    distances: Floats


class MutualReachabilityTree(NamedTuple):
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


class KNeighbors(NamedTuple):
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


class HasMoments(Protocol):
    """Protocol of measures that compute means and covariances, whether the measures are stored or not.

    `Discrete` measures are one implementation. A backend's neighborhoods are another: they store no measure and
    find the neighbors again in each pass.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> space = wt.Space.from_points([[0.0], [1.0], [5.0]])
    >>> seen = wt.Truncation(1.0)(space)
    >>> seen.means(space.points).values.ravel()
    array([0.5, 0.5, 5. ])
    >>> seen.covs(space.points).values.ravel()
    array([0.25, 0.25, 0.  ])
    """

    def means(self, points: Floats) -> Moments: ...

    def covs(self, points: Floats) -> Moments: ...

    def means_and_covs(self, points: Floats) -> MeansAndCovs: ...

    def cached(self) -> HasMoments: ...


class CsrMeasures(NamedTuple):
    """Discrete measures: row r has `masses` on the points `indices[indptr[r]:indptr[r+1]]`, with sum `totals[r]`."""

    indptr: Ints
    indices: Ints
    masses: Floats
    totals: Floats

    def take(self, rows: Ints) -> CsrMeasures:
        """The measures at the indices `rows`."""
        lengths = np.diff(self.indptr)[rows]
        indptr = np.append(0, np.cumsum(lengths))
        picked = np.repeat(self.indptr[rows] - indptr[:-1], lengths) + np.arange(indptr[-1])
        return CsrMeasures(indptr, self.indices[picked], self.masses[picked], self.totals[rows])


class Frame(NamedTuple):
    """The cells of a cloud: sums over neighbors are computed cell by cell.

    Attributes
    ----------
    axes : tuple of int
        The axes along which cells are cut, widest first.
    origin : tuple of float
        The origin of the cells along each of these axes.
    side : float
        The side of a cell.
    per_reach : int
        Number of cells that a ball reaches across to either side.
    by_cells : bool
        Whether flat balls add whole cells; not in small clouds, where that saves nothing.
    """

    axes: tuple[int, ...]
    origin: tuple[float, ...]
    side: float
    per_reach: int
    by_cells: bool = True
