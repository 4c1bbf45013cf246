"""Core distances: the radius around each point that holds the mass of k other points."""

from __future__ import annotations

import numpy as np

from .._types import Floats
from ..engine import Engine
from ..spaces import Metric

_TIE = 1e-9  # relative tolerance of equal masses


def core_distances(metric: Metric, weights: Floats, k: int, engine: Engine) -> Floats:
    """The distance of each point to its k-th nearest other point; all points have positive weight.

    With weights it is the smallest radius whose closed ball holds the mass of k + 1 points. The mass of one point is
    the smallest weight if all weights are whole multiples of it, so that weight j acts like j copies. Otherwise it is
    the mean weight.
    """
    mass = weights / _unit(weights)
    n_copies = float(mass.sum())
    if k + 1 > n_copies * (1 + _TIE):
        most = int(n_copies * (1 + _TIE)) - 1
        raise ValueError(f"reachability must be at most {most}, the number of other points, got {k}")
    cores, missing = np.zeros(metric.n), np.flatnonzero(mass < (k + 1) * (1 - _TIE))
    n_near = min(k, metric.n - 1)
    while len(missing):
        near = metric.neighbors(n_near, engine=engine)
        held = mass[missing, None] + np.cumsum(mass[near.indices[missing]], axis=1)
        enough = held >= (k + 1) * (1 - _TIE)
        full = enough[:, -1]
        cores[missing[full]] = near.distances[missing[full], enough[full].argmax(axis=1)]
        missing, n_near = missing[~full], min(2 * n_near, metric.n - 1)
    return cores


def _unit(weights: Floats) -> float:
    """The mass that counts as one point."""
    least = float(weights.min())
    copies = weights / least
    counted = (np.abs(copies - np.round(copies)) <= _TIE * copies).all()
    return least if counted else float(weights.mean())
