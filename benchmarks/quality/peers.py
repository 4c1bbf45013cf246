"""Other libraries' methods, imported when they are run. Settings are theirs; random states are 0.

HDBSCAN and PLSCAN take no number of clusters. Where it is given, several minimum cluster sizes are tried and the one is
taken that finds the number nearest to it, of equally near ones the largest: what a person does who knows the number. A
mixture that is not given the number takes the one of least BIC.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from .scoring import Labels

Points = NDArray[np.float64]
_COUNTS = (*range(1, 21), 25, 30, 35, 40, 45, 50)  # that mixtures are tried with


def by_sample(label: Callable[..., Labels], most: int, X: Points, k: int | None, **setting: Any) -> Labels:
    """Labels of so many points, drawn evenly; the others take that of the nearest drawn one."""
    rows = np.sort(np.random.default_rng(0).choice(len(X), most, replace=False))
    found = np.asarray(label(X[rows], k, **setting), np.intp)
    return found[cKDTree(X[rows]).query(X)[1]]


def single_linkage(X: Points, k: int) -> Labels:
    return import_module("sklearn.cluster").AgglomerativeClustering(k, linkage="single").fit_predict(X)


def ward(X: Points, k: int) -> Labels:
    return import_module("sklearn.cluster").AgglomerativeClustering(k).fit_predict(X)


def spectral(X: Points, k: int, **setting: Any) -> Labels:
    """All columns are divided by one number, so that they vary by 1 altogether: gamma, 1 by default, has a unit."""
    scaled = X / np.sqrt(X.var(axis=0).sum())
    return import_module("sklearn.cluster").SpectralClustering(k, random_state=0, **setting).fit_predict(scaled)


def mixture(X: Points, k: int | None, **setting: Any) -> Labels:
    GaussianMixture = import_module("sklearn.mixture").GaussianMixture
    counts = [count for count in _COUNTS if count <= len(X) // 2] if k is None else [k]
    fitted = [GaussianMixture(count, random_state=0, **setting).fit(X) for count in counts]
    best = min(fitted, key=lambda one: one.bic(X)) if k is None else fitted[0]
    return best.predict(X)


def hdbscan(X: Points, k: int | None, **setting: Any) -> Labels:
    HDBSCAN = import_module("fast_hdbscan").HDBSCAN
    if k is None:
        return HDBSCAN(**setting).fit_predict(X)
    return _nearest_count((HDBSCAN(min_cluster_size=size, **setting).fit_predict(X) for size in _sizes(len(X))), k)


def _sizes(n: int) -> list[int]:
    """Minimum cluster sizes from 5 up to a third of the points, each √2 times the one before."""
    return sorted({int(size) for size in 5 * 2 ** np.arange(0, np.log2(max(n / 15, 1)) + 1e-9, 0.5)})


def _nearest_count(found: Iterable[Labels], k: int) -> Labels:
    return min(reversed(list(found)), key=lambda labels: abs(int(labels.max()) + 1 - k))


def plscan(X: Points, k: int | None, **setting: Any) -> Labels:
    model = import_module("fast_plscan").PLSCAN(num_threads=1, **setting).fit(X)
    if k is None:
        return model.labels_
    return _nearest_count([*(labels for _, labels, _ in model.cluster_layers()), model.labels_], k)


def ship(
    X: Points, k: int | None, hierarchy: int = 1, partitioning: str = "MedianOfElbows", min_points: int = 5
) -> Labels:
    tree = _ship_tree(X.tobytes(), X.shape, min_points)
    if k is not None:
        return np.asarray(tree.fit_predict(hierarchy=hierarchy, partitioningMethod="K", config={"k": k}))
    return np.asarray(tree.fit_predict(hierarchy=hierarchy, partitioningMethod=partitioning))


@lru_cache(maxsize=2)
def _ship_tree(data: bytes, shape: tuple[int, int], min_points: int) -> Any:
    """Quadratic in the points, so it is kept from one setting to the next."""
    X = np.frombuffer(data).reshape(shape)
    return import_module("SHiP").SHiP(data=X, treeType="DCTree", config={"min_points": min_points})


def forget() -> None:
    """Keep nothing: a method as it comes is timed from the start, its other settings may use what that left."""
    _ship_tree.cache_clear()


def genie(X: Points, k: int, **setting: Any) -> Labels:
    return import_module("genieclust").Genie(k, **setting).fit_predict(X)


def lumbermark(X: Points, k: int, **setting: Any) -> Labels:
    return import_module("lumbermark").Lumbermark(k, **setting).fit_predict(X)
