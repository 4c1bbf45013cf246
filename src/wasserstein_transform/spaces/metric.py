"""A distance on n points, lazy unless it must be stored."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import DTypeLike
from scipy.sparse import csr_array

from .. import _check as check
from .._types import Floats, Ints
from ..engine import Engine, Flag, Tile, cut
from ..kernels.distances import fill_block, fill_matched, fill_pairs
from ..kernels.geometry import Geometry, private
from ..kernels.neighbors import count_balls, fill_balls, longest_run
from .matrices import Out, fill_dense, fill_vector
from .nearest import Nearest, neighbors
from .search import Search


def closed(radius: float) -> float:
    """Squared radius of a closed ball, with room for the rounding of ties. Every path compares with this number."""
    edge = radius * (1 + 1e-12)
    return edge * edge


class Balls(NamedTuple):
    """Closed balls as compressed rows: members of ball i are `indices[indptr[i]:indptr[i+1]]`, sorted."""

    indptr: Ints
    indices: Ints
    distances: Floats


class Metric(ABC):
    """A distance on n points.

    A metric is a geometry (what compiled loops ask for single distances) and a search (which points can be near);
    all else follows from the two.

    Attributes
    ----------
    n : int
        Number of points.
    triangle : bool
        Whether the triangle inequality holds; shortcuts that need it ask.
    """

    triangle: bool

    @property
    @abstractmethod
    def n(self) -> int:
        """Number of points."""

    @property
    @abstractmethod
    def geometry(self) -> Geometry:
        """The arrays compiled loops read distances from."""

    @property
    def steps(self) -> float:
        """What one distance costs, in steps of an inner loop."""
        return 1.0

    @abstractmethod
    def take(self, rows: Ints) -> Self:
        """The metric of the listed points, repeats allowed."""

    @property
    @abstractmethod
    def n_bytes(self) -> int:
        """Memory the metric holds."""

    @abstractmethod
    def movement(self, other: Metric, engine: Engine | None = None) -> float:
        """How far the points moved on the way to `other`: the largest distance of a point to its later self."""

    def search(self, reach: float) -> Search:
        """Who can lie within `reach` of whom."""
        return Search.exhaustive(self.n, self.geometry)

    def block(self, rows: Ints, cols: Ints) -> Floats:
        """Distances of the points `rows` to the points `cols`."""
        rows, cols = self._points(rows), self._points(cols)
        out = np.empty((len(rows), len(cols)))
        fill_block(private(self.geometry), rows, cols, out)
        return out

    def pairs(self, rows: Ints, cols: Ints) -> Floats:
        """Distances of the points rows[k] and cols[k]."""
        rows, cols = self._points(rows), self._points(cols)
        if len(rows) != len(cols):
            raise ValueError(f"pairs need as many rows as cols, got {len(rows)} and {len(cols)}")
        out = np.empty(len(rows))
        fill_pairs(private(self.geometry), rows, cols, out)
        return out

    def _points(self, numbers: Ints) -> Ints:
        given = np.asarray(numbers)
        if given.ndim != 1 or (given.size and not np.issubdtype(given.dtype, np.integer)):
            raise ValueError(
                f"points are listed by their numbers, a 1-D array of integers, got shape {given.shape} of {given.dtype}"
            )
        numbers = given.astype(np.intp)
        if len(numbers) and not (numbers.min() >= 0 and numbers.max() < self.n):
            raise IndexError(f"points are numbered 0 to {self.n - 1}, got {numbers.min()} to {numbers.max()}")
        return numbers

    def largest(self) -> float:
        """A number of the size of the largest distance: that of a point to the farthest from it."""
        return float(self.block(np.zeros(1, np.intp), np.arange(self.n)).max())

    def dense(self, engine: Engine | None = None, dtype: DTypeLike | None = None, out: Out = None) -> Floats:
        """The full n × n matrix; each pair is computed once.

        Parameters
        ----------
        engine : Engine, optional
        dtype : float32 or float64, optional
            What distances are stored as, by default that of `out`, or float64; they are computed in float64.
            float32 holds 1e-38 to 3e38.
        out : array of shape (n, n), or path, optional
            Where to write: an array, or a `.npy` file, which is filled block by block and returned as a memory map.
            The file has its name, and replaces one of that name, only once it is complete.
        """
        return fill_dense(self.geometry, self.n, self.steps, engine or Engine(), dtype, out)

    def condensed(self, engine: Engine | None = None, dtype: DTypeLike | None = None, out: Out = None) -> Floats:
        """The n(n−1)/2 distances in SciPy's order. `dtype` and `out` as in `dense`."""
        return fill_vector(self.geometry, self.n, self.steps, engine or Engine(), dtype, out)

    def balls(self, radius: float, engine: Engine | None = None) -> Balls:
        """The closed balls of the given radius around every point."""
        engine = engine or Engine()
        radius = check.tolerance(radius, "radius")
        search, limit = self.search(radius), closed(radius)
        tiles = cut(search.n_candidates() * self.steps)
        room = longest_run(search.cells)
        indptr = np.zeros(self.n + 1, np.intp)

        def count(tile: Tile, stop: Flag) -> None:
            geometry = private(search.geometry)
            count_balls(geometry, search.cells, tile.start, tile.stop, limit, np.empty(room), indptr[1:], stop)

        engine.run(count, tiles, "counting neighbors")
        np.cumsum(indptr, out=indptr)
        size = int(indptr[-1])
        engine.reserve(40.0 * size, f"{size} neighbors in balls of radius {radius:g}", "use a smaller eps")
        indices, distances = np.empty(size, np.intp), np.empty(size)

        def fill(tile: Tile, stop: Flag) -> None:
            fill_balls(
                private(search.geometry), search.cells, tile.start, tile.stop, limit, np.empty(room), indptr, indices,
                distances, stop,
            )  # fmt: skip

        engine.run(fill, tiles, "finding neighbors")
        return _by_point(indptr, indices, distances, search.order)

    def neighbors(self, k: int, of: Metric | None = None, engine: Engine | None = None) -> Nearest:
        """The k nearest other points of every point, or the k nearest points for every point of the metric `of`.

        Exact; nearest first, of equal distances the smaller index. A duplicate of a point is another point.

        Examples
        --------
        >>> import numpy as np, wasserstein_transform as wt
        >>> line = wt.Euclidean(np.array([[0.0], [1.0], [3.0]]))
        >>> line.neighbors(1).indices.ravel()
        array([1, 0, 1])
        >>> line.neighbors(2, of=wt.Euclidean(np.array([[2.5]]))).distances
        array([[0.5, 1.5]])
        """
        return neighbors(self, k, of, engine or Engine())

    def shadow(self) -> Floats | None:
        """Places in a Euclidean space that are never farther apart than the points; None where none are known."""
        return None

    def blur(self, shadow: Floats) -> Floats:
        """How far rounding can have moved each place of the shadow."""
        return np.zeros(len(shadow))

    @property
    def is_euclidean(self) -> bool:
        """Whether these are the Euclidean distances of the points' places: whoever has those has the metric."""
        return False

    def joins(self, other: Metric) -> bool:
        """Whether `beside` can put the points of `other` beside these: their distances are known from both."""
        return False

    def beside(self, other: Metric) -> Self:
        """The metric of these points and those of `other`, a metric of the same kind."""
        raise TypeError(f"{type(self).__name__} distances are known between their own points only, not to new ones")


def _by_point(indptr: Ints, indices: Ints, distances: Floats, order: Ints) -> Balls:
    """Balls by position → balls by point, members sorted."""
    n = len(order)
    where = np.empty(n, np.intp)
    where[order] = np.arange(n)
    rows = csr_array((distances, order[indices], indptr), shape=(n, n))[where]
    rows.sort_indices()
    return Balls(rows.indptr.astype(np.intp), rows.indices.astype(np.intp), rows.data)


def matched(metric: Metric) -> Floats:
    """Distances of the first half of the points to the second half, one to one."""
    half = metric.n // 2
    out = np.empty(half)
    fill_matched(private(metric.geometry), half, out)
    return out
