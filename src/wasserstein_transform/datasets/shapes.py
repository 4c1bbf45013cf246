"""Shapes without noise: segments that meet, discs joined by a chain, and grids."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .. import _check as check
from .._types import Floats, Ints


class Labeled(NamedTuple):
    """Points with labels; a named tuple.

    Attributes
    ----------
    points : array of shape (n, 2)
        The points.
    labels : array of int, shape (n,)
        The part that each point belongs to.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> points, labels = wt.datasets.t_junction()
    >>> points.shape, np.bincount(labels)
    ((401, 2), array([200, 201]))
    """

    points: Floats
    labels: Ints


def t_junction() -> Labeled:
    """Make the T-junction: 200 points (0,1)…(0,200) of label 0 and 201 points (−100,0)…(100,0) of label 1.

    Returns
    -------
    Labeled
        Points of shape (401, 2) and labels.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> wt.datasets.t_junction().points.shape
    (401, 2)
    """
    up = np.column_stack([np.zeros(200), np.arange(1.0, 201.0)])
    across = np.column_stack([np.arange(-100.0, 101.0), np.zeros(201)])
    return Labeled(np.concatenate([up, across]), np.repeat([0, 1], [200, 201]))


def dumbbell(eccentricity: float = 1.0, *, layout: str = "square") -> Labeled:
    """Make a dumbbell: two discs of radius 1 (labels 0 and 1), joined by a chain of length 2 (label 2).

    Each disc has 300 points and the chain has 200.

    Parameters
    ----------
    eccentricity : float, default 1.0
        The ratio e = a2/a1 of the stretch diag(a1, a2) that is applied to the points; the larger of the two is 1.
    layout : {"square", "hexagonal", "rings"}, default "square"
        The layout of the points of a disc, which the paper leaves open. "square" and "hexagonal": the 300 grid points
        nearest to the center. "rings": rings at equal steps, with points in proportion to their lengths.

    Returns
    -------
    Labeled
        Points of shape (800, 2) and labels.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> np.bincount(wt.datasets.dumbbell().labels)
    array([300, 300, 200])
    """
    eccentricity = check.positive(eccentricity, "eccentricity")
    if layout not in LAYOUTS:
        raise ValueError(f"layout must be one of {', '.join(LAYOUTS)}, got {layout!r}")
    disc = LAYOUTS[layout](300)
    chain = np.column_stack([np.linspace(-1.0, 1.0, 200), np.zeros(200)])
    offset = np.array([2.0, 0.0])
    points = np.concatenate([disc - offset, disc + offset, chain])
    stretch = np.array([min(1.0, 1.0 / eccentricity), min(1.0, eccentricity)])
    return Labeled(points * stretch, np.repeat([0, 1, 2], [300, 300, 200]))


def grid(n: int) -> Labeled:
    """Make an n × n grid of evenly spaced points in [0, 1]², all of label 0.

    Parameters
    ----------
    n : int
        Points per side, ≥ 2.

    Returns
    -------
    Labeled
        Points of shape (n², 2) and labels.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> wt.datasets.grid(200).points.shape
    (40000, 2)
    """
    side = np.linspace(0.0, 1.0, check.count(n, "n", 2))
    points = np.stack(np.meshgrid(side, side, indexing="ij"), axis=-1).reshape(-1, 2)
    return Labeled(points, np.zeros(len(points), np.intp))


def grid_with_line() -> Labeled:
    """Make a grid of 100 × 100 points in [0, 1]² (label 0) and 1001 points from (0.5, 0) to (0.5, 1) (label 1).

    Returns
    -------
    Labeled
        Points of shape (11001, 2) and labels.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> np.bincount(wt.datasets.grid_with_line().labels)
    array([10000,  1001])
    """
    line = np.column_stack([np.full(1001, 0.5), np.linspace(0.0, 1.0, 1001)])
    return Labeled(np.concatenate([grid(100).points, line]), np.repeat([0, 1], [10_000, 1001]))


def _square(n: int) -> Floats:
    """The n points of a square grid nearest to the center of a cell; for n = 300 the last shell is full."""
    return _nearest(_lattice(int(np.sqrt(n)), np.eye(2)) + 0.5, n)


def _hexagonal(n: int) -> Floats:
    """The n points of a hexagonal grid nearest to the middle of an edge; for n = 300 the last shell is full."""
    basis = np.array([[1.0, 0.0], [0.5, np.sqrt(0.75)]])
    return _nearest(_lattice(int(np.sqrt(n)) + 2, basis) + basis[0] / 2, n)


def _rings(n: int) -> Floats:
    """Rings at equal steps of radius, with points in proportion to the radius, and one point at the center."""
    n_rings = round(np.sqrt(n / np.pi))
    radii = np.arange(1, n_rings + 1) / n_rings
    ends = np.round((n - 1) * np.cumsum(radii) / radii.sum()).astype(int)
    counts = np.diff(ends, prepend=0)
    turns = np.concatenate([np.arange(k) / k for k in counts])
    circle = np.column_stack([np.cos(2 * np.pi * turns), np.sin(2 * np.pi * turns)])
    return np.concatenate([np.zeros((1, 2)), np.repeat(radii, counts)[:, None] * circle])


def _lattice(reach: int, basis: Floats) -> Floats:
    side = np.arange(-reach, reach + 1)
    return np.asarray(np.stack(np.meshgrid(side, side, indexing="ij"), axis=-1).reshape(-1, 2) @ basis)


def _nearest(points: Floats, n: int) -> Floats:
    """The n points nearest to the origin, scaled to reach radius 1."""
    far = np.hypot(points[:, 0], points[:, 1])
    nearest = np.argsort(far.round(9), kind="stable")[:n]
    return np.asarray(points[nearest] / far[nearest].max())


LAYOUTS: dict[str, Callable[[int], Floats]] = {"square": _square, "hexagonal": _hexagonal, "rings": _rings}
"""Layouts of the points of a disc, by name: functions of the number of points that return an array (n, 2)."""
