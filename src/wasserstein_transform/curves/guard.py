"""When to stop: before a shape shrinks or clumps, or when a step no longer helps."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from .._types import Floats
from ..engine import Engine

_SHARED = 0.7  # of a step that neighbors have in common: what is left is not noise
_HELPS = 0.98  # of the spread before: a step that leaves more has not helped
_RESTS = 0.1  # of the noise: a step that moves points less has nothing left to do
_SHRUNK = 0.97  # of the extent that is left without the noise
_CROWDED = 0.5  # of the evenness that places thrown at random on such a shape have
_SAMPLED = 20_000  # places whose nearest neighbor is looked for


class Step(NamedTuple):
    """One state of a run.

    Attributes
    ----------
    step : int
        0 is the start.
    moved : float
        How far the step moved points: root mean square.
    across : float
        Median spread of a neighborhood across the shape.
    shared : float
        Share of the next step that neighbors have in common: near 1, it would move the shape and not the noise.
    spacing : float
        Evenness: the lowest tenth of the distances to the nearest neighbor, in units of their median.
    extent : float
        Root mean square distance from the center.
    """

    step: int
    moved: float
    across: float
    shared: float
    spacing: float
    extent: float


def before(step: Step, earlier: Step | None) -> str | None:
    """Why no further step should be taken from a state, if so."""
    if earlier is not None and step.across > _HELPS * earlier.across:
        return f"the spread across the shape no longer falls ({earlier.across:.3g}, now {step.across:.3g})"
    if step.shared > _SHARED:
        return (
            f"neighbors would move alike in the next step ({step.shared:.0%} of it): "
            "that shrinks the shape, and takes no noise away"
        )
    return None


def against(after: Step, earlier: Step, start: Step, dim: int, m: int, sigma: float) -> str | None:
    """Why a step should be taken back, if so."""
    if after.across > earlier.across:
        return f"the next step would widen the spread across the shape from {earlier.across:.3g} to {after.across:.3g}"
    left = _SHRUNK * np.sqrt(max(start.extent**2 - (m - dim) * sigma**2, 0.0))
    if after.extent < left:
        return f"the next step would shrink the shape: from an extent of {start.extent:.4g} to {after.extent:.4g}"
    crowded = _CROWDED * evenness_at_random(dim)
    if after.spacing < min(crowded, start.spacing):
        return f"the next step would make points clump: the closest tenth at {after.spacing:.2g} of the usual spacing"
    return None


def rests(after: Step, sigma: float) -> bool:
    """Whether a step moved so little that another has nothing to do."""
    return after.moved <= _RESTS * sigma


def evenness_at_random(dim: int) -> float:
    """The lowest tenth of the nearest distances over their median, for places at random in so many dimensions."""
    return float((np.log(1 / 0.9) / np.log(2)) ** (1 / max(dim, 1)))


def spacing(points: Floats, engine: Engine) -> float:
    """The same of the points; 1 where there are too few to tell."""
    if len(points) < 10:
        return 1.0
    some = points[:: -(-len(points) // _SAMPLED)]
    nearest = engine.alone(lambda stop: cKDTree(points).query(some, k=2)[0][:, 1], "spacing")
    low, middle = np.quantile(nearest, [0.1, 0.5])
    return float(low / middle) if middle > 0 else 1.0


def extent(points: Floats, weights: Floats) -> float:
    """Root mean square distance from the center of mass."""
    off = points - weights @ points
    return float(np.sqrt(weights @ (off**2).sum(axis=1)))
