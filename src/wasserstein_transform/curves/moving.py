"""The loop of denoising: compute neighborhoods, move, check the guard, repeat."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._types import Floats
from ..engine import Engine
from ..localize.scale import weighted_median
from . import guard
from .guard import Step
from .looks import Look, Sight, look
from .places import Places

MOST = 5  # steps, if n_iter is not given
_SHARP = 5  # exponent: how sharply the movement sets in with the number of neighbors
_THIN = 0.45  # times the spread of a full ball: with less noise the shape is thin, and fewer neighbors suffice
_THICK = 0.65  # spread across a surface over the smallest along it: above, a neighborhood is not flat
_UNUSUAL = 1.6  # times the median of this ratio: where noise makes all neighborhoods thick, only thicker ones stay
_FADING = 0.1  # above that ratio, the movement fades to nothing over this interval


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
        objection = objection or guard.before(steps[-1], steps[-2] if k > 1 else None)
        if objection and not asked:
            break
        there = here + seen.steps
        ahead = look(there, weights, sight, dim, here_engine)
        after = _told(k, here, there, weights, ahead, share, engine)
        objection = objection or guard.against(after, steps[-1], steps[0], dim, start.shape[1], sigma)
        if objection and not asked:
            break
        here, seen, at = there, ahead, k
        steps.append(after)
        if guard.rests(after, sigma) and not asked:
            objection = "the last step moved points by less than a quarter of the noise"
            break
    return Moved(start + share * (here - start), evidence, seen, tuple(steps), _in_words(at, asked, objection))


def thinness(sigma: float, eps: float, m: int) -> float:
    """Return the fraction of the trust that a shape needs: 1 if it is as wide as a ball, less for low noise.

    The spread of a full ball along an axis is eps/√(m + 2).
    """
    return min(1.0, float(sigma * np.sqrt(m + 2) / (_THIN * eps)))


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
    moved = float(np.sqrt(weights @ ((share * (after - before)) ** 2).sum(axis=1)))
    return Step(
        k, moved, seen.across, seen.shared, guard.spacing(after[weights > 0], engine), guard.extent(after, weights)
    )


def _in_words(done: int, asked: bool, objection: str | None) -> str:
    times = f"{done} step{'s' if done != 1 else ''}"
    if asked:
        said = f"did {times} as asked"
        return said if objection is None else f"{said}, although {objection}"
    if objection is None:
        return f"did {times}, the most without n_iter"
    return f"stopped after {times}: {objection}" if done else f"nothing was moved: {objection}"
