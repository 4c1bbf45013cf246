"""Choose the dimension of the shape and the radius from the noise."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..auto.noise import Noise, noise_of
from ..auto.span import outward
from ..engine import Engine
from ..localize.scale import scale_of
from ..spaces import Euclidean, Space
from .moving import thinness
from .places import Places
from .volume import fills_volume

_HIGHEST = 3  # highest dimension tried
_COMPANY = 24  # neighbors per dimension that a radius should hold
_WIDER = 0.12  # relative to the noise, per dimension: a larger excess of the spread is curvature
_ROUNDING = 1e-6  # relative: on a grid, several sizes of neighborhoods have one radius
_THIN = 0.2  # relative to a full ball: a smaller spread is a shape without noise


def noises(places: Places, dims: range, engine: Engine) -> list[Noise]:
    """Estimate the noise for each dimension, up to the first at which a shape is found."""
    heavy = places.weights > 0
    points = np.ascontiguousarray(places.points[heavy])
    space, found = outward(Space(Euclidean(points), places.weights[heavy], points)), list[Noise]()
    for dim in dims:
        noise = noise_of(space, dim, engine)
        if (filled := fills_volume(space, noise, engine)) is not None:
            reason = (
                f"the points fill a volume: {filled}; nothing was moved; dim={dim} with eps={noise.eps:.3g} forces it"
            )
            noise = replace(noise, sigma=0.0, eps=float(scale_of(space, engine)), seen=False, reason=reason)
        found.append(noise)
        if noise.seen or is_clean(noise, points.shape[1]):
            break
    return found


def dims_of(dim: int | None, m: int) -> range:
    """Return the dimensions to try: the given one, or all possible ones, and curves in any case."""
    return range(dim, dim + 1) if dim is not None else range(1, min(max(m - 1, 1), _HIGHEST) + 1)


def is_clean(noise: Noise, m: int) -> bool:
    """Tell whether the points lie on a shape so exactly that no noise can be measured."""
    return not noise.seen and len(noise.radii) > 0 and bool(noise.spreads[0] < _THIN * noise.radii[0] / np.sqrt(m + 2))


def radius_of(noise: Noise, m: int) -> float:
    """Return the radius at which the noise shows, or the next one with enough points before curvature sets in."""
    wide = noise.radii >= noise.eps * (1 - _ROUNDING)
    fits = wide & (noise.spreads <= (1 + _WIDER * noise.dim) * noise.sigma)
    until = fits & (np.cumsum(wide & ~fits) == 0)  # up to the first radius with curvature
    if not until.any():
        return noise.eps
    enough = until & (noise.counts >= _COMPANY * noise.dim * _fewer(noise, m))
    return float(noise.radii[enough][0] if enough.any() else noise.radii[until][-1])


def _fewer(noise: Noise, m: int) -> float:
    """Return the fraction of the company that a thin surface needs; wide neighborhoods would round its edges."""
    return thinness(noise.sigma, noise.eps, m) if noise.dim >= 2 else 1.0
