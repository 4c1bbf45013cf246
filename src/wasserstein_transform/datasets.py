"""Generated data sets: the point clouds of the paper and some others, with their true labels and curves.

Noisy samples of curves, to test denoising: spirals, circles, and GPS fixes in an invented town. Shapes without noise:
segments that meet, discs joined by a chain, and grids.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial import cKDTree

from . import _check as check
from ._display import ShortRepr
from ._types import Floats, Ints

__all__ = ("circles", "dumbbell", "grid", "grid_with_line", "spiral", "streets", "t_junction")

Seed = np.random.Generator | int | None

_MAX_EXACT_VERTICES = 200  # up to this number of vertices, distances to all edges are computed
_MAX_TURNS = 200
_CURVE_VERTICES = 4000  # of a polygon that stands for a curve; within 1e-5 of a circle of radius 2
_STREET_VERTICES = 400


@dataclass(frozen=True, eq=False, repr=False)
class Curve(ShortRepr):
    """A curve in the plane, as one or more fine polygons.

    Attributes
    ----------
    pieces : tuple of arrays of shape (k, 2)
        The vertices of each connected piece, in order along the curve.

    Notes
    -----
    `distance` takes O(n log k) for n points and a piece of more than 200 vertices.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> wt.datasets.circles(0).curve.distance([[0.0, 0.0], [3.0, 0.0]]).round(4)
    array([1. , 1.2])
    """

    pieces: tuple[Floats, ...]

    def __post_init__(self) -> None:
        if len(self.pieces) == 0:
            raise ValueError("pieces must hold at least one polygon, got none")
        object.__setattr__(self, "pieces", tuple(check.points(piece, "each piece") for piece in self.pieces))

    @property
    def vertices(self) -> Floats:
        """All vertices, piece by piece, shape (total, 2)."""
        return np.concatenate(self.pieces)

    def distance(self, points: ArrayLike) -> Floats:
        """Compute the distance of each point (n, 2) to the curve, shape (n,).

        It is exact for pieces of up to 200 vertices; for others only the edges at the nearest vertex are used.
        """
        places = check.points(points)
        return np.asarray(np.min([_to_polygon(piece, places) for piece in self.pieces], axis=0))

    def coverage(self, points: ArrayLike, within: float) -> float:
        """Compute the share of the curve, by length, that has a point within the radius `within`; 0 to 1."""
        tree, radius = cKDTree(check.points(points)), check.tolerance(within, "within")
        near = [tree.query(piece)[0] <= radius for piece in self.pieces]
        lengths = [np.linalg.norm(np.diff(piece, axis=0), axis=1) for piece in self.pieces]
        covered = sum(float(((a[:-1] & a[1:]) * length).sum()) for a, length in zip(near, lengths, strict=True))
        return covered / float(sum(length.sum() for length in lengths))


def _to_polygon(piece: Floats, points: Floats) -> Floats:
    if len(piece) == 1:
        return np.asarray(np.linalg.norm(points - piece, axis=1))
    if len(piece) <= _MAX_EXACT_VERTICES:
        return np.asarray(np.min([_to_segments(points, a, b) for a, b in pairwise(piece)], axis=0))
    nearest = cKDTree(piece).query(points)[1]
    before, after = np.maximum(nearest - 1, 0), np.minimum(nearest + 1, len(piece) - 1)
    to_before = _to_segments(points, piece[before], piece[nearest])
    return np.minimum(to_before, _to_segments(points, piece[nearest], piece[after]))


def _to_segments(points: Floats, start: Floats, stop: Floats) -> Floats:
    """Distance of the i-th point to the i-th segment, or of all points to one segment."""
    along = stop - start
    length = np.maximum((along**2).sum(axis=-1), np.finfo(float).tiny)
    share = np.clip(((points - start) * along).sum(axis=-1) / length, 0.0, 1.0)
    return np.asarray(np.linalg.norm(points - start - share[..., None] * along, axis=-1))


class Noisy(NamedTuple):
    """Points near a curve, with labels and the curve; a named tuple.

    Attributes
    ----------
    points : array of shape (n, 2)
        The points.
    labels : array of int, shape (n,)
        The piece of the curve that each point was drawn from; −1 for outliers.
    curve : Curve
        The true curve.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> points, labels, curve = wt.datasets.circles(0, noise=0.0)
    >>> len(curve.pieces), bool(curve.distance(points).max() < 1e-5)
    (2, True)
    """

    points: Floats
    labels: Ints
    curve: Curve


def spiral(rng: Seed = None, *, n: int = 600, n_outliers: int = 150, turns: float = 3.0, noise: float = 0.0) -> Noisy:
    """Draw points of an Archimedean spiral in [−30, 30]² (label 0) and uniform outliers in that square (label −1).

    The paper gives the square and the numbers of points, but not the formula. Here: radius 30 t, angle 2π·turns·t,
    0 ≤ t ≤ 1, uniform in the length of the curve.

    Parameters
    ----------
    rng : numpy Generator, int or None
        Random generator or its seed. None: a new seed each time.
    n : int, default 600
        Number of points on the curve.
    n_outliers : int, default 150
        Number of outliers.
    turns : float, default 3.0
        Number of turns; neighboring arms are 30/turns apart.
    noise : float, default 0.0
        Standard deviation of the normal noise that is added to each coordinate of the points on the curve.

    Returns
    -------
    Noisy
        Points of shape (n + n_outliers, 2), labels, and the curve.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> points, labels, curve = wt.datasets.spiral(0)
    >>> points.shape, bool(curve.distance(points[labels == 0]).max() < 1e-3)
    ((750, 2), True)
    """
    n, n_outliers = check.count(n, "n", 1), check.count(n_outliers, "n_outliers", 0)
    turns, noise = check.positive(turns, "turns"), check.tolerance(noise, "noise")
    if turns > _MAX_TURNS:
        raise ValueError(
            f"turns must be at most {_MAX_TURNS}, got {turns:g}: the arms would be too close to each other"
        )
    rng = np.random.default_rng(rng)
    fine = np.linspace(0.0, 1.0, max(_CURVE_VERTICES, int(_CURVE_VERTICES * turns / 2)))
    by_length = np.interp(fine, _length(fine, turns), fine)
    points = _arm(np.interp(rng.random(n), fine, by_length), turns) + rng.normal(scale=noise, size=(n, 2))
    outliers = rng.uniform(-30.0, 30.0, (n_outliers, 2))
    labels = np.repeat([0, -1], [n, n_outliers])
    return Noisy(np.concatenate([points, outliers]), labels, Curve((_arm(by_length, turns),)))


def circles(rng: Seed = None, *, n: int = 500, noise: float = 0.1, radii: tuple[float, ...] = (1.0, 1.8)) -> Noisy:
    """Draw points of concentric circles at random angles, the same number on each, with normal noise.

    The paper gives the square [−2, 2]² and the number of points, but neither the radii nor the noise.

    Parameters
    ----------
    rng : numpy Generator, int or None
        Random generator or its seed. None: a new seed each time.
    n : int, default 500
        Number of points, split evenly among the circles.
    noise : float, default 0.1
        Standard deviation of the normal noise that is added to each coordinate.
    radii : tuple of float, default (1.0, 1.8)
        The radii of the circles.

    Returns
    -------
    Noisy
        Points of shape (n, 2), the circle of each as label, and the curve.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> np.bincount(wt.datasets.circles(0).labels)
    array([250, 250])
    """
    n, noise = check.count(n, "n", 1), check.tolerance(noise, "noise")
    if np.ndim(radii) != 1 or len(radii) == 0:
        raise ValueError(f"radii must be a sequence of at least one radius, got {check.shown(radii)}")
    radii = tuple(check.positive(r, "each radius") for r in radii)
    rng = np.random.default_rng(rng)
    labels = np.arange(n) * len(radii) // n
    points = np.asarray(radii)[labels, None] * _circle(rng.random(n)) + rng.normal(scale=noise, size=(n, 2))
    fine = _circle(np.linspace(0.0, 1.0, _CURVE_VERTICES))
    return Noisy(points, labels, Curve(tuple(r * fine for r in radii)))


def _arm(t: Floats, turns: float) -> Floats:
    return np.asarray(30.0 * t[:, None] * _circle(turns * t))


def _circle(shares: Floats) -> Floats:
    """Points of the unit circle at the given fractions of a full turn."""
    return np.column_stack([np.cos(2 * np.pi * shares), np.sin(2 * np.pi * shares)])


def _length(t: Floats, turns: float) -> Floats:
    """Length of the arm up to t, as a share of its total length."""
    steps = np.linalg.norm(np.diff(_arm(t, turns), axis=0), axis=1)
    return np.asarray(np.append(0.0, np.cumsum(steps)) / steps.sum())


class Tracks(NamedTuple):
    """GPS fixes, the trip of each, and the true streets; a named tuple.

    Attributes
    ----------
    points : array of shape (n, 2)
        The fixes, in meters; those of a trip are in the order in which they were taken.
    trips : array of int, shape (n,)
        The trip of each fix.
    curve : Curve
        The streets, one piece each.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> tracks = wt.datasets.streets(0, n_trips=5, noise=0.0)
    >>> tracks.trips.max() + 1, bool(tracks.curve.distance(tracks.points).max() < 0.01)
    (np.int64(5), True)
    """

    points: Floats
    trips: Ints
    curve: Curve


def streets(rng: Seed = None, *, n_trips: int = 60, noise: float = 6.0, every: float = 25.0) -> Tracks:
    """Draw noisy GPS fixes of trips in a town of 1200 m by 900 m, with bent avenues, cross streets and a ring road.

    A trip follows part of one street, in either direction, and takes a fix at regular distances.

    Parameters
    ----------
    rng : numpy Generator, int or None
        Random generator or its seed. None: a new seed each time.
    n_trips : int, default 60
        Number of trips.
    noise : float, default 6.0
        Standard deviation of a fix along each axis, in meters.
    every : float, default 25.0
        Distance between fixes, in meters.

    Returns
    -------
    Tracks
        Points, the trip of each, and the streets.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> points, trips, curve = wt.datasets.streets(0)
    >>> len(curve.pieces), int(trips.max()) + 1
    (8, 60)
    """
    n_trips, noise = check.count(n_trips, "n_trips", 1), check.tolerance(noise, "noise")
    every, rng = check.positive(every, "every"), np.random.default_rng(rng)
    town = _town()
    drives = [_drive(town[int(rng.integers(len(town)))], every, rng) for _ in range(n_trips)]
    trips = np.repeat(np.arange(n_trips), [len(drive) for drive in drives])
    points = np.concatenate(drives)
    return Tracks(points + rng.normal(scale=noise, size=points.shape), trips, Curve(tuple(town)))


def _town() -> list[Floats]:
    x, y, turn = (np.linspace(0, end, _STREET_VERTICES) for end in (1200, 900, 2 * np.pi))
    avenues = [np.column_stack([x, height + 40 * np.sin(x / 250 + height)]) for height in (150.0, 420.0, 760.0)]
    across = [np.column_stack([place + 30 * np.sin(y / 200 + place), y]) for place in (180.0, 560.0, 1000.0)]
    diagonal = np.column_stack([x, 60 + 0.62 * x])
    ring = np.column_stack([790 + 130 * np.cos(turn), 290 + 100 * np.sin(turn)])
    return [*avenues, *across, diagonal, ring]


def _drive(street: Floats, every: float, rng: np.random.Generator) -> Floats:
    """Positions along a random part of a street, at regular distances."""
    lengths = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(street, axis=0), axis=1)))
    whole = lengths[-1]
    start = rng.uniform(0, 0.5) * whole
    stop = start + rng.uniform(0.5, 1.0) * (whole - start)
    at = np.arange(start + rng.uniform(0, every), stop, every)
    at = at[::-1] if rng.random() < 0.5 else at
    return np.column_stack([np.interp(at, lengths, column) for column in street.T])


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
    check.choice(layout, "layout", LAYOUTS)
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
    return np.concatenate([np.zeros((1, 2)), np.repeat(radii, counts)[:, None] * _circle(turns)])


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
