"""Shapes that cross: ours, density clusterers, mixtures, spectral cuts. `python -m benchmarks crossings[=FIRST:END]`.

Each family of `crossing_shapes` under each condition, for seeds FIRST to END − 1 (0 to 39). Scores are adjusted Rand
indices; points of the background, and those within two standard deviations of the noise of another shape, are left out.
The reference is spectral clustering of local tangents: affinities of neighbors are powers of the cosines between local
principal axes; it is given the number and dimension of the shapes, and the best of six settings counts. Where nothing
crosses, a split is false if there are more clusters than shapes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.cluster import HDBSCAN, KMeans, SpectralClustering
from sklearn.manifold import spectral_embedding
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import NearestNeighbors

from wasserstein_transform.clustering.crossings import crossing_partitions

from .crossing_shapes import CONDITIONS, CROSSING, SEPARATE, Crossing, make
from .timing import Row

_SETTINGS = tuple((k, power) for k in (10, 20, 40) for power in (4, 16))  # neighbors, powers of cosines
_MOST = 8  # components of mixtures whose number follows from BIC


def run(seeds: str = "0:40") -> list[Row]:
    first, end = (int(one) for one in seeds.split(":"))
    if not find_spec("fast_plscan"):
        print("PLSCAN is missing: fast_plscan is not installed.\n")
    times: list[float] = []
    splits = {
        family: {
            condition: sum(_is_split(make(family, condition, seed), times) for seed in range(first, end))
            for condition in CONDITIONS
        }
        for family in SEPARATE
    }
    _print(f"False splits where nothing crosses, of {end - first}", splits)
    for condition in CONDITIONS:
        table = {
            family: _means([_scores(make(family, condition, seed), family, times) for seed in range(first, end)])
            for family in CROSSING
        }
        _print(f"Adjusted Rand indices, {condition}, seeds {first} to {end - 1}", table)
    print(f"ours: {np.mean(times):.2f} s on average, at most {np.max(times):.2f} s")
    return []


def _print(title: str, rows: dict[str, dict[str, float]]) -> None:
    names = [*next(iter(rows.values()))]
    print(f"## {title}\n\n| shapes | {' | '.join(names)} |\n|---|{'---|' * len(names)}")
    means = {name: float(np.mean([row[name] for row in rows.values()])) for name in names}
    for family, row in {**rows, "mean": means}.items():
        print(f"| {family} | {' | '.join(f'{row[name]:.2f}' for name in names)} |")
    print(flush=True)


def _means(rows: list[dict[str, float]]) -> dict[str, float]:
    """The means of scores; of the settings of a method, the best mean."""
    means = {name: float(np.mean([row[name] for row in rows])) for name in rows[0]}
    best = max(value for name, value in means.items() if name.startswith("tangents "))
    return {**{name: value for name, value in means.items() if not name.startswith("tangents ")}, "tangents, k": best}


def _scores(given: Crossing, family: str, times: list[float]) -> dict[str, float]:
    def score(labels: Any) -> float:
        return float(adjusted_rand_score(given.y[given.counts], labels[given.counts]))

    return {name: score(labels) for name, labels in _labels(given, family, times)}


def _labels(given: Crossing, family: str, times: list[float]) -> Iterator[tuple[str, Any]]:
    X, k = given.X, int(given.y.max()) + 1
    yield "ours, k", _ours(X, k, times)
    yield "ours", _ours(X, None, times)
    yield "HDBSCAN", _hdbscan(X)
    if find_spec("fast_plscan"):
        yield "PLSCAN", _plscan()(X)
    neighbors = SpectralClustering(k, affinity="nearest_neighbors", n_neighbors=10, random_state=0)
    yield "spectral, k", neighbors.fit_predict(X)
    yield "mixture, k", GaussianMixture(k, random_state=0, n_init=3).fit_predict(X)
    fitted = [GaussianMixture(count, random_state=0).fit(X) for count in range(1, _MOST + 1)]
    yield "mixture, BIC", min(fitted, key=lambda one: one.bic(X)).predict(X)
    d = 2 if any(word in family for word in ("plane", "sheet")) else 1
    for n_near, power in _SETTINGS:
        yield f"tangents {n_near} {power}", tangent_clusters(X, k, d, n_near, power)


def _ours(X: Any, k: int | None, times: list[float]) -> Any:
    order, start = np.lexsort(X.T), time.perf_counter()
    found = crossing_partitions(X[order], np.ones(len(X)), k)
    times.append(time.perf_counter() - start)
    labels = np.zeros(len(X), np.intp)
    if found:
        labels[order] = found[0].labels
    return labels


def _is_split(given: Crossing, times: list[float]) -> bool:
    return int(_ours(given.X, None, times).max()) > int(given.y.max())


def _hdbscan(X: Any) -> Any:
    """Clusters of HDBSCAN; noise takes the cluster of the nearest point that has one."""
    labels = HDBSCAN(min_cluster_size=max(10, len(X) // 50), copy=True).fit_predict(X)
    noise = labels < 0
    if noise.all() or not noise.any():
        return labels
    nearest = NearestNeighbors(n_neighbors=1).fit(X[~noise]).kneighbors(X[noise], return_distance=False)[:, 0]
    labels[noise] = labels[~noise][nearest]
    return labels


def _plscan() -> Callable[[Any], Any]:
    from fast_plscan import PLSCAN  # noqa: PLC0415

    return lambda X: PLSCAN().fit(X).labels_


def tangent_clusters(X: Any, k: int, d: int, n_near: int, power: int) -> Any:
    """Spectral clustering of neighbors, weighted by powers of the cosines between their tangents of d dimensions."""
    near = NearestNeighbors(n_neighbors=n_near).fit(X).kneighbors(return_distance=False)
    steps = X[near] - X[near].mean(axis=1, keepdims=True)
    axes = np.linalg.eigh(steps.transpose(0, 2, 1) @ steps)[1][:, :, X.shape[1] - d :]
    both = np.einsum("nmd,nkme->nkde", axes, axes[near])
    cosines = np.abs(np.linalg.det(both)) ** power + 1e-6
    n = len(X)
    ends = np.repeat(np.arange(n, dtype=np.int32), n_near), near.ravel().astype(np.int32)
    graph = csr_array((cosines.ravel(), ends), shape=(n, n))
    graph = graph + graph.T
    vectors = spectral_embedding(graph, n_components=k, drop_first=False, random_state=0)
    return KMeans(k, n_init=3, random_state=0).fit_predict(vectors)
