"""Points placed by their distances, with classical multidimensional scaling."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import eigh

from .. import _check as check
from .._types import Floats
from ..spaces import Space
from ..transforms.scaling import signs
from .clouds import as_space, cloud
from .style import GRAY, TEXT

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Embedding(NamedTuple):
    """Coordinates that `embed` finds for distances.

    Attributes
    ----------
    points : array of shape (n, dim)
        Coordinates, in the unit of the distances.
    explained : float
        Share of the spectrum that these coordinates keep, from 0 to 1: Mardia's criterion, Σλ² of the kept eigenvalues
        over Σλ² of all. It is below 1 if more dimensions are needed, or if the distances are not Euclidean and have
        negative eigenvalues.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> square = [[0, 0], [1, 0], [1, 1], [0, 1]]
    >>> found = wt.plotting.embedding.embed(wt.Space.from_points(square), dim=1)
    >>> found.points.shape, round(found.explained, 2)  # one of two equal eigenvalues
    ((4, 1), 0.5)
    """

    points: Floats
    explained: float


def embed(distances: Any, dim: int = 2, *, onto: ArrayLike | None = None) -> Embedding:
    """Find points in R^dim whose distances are close to the given ones, by classical multidimensional scaling.

    If D is Euclidean, −½·J·D²·J with the centering matrix J holds the inner products of the points. The coordinates are
    its eigenvectors for the `dim` largest eigenvalues, scaled by the square roots of those; negative eigenvalues are
    clipped to 0. The sign of each eigenvector makes its largest entry positive, so the result is deterministic.

    Parameters
    ----------
    distances : Space, Metric, Trajectory, fitted transform, or distances of shape (n, n) or condensed
        All distances must be finite.
    dim : int, default 2
        Number of coordinates.
    onto : array of shape (n, dim), optional
        Reference points. The result is moved onto them by the best rigid motion (with reflections, without scaling).
        Default None: the result is centered at the origin.

    Returns
    -------
    Embedding

    Notes
    -----
    Time O(n³), memory O(n²).

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> distances = [[0.0, 3.0, 4.0], [3.0, 0.0, 5.0], [4.0, 5.0, 0.0]]
    >>> flat = wt.plotting.embedding.embed(distances, onto=[[0, 0], [3, 0], [0, 4]])
    >>> flat.points.round(9) + 0
    array([[0., 0.], [3., 0.], [0., 4.]])
    >>> round(flat.explained, 9)
    1.0
    """
    dim = check.count(dim, "dim", 1)
    space = as_space(distances)
    matrix = (Space.from_distances(distances) if space is None else space).metric.dense()
    if not np.isfinite(matrix).all():
        raise ValueError(
            "distances must all be finite, some are infinite; draw a part of the points, or use a larger radius"
        )
    n = len(matrix)
    target = None if onto is None else check.points(onto, "onto")
    squares = -0.5 * matrix**2
    means = squares.mean(axis=0)
    products = squares - means - means[:, None] + means.mean()
    values, vectors = eigh(products, subset_by_index=[max(0, n - dim), n - 1])
    values, vectors = np.maximum(values[::-1], 0.0), vectors[:, ::-1]
    points = np.zeros((n, dim))
    points[:, : len(values)] = vectors * signs(vectors) * np.sqrt(values)
    total = np.square(products).sum()  # equals the sum of all squared eigenvalues
    explained = min(1.0, float(np.square(values).sum() / total)) if total > 0 else 1.0
    return Embedding(points if target is None else laid(points, target), explained)


def laid(points: Floats, target: Floats) -> Floats:
    """Move points onto a target by the solution of the orthogonal Procrustes problem."""
    center = target.mean(axis=0)
    left, _, right = np.linalg.svd(points.T @ (target - center))  # points are centered already
    return np.asarray(points @ left @ right + center)


def mds(distances: Any, labels: Any = None, *, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw a metric as points in the plane, placed by `embed`.

    The label below gives the share of the spectrum that the coordinates keep (`Embedding.explained`).

    Parameters
    ----------
    distances : Space, Metric, Trajectory, fitted transform, or distances of shape (n, n) or condensed
        All distances must be finite.
    labels : array of shape (n,), optional
        As in `cloud`.
    ax : Axes, optional
        Axes to draw into; None (default) makes a new figure.
    **options
        Further options of `cloud`: size, title, colors, legend.

    Returns
    -------
    Axes

    Notes
    -----
    Time O(n³), memory O(n²), as for `embed`.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> figure, ax = wt.plotting.panels()
    >>> ax = wt.plotting.mds([[0.0, 3.0, 4.0], [3.0, 0.0, 5.0], [4.0, 5.0, 0.0]], ax=ax)
    >>> ax.get_xlabel()
    '100 % of the spectrum'
    """
    embedding = embed(distances)
    drawn = cloud(embedding.points, labels, ax=ax, **options)
    percent = math.floor(1000 * embedding.explained + 1e-6) / 10
    drawn.set_xlabel(f"{percent:g} % of the spectrum", fontsize=TEXT, color=GRAY)
    return drawn
