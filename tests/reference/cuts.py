"""The robust cut and mutual reachability, step by step: nothing is kept, everything is looked at again."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

TIE = 1e-9


def partition(labels: np.ndarray) -> list[int]:
    """Labels by first occurrence; −1 stays."""
    numbers = {-1: -1}
    return [numbers.setdefault(label, len(numbers)) for label in labels.tolist()]


def parts_of(edges: np.ndarray, n: int) -> np.ndarray:
    """What the edges join."""
    return connected_components(coo_array((np.ones(len(edges)), tuple(edges.T)), shape=(n, n)), directed=False)[1]


def robust_clusters(
    edges: np.ndarray, keys: np.ndarray, weights: np.ndarray, points: np.ndarray, D: np.ndarray, k: int, share: float
) -> np.ndarray:
    """Clusters of points with mass, by edges and their keys (whole numbers: equal ones tie, 0 is one place).

    At each key, from the highest down, the parts below it that it joins; those with two large ones are cut, the most
    even first, all that are as even or none. Clusters are the large parts that were not cut again; every other part
    goes to the nearest of them, of equally near ones to the heaviest, of those to the first by coordinates.
    """
    n, least = len(weights), share * weights.sum() / k * (1 - 1e-9)
    merges = []
    for key in np.unique(keys[keys > 0])[::-1]:
        below, joined = parts_of(edges[keys < key], n), parts_of(edges[keys <= key], n)
        for whole in np.unique(joined):
            parts = [np.flatnonzero(below == part) for part in np.unique(below[joined == whole])]
            large = [part for part in parts if weights[part].sum() >= least]
            if len(large) > 1:
                merges.append((key, min(weights[part].sum() for part in large), large))
    merges.sort(key=lambda merge: (-merge[0], -merge[1]))
    n_found, taken = 1, 0
    while taken < len(merges) and n_found < k:
        key, even, _ = merges[taken]
        alike = [merge for merge in merges[taken:] if merge[0] == key and abs(merge[1] - even) <= TIE * even]
        ahead = n_found + sum(len(merge[2]) - 1 for merge in alike)
        if ahead > k:
            break
        n_found, taken = ahead, taken + len(alike)
    return _with_pieces(edges, keys, weights, points, D, merges[:taken])


def _with_pieces(edges, keys, weights, points, D, cut) -> np.ndarray:  # type: ignore[no-untyped-def]
    n, n_clusters = len(weights), 1
    cluster, cut_at = np.zeros(n, int), np.zeros(n, int)
    for key, _, large in cut:
        was = cluster == cluster[large[0][0]]
        cluster[was], cut_at[was] = -1, key
        for part in large:
            cluster[part] = n_clusters
            n_clusters += 1
    cores = cluster.copy()
    numbers, rank = np.unique(cores[cores >= 0]), np.lexsort(points.T[::-1]).argsort()
    for key in np.unique(cut_at[cores < 0]):
        below = parts_of(edges[keys < key], n)
        for part in np.unique(below[(cores < 0) & (cut_at == key)]):
            piece = np.flatnonzero(below == part)
            apart = np.array([D[np.ix_(piece, np.flatnonzero(cores == one))].min() for one in numbers])
            mass = np.array([weights[cores == one].sum() for one in numbers])
            first = np.array([rank[cores == one].min() for one in numbers])
            near = apart <= apart.min() * (1 + TIE)
            near &= mass >= mass[near].max() * (1 - TIE)
            cluster[piece] = numbers[np.where(near, first, n).argmin()]
    return cluster


def core_distances(D: np.ndarray, k: int) -> np.ndarray:
    """The distance of each point to its k-th nearest other one."""
    return np.sort(D, axis=1)[:, k]


def reach_heights(D: np.ndarray, k: int) -> np.ndarray:
    """Heights of the spanning tree of max(d, core, core), from the full matrix."""
    core = core_distances(D, k)
    reach = np.maximum(D, np.maximum(core[:, None], core))
    shift = reach.max()  # SciPy takes zeros for no edge
    np.fill_diagonal(reach, 0.0)
    rows, cols = (side.astype(np.int32) for side in np.triu_indices(len(D), 1))  # older SciPy takes no others
    tree = minimum_spanning_tree(coo_array((reach[rows, cols] + shift, (rows, cols)), shape=D.shape).tocsr())
    return np.sort(tree.data) - shift
