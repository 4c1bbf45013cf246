"""Points under the Euclidean distance, and Gaussians under W2, which is the GT distance."""

from __future__ import annotations

from dataclasses import InitVar, dataclass, field
from typing import Any

import numpy as np

from .. import _check as check
from .._archive import check_array
from .._types import Floats, Ints
from ..compute.cells.index import CellIndex
from ..compute.metrics import gaussians
from ..compute.metrics.distances import movement
from ..compute.metrics.geometry_jit import Cloud, Geometry
from ..cuda import on
from ..engine import Engine, contiguous, current, on_host, stored_array
from .metric import Metric


@on_host("points")
@dataclass(frozen=True, eq=False, repr=False)
class Euclidean(Metric):
    """The Euclidean distance between points, computed on demand.

    Parameters
    ----------
    points : array of shape (n, m)
        The coordinates.

    Notes
    -----
    Memory O(n m). Balls are searched in a grid, nearest neighbors in a tree, or among many columns by matrix products.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> wt.spaces.Euclidean(np.array([[0.0, 0.0], [3.0, 4.0]])).dense()
    array([[0., 5.],
           [5., 0.]])
    """

    points: Floats
    p: InitVar[float] = 2.0
    triangle = True

    def __post_init__(self, p: float) -> None:
        if p != 2:
            raise ValueError(
                f"the Euclidean distance has p=2, got p={check.shown(p)}; wt.spaces.PointMetric(points, 'cityblock') "
                "is L1 (p=1), 'chebyshev' L∞, and the order of W_p is an argument of the transport"
            )
        points = contiguous(self.coordinates)
        if points.ndim != 2:
            check.shape_of_points(points.shape)  # raises: parts of a cloud may be empty, but have two axes
        object.__setattr__(self, "points", points)

    def _in_words(self) -> str:
        return f" in R^{self.coordinates.shape[1]}"

    @property
    def cost(self) -> float:
        return float(self.coordinates.shape[1])

    def _make_geometry(self, engine: Engine) -> Cloud:
        return Cloud(self.points)

    def geometry_near(self, index: CellIndex, reach: float, engine: Engine) -> Geometry:
        return self.geometry(engine) if index.sorted_points is None else Cloud(index.sorted_points)

    def contraction(self) -> Floats:
        return self.points

    @property
    def n(self) -> int:
        return len(self.coordinates)

    def _check_archived(self) -> None:
        check_array(self.points, "points", "f", None, None)

    def take(self, rows: Ints) -> Euclidean:
        return Euclidean(np.ascontiguousarray(self.points[rows]))

    @property
    def n_bytes(self) -> int:
        return int(self.coordinates.nbytes)

    @property
    def coordinates(self) -> Floats:
        points: Floats = stored_array(self, "points")  # on the host or on the GPU
        return points

    @property
    def euclidean(self) -> Floats:
        return self.points

    def movement(self, other: Metric, engine: Engine | None = None) -> float:
        if not isinstance(other, Euclidean):
            return other.movement(self, engine)
        engine = current(engine)
        return on(engine, movement)(self, other, engine)

    @property
    def is_euclidean(self) -> bool:
        return True

    def joins(self, other: Metric) -> bool:
        return isinstance(other, Euclidean)

    def check_same_kind(self, other: Metric) -> None:
        if not isinstance(other, Euclidean):
            raise TypeError(f"new points must be Euclidean like the others, got {type(other).__name__}")
        if other.points.shape[1] != self.points.shape[1]:
            raise ValueError(
                f"new points must have {self.points.shape[1]} coordinates like the others, got {other.points.shape[1]}"
            )

    def concatenate(self, other: Any) -> Euclidean:
        self.check_same_kind(other)
        return Euclidean(np.concatenate([self.points, other.points]))


@on_host("means", "covs")
@dataclass(frozen=True, eq=False, repr=False)
class GaussianMetric(Metric):
    """The GT distance: W2 between the Gaussians N(x, λΣ_x) and N(y, λΣ_y), computed on demand.

    d² = ‖x − y‖² + λ·dcov²(Σ_x, Σ_y), where dcov is the Bures distance of covariances. The covariances are stored
    before multiplication by λ, so that a new λ needs no new neighborhoods.

    Parameters
    ----------
    means : array of shape (n, m)
        The centers x.
    covs : array of shape (n, m, m)
        The covariances Σ_x, symmetric and positive semidefinite, in the squared unit of the means.
    lam : float
        The weight λ ≥ 0 of the covariances.

    Notes
    -----
    Memory O(n m²). Time O(m³) per distance.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> means, covs = np.zeros((2, 1)), np.array([[[1.0]], [[9.0]]])
    >>> wt.spaces.GaussianMetric(means, covs, lam=4.0).dense()
    array([[0., 4.],
           [4., 0.]])
    """

    means: Floats
    covs: Floats = field()  # field: the default of the base class is none of these
    lam: float = field()
    triangle = True
    cost = property(gaussians.cost)
    geometry_near = gaussians.geometry_near
    contraction = gaussians.contraction
    rounding = gaussians.rounding

    def __post_init__(self) -> None:
        for name in ("means", "covs"):
            object.__setattr__(self, name, contiguous(stored_array(self, name)))
        means, covs = (stored_array(self, name).shape for name in ("means", "covs"))
        if len(means) != 2 or covs != (*means, means[1]):
            raise ValueError(f"means of shape (n, m) need covs of shape (n, m, m), got {means} and {covs}")
        object.__setattr__(self, "lam", check.tolerance(self.lam, "lam"))

    def _in_words(self) -> str:
        return f" in R^{stored_array(self, 'means').shape[1]}, lam={self.lam:g}"

    def _make_geometry(self, engine: Engine) -> Geometry:
        return self.geometry_near(CellIndex.exhaustive(self.n), np.inf, engine)

    @property
    def n(self) -> int:
        return len(stored_array(self, "means"))

    def _check_archived(self) -> None:
        check_array(self.means, "means", "f", None, None)
        check_array(self.covs, "covs", "f", None, None, None)

    def take(self, rows: Ints) -> GaussianMetric:
        return GaussianMetric(np.ascontiguousarray(self.means[rows]), np.ascontiguousarray(self.covs[rows]), self.lam)

    @property
    def n_bytes(self) -> int:
        return int(stored_array(self, "means").nbytes + stored_array(self, "covs").nbytes)

    @property
    def coordinates(self) -> Floats:
        means: Floats = stored_array(self, "means")
        return means

    def movement(self, other: Metric, engine: Engine | None = None) -> float:
        if isinstance(other, Euclidean):
            other = GaussianMetric(other.points, np.zeros(stored_array(self, "covs").shape), self.lam)
        if not isinstance(other, GaussianMetric):
            return other.movement(self, engine)
        engine, covs = current(engine), stored_array(self, "covs")
        return on(engine, movement)(GaussianMetric(self.coordinates, covs, other.lam), other, engine)

    @property
    def is_euclidean(self) -> bool:
        return self.lam == 0

    def joins(self, other: Metric) -> bool:
        return isinstance(other, GaussianMetric)

    def concatenate(self, other: Metric) -> GaussianMetric:
        if not isinstance(other, GaussianMetric):
            raise TypeError(f"new points must be a GaussianMetric like the others, got {type(other).__name__}")
        ours, theirs = (self.means.shape[1], self.lam), (other.means.shape[1], other.lam)
        if ours != theirs:
            raise ValueError(
                f"new Gaussians must be in R^{ours[0]} with lam={ours[1]:g}, got R^{theirs[0]} with lam={theirs[1]:g}"
            )
        return GaussianMetric(
            np.concatenate([self.means, other.means]), np.concatenate([self.covs, other.covs]), self.lam
        )
