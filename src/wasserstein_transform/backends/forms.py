"""Metrics as plain arrays for the backends, with one record for each type."""

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
    """A metric as arrays. Data that a backend derives from it (roots, copies on a device) are cached in it."""

    _kept: dict[str, Any] = field(default_factory=dict, init=False, repr=False)

    def kept(self, name: str, make: Callable[[], T]) -> T:
        """The result of `make`, cached under a name."""
        if name not in self._kept:
            self._kept[name] = make()
        value: T = self._kept[name]
        return value

    def forget(self) -> None:
        """Clear the cache; derived data are computed again when needed."""
        self._kept.clear()

    @property
    def n(self) -> int:
        """Number of points."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Matrix(Form):
    """Stored distances, n × n, in memory or in a memory-mapped file."""

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
    """Stored distances that are read from a file in parts; `largest` is the largest of them."""

    source: Source
    largest: float

    @property
    def n(self) -> int:
        return self.source.n


@dataclass(frozen=True, eq=False)
class NearRows(Form):
    """Stored distances of near points as sorted compressed rows (CSR); all others count as infinite."""

    indptr: Ints
    indices: Ints
    distances: Floats

    @property
    def n(self) -> int:
        return len(self.indptr) - 1


@on_host("points")
@dataclass(frozen=True, eq=False)
class Cloud(Form):
    """Points with the Euclidean distance; a part of a cloud has the frame of the whole."""

    points: Floats
    frame: Frame | None = None

    @property
    def n(self) -> int:
        return len(where_it_lies(self, "points"))


@on_host("means", "covs")
@dataclass(frozen=True, eq=False)
class GaussianCloud(Form):
    """Gaussians N(means, lam·covs) with the distance W2; a part of a cloud has the frame of the whole."""

    means: Floats
    covs: Floats
    lam: float
    frame: Frame | None = None

    @property
    def n(self) -> int:
        return len(where_it_lies(self, "means"))


@dataclass(frozen=True, eq=False)
class Network(Form):
    """The first `size` nodes of an undirected graph with shortest-path distances; edges as compressed rows (CSR)."""

    indptr: Ints
    indices: Ints
    lengths: Floats
    size: int

    @property
    def n(self) -> int:
        return self.size

    @property
    def n_nodes(self) -> int:
        """Number of nodes; those from `size` on are only on paths."""
        return len(self.indptr) - 1
