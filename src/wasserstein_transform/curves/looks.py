"""One look at a cloud: the axes of every neighborhood, and where its point would go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .._types import Floats
from ..engine import Engine, Flag, Record, Rows, Task, Tile, evenly, one_blas_thread
from ..localize import HasMoments, Kernel
from ..localize.places import weighted_median
from ..spaces import Euclidean, GaussianMetric, Space

_ASIDE = 0.8  # of eps: how far apart tracks stand that run at right angles, but for a factor √2
PROFILE = "epanechnikov"
MOST_AXES = 32  # of a neighborhood: in more dimensions they lie within the widest of the whole cloud


class Sight(NamedTuple):
    """How far points see, and what they count as near: eps, lam, and the way of tracks beside the places."""

    eps: float
    lam: float = 0.0
    ways: Floats | None = None

    def space(self, points: Floats, weights: Floats, engine: Engine) -> Space:
        """The points under the metric in which they see each other."""
        if self.ways is not None:
            return Space(Euclidean(np.column_stack([points, _ASIDE * self.eps * self.ways])), weights, points)
        flat = Space(Euclidean(points), weights, points)
        if self.lam == 0:
            return flat
        covs = Kernel(self.eps, PROFILE).moments(flat, engine).covs(points).values
        return Space(GaussianMetric(points, covs, self.lam), weights, points)


@dataclass(frozen=True, eq=False)
class Look:
    """What all points see.

    Attributes
    ----------
    steps : array of shape (n, m)
        Where each would go: to the mean of what it sees, across the leading axes only, less what its neighbors
        would do as well.
    evidence : array of shape (n,)
        Mass of the others that it sees, in units of the mean mass of a place.
    variances, axes : arrays of shape (n, r) and (n, m, r)
        Of what it sees, the longest axis first; axes are columns. r is m, or 32 if m is more.
    across : float
        Median spread across the leading axes.
    shared : float
        Share, of the size of all steps, that neighbors have in common: the way a shape shrinks, not noise.
    """

    steps: Floats
    evidence: Floats
    variances: Floats
    axes: Floats
    across: float
    shared: float


def look(points: Floats, weights: Floats, sight: Sight, dim: int, engine: Engine) -> Look:
    """The look of the points at each other, for a shape of dimension `dim`."""
    m = points.shape[1]
    seen = Kernel(sight.eps, PROFILE).moments(sight.space(points, weights, engine), engine)
    mass, means, variances, axes, total = _moments(seen, points, weights, engine)
    leading = axes[:, :, :dim]
    steps = _off(means - points, leading)
    common = _off(seen.means(steps).values, leading)
    evidence = np.maximum(mass - weights, 0.0) * float(np.count_nonzero(weights))
    company = (evidence >= 1) * weights
    spread = np.sqrt(np.maximum(total - variances[:, :dim].sum(axis=1), 0.0) / max(m - dim, 1))
    sizes = [float((company * (field**2).sum(axis=1)).sum()) for field in (steps, common)]
    shared = float(np.sqrt(sizes[1] / sizes[0])) if sizes[0] > 0 else 0.0
    known = company > 0
    across = weighted_median(spread[known], company[known]) if known.any() else 0.0
    return Look(steps - common, evidence, variances, axes, across, shared)


def _moments(
    seen: HasMoments, points: Floats, weights: Floats, engine: Engine
) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Mass and mean of what each point sees, variances along its axes, these axes, and the variance along all.

    Covariances of many coordinates are slow and large: beyond 32, they are taken along the 32 widest axes of the whole
    cloud. Means and the total variance are those of all coordinates.
    """
    if points.shape[1] <= MOST_AXES:
        mass, means, covs = seen.means_and_covs(points)
        variances, axes = _spectra(covs, engine)
        return mass, means, variances, axes, variances.sum(axis=1)
    center = weights @ points
    widest = _widest(points - center, weights)
    squares = ((points - center) ** 2).sum(axis=1)
    mass, both = seen.means(np.column_stack([points, squares]))
    means = np.ascontiguousarray(both[:, :-1])
    total = both[:, -1] - ((means - center) ** 2).sum(axis=1)
    variances, turned = _spectra(seen.covs((points - center) @ widest).values, engine)
    return mass, means, variances, widest @ turned, np.maximum(total, variances.sum(axis=1))


def _widest(off: Floats, weights: Floats) -> Floats:
    """The widest axes of a cloud around its center, as columns; signs do not matter."""
    with one_blas_thread():  # the same bits for any number of threads
        return np.ascontiguousarray(np.linalg.eigh((off * weights[:, None]).T @ off)[1][:, : -MOST_AXES - 1 : -1])


def _off(field: Floats, axes: Floats) -> Floats:
    """What remains of vectors off the axes of their points."""
    along = np.einsum("iak,ia->ik", axes, field)
    return np.asarray(field - np.einsum("iak,ik->ia", axes, along))


class _Covs(NamedTuple):
    covs: Floats


def _spectra(covs: Floats, engine: Engine) -> tuple[Floats, Floats]:
    """Variances, largest first, and their axes."""
    n, m = covs.shape[:2]
    variances, axes = np.empty((n, m)), np.empty((n, m, m))
    with one_blas_thread():  # many small matrices
        engine.run(Task("axes", _axes, _Covs(covs), evenly(n, 10.0 * m**3), Rows()), (variances, axes))
    return variances, axes


def _axes(asked: _Covs, tile: Tile, stop: Flag, record: Record) -> None:
    values, vectors = np.linalg.eigh(asked.covs[tile.start : tile.stop])
    record[0][:] = np.maximum(values[:, ::-1], 0.0)  # ≥ 0 in theory; clip what rounding adds
    record[1][:] = vectors[:, :, ::-1]
