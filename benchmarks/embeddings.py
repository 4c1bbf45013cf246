"""Labelled embeddings: `wt.cluster`, and clusterers after `wt.NeighborMeans`. `python -m benchmarks embeddings=FOLDER`.

FOLDER has NAME.npz with the embeddings `X` and their labels `y`. Scores are adjusted Rand indices against the labels,
and the share of the 10 nearest others that have the same label. HDBSCAN's noise counts as a cluster, or takes the
cluster of the nearest point that has one. Graphs of neighbors and UMAP show where it does harm. Other libraries run if
they are installed: HDBSCAN and PLSCAN after UMAP, EVoC, and FINCH, of which the best of its partitions counts.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.cluster import HDBSCAN, AgglomerativeClustering, KMeans
from sklearn.metrics import adjusted_rand_score, silhouette_score
from sklearn.neighbors import NearestNeighbors

import wasserstein_transform as wt

from .timing import Row

_COUNTS = (None, 10, 20)  # of neighbors; None: the embeddings as they are
_N_JOINED = 15  # neighbors that a graph joins to each point
_N_STARTS = 3  # of k-means; their mean is told
_PEERS = {"umap": "umap-learn", "fast_plscan": "fast_plscan", "evoc": "evoc", "finch": "finch-clust"}  # modules, names
_TRIED, _N_SCORED = (2, 3, 5, 8, 12, 20, 30, 50, 80, 120, 200), 2000  # numbers of clusters, and points, for silhouettes


def run(folder: str | None = None) -> list[Row]:
    if folder is None:
        print("embeddings: no folder given: python -m benchmarks embeddings=FOLDER", file=sys.stderr)
        return []
    found = {module for module in _PEERS if find_spec(module)}
    scores: dict[str, dict[str, list[float]]] = {}  # of each score and set, for each number of neighbors
    for file in sorted(Path(folder).glob("*.npz")):
        with np.load(file) as arrays:
            X, y = arrays["X"].astype(np.float64), np.unique(arrays["y"], return_inverse=True)[1]
        moved = [X if k is None else wt.NeighborMeans(k).fit_transform(X) for k in _COUNTS]
        each = [{**dict(_scores(one, y)), **dict(_scores_of_peers(one, y, found))} for one in moved]
        for name in each[0]:
            scores.setdefault(name, {})[f"{file.stem}: {len(X)}, {y.max() + 1} groups"] = [one[name] for one in each]
        print(f"{file.stem} done", file=sys.stderr)
    _print("Means of all sets", "score", {name: np.mean([*of.values()], axis=0) for name, of in scores.items()})
    _print("Each set", "score, set", {f"{name}, {one}": row for name, of in scores.items() for one, row in of.items()})
    for module, name in _PEERS.items():
        if module not in found:
            print(f"Not run, since it is not installed: {name}.")
    return []


def _print(title: str, first: str, rows: dict[str, Any]) -> None:
    settings = ("as they are" if k is None else f"means of {k} neighbors" for k in _COUNTS)
    print(f"## {title}\n\n| {first} | {' | '.join(settings)} |\n|---|{'---|' * len(_COUNTS)}")
    for name, row in rows.items():
        print(f"| {name} | {' | '.join(f'{score:.3f}' for score in row)} |")
    print()


def _scores(X: Any, y: Any) -> Iterator[tuple[str, float]]:
    near = NearestNeighbors(n_neighbors=_N_JOINED, algorithm="brute").fit(X).kneighbors(return_distance=False)
    yield "same label among the 10 nearest", float(np.mean(y[near[:, :10]] == y[:, None]))
    k = int(y.max()) + 1
    starts = [KMeans(k, n_init=1, random_state=seed).fit_predict(X) for seed in range(_N_STARTS)]
    yield "k-means, number given", float(np.mean([adjusted_rand_score(y, labels) for labels in starts]))
    best = max((KMeans(count, n_init=1, random_state=0).fit_predict(X) for count in _TRIED), key=_silhouette_in(X))
    yield "k-means, number by silhouette", adjusted_rand_score(y, best)
    yield "wt.cluster, number given", adjusted_rand_score(y, wt.cluster(X, k).labels)
    yield "wt.cluster", adjusted_rand_score(y, wt.cluster(X, noise=False).labels)
    for linkage in ("ward", "average"):
        labels = AgglomerativeClustering(k, linkage=linkage).fit_predict(X)
        yield f"{linkage} linkage, number given", adjusted_rand_score(y, labels)
    yield from _density("HDBSCAN", X, y, 5)
    edges = {(min(i, j), max(i, j)) for i, row in enumerate(near.tolist()) for j in row}
    labels = wt.graphs.communities(sorted(edges)).labels
    yield f"communities of the graph of {_N_JOINED} neighbors", adjusted_rand_score(y, labels)


def _scores_of_peers(X: Any, y: Any, found: set[str]) -> Iterator[tuple[str, float]]:
    if "umap" in found:
        umap = import_module("umap").UMAP(n_components=5, min_dist=0.0, metric="cosine", random_state=0)
        reduced = umap.fit_transform(X)
        yield from _density("HDBSCAN after UMAP", reduced, y, 15)
        if "fast_plscan" in found:
            labels = import_module("fast_plscan").PLSCAN().fit_predict(reduced)
            yield from _both("PLSCAN after UMAP", reduced, y, labels)
    if "evoc" in found:
        labels = import_module("evoc").EVoC(random_state=0).fit_predict(X.astype(np.float32))
        yield from _both("EVoC", X, y, labels)
    if "finch" in found:
        partitions = import_module("finch").FINCH(X, verbose=False)[0]
        yield "FINCH, the best of its partitions", max(adjusted_rand_score(y, labels) for labels in partitions.T)


def _silhouette_in(X: Any) -> Callable[[Any], float]:
    return lambda labels: float(silhouette_score(X, labels, sample_size=_N_SCORED, random_state=0))


def _density(name: str, X: Any, y: Any, min_samples: int) -> Iterator[tuple[str, float]]:
    labels = HDBSCAN(min_cluster_size=15, min_samples=min_samples, algorithm="brute", copy=True).fit_predict(X)
    yield from _both(name, X, y, labels)


def _both(name: str, X: Any, y: Any, labels: Any) -> Iterator[tuple[str, float]]:
    yield f"{name}, noise to the nearest", adjusted_rand_score(y, _without_noise(X, labels))
    yield f"{name}, noise as a cluster", adjusted_rand_score(y, labels)


def _without_noise(X: Any, labels: Any) -> Any:
    noise = labels < 0
    if noise.all() or not noise.any():
        return labels
    nearest = NearestNeighbors(n_neighbors=1).fit(X[~noise]).kneighbors(X[noise], return_distance=False)[:, 0]
    filled = labels.copy()
    filled[noise] = labels[~noise][nearest]
    return filled
