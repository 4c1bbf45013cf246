"""A finite metric measure space: a metric, weights, optional coordinates; and its quotient, with points merged."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from .. import _check as check
from .._archive import archived, check_array, check_range, check_type, read, write
from .._display import ShortRepr, facts
from .._types import Floats, Ints
from ..cuda import on_gpu
from ..engine import Engine, current, on_host, stored_array
from .dense import Dense, as_distances, open_distances
from .edges import ASK, Weight
from .graph import Graph
from .metric import Metric
from .named import metric_by_name
from .points import Euclidean


@archived
@on_host("points")
@dataclass(frozen=True, eq=False)
class Space:
    """A finite metric measure space (X, d, α): n points with a metric, weights and optional coordinates in R^m.

    Make it with `Space.from_points`, `Space.from_distances` or `Space.from_graph`, which check their input. The
    constructor does not.

    Attributes
    ----------
    metric : Metric
        The distances between the points.
    weights : array of shape (n,)
        The masses α of the points, with total 1.
    points : array of shape (n, m), or None
        The coordinates. None if only distances are known.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> space = wt.Space.from_points([[0.0, 0.0], [3.0, 4.0]])
    >>> space
    <Space of 2 points in R^2, Euclidean metric>
    >>> space.metric.dense()
    array([[0., 5.],
           [5., 0.]])
    >>> space.weights
    array([0.5, 0.5])
    """

    metric: Metric
    weights: Floats
    points: Floats | None

    @property
    def n(self) -> int:
        """Number of points."""
        return self.metric.n

    @classmethod
    def from_points(cls, points: ArrayLike, weights: ArrayLike | None = None, metric: str = "euclidean") -> Space:
        """Make a space of points with coordinates, with the Euclidean or another SciPy metric.

        Points in the memory of a GPU, such as a CuPy array, stay there; see `Engine(device="cuda")`.

        Parameters
        ----------
        points : array of shape (n, m)
            The coordinates, finite. They are copied.
        weights : array of shape (n,), optional
            Masses ≥ 0 of the points; they are divided by their total. None: uniform.
        metric : str, default "euclidean"
            A SciPy metric name. Metrics other than "euclidean" are stored as a matrix of 8 n² bytes.

        Returns
        -------
        Space

        Examples
        --------
        >>> import wasserstein_transform as wt
        >>> wt.Space.from_points([[0.0, 0.0], [1.0, 0.0]], weights=[3, 1]).weights
        array([0.75, 0.25])
        """
        points = as_points(points)
        alpha = check.weights(weights, len(points))
        if isinstance(points, np.ndarray):
            check.not_distances(points)
        known = Euclidean(points) if metric == "euclidean" else metric_by_name(points, metric, alpha)
        return cls(known, alpha, points)

    @classmethod
    def from_distances(
        cls,
        distances: Any,
        weights: ArrayLike | None = None,
        points: ArrayLike | None = None,
        triangle: bool = False,
        *,
        engine: Engine | None = None,
    ) -> Space:
        """Make a space from a square or condensed distance matrix, in memory or in a file.

        Parameters
        ----------
        distances : array of shape (n, n) or (n(n−1)/2,), path of a `.npy` file, or memory map
            The distances: finite, ≥ 0, symmetric, 0 on the diagonal. A square float64 file is checked in one pass and
            used as it is, also if it is larger than memory. Others are copied to such a matrix, in memory. If the
            halves of a matrix differ by rounding, the upper one is used.
        weights : array of shape (n,), optional
            Masses ≥ 0 of the points; they are divided by their total. None: uniform.
        points : array of shape (n, m), optional
            Coordinates in addition to the distances. None: no coordinates.
        triangle : bool, default False
            True asserts the triangle inequality, which allows some shortcuts. It is not checked.
        engine : Engine, optional
            Threads, device and memory limit. None: the current engine.

        Returns
        -------
        Space

        Examples
        --------
        >>> import wasserstein_transform as wt
        >>> wt.Space.from_distances([1.0, 2.0, 1.5]).n
        3
        """
        engine = current(engine)
        metric = Dense(as_distances(open_distances(distances), engine=engine, copy=True), triangle)
        n = metric.n
        if points is not None:
            points = check.points(points)
            if len(points) != n:
                raise ValueError(f"points must have one row per point of the {n} × {n} distances, got {len(points)}")
        return cls(metric, check.weights(weights, n), points)

    @classmethod
    def from_graph(
        cls,
        graph: Any,
        weights: ArrayLike | None = None,
        points: ArrayLike | None = None,
        *,
        weight: Weight = ASK,
    ) -> Space:
        """Make a space of the nodes of a graph, without directions, with the shortest-path metric, computed on demand.

        Parameters
        ----------
        graph : networkx graph, scipy sparse matrix, or list of edges (a, b) or (a, b, number)
            Edges without a number have length 1. Nodes are numbered in the order of the graph; integer nodes in a
            list of edges in ascending order. Loops are dropped, and the shortest of parallel edges is used. An edge of
            length 0 puts its nodes in one place.
        weights : array of shape (n,), optional
            Masses ≥ 0 of the nodes; they are divided by their total. None: uniform.
        points : array of shape (n, m), optional
            Coordinates of the nodes in addition to the metric. None: no coordinates.
        weight : str, pair of str, or None, optional
            The numbers at edges: "length"; "strength" (the length is 1/strength); the name of an edge attribute and its
            meaning, such as ("value", "strength"); or None to ignore them, so that all edges have length 1. By default
            the attributes `length`, `distance` and `strength` mean what their names say. Other numbers at edges, and
            those of a list or a matrix, raise an error that asks for `weight`, unless all weights are 1 or all others
            equal.

        Returns
        -------
        Space

        Examples
        --------
        >>> import wasserstein_transform as wt
        >>> path = wt.Space.from_graph([("a", "b"), ("b", "c", 2.0)], weight="length")
        >>> path.metric.dense()
        array([[0., 1., 3.],
               [1., 0., 2.],
               [3., 2., 0.]])
        """
        metric = Graph.of(graph, weight=weight)
        if points is not None:
            points = check.points(points)
            if len(points) != metric.n:
                raise ValueError(f"points must have one row per node of the graph, {metric.n}, got {len(points)}")
        return cls(metric, check.weights(weights, metric.n), points)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the space to a `.npz` file, without pickle, and return its path. `Space.load` reads it."""
        return write(path, self)

    @classmethod
    def load(cls, path: str | os.PathLike[str], engine: Engine | None = None) -> Self:
        """Read a space from a file that `save` wrote.

        Files that are damaged, too large for the memory, or of another version raise an error.

        Examples
        --------
        >>> import tempfile, wasserstein_transform as wt
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = wt.Space.from_points([[0.0], [1.0]]).save(f"{folder}/two.npz")
        ...     wt.Space.load(path)
        <Space of 2 points in R^1, Euclidean metric>
        """
        space: Self = read(path, cls, lambda n_bytes: current(engine).reserve(n_bytes, f"{path}", "free some memory"))
        return space

    def _check_archived(self) -> None:
        check_type(self.metric, "the metric of a space", Metric)
        check_array(self.weights, "weights", "f", self.n)
        check_range(self.weights, "weights", 0.0, 1.0 + 1e-6)
        if self.points is not None:
            check_array(self.points, "points", "f", self.n, None)

    def __repr__(self) -> str:
        points = stored_array(self, "points")
        where = "" if points is None else f" in R^{points.shape[1]}"
        return f"<Space of {self.n} points{where}, {type(self.metric).__name__} metric>"

    def _repr_html_(self) -> str:
        rows = {"points": self.n, "metric": repr(self.metric)[1:-1], "weights": self._weights_in_words()}
        if self.points is not None:
            rows["coordinates"] = f"{self.points.min():.4g} to {self.points.max():.4g} in R^{self.points.shape[1]}"
        return facts("Space", rows)

    def _weights_in_words(self) -> str:
        least, most = self.weights.min(), self.weights.max()
        return f"uniform, {most:.4g} each" if least == most else f"{least:.4g} to {most:.4g}"

    def take(self, rows: Ints) -> Space:
        """Return the points at the indices `rows` as a space; their masses are not divided by the new total."""
        metric = self.metric.take(rows)
        return Space(metric, self.weights[rows], taken_points(self, metric, rows))


def taken_points(space: Space, metric: Metric, rows: Ints) -> Floats | None:
    """The coordinates of some rows; `metric`, that of these rows, shares them if it did before."""
    if space.points is None:
        return None
    return metric.coordinates if space.metric.coordinates is space.points else space.points[rows]


def check_space(space: object) -> None:
    """Raise a TypeError, with a hint, if the argument is not a Space.

    Parameters
    ----------
    space : object
        The argument to check.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> wt.spaces.check_space([[0.0], [1.0]])
    Traceback (most recent call last):
    ...
    TypeError: a Space is needed, got list; wt.Space.from_points(X) makes one
    """
    if not isinstance(space, Space):
        raise TypeError(f"a Space is needed, got {type(space).__name__}; wt.Space.from_points(X) makes one")


def as_points(values: Any) -> Floats:
    """Return a checked copy of the coordinates, shape (n, m), on the host or on the GPU they are on."""
    gpu_points = on_gpu(values)
    if gpu_points is None:
        return check.points(values)
    check.shape_of_points(gpu_points.shape)
    low, high = gpu_points.bounds()
    if not all(map(_is_finite, (*low, *high))):
        raise ValueError("points must be finite, but some of these, on a GPU, are NaN or infinite; drop or fill them")
    largest = max(*map(abs, low), *map(abs, high))
    check.extent(largest, max(b - a for a, b in zip(low, high, strict=True)))
    points: Any = gpu_points
    return points  # type: ignore[no-any-return]


def _is_finite(number: float) -> bool:
    return abs(number) < float("inf")


def as_space(X: ArrayLike | Space, sample_weight: ArrayLike | None = None, metric: str = "euclidean") -> Space:
    """Turn points, distances (`metric="precomputed"`) or a Space into a Space."""
    if isinstance(X, Space):
        if sample_weight is not None:
            raise ValueError("a Space carries its weights: set them when making the Space, not by sample_weight")
        if metric != "euclidean":
            raise ValueError(f"a Space carries its metric: leave out metric={metric!r}")
        return X
    if metric == "precomputed":
        return Space.from_distances(X, sample_weight)
    return Space.from_points(X, sample_weight, metric)


@archived
@on_host("points")
@dataclass(frozen=True, eq=False, repr=False)
class Quotient(ShortRepr):
    """A space in which points that share one place are merged into one point with their total mass.

    `quotient` returns it. Below, n is the number of original points and k the number of merged ones.

    Attributes
    ----------
    space : Space
        The merged space, with k points.
    labels : array of int, shape (n,)
        The index of the merged point of each original point.
    weights : array of shape (n,)
        The masses before merging.
    points : array of shape (n, m), or None
        The coordinates before merging. None if the space has none.
    leaders : array of int, shape (k,), or None
        The original points that were kept. None if merging was off.
    tol : float, default 0.0
        The largest allowed distance of a point to the point it was merged into.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> merged = wt.spaces.quotient(wt.Space.from_points([[0.0], [1.0], [0.0], [0.0]]))
    >>> merged.space.weights, merged.labels
    (array([0.75, 0.25]), array([0, 1, 0, 0]))
    >>> merged.expand()
    <Space of 4 points in R^1, Euclidean metric>
    """

    space: Space
    labels: Ints
    weights: Floats
    points: Floats | None
    leaders: Ints | None = None
    tol: float = 0.0

    def _check_archived(self) -> None:
        check_type(self.space, "the merged space", Space)
        check_array(self.labels, "labels", "i", None)
        check_range(self.labels, "labels", 0, self.space.n - 1)
        if len(np.unique(self.labels)) < self.space.n:
            raise ValueError("every merged point must have at least one original point")
        n = len(self.labels)
        check_array(self.weights, "weights", "f", n)
        check_range(self.weights, "weights", 0.0, 1.0 + 1e-6)
        if self.points is not None:
            check_array(self.points, "points", "f", n, None)
        if self.leaders is not None:
            check_array(self.leaders, "leaders", "i", self.space.n)
            check_range(self.leaders, "leaders", 0, n - 1)
        check_type(self.tol, "tol", float, int)

    def expand(self, space: Space | None = None) -> Space:
        """Return all n original points, each at its merged point in `space` (default: the merged space)."""
        if space is None:
            return Space(self._spread(self.space.metric), self.weights, stored_array(self, "points"))
        return Space(self._spread(space.metric), self.weights, self.carry(space))

    def carry(self, moved: Space) -> Floats | None:
        """Coordinates of all points after the merged space moved; unchanged if only its distances changed."""
        points = stored_array(moved, "points")
        if points is None or points is stored_array(self.space, "points"):
            return stored_array(self, "points")  # type: ignore[no-any-return]
        return points if len(points) == len(self.labels) else np.asarray(points[self.labels])

    def _spread(self, metric: Metric) -> Metric:
        return metric if metric.n == len(self.labels) else metric.take(self.labels)


def quotient(space: Space, tol: float = 0.0, engine: Engine | None = None) -> Quotient:
    """Merge points within distance `tol` of an earlier point, and add up their masses.

    Every point lies within `tol` of the point it is merged into. Points with positive weight come before the others.

    Parameters
    ----------
    space : Space
        The space with n points.
    tol : float, default 0.0
        The largest distance between merged points, in the unit of the distances. 0 merges exact duplicates only.
    engine : Engine, optional
        Threads, device and memory limit. None: the current engine.

    Returns
    -------
    Quotient
        The merged space, and the label of each point.

    Notes
    -----
    One search for the neighbors within `tol`: fast for coordinates, O(n²) for a stored matrix.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> q = wt.spaces.quotient(wt.Space.from_points([[0.0], [1.0], [0.0]]))
    >>> q.space.metric.n, q.labels
    (2, array([0, 1, 0]))
    """
    check_space(space)
    tol = check.tolerance(tol, "tol")
    metric, engine = space.metric, current(engine)
    by_point = metric.leaders(space.weights, tol, engine)
    leads = by_point == np.arange(metric.n)
    kept, labels = np.flatnonzero(leads), (np.cumsum(leads) - 1)[by_point]
    weights = np.asarray(np.bincount(labels, weights=space.weights), np.float64)
    left = metric if len(kept) == metric.n else metric.take(kept)  # no copy if nothing was merged
    return Quotient(
        space=Space(left, weights, taken_points(space, left, kept)), labels=labels.astype(np.intp),
        weights=space.weights, points=stored_array(space, "points"), leaders=kept, tol=tol,
    )  # fmt: skip
