"""When to stop denoising: before a shape shrinks or clumps, or when a step no longer helps."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from .._types import Floats
from ..engine import Engine

_SHARED = 0.7  # fraction of a step shared with neighbors, above which the rest is not noise
_HELPS = 0.98  # ratio of spreads after and before, above which a step has not helped
_RESTS = 0.25  # times the noise: a step that moves points less has converged
_SHRUNK = 0.97  # least fraction of the extent, noise excluded, that must remain
_CROWDED = 0.5  # least fraction of the evenness of random places on such a shape
_SAMPLED = 20_000  # places whose nearest neighbor is computed


class Step(NamedTuple):
    """One state of a denoising run; `Denoised.steps` lists them.

    Attributes
    ----------
    step : int
        Number of the step; 0 is the start.
    moved : float
        Root mean square distance that the step moved points, in units of `scale`.
    across : float
        Median spread of neighborhoods across the shape, in units of `scale`.
    shared : float
        Fraction of the next step that neighbors share: near 1, it would move the shape and not remove noise.
    spacing : float
        Evenness: the 10 % quantile of the distances to the nearest neighbor, divided by their median.
    extent : float
        Root mean square distance from the center, in units of `scale`.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> angle, rng = np.linspace(0, 2 * np.pi, 200), np.random.default_rng(0)
    >>> X = np.column_stack([np.cos(angle), np.sin(angle)]) * rng.normal(1, 0.05, (200, 1))
    >>> steps = wt.denoise(X, 1, eps=0.4, n_iter=1).steps
    >>> [(step.step, round(step.across, 3)) for step in steps]
    [(0, 0.047), (1, 0.018)]
    """

    step: int
    moved: float
    across: float
    shared: float
    spacing: float
    extent: float


def before(step: Step, earlier: Step | None) -> str | None:
    """Return the reason not to take a step from a state, or None."""
    if earlier is not None and step.across > _HELPS * earlier.across:
        return f"the spread across the shape no longer falls ({earlier.across:.3g}, now {step.across:.3g})"
    if step.shared > _SHARED:
        return (
            f"neighbors would move alike in the next step ({step.shared:.0%} of it): "
            "that would shrink the shape and remove no noise"
        )
    return None


def against(after: Step, earlier: Step, start: Step, dim: int, m: int, sigma: float) -> str | None:
    """Return the reason to undo a step, or None."""
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
    """Tell whether a step moved points so little that the run has converged."""
    return after.moved <= _RESTS * sigma


def evenness_at_random(dim: int) -> float:
    """Return the evenness of random places in `dim` dimensions: 10 % quantile of nearest distances over the median."""
    return float((np.log(1 / 0.9) / np.log(2)) ** (1 / max(dim, 1)))


def spacing(points: Floats, engine: Engine) -> float:
    """Return the evenness of the points; 1 if there are too few to tell."""
    if len(points) < 10:
        return 1.0
    some = points[:: -(-len(points) // _SAMPLED)]
    nearest = engine.alone(lambda stop: cKDTree(points, balanced_tree=False).query(some, k=2)[0][:, 1], "spacing")
    low, middle = np.quantile(nearest, [0.1, 0.5])
    return float(low / middle) if middle > 0 else 1.0


def extent(points: Floats, weights: Floats) -> float:
    """Return the root mean square distance from the center of mass."""
    off = points - weights @ points
    return float(np.sqrt(weights @ (off**2).sum(axis=1)))
