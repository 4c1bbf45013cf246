"""What the views draw, as arrays, and the map from points of any dimension to the plane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from .._display import ShortRepr
from .._types import Floats, Ints
from ..compute import sample_evenly
from ..engine import Engine
from ..hierarchy import Tree, spanning_tree
from ..plotting import branches, embed, node_positions
from ..spaces import GaussianMetric, Space

MAX_GAUSSIANS = 20_000  # Gaussians are drawn for at most this many points
MAX_MATRIX_POINTS = 400  # points whose distances are drawn, and which are embedded


@dataclass(frozen=True, eq=False, repr=False)
class Scene(ShortRepr):
    """Everything that the page draws, as arrays. A part that is None does not exist or is not computed yet.

    Attributes
    ----------
    title : str
        Name of the data set.
    axes : (str, str)
        Names of the two axes of `frames`.
    frames : array of shape (T, n, 2)
        Positions of the points in each frame. For transforms that do not move points (local truncation) all frames are
        equal.
    times : tuple of int
        The iteration of each frame.
    rows : integer array of shape (n,)
        Rows of the data that the points come from; not all rows if the data were sampled.
    eps, lam : float
        ε in the unit of the points (NaN if unknown), and λ (default 0). In each frame the ball of x is the set of
        points y with |x − y|² + λ·bures² ≤ ε².
    covariances : array of shape (T, n, 3), optional
        Entries xx, xy and yy of the covariance of each point in each frame, without the factor λ. None if the
        metric has no Gaussians.
    is_planar : bool, default True
        Whether balls can be computed from `frames` and `covariances`. False for projections of higher dimensions,
        and for points known only by distances.
    tree : Tree, optional
        Single-linkage tree of the last metric; None for one point.
    matrix : array of shape (k, k), optional
        Distances between the points `shown`, in the order of the leaves of the tree.
    shown : integer array of shape (k,), optional
        The points of `matrix` and `embedding`.
    embedding : array of shape (k, 2), optional
        Classical scaling of `matrix`.
    truth : integer array of shape (n,), optional
        Known labels.
    labels : integer array of shape (n,), optional
        Labels that were found, for example by `wt.cluster`; −1 is noise.
    code : str, default ""
        Python code that computes the same.
    notes : tuple of str, default ()
        Remarks for the reader: sampling, warnings.
    lines : tuple of arrays of shape (k, 2), default ()
        Lines to draw over the points, such as those of a skeleton.
    """

    title: str
    axes: tuple[str, str]
    frames: Floats
    times: tuple[int, ...]
    rows: Ints
    eps: float = float("nan")
    lam: float = 0.0
    covariances: Floats | None = None
    is_planar: bool = True
    tree: Tree | None = None
    matrix: Floats | None = None
    shown: Ints | None = None
    embedding: Floats | None = None
    truth: Ints | None = None
    labels: Ints | None = None
    code: str = ""
    notes: tuple[str, ...] = ()
    lines: tuple[Floats, ...] = ()

    @property
    def n(self) -> int:
        """Number of points."""
        return int(self.frames.shape[1])

    def has_balls(self, frame: int) -> bool:
        """Whether balls in a frame can be computed from positions and covariances: not if only distances changed."""
        moved = not np.array_equal(self.frames[0], self.frames[-1])
        is_drawn = frame == 0 or moved or self.covariances is not None
        return self.is_planar and is_drawn and bool(np.isfinite(self.eps))


class Plane(NamedTuple):
    """The map from points to the plane.

    Attributes
    ----------
    directions : array of shape (m, 2)
        Coordinates are multiplied by this matrix.
    layout : array of shape (n, 2), optional
        Positions of points without coordinates.
    notes : tuple of str, default ()
        Remarks for the page.
    """

    directions: Floats
    layout: Floats | None = None
    notes: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether nothing is lost: the points have at most two coordinates."""
        return self.layout is None and len(self.directions) <= 2

    def axes(self, columns: Sequence[str]) -> tuple[str, str]:
        """Names of the two axes."""
        if not self.is_whole:
            kind = "principal axis" if self.layout is None else "scaling"
            return f"{kind} 1", f"{kind} 2"
        names = [*columns] if len(columns) == len(self.directions) else ["x", "y"][: len(self.directions)]
        return names[0], names[1] if len(names) > 1 else ""

    def project(self, points: Floats | None) -> Floats:
        """Positions of points in the plane, shape (n, 2)."""
        if self.layout is not None or points is None:
            assert self.layout is not None
            return self.layout
        return np.asarray(points @ self.directions)


def plane_of(space: Space, engine: Engine | None = None) -> Plane:
    """The plane of the points: their own, the first two principal axes, or a classical scaling of the distances."""
    points = space.points
    if points is None:
        return _plane_of_distances(space.metric.dense(engine))
    m = points.shape[1]
    if m <= 2:
        return Plane(np.eye(m, 2))
    centered = points - points.mean(axis=0)
    axes = np.linalg.svd(centered / (np.abs(centered).max() or 1.0), full_matrices=False)[2][:2].T
    axes = axes * np.where(axes.sum(axis=0) < 0, -1.0, 1.0)
    return Plane(axes, notes=(f"points with {m} coordinates are drawn along their first two principal axes",))


def _plane_of_distances(distances: Floats) -> Plane:
    if np.isfinite(distances).all():
        note = "points without coordinates are placed by classical scaling of their initial distances"
        return Plane(np.eye(2), embed(distances).points, (note,))
    turn = 2 * np.pi * np.arange(len(distances)) / len(distances)
    note = "points without coordinates are drawn on a circle, because some distances are unknown"
    return Plane(np.eye(2), np.column_stack([np.cos(turn), np.sin(turn)]), (note,))


def scene_of(
    states: Sequence[Space], plane: Plane, title: str, columns: Sequence[str] = (), times: Sequence[int] = ()
) -> Scene:
    """A scene with a frame for each state."""
    first, u, v = states[0], *plane.directions.T
    covs = [state.metric.covs for state in states if isinstance(state.metric, GaussianMetric)]
    has_gaussians = len(covs) == len(states)
    scene = Scene(
        title, plane.axes(columns), np.stack([plane.project(state.points) for state in states]),
        tuple(times or range(len(states))), np.arange(first.n), notes=plane.notes,
        is_planar=plane.is_whole and (has_gaussians or first.metric.is_euclidean),
    )  # fmt: skip
    if not isinstance(first.metric, GaussianMetric) or not has_gaussians or plane.layout is not None:
        return scene
    if first.n > MAX_GAUSSIANS:
        return replace(scene, lam=first.metric.lam, is_planar=False)
    entries = [[np.einsum("i,nij,j->n", a, cov, b) for a, b in ((u, u), (u, v), (v, v))] for cov in covs]
    return replace(scene, lam=first.metric.lam, covariances=np.moveaxis(np.array(entries), 1, 2))


def add_metric(scene: Scene, last: Space, engine: Engine, tree: Tree | None = None) -> Scene:
    """The scene with tree (unless given), distances and embedding of its last state added."""
    if last.n < 2:
        return scene
    try:
        tree = spanning_tree(last, engine) if tree is None else tree
    except ValueError as error:  # some components have no known distance between them
        return replace(scene, notes=(*scene.notes, f"there is no tree: {error}"))
    leaves = np.argsort(node_positions(branches(tree))[: last.n], kind="stable")  # no branches cross
    shown = leaves[sample_evenly(last.n, MAX_MATRIX_POINTS)]
    matrix = last.metric.take(shown).dense(engine)
    embedding = embed(matrix, onto=scene.frames[-1][shown]).points if np.isfinite(matrix).all() else None
    return replace(scene, tree=tree, matrix=matrix, shown=shown, embedding=embedding)
