"""A finite metric measure space (X, d, α), with coordinates if it has any."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from .. import _check as check
from .._archive import archived, check_array, check_range, check_type, read, write
from .._elsewhere import on_host, where_it_lies
from .._shown import facts
from .._types import Floats, Ints
from .._warn import warn
from ..engine import Engine, current
from .dense import Dense
from .edge_weights import ASK
from .given import as_points
from .graph import Graph
from .metric import Metric
from .named import metric_by_name
from .opening import metric_in_file, opened


@archived
@on_host("points")
@dataclass(frozen=True, eq=False)
class Space:
    """A finite metric measure space (X, d, α) with φ(X) ⊂ R^m where coordinates are known.

    Use `Space.from_points`, `Space.from_distances` or `Space.from_graph`: they check what comes in.

    Attributes
    ----------
    metric : Metric
    weights : array of shape (n,)
        The masses α, total 1.
    points : array of shape (n, m), or None
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
        """A space of points with coordinates, under the Euclidean or any other SciPy distance.

        Points in the memory of a GPU, such as an array of CuPy, stay there; see `Engine(device="cuda")`.

        Examples
        --------
        >>> import wasserstein_transform as wt
        >>> wt.Space.from_points([[0.0, 0.0], [1.0, 0.0]], weights=[3, 1]).weights
        array([0.75, 0.25])
        """
        points = as_points(points)
        alpha = check.weights(weights, len(points))
        if isinstance(points, np.ndarray) and check.are_like_distances(points):
            warn(
                f"a {len(points)} × {len(points)} matrix that is symmetric and 0 on the diagonal is taken for points; "
                "if these are distances, Space.from_distances(D) says so, for an estimator metric='precomputed'"
            )
        return cls(metric_by_name(points, metric, alpha), alpha, points)

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
        """A space from a square or condensed distance matrix, with coordinates beside it if there are any.

        `distances` may be an array, or a file: a path (`.npy`, or a `.zarr` folder), a memory map, a Zarr array. Those
        of float32 and float64 are looked through once and stay in their file; a square `.npy` of float64 is what
        transport reads best. Of two halves of a matrix in a file that differ by rounding, the upper one counts.

        `triangle=True` asserts the triangle inequality, for shortcuts that need it.

        Examples
        --------
        >>> import wasserstein_transform as wt
        >>> wt.Space.from_distances([1.0, 2.0, 1.5]).n
        3
        """
        engine = current(engine)
        distances = opened(distances)
        metric = metric_in_file(distances, triangle, engine)
        if metric is None:
            _reserve(distances, engine)
            metric = Dense(check.distances(distances), triangle)
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
        weight: str | None = ASK,
    ) -> Space:
        """The nodes of an undirected graph under the lengths of shortest paths, which are found when asked for.

        Parameters
        ----------
        graph : networkx graph, scipy sparse matrix, or list of edges (a, b) or (a, b, length)
            Edges without a number have length 1. Nodes are numbered as the graph lists them; numbers in a list of
            edges in rising order. Loops are left out, of parallel edges the shortest counts, edges of length 0 put
            their nodes in one place.
        weights : array, optional
            Masses of the nodes.
        points : array of shape (n, m), optional
            Coordinates beside the metric, if there are any.
        weight : {"length", "strength", None}, optional
            What the numbers at edges are: lengths; strengths, where strong ties are short, of length 1/strength; or
            of no concern, all edges have length 1. By default a list (a, b, length) has lengths, and attributes
            `length`, `distance` and `strength` are what they are called; `weight` and the entries of a matrix may be
            either, and are asked about unless all are 1.

        Examples
        --------
        >>> import wasserstein_transform as wt
        >>> path = wt.Space.from_graph([("a", "b"), ("b", "c", 2.0)])
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
        """Write the space to a `.npz` file, without pickle; returns its path. `Space.load` reads it."""
        return write(path, self)

    @classmethod
    def load(cls, path: str | os.PathLike[str], engine: Engine | None = None) -> Self:
        """A space from a file that `save` wrote. Files of other versions, damaged or too large ones are refused.

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
        points = where_it_lies(self, "points")
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
        """The space of the listed points, with their masses as they are."""
        points = None if self.points is None else self.points[rows]
        return Space(self.metric.take(rows), self.weights[rows], points)


def _reserve(distances: ArrayLike, engine: Engine) -> None:
    """Announce the matrix that is made of these distances, and what they are turned into before."""
    shape = np.shape(distances)
    n = shape[0] if len(shape) == 2 else round((2.0 * shape[0]) ** 0.5 + 0.5) if len(shape) == 1 else 0
    ready = isinstance(distances, np.ndarray) and distances.dtype == np.float64 and distances.flags.c_contiguous
    copies = 1 if ready and len(shape) == 2 else 2
    engine.reserve((8.0 * copies + 1) * n * n, f"a {n} × {n} matrix of distances", "use fewer points")


def check_space(space: object) -> None:
    """Refuse what is not a space, and say how to make one."""
    if not isinstance(space, Space):
        raise TypeError(f"a Space is needed, got {type(space).__name__}; wt.Space.from_points(X) makes one")
