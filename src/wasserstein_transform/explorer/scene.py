"""The arrays that the views draw, and the map from points of any dimension to the plane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._display import ShortRepr
from .._types import Floats, Ints
from ..engine import Engine
from ..hierarchy import Tree
from ..plotting import embed
from ..spaces import GaussianMetric, Space

MAX_SHAPES = 20_000  # Gaussians are drawn for at most this many points
MIN_SINGLE, MAX_SINGLE = 1e-30, 1e30  # range of values for single precision, with a margin for products


@dataclass(frozen=True, eq=False, repr=False)
class NeighborCounts(ShortRepr):
    """Mean number of neighbors as a function of the radius, and a suggested radius.

    Parameters
    ----------
    radii : array of shape (k,)
        Increasing radii, in the unit of the points.
    counts : array of shape (k,)
        Mean number of points within each radius of a point.
    suggested : float
        Suggested ε, in the unit of the points.
    reason : str, default ""
        Why this ε is suggested.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> curve = wt.explorer.scene.NeighborCounts(np.array([1.0, 2.0, 4.0]), np.array([1.5, 4.0, 11.0]), 2.0)
    >>> float(np.interp(3.0, curve.radii, curve.counts))  # mean number of points within 3.0
    7.5
    """

    radii: Floats
    counts: Floats
    suggested: float
    reason: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class Scene(ShortRepr):
    """Everything that the page draws, as arrays. A part that is None does not exist or is not computed yet.

    Attributes
    ----------
    title : str
        Name of the data set.
    axes : (str, str)
        Names of the two axes of `frames`.
    frames : float array of shape (T + 1, n, 2)
        Positions of the points after 0, …, T iterations, usually float32. For transforms that do not move points
        (local truncation) all frames are equal.
    rows : integer array of shape (n,)
        Rows of the data that the points come from; not all rows if the data were sampled.
    eps, lam : float
        ε in the unit of the points (NaN if unknown), and λ (default 0). In each frame the ball of x is the set of
        points y with |x − y|² + λ·bures² ≤ ε².
    covariances : float32 array of shape (T + 1, n, 3), optional
        Entries xx, xy and yy of the covariance of each point in each frame, without the factor λ. None if the
        metric has no Gaussians.
    planar : bool, default True
        Whether balls can be computed from `frames` and `covariances`. False for projections of higher dimensions,
        and for points known only by distances.
    tree : Tree, optional
        Single-linkage tree of the last metric; None for one point.
    cut : float, optional
        Height at which the dendrogram is cut at first; None chooses one. NaN if `labels` are no cut of the tree at one
        height.
    answer : str, default ""
        How `labels` and the tree belong together, for the reader.
    embedding : float32 array of shape (k, 2), optional
        Classical scaling of the last metric.
    embedded : integer array of shape (k,), optional
        The points of `embedding`; None means all.
    matrix : float32 array of shape (k, k), optional
        Distances between the points `shown`, in the order of the leaves of the tree.
    shown : integer array of shape (k,), optional
        The points of `matrix`.
    curve : Curve, optional
        Number of neighbors as a function of the radius.
    truth : integer array of shape (n,), optional
        Known labels.
    labels : integer array of shape (n,), optional
        Labels that were found, for example by `wt.cluster`; −1 is noise.
    code : str, default ""
        Python code that computes the same.
    notes : tuple of str, default ()
        Remarks for the reader: sampling, warnings.
    taus : tuple of int, default ()
        The iteration of each frame if some were left out; empty if the frames are iterations 0, …, T.
    lines : tuple of arrays of shape (k, 2), default ()
        Lines to draw over the points, such as those of a skeleton.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> frames = np.array([[[0, 0], [1, 0], [3, 0]], [[0.5, 0], [0.5, 0], [3, 0]]], np.float32)
    >>> scene = wt.explorer.scene.Scene("three points", ("x", "y"), frames, np.arange(3), eps=1.0)
    >>> scene.n, scene.times  # points, and the iteration of each frame
    (3, (0, 1))
    """

    title: str
    axes: tuple[str, str]
    frames: NDArray[np.float32]
    rows: Ints
    eps: float
    lam: float = 0.0
    covariances: NDArray[np.float32] | None = None
    planar: bool = True
    tree: Tree | None = None
    cut: float | None = None
    answer: str = ""
    embedding: NDArray[np.float32] | None = None
    embedded: Ints | None = None
    matrix: NDArray[np.float32] | None = None
    shown: Ints | None = None
    curve: NeighborCounts | None = None
    truth: Ints | None = None
    labels: Ints | None = None
    code: str = ""
    notes: tuple[str, ...] = ()
    taus: tuple[int, ...] = ()
    lines: tuple[Floats, ...] = ()

    @property
    def n(self) -> int:
        """Number of points."""
        return int(self.frames.shape[1])

    @property
    def n_frames(self) -> int:
        """Number of frames."""
        return len(self.frames)

    @property
    def times(self) -> tuple[int, ...]:
        """The iteration of each frame."""
        return self.taus or tuple(range(self.n_frames))


class Plane(NamedTuple):
    """The map from points to the plane.

    Attributes
    ----------
    directions : array of shape (m, 2)
        Coordinates are multiplied by this matrix.
    layout : array of shape (n, 2), or None
        Positions of points without coordinates.
    whole : bool
        Whether nothing is lost: the points have at most two coordinates.
    notes : tuple of str
        Remarks for the page.
    """

    directions: Floats
    layout: Floats | None
    whole: bool
    notes: tuple[str, ...] = ()

    def names(self, columns: tuple[str, ...]) -> tuple[str, str]:
        """Names of the two axes."""
        if self.layout is not None:
            return "scaling 1", "scaling 2"
        if not self.whole:
            return "principal axis 1", "principal axis 2"
        axes = columns if len(columns) == len(self.directions) else ("x", "y")
        return (axes[0], axes[1]) if len(self.directions) == 2 else (axes[0], "")


def plane_of(points: Floats | None, space: Space | None = None, engine: Engine | None = None) -> Plane:
    """The plane of the points: their own, the first two principal axes, or a classical scaling of the distances."""
    if points is None:
        assert space is not None
        return _scaled(space, engine)
    m = points.shape[1]
    if m <= 2:
        return Plane(np.eye(m, 2), None, True)
    centered = points - points.mean(axis=0)
    centered /= np.abs(centered).max(initial=0.0) or 1.0
    axes = np.linalg.eigh(centered.T @ centered)[1][:, ::-1][:, :2]
    axes = axes * np.where(axes.sum(axis=0) < 0, -1.0, 1.0)
    return Plane(axes, None, False, (f"points with {m} coordinates are drawn along their first two principal axes",))


def _scaled(space: Space, engine: Engine | None) -> Plane:
    distances = space.metric.dense(engine)
    if np.isfinite(distances).all():
        unit = float(distances.max(initial=0.0)) or 1.0
        note = "points without coordinates are placed by classical scaling of their initial distances"
        return Plane(np.eye(2), unit * embed(distances / unit).points, False, (note,))
    turn = 2 * np.pi * np.arange(space.n) / space.n
    note = "points without coordinates are drawn on a circle, because some distances are unknown"
    return Plane(np.eye(2), np.column_stack([np.cos(turn), np.sin(turn)]), False, (note,))


def in_plane(plane: Plane, points: Floats | None) -> Floats:
    """Positions of points in the plane, shape (n, 2)."""
    if plane.layout is not None or points is None:
        assert plane.layout is not None
        return plane.layout
    return np.asarray(points @ plane.directions)


def frames_of(states: Sequence[Space], plane: Plane, names: tuple[str, ...] = ()) -> Scene:
    """A scene with a frame for each state; the caller adds title, rows, radius and everything else."""
    first, metrics = states[0], [state.metric for state in states]
    frames = np.stack([in_plane(plane, state.points) for state in states])
    shaped = first.n <= MAX_SHAPES and first.points is not None and is_moderate(np.square(frames))
    covs = [metric.covs for metric in metrics if isinstance(metric, GaussianMetric)]
    gaussian = len(covs) == len(states)
    is_planar = isinstance(metrics[0], GaussianMetric) or metrics[0].is_euclidean
    return Scene(
        "", plane.names(names), single(frames), np.arange(first.n), float("nan"),
        lam=float(metrics[0].lam) if gaussian and isinstance(metrics[0], GaussianMetric) else 0.0,
        covariances=_shapes(plane, covs) if gaussian and shaped else None,
        planar=plane.whole and is_planar and (not gaussian or shaped), notes=plane.notes,
    )  # fmt: skip


def single(frames: Floats) -> Any:
    """Frames in single precision if it is enough: not for small point clouds far from the origin."""
    extent, far = float(np.ptp(frames, axis=(0, 1)).max(initial=0.0)), float(np.abs(frames).max(initial=0.0))
    return compact(frames) if far * 2.0**-24 <= 1e-5 * extent else frames


def _shapes(plane: Plane, covs: list[Floats]) -> NDArray[np.float32]:
    """Covariances projected onto the two directions, shape (T + 1, n, 3): xx, xy, yy."""
    u, v = plane.directions.T
    along = [[np.einsum("i,nij,j->n", a, c, b) for a, b in ((u, u), (u, v), (v, v))] for c in covs]
    return np.moveaxis(np.array(along), 1, 2).astype(np.float32)


def is_moderate(values: Floats) -> bool:
    """Whether single precision can represent the numbers."""
    largest = float(np.abs(values).max(initial=0.0))
    return largest == 0 or MIN_SINGLE < largest < MAX_SINGLE


def compact(values: Floats) -> Any:
    """The numbers in single precision if it can represent them."""
    return values.astype(np.float32) if is_moderate(values) else values
