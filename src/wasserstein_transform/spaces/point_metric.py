"""Distances that are made of the gaps between coordinates: L1, L∞, squares, cosine, Hamming; axes may be periodic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _check as check
from .._archive import check_array, check_type
from .._types import Floats, Ints
from ..compute.metrics.geometry_jit import AxisDifferences
from ..compute.metrics.pairs_jit import LARGEST, ROOT, SHARE, SQUARES, SUM
from ..engine import Engine
from .metric import Metric

_RULES = {
    "euclidean": ROOT, "sqeuclidean": SQUARES, "cityblock": SUM, "chebyshev": LARGEST, "cosine": SQUARES,
    "hamming": SHARE,
}  # fmt: skip
_WITHOUT_TRIANGLE = ("sqeuclidean", "cosine")
_WITHOUT_PERIOD = ("cosine", "hamming")


@dataclass(frozen=True, eq=False, repr=False)
class PointMetric(Metric):
    """A distance between points that a formula gives, under its name in SciPy, computed on demand.

    Parameters
    ----------
    points : array of shape (n, m)
        The coordinates.
    distance : str, default "euclidean"
        "euclidean", "sqeuclidean" (squares), "cityblock" (L1), "chebyshev" (L∞), "cosine" or "hamming" (the share of
        coordinates that differ). Squares and cosine do not satisfy the triangle inequality.
    period : float or sequence of m floats, optional
        The length after which an axis repeats, infinite for axes that do not: 2π for angles. Not for cosine and
        Hamming.

    Notes
    -----
    Memory O(n m). Balls and nearest neighbors compare all pairs.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> points = np.array([[0.0, 0.1], [3.0, 6.2]])
    >>> wt.spaces.PointMetric(points, "cityblock").dense()[0]
    array([0. , 9.1])
    >>> wt.spaces.PointMetric(points, "cityblock", period=[np.inf, 2 * np.pi]).dense()[0].round(3)
    array([0.   , 3.183])
    """

    points: Floats
    distance: str = "euclidean"
    period: Any = None

    def __post_init__(self) -> None:
        check.choice(self.distance, "distance", _RULES)
        points = check.points(self.points)
        object.__setattr__(self, "points", points)
        if self.period is None:
            return
        if self.distance in _WITHOUT_PERIOD:
            raise ValueError(f"the distance {self.distance!r} has no period, got period={check.shown(self.period)}")
        periods = np.asarray(self.period, np.float64)
        if periods.ndim > 1 or periods.size not in (1, points.shape[1]) or not (periods > 0).all():
            raise ValueError(
                f"period must hold {points.shape[1]} numbers > 0, one per axis, infinite for an axis that does not "
                f"repeat, got {check.shown(self.period)}"
            )
        object.__setattr__(self, "period", tuple(np.broadcast_to(periods, points.shape[1]).tolist()))

    def _in_words(self) -> str:
        return f" in R^{self.points.shape[1]}, {self.distance}"

    @property
    def triangle(self) -> bool:  # type: ignore[override]
        """Whether the triangle inequality holds."""
        return self.distance not in _WITHOUT_TRIANGLE

    @property
    def cost(self) -> float:
        return float(self.points.shape[1])

    def _make_geometry(self, engine: Engine) -> AxisDifferences:
        points, m = self.points, self.points.shape[1]
        periods = np.full(m, np.inf) if self.period is None else np.array(self.period)
        repeats = np.isfinite(periods)
        if repeats.any():
            points = points.copy()
            points[:, repeats] %= periods[repeats]
        if self.distance == "cosine":  # 1 − cos is half of the squared distance of the directions
            lengths = np.linalg.norm(points, axis=1)
            if not lengths.all():
                raise ValueError(
                    f"the cosine needs points that are not 0, but point {int(lengths.argmin())} is; drop it"
                )
            points = points / (np.sqrt(2.0) * lengths[:, None])
        return AxisDifferences(points, periods, _RULES[self.distance])

    @property
    def n(self) -> int:
        return len(self.points)

    @property
    def n_bytes(self) -> int:
        return int(self.points.nbytes)

    def _check_archived(self) -> None:
        check_array(self.points, "points", "f", None, None)
        check_type(self.distance, "distance", str)

    def take(self, rows: Ints) -> PointMetric:
        return PointMetric(self.points[rows], self.distance, self.period)
