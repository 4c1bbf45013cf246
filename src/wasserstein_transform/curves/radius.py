"""Which shape, and how far to look: read from the noise."""

from __future__ import annotations

import numpy as np

from ..auto.noise import Noise, noise_of
from ..engine import Engine
from ..spaces import Euclidean, Space
from .places import Places

_HIGHEST = 3  # dimension that is looked for
_COMPANY = 24  # neighbors for each dimension that a radius should hold
_WIDER = 0.12  # of the noise, for each dimension: a spread that much beyond it is curvature
_THIN = 0.2  # of a full ball: a spread below that is a shape without noise


def noises(places: Places, dims: range, engine: Engine) -> list[Noise]:
    """What noise there is across shapes of each of the dimensions, up to the first that is there."""
    heavy = places.weights > 0
    points = np.ascontiguousarray(places.points[heavy])
    space, found = Space(Euclidean(points), places.weights[heavy], points), list[Noise]()
    for dim in dims:
        found.append(noise_of(space, dim, engine))
        if found[-1].seen or is_clean(found[-1], points.shape[1]):
            break
    return found


def dims_of(dim: int | None, m: int) -> range:
    """Dimensions to look for: the one given, or all there may be."""
    return range(dim, dim + 1) if dim is not None else range(1, min(m - 1, _HIGHEST) + 1)


def is_clean(noise: Noise, m: int) -> bool:
    """Whether the points lie on a shape of that dimension so well that no noise can be told."""
    return not noise.seen and len(noise.radii) > 0 and bool(noise.spreads[0] < _THIN * noise.radii[0] / np.sqrt(m + 2))


def radius_of(noise: Noise) -> float:
    """The radius at which the noise shows, or the next that holds enough points, while the shape is still straight."""
    fits = (noise.radii >= noise.eps) & (noise.spreads <= (1 + _WIDER * noise.dim) * noise.sigma)
    until = fits & (np.cumsum((noise.radii >= noise.eps) & ~fits) == 0)  # not beyond the first that is bent
    if not until.any():
        return noise.eps
    enough = until & (noise.counts >= _COMPANY * noise.dim)
    return float(noise.radii[enough][0] if enough.any() else noise.radii[until][-1])
