"""A radius for mean shift: one at which it finds the same clusters as at neighboring radii."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from .._types import Floats, Ints
from ..compute.passes import sample_evenly
from ..engine import Engine
from ..hierarchy.cut import within_reach
from ..localize.scale import median_radii, n_neighbors
from ..spaces import Euclidean, Space
from ..transforms import iterate, mean_shift
from .agreement import adjusted_rand

_SAMPLE = 400  # places that are moved
_STEP = 1.25  # factor from one radius to the next
_MOST = 30  # radii
_ITERATIONS, _TOL, _MERGE = 30, 1e-2, 1e-3  # converged enough to tell which points are together
_STABLE = 0.95  # adjusted Rand index above which two radii count as finding the same clusters
_LONG = 3  # steps over which clusters must stay the same to be no coincidence
_LARGE = 0.02  # fraction of the mass: anything smaller is no cluster


@dataclass(frozen=True, eq=False)
class Modes:
    """The radii that were tried, in increasing order, and what mean shift found at each."""

    eps: float
    chosen: int
    reason: str
    radii: Floats
    clusters: Ints
    held: Floats
    stability: Floats


def modes_of(places: Space, engine: Engine) -> Modes:
    """Choose a radius for mean shift, from distinct places in a fixed order."""
    sample = _sampled(places)
    start = median_radii(sample, [n_neighbors(sample.n)], engine)[0]
    tried = list[tuple[float, int, float]]()
    labels = list[Ints]()
    for k in range(_MOST):
        engine.check()
        eps = start * _STEP**k
        found = _found(sample, eps, engine.quiet())
        mass = np.bincount(found, weights=sample.weights)
        tried.append((eps, int((mass >= _LARGE).sum()), float(mass[mass >= _LARGE].sum())))
        labels.append(found)
        if len(mass) == 1:  # larger radii give one cluster, too
            break
    radii, clusters, held = (np.array(column) for column in zip(*tried, strict=True))
    stability = np.array([adjusted_rand(a, b) for a, b in pairwise(labels)] + [1.0])
    chosen, reason = _chosen(radii, clusters, stability)
    return Modes(float(radii[chosen]), chosen, reason, radii, clusters, held, stability)


def _sampled(places: Space) -> Space:
    rows = sample_evenly(places.n, _SAMPLE)
    assert places.points is not None  # checked by the callers
    points, weights = places.points[rows], places.weights[rows]
    return Space(Euclidean(points), weights / weights.sum(), points)


def _found(sample: Space, eps: float, engine: Engine) -> Ints:
    walk = iterate(mean_shift(eps), sample, n_iter=_ITERATIONS, tol=_TOL, merge=_MERGE, engine=engine)
    return within_reach(walk.last, eps)[0]


def _chosen(radii: Floats, clusters: Ints, stability: Floats) -> tuple[int, str]:
    """Return the middle of the first long range of radii that find the same clusters.

    Without a long range it is the longest one; without any, the radius from which on there is one cluster.
    """
    runs = _runs(clusters, stability)
    long = [run for run in runs if run[1] - run[0] >= _LONG]
    if not runs:
        return len(
            radii
        ) - 1, "no two neighboring radii find the same clusters: from this radius on there is one cluster"
    first, last = long[0] if long else max(runs, key=lambda run: run[1] - run[0])
    at = (first + last) // 2  # near the end of a range, single points between two clusters draw them together
    spoken = f"radii from {radii[first]:.4g} to {radii[last]:.4g} find the same {clusters[at]} clusters"
    return at, spoken if long else f"{spoken}, though that range is short"


def _runs(clusters: Ints, stability: Floats) -> list[tuple[int, int]]:
    """Return the first and last radius of each range over which two or more clusters stay the same."""
    same = (stability[:-1] >= _STABLE) & (clusters[:-1] > 1) & (clusters[1:] > 1)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], same.astype(int), [0]])))
    return [(int(first), int(last)) for first, last in edges.reshape(-1, 2)]
