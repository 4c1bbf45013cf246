"""A distance on n points, lazy unless it must be stored."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NoReturn, Self

import numpy as np
from numpy.typing import DTypeLike

from .. import _check as check
from .._archive import archived, check_type
from .._types import Bools, Floats, Ints
from ..backends import Balls, Form, Frame, Nearest, Neighborhoods, backend_of
from ..backends.host import largest
from ..engine import Engine, current
from .matrices import Out, written

_LARGE = 2.0**24  # bytes from which on a block is announced


class Metric(ABC):
    """A distance on n points.

    A metric is a form, plain arrays that a backend computes distances from; all else follows from it.

    Attributes
    ----------
    n : int
        Number of points.
    triangle : bool
        Whether the triangle inequality holds; shortcuts that need it ask.
    """

    triangle: bool

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        archived(cls)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} metric of {self.n} points{self._in_words()}>"

    def _in_words(self) -> str:
        """What else there is to say."""
        return ""

    @property
    @abstractmethod
    def form(self) -> Form:
        """The arrays a backend computes distances from; the same object whenever asked."""

    @property
    def n(self) -> int:
        """Number of points."""
        return self.form.n

    @abstractmethod
    def take(self, rows: Ints) -> Self:
        """The metric of the listed points, repeats allowed."""

    @property
    @abstractmethod
    def n_bytes(self) -> int:
        """Bytes the metric holds: memory, unless it is on disk."""

    @property
    def is_on_disk(self) -> bool:
        """Whether its distances lie in a file, and take no memory."""
        return False

    @abstractmethod
    def movement(self, other: Metric, engine: Engine | None = None) -> float:
        """How far the points moved on the way to `other`: the largest distance of a point to its later self."""

    def block(self, rows: Ints, cols: Ints, engine: Engine | None = None) -> Floats:
        """Distances of the points `rows` to the points `cols`."""
        rows, cols, engine = self._points(rows), self._points(cols), current(engine)
        n_bytes = 8.0 * len(rows) * len(cols)
        if n_bytes > _LARGE:  # to look what there is takes longer than a small block
            engine.reserve(n_bytes, f"{len(rows)} × {len(cols)} distances", "ask for fewer rows at a time")
        return backend_of(engine).block(self.form, rows, cols, engine)

    def n_within(self, rows: Ints, radius: float, engine: Engine | None = None) -> Ints:
        """How many points lie within the radius of each of the points `rows`, itself included."""
        engine = current(engine)
        return backend_of(engine).n_within(self.form, self._points(rows), radius, engine)

    def pairs(self, rows: Ints, cols: Ints, engine: Engine | None = None) -> Floats:
        """Distances of the points rows[k] and cols[k]."""
        rows, cols, engine = self._points(rows), self._points(cols), current(engine)
        if len(rows) != len(cols):
            raise ValueError(f"pairs need as many rows as cols, got {len(rows)} and {len(cols)}")
        return backend_of(engine).pairs(self.form, rows, cols, engine)

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

    def largest(self, engine: Engine | None = None) -> float:
        """A number of the size of the largest distance: that of a point to the farthest from it."""
        return largest(self.form, current(engine))

    def dense(self, engine: Engine | None = None, dtype: DTypeLike | None = None, out: Out = None) -> Floats:
        """The full n × n matrix; each pair is computed once.

        Parameters
        ----------
        engine : Engine, optional
        dtype : float32 or float64, optional
            What distances are stored as, by default that of `out`, or float64; they are computed in float64.
            float32 holds 1e-38 to 3e38.
        out : array of shape (n, n), or path, optional
            Where to write: an array, of a GPU as well if the engine computes there; a `.npy` file, which is filled
            block by block and returned as a memory map; or a `.zarr` folder of chunks with checksums, returned as a
            Zarr array. File and folder have their names, and replace what had them, only once they are complete.
            Without `out`, what memory does not hold is mapped in the folder of the engine's store, if it has one.
        """
        self.check_whole("the full matrix")
        engine, n = current(engine), self.n
        fill = backend_of(engine).dense
        found: Floats = written(
            (n, n), f"the {n} × {n} distance matrix", engine, dtype, out, lambda a: fill(self.form, a, engine)
        )
        return found

    def condensed(self, engine: Engine | None = None, dtype: DTypeLike | None = None, out: Out = None) -> Floats:
        """The n(n−1)/2 distances in SciPy's order. `dtype` and `out` as in `dense`."""
        self.check_whole("all distances")
        engine, size = current(engine), self.n * (self.n - 1) // 2
        fill = backend_of(engine).condensed
        what = f"{size} condensed distances"
        found: Floats = written((size,), what, engine, dtype, out, lambda a: fill(self.form, a, engine))
        return found

    def balls(self, radius: float, engine: Engine | None = None) -> Balls:
        """The closed balls of the given radius around every point."""
        radius, engine = check.tolerance(radius, "radius"), current(engine)
        self.check_reach(radius)
        return backend_of(engine).balls(self.form, radius, engine)

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
        k, engine = check.count(k, "k", 1), current(engine)
        if of is None and k > self.n - 1:
            raise ValueError(f"k must be at most {self.n - 1}, as many as there are other points, got {k}")
        if k > self.n:
            raise ValueError(f"k must be at most {self.n}, as many as there are points, got {k}")
        if of is not None:
            self.check_same_kind(of)
        size = self.n if of is None else of.n
        engine.reserve(16.0 * size * k, f"the {k} nearest of {size} points", "ask for fewer points at a time")
        return backend_of(engine).nearest(self.form, k, None if of is None else of.form, engine)

    def neighborhoods(
        self, weights: Floats, profile: int, eps: float, reach: float, engine: Engine | None = None, first: int = 0
    ) -> Neighborhoods:
        """What the points from `first` on see of the weights within `reach`, weighted by profile(d²/ε²)."""
        engine = current(engine)
        self.check_reach(reach)
        if not np.isfinite(reach):
            self.check_whole("a kernel without end")
        return backend_of(engine).neighborhoods(self.form, weights, profile, eps, reach, engine, first)

    def check_whole(self, wanted: str) -> None:  # noqa: B027  # most metrics know all distances
        """Refuse, where only some distances are known or finite, what needs all of them."""

    def checked(self) -> Self:
        """The same metric, its numbers looked at: nobody has if it was made by hand."""
        return self

    def check_joined(self, n_parts: int = 1) -> None:
        """Refuse points that fall into parts infinitely far apart: `n_parts` is how many were found."""
        if n_parts > 1:
            raise ValueError(f"the points fall into {n_parts} parts at infinite distance; use the largest of them")

    def check_reach(self, reach: float) -> None:  # noqa: B027  # most metrics know no radius
        """Refuse, where distances are known up to a radius, what reaches farther."""

    def check_same_kind(self, other: Metric) -> None:
        """Refuse a metric whose points cannot be put beside these."""
        self.concatenate(other)

    @property
    def is_euclidean(self) -> bool:
        """Whether these are the Euclidean distances of the points' places: whoever has those has the metric."""
        return False

    def joins(self, other: Metric) -> bool:
        """Whether `beside` can put the points of `other` beside these: their distances are known from both."""
        return False

    def concatenate(self, other: Metric) -> Self:
        """The metric of these points and those of `other`, a metric of the same kind."""
        self._refuse_new()

    def _refuse_new(self) -> NoReturn:
        raise TypeError(f"{type(self).__name__} distances are known between their own points only, not to new ones")

    @property
    def is_whole(self) -> bool:
        """Whether all distances are known."""
        return True

    @property
    def euclidean(self) -> Floats | None:
        """Points whose Euclidean distances these are; None where there are none."""
        return None

    @property
    def places(self) -> Floats | None:
        """Where the points are in R^m, as an array that may lie on a device; None where the metric knows no places."""
        return None

    def differs(self, before: Self, kept: Ints | None = None) -> Bools | None:
        """Points that are not, bit for bit, what the points `kept` of `before` were, by default all of them.

        None where that cannot be told.
        """
        return None

    def with_rows(self, rows: Ints, new: Any) -> Self:
        """A copy whose listed points are those of `new`, for metrics that can tell what differs."""
        raise TypeError(f"points of {type(self).__name__} cannot be exchanged one by one")

    def framed(self, frame: Frame) -> Self:
        """The same metric as part of a cloud that has this frame."""
        raise TypeError(f"{type(self).__name__} is not cut into cells: parts of it cannot be computed alone")


def check_counts(triangle: object, gap: object, n_fallbacks: object) -> None:
    """Refuse what a stored metric cannot say of how it was computed."""
    check_type(triangle, "triangle", bool)
    check_type(gap, "gap", float, int)
    check_type(n_fallbacks, "n_fallbacks", int)
