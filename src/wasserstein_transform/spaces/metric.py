"""The base class of metrics on n points, and where all distances of one are written."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NoReturn, Self, TypeAlias

import numpy as np
from numpy.typing import DTypeLike

from .. import _check as check
from .._archive import archived, check_type
from .._types import Floats, Ints, cached_property
from ..compute import Balls, KNeighbors, MutualReachabilityTree
from ..compute.cells.index import CellIndex
from ..compute.metrics import distances
from ..compute.metrics.geometry_jit import Adjacency, Geometry
from ..compute.neighbors import nearest as nearby
from ..compute.trees import spanning as trees
from ..cuda import on, on_gpu
from ..engine import Engine, current, to_host, write_mapped

Out: TypeAlias = Any
"""An array to write to, on the host or on a GPU; the path of a new file; or None."""


def read_only(array: Floats) -> Floats:
    """A read-only view of an array that other objects share."""
    view = array.view()
    view.flags.writeable = False
    return view


def write_distances(
    shape: tuple[int, ...], what: str, engine: Engine, dtype: DTypeLike | None, out: Out, fill: Callable[[Any], None]
) -> Any:
    """Let `fill` write into new memory, into the array `out`, or into the file `out`; return the array."""
    gpu_out = on_gpu(out, copy=False)
    kind = out.dtype if dtype is None and hasattr(out, "dtype") else np.dtype(dtype)
    if kind not in (np.float32, np.float64):
        raise ValueError(f"distances are stored as float32 or float64, got dtype={kind}")
    n_bytes = float(kind.itemsize * np.prod(shape, dtype=np.float64))
    if out is None:
        instead = "use dtype='float32', out='distances.npy' for a file on disk, fewer points, or block()"
        array = engine.allocate(shape, what, instead, kind)
        fill(array)
        return array
    if isinstance(out, np.ndarray):
        if out.shape != shape or out.dtype != kind or not out.flags.c_contiguous or not out.flags.writeable:
            raise ValueError(
                f"out must be a writable, C-contiguous array of shape {shape} and dtype {kind}, got shape {out.shape}, "
                f"dtype {out.dtype}, C-contiguous: {out.flags.c_contiguous}, writable: {out.flags.writeable}"
            )
        fill(out)
        return out
    if gpu_out is not None:
        if engine.device == "cpu":
            raise ValueError("out is on a GPU, but the engine computes on the CPU; use wt.using(device='cuda')")
        if gpu_out.shape != shape or gpu_out.dtype != kind or not gpu_out.is_in_a_row:
            raise ValueError(
                f"out must be a C-contiguous array of shape {shape} and dtype {kind}, got shape {gpu_out.shape}, "
                f"dtype {gpu_out.dtype}, C-contiguous: {gpu_out.is_in_a_row}"
            )
        fill(gpu_out)
        return out
    engine.announce(n_bytes, f"{what}, on disk")
    return np.asanyarray(write_mapped(out, kind, shape, fill, what))


_LARGE_BLOCK = 2.0**24  # bytes; larger blocks are checked against the memory limit
_COMPARED = 1 << 17  # distances compared at a time


@dataclass
class Derived:
    """What was computed from the arrays of a metric and is used again.

    Attributes
    ----------
    geometry : Geometry, optional
        What compiled loops compute single distances from.
    neighbors : KNeighbors, optional
        The nearest points of each point.
    counts : dict of float to float
        Numbers of points within a radius, on average.
    largest_covariance : float, optional
        The largest entry of all covariances.
    on_devices : dict
        Copies on GPUs, by what they are and where.
    """

    geometry: Geometry | None = None
    neighbors: KNeighbors | None = None
    counts: dict[float, float] = field(default_factory=dict)
    largest_covariance: float | None = None
    on_devices: dict[tuple[Any, ...], Any] = field(default_factory=dict)


class Metric(ABC):
    """Base class of metrics on n points: Euclidean, GaussianMetric, Dense, Sparse, Graph.

    A metric is its arrays; distances are computed from them on demand, and what compiled loops need is derived once. A
    subclass says how in `_make_geometry`; all queries follow from it. Distances are in the unit of the coordinates, or
    in that of the given distances.

    Attributes
    ----------
    n : int
        Number of points.
    triangle : bool
        Whether the triangle inequality holds. Some shortcuts are taken only if it does.
    lam : float
        Weight of the covariances of the points; 0 if they have none.
    covs : array of shape (n, m, m), optional
        The covariances, if the points are Gaussians.
    adjacency : Adjacency, optional
        The edges of a graph, if distances are lengths of shortest paths.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> metric = wt.spaces.Euclidean(np.array([[0.0], [1.0], [3.0]]))
    >>> metric.block([0], [1, 2])
    array([[1., 3.]])
    >>> metric.pairs([0, 1], [1, 2])
    array([1., 2.])
    >>> metric.balls(1.0).indices
    array([0, 1, 0, 1, 2])
    >>> metric.condensed()
    array([1., 3., 2.])
    """

    triangle: bool
    lam: float = 0.0
    covs: Floats | None = None
    adjacency: Adjacency | None = None
    _block = staticmethod(distances.block)  # what computes distances; other kinds of metrics have others
    _pairs = staticmethod(distances.pairs)
    _fill_matrix = staticmethod(distances.dense)
    _fill_vector = staticmethod(distances.condensed)
    _balls = staticmethod(nearby.balls)
    _nearest = staticmethod(nearby.nearest)

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        archived(cls)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} metric of {self.n} points{self._in_words()}>"

    def _in_words(self) -> str:
        """The end of the repr."""
        return ""

    @property
    @abstractmethod
    def n(self) -> int:
        """Number of points."""

    @property
    def coordinates(self) -> Floats | None:
        """Coordinates (n, m) of the points, possibly on a GPU; None if the metric has none."""
        return None

    @property
    def cost(self) -> float:
        """Cost of one distance, in steps of an inner loop."""
        return 1.0

    @cached_property
    def derived(self) -> Derived:
        """What was computed from the arrays and is used again."""
        return Derived()

    def geometry(self, engine: Engine) -> Geometry:
        """The arrays from which compiled loops compute single distances; made once."""
        if self.derived.geometry is None:
            self.derived.geometry = self._make_geometry(engine)
        return self.derived.geometry

    @abstractmethod
    def _make_geometry(self, engine: Engine) -> Geometry:
        """Make the arrays from which compiled loops compute single distances."""

    def geometry_near(self, index: CellIndex, reach: float, engine: Engine) -> Geometry:
        """The same for distances up to a reach, in the order of the positions of an index."""
        return self.geometry(engine)

    def tree_geometry(self, engine: Engine) -> tuple[Geometry, float]:
        """Distances for Prim's algorithm, which compares squares, and the unit that they were divided by."""
        return self.geometry(engine), 1.0

    def search(self, reach: float, engine: Engine) -> CellIndex:
        """The candidates within a reach: points sorted into cells by their coordinates; without any, all points.

        Euclidean distances of the coordinates must be lower bounds of the distances.
        """
        if self.coordinates is None or not np.isfinite(reach):
            return CellIndex.exhaustive(self.n)
        return CellIndex.of_points(to_host(self.coordinates), reach, engine)

    def contraction(self) -> Floats | None:
        """Points in some R^k whose Euclidean distances are lower bounds of the distances; None if there are none."""
        return None

    def rounding(self, contraction: Floats) -> Floats:
        """Bounds of the rounding error of each point of the contraction."""
        return np.zeros(len(contraction))

    @abstractmethod
    def take(self, rows: Ints) -> Self:
        """Return the metric of the points at the indices `rows`; repeats are allowed."""

    @property
    @abstractmethod
    def n_bytes(self) -> int:
        """Size of the metric in bytes, in memory or on disk."""

    @property
    def is_on_disk(self) -> bool:
        """Whether the distances are in a file and take no memory."""
        return False

    def movement(self, other: Metric, engine: Engine | None = None) -> float:
        """The largest distance between a point and its counterpart in `other`, a metric of the same n points.

        Without coordinates, it is the largest change of a distance.
        """
        self.check_whole("all distances")
        other.check_whole("all distances")
        all_points, step = np.arange(self.n), max(1, _COMPARED // self.n)
        quiet, largest = current(engine).silent(), 0.0
        for start in range(0, self.n, step):
            rows = all_points[start : start + step]
            change = self.block(rows, all_points, quiet) - other.block(rows, all_points, quiet)
            largest = max(largest, float(np.abs(change, out=change).max()))
        return largest

    def block(self, rows: Ints, cols: Ints, engine: Engine | None = None) -> Floats:
        """Compute the distances of the points `rows` to the points `cols`, shape (len(rows), len(cols))."""
        rows, cols, engine = self._indices(rows), self._indices(cols), current(engine)
        n_bytes = 8.0 * len(rows) * len(cols)
        if n_bytes > _LARGE_BLOCK:  # for a small block, checking the memory would take longer than the block
            engine.reserve(n_bytes, f"{len(rows)} × {len(cols)} distances", "ask for fewer rows at a time")
        return on(engine, self._block)(self, rows, cols, engine)

    def n_within(self, rows: Ints, radius: float, engine: Engine | None = None) -> Ints:
        """Count the points within `radius` of each of the points `rows`, itself included, shape (len(rows),)."""
        engine = current(engine)
        return on(engine, distances.n_within)(self, self._indices(rows), radius, engine)

    def pairs(self, rows: Ints, cols: Ints, engine: Engine | None = None) -> Floats:
        """Compute the distances between the points rows[k] and cols[k], shape (len(rows),)."""
        rows, cols = self._indices(rows), self._indices(cols)
        if len(rows) != len(cols):
            raise ValueError(f"rows and cols must have the same length, got {len(rows)} and {len(cols)}")
        engine = current(engine)
        return on(engine, self._pairs)(self, rows, cols, engine)

    def _indices(self, numbers: Ints) -> Ints:
        """Check indices of points."""
        given = np.asarray(numbers)
        if given.ndim != 1 or (given.size and not np.issubdtype(given.dtype, np.integer)):
            raise ValueError(
                f"points must be listed as a 1-D array of integer indices, got shape {given.shape} of {given.dtype}"
            )
        numbers = given.astype(np.intp)
        if len(numbers) and not (numbers.min() >= 0 and numbers.max() < self.n):
            raise IndexError(f"indices of points must be 0 to {self.n - 1}, got {numbers.min()} to {numbers.max()}")
        return numbers

    def largest(self, engine: Engine | None = None) -> float:
        """Estimate the largest distance: exact for stored distances, otherwise from a point to its farthest point."""
        return float(self.block(np.zeros(1, np.intp), np.arange(self.n), current(engine).silent()).max())

    def dense(self, engine: Engine | None = None, dtype: DTypeLike | None = None, out: Out = None) -> Floats:
        """Compute the full n × n matrix; each pair is computed once.

        Parameters
        ----------
        engine : Engine, optional
            Threads, device and memory limit. None: the current engine.
        dtype : float32 or float64, optional
            The type of the stored distances; they are computed in float64. float32 holds 1e-38 to 3e38. None: the
            type of `out`, or float64.
        out : array of shape (n, n), or path, optional
            Where to write: an array, which may be on the GPU if the engine computes there; or a `.npy` file, which is
            filled block by block and returned as a memory map. A file gets its name, and replaces an older one, only
            when it is complete. None: new memory.

        Returns
        -------
        array of shape (n, n)
        """
        self.check_whole("the full matrix")
        engine, n = current(engine), self.n
        what = f"the {n} × {n} distance matrix"
        filled: Floats = write_distances(
            (n, n), what, engine, dtype, out, lambda a: on(engine, self._fill_matrix)(self, a, engine)
        )
        return filled

    def condensed(self, engine: Engine | None = None, dtype: DTypeLike | None = None, out: Out = None) -> Floats:
        """Compute the n(n−1)/2 distances in SciPy's condensed order; `dtype` and `out` are as in `dense`."""
        self.check_whole("all distances")
        engine, size = current(engine), self.n * (self.n - 1) // 2
        what = f"{size} condensed distances"
        filled: Floats = write_distances(
            (size,), what, engine, dtype, out, lambda a: on(engine, self._fill_vector)(self, a, engine)
        )
        return filled

    def balls(self, radius: float, engine: Engine | None = None) -> Balls:
        """Find the points within `radius` of every point, itself included.

        Parameters
        ----------
        radius : float
            The radius ≥ 0, in the unit of the distances. Points at exactly this distance are included.
        engine : Engine, optional
            Threads, device and memory limit. None: the current engine.

        Returns
        -------
        Balls
            `indptr`, `indices` and `distances` in compressed rows (CSR): the ball of point i is
            `indices[indptr[i]:indptr[i+1]]`, sorted.
        """
        radius, engine = check.tolerance(radius, "radius"), current(engine)
        self.check_reach(radius)
        return on(engine, self._balls)(self, radius, engine)

    def neighbors(self, k: int, of: Metric | None = None, engine: Engine | None = None) -> KNeighbors:
        """Find the k nearest other points of every point, or the k nearest points of every point of the metric `of`.

        The result is exact and sorted by distance, ties by index. A duplicate of a point counts as another point.

        Parameters
        ----------
        k : int
            Number of neighbors, ≥ 1.
        of : Metric, optional
            The query points, a metric of the same kind. None: the points of this metric, each without itself.
        engine : Engine, optional
            Threads, device and memory limit. None: the current engine.

        Returns
        -------
        KNeighbors
            `distances` and `indices`, both of shape (number of query points, k).

        Examples
        --------
        >>> import numpy as np, wasserstein_transform as wt
        >>> line = wt.spaces.Euclidean(np.array([[0.0], [1.0], [3.0]]))
        >>> line.neighbors(1).indices.ravel()
        array([1, 0, 1])
        >>> line.neighbors(2, of=wt.spaces.Euclidean(np.array([[2.5]]))).distances
        array([[0.5, 1.5]])
        """
        most = (self.n - 1, "other points") if of is None else (self.n, "points")
        k, engine = check.count(k, "k", 1, *most), current(engine)
        if of is not None:
            self.check_same_kind(of)
        size = self.n if of is None else of.n
        engine.reserve(16.0 * size * k, f"the {k} nearest of {size} points", "ask for fewer points at a time")
        return on(engine, self._nearest)(self, k, of, engine)

    def spanning_tree(self, engine: Engine) -> tuple[Ints, Floats]:
        """Edges and heights of a minimum spanning tree, in any order; fewer edges if parts are not joined."""
        return on(engine, trees.spanning_tree)(self, engine)

    def reach_tree(self, cores: Floats, engine: Engine) -> MutualReachabilityTree:
        """A minimum spanning tree of max(d(x, y), cores[x], cores[y]), with ties broken by d."""
        return on(engine, trees.mutual_reachability_tree)(self, cores, engine)

    def leaders(self, weights: Floats, tol: float, engine: Engine) -> Ints:
        """For every point, the first leader within `tol`; points with mass come before points without."""
        self.check_reach(tol)
        return on(engine, nearby.leaders)(self, weights, tol, engine)

    def forget(self) -> None:
        """Drop what was derived from the arrays; it is derived again when needed."""
        vars(self).pop("derived", None)

    def check_whole(self, wanted: str) -> None:  # noqa: B027  most metrics know all distances
        """Raise an error if some distances are unknown or infinite; `wanted` names what needs all of them."""

    def checked(self) -> Self:
        """Return the metric after a check of its numbers, which the constructors of metrics do not do."""
        return self

    def check_joined(self, n_parts: int = 1) -> None:
        """Raise an error if the points fall into `n_parts` > 1 parts at infinite distance."""
        if n_parts > 1:
            raise ValueError(f"the points fall into {n_parts} parts at infinite distance; use the largest part")

    def check_reach(self, reach: float) -> None:  # noqa: B027  most metrics know no radius
        """Raise an error if distances are known only up to a radius smaller than `reach`."""

    def check_same_kind(self, other: Metric) -> None:
        """Raise an error if the points of `other` cannot be added to these."""
        self.concatenate(other)

    @property
    def is_euclidean(self) -> bool:
        """Whether these are exactly the Euclidean distances between the rows of `coordinates`."""
        return False

    def joins(self, other: Metric) -> bool:
        """Whether `concatenate` accepts `other`, since the distances between both sets of points can be computed."""
        return False

    def concatenate(self, other: Any) -> Self:
        """Return the metric of these points followed by those of `other`, a metric of the same kind."""
        self._refuse_new()

    def _refuse_new(self) -> NoReturn:
        raise TypeError(
            f"{type(self).__name__} distances are known between their own points only, not to new points; "
            "use a space made from coordinates"
        )

    @property
    def is_whole(self) -> bool:
        """Whether all distances are known."""
        return True

    @property
    def euclidean(self) -> Floats | None:
        """Points (n, m) with these Euclidean distances; None if the metric is not Euclidean."""
        return None


def check_counts(triangle: object, gap: object, n_fallbacks: object) -> None:
    """Check the types of the fields that a stored metric has besides its distances."""
    check_type(triangle, "triangle", bool)
    check_type(gap, "gap", float, int)
    check_type(n_fallbacks, "n_fallbacks", int)
