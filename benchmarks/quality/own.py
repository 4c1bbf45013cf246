"""What this library answers: trees of points and of Gaussian Transforms, cut; `wt.cluster`."""

from __future__ import annotations

from typing import Any
from unittest import mock

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

import wasserstein_transform as wt
from wasserstein_transform.clustering import clusters

from .scoring import Labels

Points = NDArray[np.float64]
_AXES = 10


def raw(X: Points, k: int, reachability: int = 0, **setting: Any) -> Labels:
    how = {"reachability": reachability} if reachability else {}
    return wt.hierarchy.cut_tree(
        wt.hierarchy.spanning_tree(wt.Space.from_points(X), **how), k, **{"cut": "robust", **setting}
    )


def transformed(X: Points, k: int, **setting: Any) -> Labels:
    return wt.hierarchy.cut_tree(_tree(X, **setting), k, cut="robust")


def cluster(X: Points, k: int | None, **setting: Any) -> Labels:
    found = wt.cluster(X, k, **setting)
    return np.asarray(getattr(found, "labels", found), np.intp)


def cluster_without(kind: str, X: Points, k: int | None, **setting: Any) -> Labels:
    """The same without candidates of a kind, which may be all that transforms give."""

    def left(name: str) -> Any:
        make = getattr(clusters, name)
        return lambda *given: [one for one in make(*given) if one.recipe.kind != kind or one.recipe.share == 1.0]

    patches = {name: left(name) for name in ("without_count", "with_count", "crossings")}
    with mock.patch.multiple(clusters, **patches):
        return cluster(X, k, **setting)


def _tree(X: Points, lam: float = 1.0, tau: int = 1) -> wt.hierarchy.Tree:
    """Of the Gaussian Transform at one scale for all of the data, on at most ten principal axes."""
    if X.shape[1] > _AXES:
        X = X - X.mean(axis=0)
        X = X @ np.linalg.svd(X, full_matrices=False)[2][:_AXES].T
    transform = wt.GaussianTransform(_scale_of_root_n(X), lam, n_iter=tau).fit(X)
    return wt.SingleLinkage(2, cut="robust").fit(transform).tree_


def _scale_of_root_n(X: Points) -> float:
    """The radius at which half of the places have √n of them, as `suggest_eps` has it."""
    places = np.unique(X, axis=0)
    near = cKDTree(places).query(places, k=int(np.ceil(np.sqrt(len(places)))))[0]
    return float(np.quantile(near[:, -1], 0.5, method="inverted_cdf"))
