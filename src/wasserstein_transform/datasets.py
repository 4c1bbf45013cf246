"""Point clouds of the paper."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ._types import Floats, Ints


class Labelled(NamedTuple):
    """Points and the part each belongs to."""

    points: Floats
    labels: Ints


def t_junction() -> Labelled:
    """The T-junction: 200 points (0,1)…(0,200) of label 0 and 201 points (−100,0)…(100,0) of label 1.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> wt.t_junction().points.shape
    (401, 2)
    """
    up = np.column_stack([np.zeros(200), np.arange(1.0, 201.0)])
    across = np.column_stack([np.arange(-100.0, 101.0), np.zeros(201)])
    return Labelled(np.concatenate([up, across]), np.repeat([0, 1], [200, 201]))


def dumbbell(eccentricity: float = 1.0) -> Labelled:
    """Two discs of radius 1, 300 grid points each (labels 0 and 1), joined by a chain of 200 points of length 2 (2).

    Parameters
    ----------
    eccentricity : float
        e = a2/a1 of the stretch diag(a1, a2) applied to the points, the larger of the two being 1.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> np.bincount(wt.dumbbell().labels)
    array([300, 300, 200])
    """
    if not 0 < eccentricity < np.inf:
        raise ValueError(f"eccentricity must be positive and finite, got {eccentricity}")
    disc = _disc(300)
    chain = np.column_stack([np.linspace(-1.0, 1.0, 200), np.zeros(200)])
    offset = np.array([2.0, 0.0])
    points = np.concatenate([disc - offset, disc + offset, chain])
    stretch = np.array([min(1.0, 1.0 / eccentricity), min(1.0, eccentricity)])
    return Labelled(points * stretch, np.repeat([0, 1, 2], [300, 300, 200]))


def _disc(n: int) -> Floats:
    """The n points of a square grid nearest to the centre of one of its cells, scaled to reach radius 1.

    300 such points end with a full shell of equally far ones: the disc is symmetric.
    """
    reach = int(np.sqrt(n))
    side = np.arange(-reach, reach + 1)
    grid = np.stack(np.meshgrid(side, side, indexing="ij"), axis=-1).reshape(-1, 2) + 0.5
    far = np.hypot(grid[:, 0], grid[:, 1])
    nearest = np.argsort(far, kind="stable")[:n]
    return np.asarray(grid[nearest] / far[nearest].max())
