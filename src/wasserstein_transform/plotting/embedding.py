"""Coordinates from distances, by classical multidimensional scaling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import eigh

from .. import _check as check
from .._shown import Brief
from .._types import Floats
from ..transforms.scaling import signs
from .inputs import as_matrix


@dataclass(frozen=True, eq=False, repr=False)
class Embedding(Brief):
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
    matrix = as_matrix(distances)
    target = None if onto is None else _target(onto, len(matrix), dim)
    products = _centred(matrix)
    n = len(products)
    values, vectors = eigh(products, subset_by_index=[max(0, n - dim), n - 1])
    values, vectors = np.maximum(values[::-1], 0.0), vectors[:, ::-1]
    points = np.zeros((n, dim))
    points[:, : len(values)] = vectors * signs(vectors) * np.sqrt(values)
    explained = _share(values, products)
    return Embedding(points if target is None else laid(points, target), explained)


def _target(onto: ArrayLike, n: int, dim: int) -> Floats:
    target = check.points(onto, "onto")
    if target.shape != (n, dim):
        raise ValueError(
            f"onto must have a row for each point and a column for each dimension, shape ({n}, {dim}), "
            f"got shape {target.shape}"
        )
    return target


def _centred(matrix: Floats) -> Floats:
    squares = -0.5 * matrix**2
    means = squares.mean(axis=0)
    return np.asarray(squares - means - means[:, None] + means.mean())


def _share(kept: Floats, products: Floats) -> float:
    total = np.square(products).sum()  # equals the sum of all squared eigenvalues
    return min(1.0, float(np.square(kept).sum() / total)) if total > 0 else 1.0


def laid(points: Floats, target: Floats) -> Floats:
    """Move points onto a target by the solution of the orthogonal Procrustes problem."""
    center = target.mean(axis=0)
    left, _, right = np.linalg.svd(points.T @ (target - center))  # points are centered already
    return np.asarray(points @ left @ right + center)
