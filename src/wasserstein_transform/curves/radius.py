"""Choose the dimension of the shape from the noise."""

from __future__ import annotations

import numpy as np

from ..auto.noise import Noise, noise_of
from ..auto.span import outward
from ..engine import Engine
from ..localize.scale import scale_of
from ..spaces import Euclidean, Space
from .places import Places
from .volume import fills_volume

_HIGHEST = 3  # highest dimension tried
_THIN = 0.2  # of the spread along the shape: a smaller one across is a shape without noise


def noises(places: Places, dims: range, engine: Engine) -> list[Noise]:
    """Estimate the noise for each dimension, up to the first at which a shape is found."""
    heavy = places.weights > 0
    points = np.ascontiguousarray(places.points[heavy])
    space, found = outward(Space(Euclidean(points), places.weights[heavy], points)), list[Noise]()
    for dim in dims:
        noise = noise_of(space, dim, engine)
        if (filled := fills_volume(space, noise, engine)) is not None:
            reason = f"the points fill a volume: {filled}; dim={dim} with eps={noise.eps:.3g} forces it"
            eps = float(scale_of(space, engine))
            noise = Noise(0.0, eps, dim, False, reason, *np.empty((4, 0)))  # no radius shows a shape
        found.append(noise)
        if noise.seen or is_clean(noise):
            break
    return found


def dims_of(dim: int | None, m: int) -> range:
    """Return the dimensions to try: the given one, or all possible ones, and curves in any case."""
    return range(dim, dim + 1) if dim is not None else range(1, min(max(m - 1, 1), _HIGHEST) + 1)


def is_clean(noise: Noise) -> bool:
    """Tell whether the points lie on a shape so exactly that no noise can be measured."""
    return not noise.seen and len(noise.radii) > 0 and bool(noise.thickness[0] < _THIN)
