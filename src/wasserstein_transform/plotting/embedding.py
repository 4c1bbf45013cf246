"""Coordinates for distances: classical multidimensional scaling."""

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
    """Coordinates found for distances.

    Attributes
    ----------
    points : array of shape (n, dim)
    explained : float
        What the axes kept hold of all squared inner products (Mardia's criterion Σλ²kept/Σλ²). 1 means that nothing was
        lost; besides further axes, negative eigenvalues are missing, which distances have that are not Euclidean.
    """

    points: Floats
    explained: float


def embed(distances: Any, dim: int = 2, *, onto: ArrayLike | None = None) -> Embedding:
    """Classical multidimensional scaling: points in R^dim whose distances are close to those given.

    −½·J·D²·J, J centering rows and columns, is the matrix of inner products of the points if D is Euclidean; its `dim`
    largest eigenvalues, negative ones clipped to 0, and their vectors make the coordinates. The largest entry of each
    vector is positive, so that the same distances always give the same picture.

    Parameters
    ----------
    distances : Space, Metric, Trajectory, fitted transform, or matrix of distances, square or condensed
    dim : int
    onto : array of shape (n, dim), optional
        Points to lie over: the embedding is moved there by the best rigid motion, reflections allowed, no scaling.

    Returns
    -------
    Embedding

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> flat = wt.plotting.embed([[0.0, 3.0, 4.0], [3.0, 0.0, 5.0], [4.0, 5.0, 0.0]], onto=[[0, 0], [3, 0], [0, 4]])
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
    total = np.square(products).sum()  # that of all squared eigenvalues, without finding them
    return min(1.0, float(np.square(kept).sum() / total)) if total > 0 else 1.0


def laid(points: Floats, target: Floats) -> Floats:
    """The orthogonal Procrustes problem."""
    center = target.mean(axis=0)
    left, _, right = np.linalg.svd(points.T @ (target - center))  # points are centered already
    return np.asarray(points @ left @ right + center)
