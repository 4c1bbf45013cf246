"""The loop of denoising: compute neighborhoods, move, repeat, until a step no longer helps or would harm the shape."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from .._types import Floats
from ..engine import Engine, Flag
from ..localize.scale import weighted_median
from .looks import Look, Sight, look, row_sums
from .shape import Places

_SHARED = 0.7  # fraction of a step shared with neighbors, above which the rest is not noise
_HELPS = 0.98  # ratio of spreads after and before, above which a step has not helped
_RESTS = 0.25  # times the noise: a step that moves points less has converged
_SHRUNK = 0.97  # least fraction of the extent, noise excluded, that must remain
_CROWDED = 0.5  # least fraction of the evenness of random places on such a shape
_SAMPLED = 20_000  # places whose nearest neighbor is computed
MOST = 5  # steps, if n_iter is not given
_SHARP = 5  # exponent: how sharply the movement sets in with the number of neighbors
_NARROW = 0.45  # times the spread of a full ball: with less noise the shape is thin, and fewer neighbors suffice
_THICK = 0.65  # spread across a surface over the smallest along it: above, a neighborhood is not flat
_UNUSUAL = 1.6  # times the median of this ratio: where noise makes all neighborhoods thick, only thicker ones stay
_FADING = 0.1  # above that ratio, the movement fades to nothing over this interval


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


def reason_to_stop(step: Step, earlier: Step | None) -> str | None:
    """Return the reason not to take a step from a state, or None."""
    if earlier is not None and step.across > _HELPS * earlier.across:
        return f"the spread across the shape no longer falls ({earlier.across:.3g}, now {step.across:.3g})"
    if step.shared > _SHARED:
        return (
            f"in the next step neighbors would move together ({step.shared:.0%} of the movement), "
            "which shrinks the shape and does not remove noise"
        )
    return None


def reason_to_undo(after: Step, earlier: Step, start: Step, dim: int, m: int, sigma: float) -> str | None:
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


def is_at_rest(after: Step, sigma: float) -> bool:
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

    def search(stop: Flag) -> Floats:
        tree = cKDTree(points, leafsize=32, compact_nodes=False, balanced_tree=False)  # one search: quick to build
        return np.asarray(tree.query(some, k=2, workers=engine.n_threads)[0][:, 1])

    nearest = engine.run_single(search, "spacing")
    low, middle = np.quantile(nearest, [0.1, 0.5])
    return float(low / middle) if middle > 0 else 1.0


def extent(points: Floats, weights: Floats) -> float:
    """Return the root mean square distance from the center of mass."""
    off = points - weights @ points
    return float(np.sqrt(weights @ row_sums(off**2)))


class Moved(NamedTuple):
    """Final positions, evidence at the start, neighborhoods at the end, all states, and how the run ended."""

    points: Floats
    evidence: Floats
    last: Look
    steps: tuple[Step, ...]
    outcome: str


def move(
    places: Places, sight: Sight, dim: int, sigma: float, trust: float, n_iter: int | None, engine: Engine
) -> Moved:
    """Move places onto a shape of dimension `dim`, until the guard stops, or `n_iter` times.

    The loop moves points all the way. The result is the original positions, moved by the fraction of the whole way that
    the number of neighbors justifies.
    """
    start, weights = places.points, places.weights
    here, seen = start, look(start, weights, sight, dim, engine)
    share = _share(seen.evidence, trust * thinness(sigma, sight.eps, start.shape[1]))[:, None]
    if dim >= 2:
        share *= _flatness(seen.variances, weights, dim)[:, None]
    evidence = seen.evidence
    steps = [_told(0, here, here, weights, seen, share, engine)]
    asked, most = n_iter is not None, MOST if n_iter is None else n_iter
    objection, at = None, 0
    for k in range(1, most + 1):
        here_engine = engine.iteration(k, most)
        objection = objection or reason_to_stop(steps[-1], steps[-2] if k > 1 else None)
        if objection and not asked:
            break
        there = here + seen.steps
        ahead = look(there, weights, sight, dim, here_engine)
        after = _told(k, here, there, weights, ahead, share, engine)
        objection = objection or reason_to_undo(after, steps[-1], steps[0], dim, start.shape[1], sigma)
        if objection and not asked:
            break
        here, seen, at = there, ahead, k
        steps.append(after)
        if is_at_rest(after, sigma) and not asked:
            objection = "the last step moved points by less than a quarter of the noise"
            break
    return Moved(start + share * (here - start), evidence, seen, tuple(steps), _in_words(at, asked, objection))


def thinness(sigma: float, eps: float, m: int) -> float:
    """Return the fraction of the trust that a shape needs: 1 if it is as wide as a ball, less for low noise.

    The spread of a full ball along an axis is eps/√(m + 2).
    """
    return min(1.0, float(sigma * np.sqrt(m + 2) / (_NARROW * eps)))


def _share(evidence: Floats, trust: float) -> Floats:
    """Return the fraction of the way: one half at `trust` neighbors, little for fewer, nearly all for many."""
    with np.errstate(divide="ignore"):  # points without neighbors stay
        return np.asarray(1 / (1 + (trust / evidence) ** _SHARP)) if trust > 0 else np.ones(len(evidence))


def _flatness(variances: Floats, weights: Floats, dim: int) -> Floats:
    """Return 1 for flat neighborhoods, 0 for those nearly as thick as wide, such as crowns of trees."""
    across, along = variances[:, dim:].sum(axis=1) / max(variances.shape[1] - dim, 1), variances[:, dim - 1]
    ratio = np.sqrt(across / np.where(along > 0, along, 1.0))
    thick = max(_THICK, _UNUSUAL * weighted_median(ratio, weights))
    return np.asarray(np.clip(1 - (ratio - thick) / _FADING, 0.0, 1.0))


def _told(k: int, before: Floats, after: Floats, weights: Floats, seen: Look, share: Floats, engine: Engine) -> Step:
    moved = float(np.sqrt(weights @ row_sums((share * (after - before)) ** 2)))
    return Step(k, moved, seen.across, seen.shared, spacing(after[weights > 0], engine), extent(after, weights))


def _in_words(done: int, asked: bool, objection: str | None) -> str:
    times = f"{done} step{'s' if done != 1 else ''}"
    if asked:
        said = f"ran {times}, as requested"
        return said if objection is None else f"{said}, although {objection}"
    if objection is None:
        return f"ran {times}, the most without n_iter"
    return f"stopped after {times}: {objection}" if done else f"nothing was moved: {objection}"
