"""Nearest neighbors that the caller knows already."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import coo_array, issparse

from .. import _check as check
from .._types import Floats, Ints
from ..compute import KNeighbors


def read_neighbors(neighbors: Any, n: int, k: int) -> KNeighbors:
    """The k nearest others of each of n points, from a sparse matrix of distances, or from indices and distances."""
    given = getattr(neighbors, "neighbor_graph", neighbors)
    entries = _entries(given, n)
    if entries is None:
        is_pair = isinstance(given, tuple | list)
        got = [np.shape(one) for one in given] if is_pair else getattr(given, "shape", check.shown(given))
        raise ValueError(
            f"neighbors must be a sparse matrix of distances of shape ({n}, {n}), or two arrays of shape ({n}, {k}), "
            f"indices below {n} and distances, got {got}; scikit-learn's kneighbors_graph(X, {k}, mode='distance') "
            "makes one"
        )
    is_other = (entries[0] != entries[1]) & (entries[1] >= 0) & (entries[2] >= 0) & (entries[2] < np.inf)
    rows, others, distances = (one[is_other] for one in entries)
    counts = np.bincount(rows, minlength=n)
    if counts.min() < k:
        raise ValueError(
            f"neighbors must list {k} other points or more for each point, got {counts.min()} for point "
            f"{counts.argmin()}; search for {k + 1} or more, since the point itself does not count"
        )
    order = np.lexsort((others, distances, rows))
    nearest = order[(np.cumsum(counts) - counts)[:, None] + np.arange(k)]
    return KNeighbors(distances[nearest].astype(np.float64), others[nearest].astype(np.intp))


def _entries(given: Any, n: int) -> tuple[Ints, Ints, Floats] | None:
    """Points, others and distances; None if these are no neighbors of n points. Missing neighbors are negative."""
    if issparse(given):
        matrix = coo_array(given)
        return (*matrix.coords, matrix.data) if matrix.shape == (n, n) else None
    if not isinstance(given, tuple | list) or len(given) < 2:
        return None
    others, distances = sorted(map(np.asarray, given[:2]), key=lambda one: one.dtype.kind == "f")  # in any order
    if others.dtype.kind not in "iu" or others.shape != distances.shape or others.ndim != 2 or len(others) != n:
        return None
    rows = np.repeat(np.arange(n), others.shape[1])
    return (rows, others.ravel(), distances.ravel()) if others.max(initial=0) < n else None
