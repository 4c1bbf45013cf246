"""What a metric is to a backend: plain arrays, one record for each kind of metric."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from .._elsewhere import on_host, where_it_lies
from .._types import Floats, Ints
from .frame import Frame
from .source import Source

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Form:
    """A metric as arrays. What a backend derives from it (roots, copies on a device) is kept with it."""

    _kept: dict[str, Any] = field(default_factory=dict, init=False, repr=False)

    def kept(self, name: str, make: Callable[[], T]) -> T:
        """What `make` gives, made once."""
        if name not in self._kept:
            self._kept[name] = make()
        value: T = self._kept[name]
        return value

    def forget(self) -> None:
        """Drop what was derived: it is made again when it is needed."""
        self._kept.clear()

    @property
    def n(self) -> int:
        """Number of points."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Matrix(Form):
    """Stored distances, n × n: in memory, or a file that is mapped."""

    matrix: Floats

    @property
    def largest(self) -> float:
        """The largest distance."""
        return self.kept("largest", lambda: float(self.matrix.max()))

    @property
    def n(self) -> int:
        return len(self.matrix)


@dataclass(frozen=True, eq=False)
class Filed(Form):
    """Stored distances that are read from a file, some at a time; `largest` is the largest of them."""

    source: Source
    largest: float

    @property
    def n(self) -> int:
        return self.source.n


@dataclass(frozen=True, eq=False)
class NearRows(Form):
    """Stored distances of near points as sorted compressed rows; all others count as infinite."""

    indptr: Ints
    indices: Ints
    distances: Floats

    @property
    def n(self) -> int:
        return len(self.indptr) - 1


@on_host("points")
@dataclass(frozen=True, eq=False)
class Cloud(Form):
    """Points under the Euclidean distance; a part of a cloud carries the frame of the whole."""

    points: Floats
    frame: Frame | None = None

    @property
    def n(self) -> int:
        return len(where_it_lies(self, "points"))


@on_host("means", "covs")
@dataclass(frozen=True, eq=False)
class GaussianCloud(Form):
    """Gaussians N(means, lam·covs) under the distance W2; a part of a cloud carries the frame of the whole."""

    means: Floats
    covs: Floats
    lam: float
    frame: Frame | None = None

    @property
    def n(self) -> int:
        return len(where_it_lies(self, "means"))


@dataclass(frozen=True, eq=False)
class Network(Form):
    """The first `size` nodes of an undirected graph under the lengths of shortest paths; edges as compressed rows."""

    indptr: Ints
    indices: Ints
    lengths: Floats
    size: int

    @property
    def n(self) -> int:
        return self.size

    @property
    def n_nodes(self) -> int:
        """Number of nodes; those from `size` on are only passed through."""
        return len(self.indptr) - 1
