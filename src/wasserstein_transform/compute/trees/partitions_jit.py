"""Partitions of points: k-means, sums over clusters, overlaps, labels of the parts of a cut tree.

Loops over all points are here; what is left is a number for each cluster, and NumPy computes it for all partitions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit import jit, jit_strict


@jit
def label_parts(order: Any, above: Any, is_cut: Any, labels: Any) -> int:
    """Label the parts of a rooted tree without the edges above some points; returns their number.

    `order` lists every point after the one `above` it.
    """
    n_parts = 0
    for k in range(order.shape[0]):
        i = order[k]
        if k == 0 or is_cut[i]:
            labels[i] = n_parts
            n_parts += 1
        else:
            labels[i] = labels[above[i]]
    return n_parts


@jit_strict
def move_centers(
    points: Any, mass: Any, centers: Any, labels: Any, sums: Any, cluster_mass: Any, n_rounds: int
) -> None:
    """Lloyd's algorithm: label points by the nearest center, then move centers to the means; an empty one stays.

    `labels` are 0 at first. It ends when no label changes, or after `n_rounds`; `sums` and `cluster_mass` are scratch.
    """
    k, m = centers.shape
    for _ in range(n_rounds):
        n_changed = 0
        for c in range(k):
            cluster_mass[c] = 0.0
            for j in range(m):
                sums[c, j] = 0.0
        for i in range(points.shape[0]):
            nearest, min_square = 0, np.inf
            for c in range(k):
                square = 0.0
                for j in range(m):
                    square += (points[i, j] - centers[c, j]) * (points[i, j] - centers[c, j])
                if square < min_square:
                    nearest, min_square = c, square
            n_changed += labels[i] != nearest
            labels[i] = nearest
            cluster_mass[nearest] += mass[i]
            for j in range(m):
                sums[nearest, j] += mass[i] * points[i, j]
        if n_changed == 0:
            return
        for c in range(k):
            if cluster_mass[c] > 0.0:
                for j in range(m):
                    centers[c, j] = sums[c, j] / max(cluster_mass[c], 1e-300)


@jit
def compare_partitions(
    codes: Any, order: Any, starts: Any, mass: Any, common_mass: Any, max_mass: Any, squares: Any, best_match: Any
) -> None:
    """Sums of the squared masses of the intersections of a partition with others, and what holds most of each cluster.

    `order` lists the points cluster by cluster, from `starts` on. `codes` number the clusters of all other partitions
    in one sequence; `common_mass` and `max_mass` are zeros for each of them.
    """
    for p in range(codes.shape[0]):
        squares[p] = 0.0
        for c in range(starts.shape[0] - 1):
            for k in range(starts[c], starts[c + 1]):
                common_mass[codes[p, order[k]]] += mass[order[k]]
            for k in range(starts[c], starts[c + 1]):
                other = codes[p, order[k]]
                squares[p] += common_mass[other] * common_mass[other]
                if common_mass[other] > max_mass[other]:
                    max_mass[other], best_match[other] = common_mass[other], c
                common_mass[other] = 0.0


@jit
def _sum_edges(edges: Any, logs: Any, labels: Any, t: int, totals: Any, leaving: Any, inside: Any) -> None:
    """Number, sum and least of the log heights of cut edges; the lowest edge that leaves each cluster; edges inside."""
    column = 2 + 3 * t
    for e in range(edges.shape[0] - 1, -1, -1):  # heights ascend
        a, b = labels[edges[e, 0]], labels[edges[e, 1]]
        if a == b:
            inside[a, t] += 1
        else:
            totals[column] += 1
            totals[column + 1] += logs[e]
            totals[column + 2] = logs[e]
            leaving[a, t] = leaving[b, t] = e


@jit
def sum_clusters(
    labels: Any, neighbors: Any, turns: Any, values: Any, plain: Any, plain_logs: Any, reach: Any, reach_logs: Any,
    sums: Any, border: Any, totals: Any, leaving: Any, inside: Any,
) -> None:  # fmt: skip
    """Add up what the criteria of a partition need of each cluster.

    Parameters
    ----------
    labels : array of shape (n,)
        The clusters.
    neighbors, turns : arrays of shape (n, n_near)
        The nearest points, and how much the shape of the neighborhood changes on the way to them.
    values : array of shape (n, q)
        What to add up for all points in `sums`, the first three also for points with neighbors in other clusters.
    plain, plain_logs, reach, reach_logs
        Edges and log heights of two trees.
    sums, border, totals, leaving, inside : arrays of shape (k, q), (k, 4), (8,), (k, 2), (k, 2)
        Output, added to what is there: sums of the values; ends of pairs of neighbors in different clusters, and sums
        on the border; number and turns of these pairs, then number, sum and least of the log heights of cut edges of
        both trees; for each cluster and tree the lowest edge that leaves it, and the number of edges inside.
    """
    for i in range(labels.shape[0]):
        c, before = labels[i], totals[0]
        for j in range(neighbors.shape[1]):
            other = labels[neighbors[i, j]]
            if other != c:
                totals[0] += 1
                totals[1] += turns[i, j]
                border[other, 0] += 1
        for j in range(values.shape[1]):
            sums[c, j] += values[i, j]
        if totals[0] > before:
            border[c, 0] += totals[0] - before
            for j in range(3):
                border[c, j + 1] += values[i, j]
    _sum_edges(plain, plain_logs, labels, 0, totals, leaving, inside)
    _sum_edges(reach, reach_logs, labels, 1, totals, leaving, inside)


@jit
def scatter_clusters(
    labels: Any, mass: Any, points: Any, centers: Any, edges: Any, ranks: Any, covs: Any, edge_of_cluster: Any
) -> None:
    """Add up products of differences to centers in `covs`, below the diagonal; find edges inside clusters by rank.

    `ranks` count down; `edge_of_cluster` gets the edge of each cluster whose rank is 0.
    """
    for i in range(labels.shape[0]):
        c = labels[i]
        for j in range(points.shape[1]):
            off = mass[i] * (points[i, j] - centers[c, j])
            for r in range(j + 1):
                covs[c, j, r] += off * (points[i, r] - centers[c, r])
    for e in range(edges.shape[0]):
        c = labels[edges[e, 0]]
        if c == labels[edges[e, 1]]:
            if ranks[c] == 0:
                edge_of_cluster[c] = e
            ranks[c] -= 1


@jit
def nearest_other(points: Any, labels: Any, centers: Any, squares: Any, nearest: Any) -> None:
    """Find the nearest center of another cluster for each point, and its squared distance."""
    for i in range(points.shape[0]):
        squares[i] = np.inf
        for c in range(centers.shape[0]):
            square = 0.0
            for j in range(points.shape[1]):
                square += (points[i, j] - centers[c, j]) * (points[i, j] - centers[c, j])
            if square < squares[i] and c != labels[i]:
                squares[i], nearest[i] = square, c


@jit
def compare_centers(
    labels: Any, mass: Any, points: Any, centers: Any, others: Any, lines: Any, offsets: Any, first: Any, crossed: Any,
    bins: Any,
) -> float:  # fmt: skip
    """Sum of silhouettes by distances to centers; the masses along lines through two centers.

    `others` are the distances of the points to the nearest other center. Points of cluster c are counted on the lines
    `crossed`, from `first`[c] on: the mass of x in bin x·`lines` + `offsets`, rounded down.
    """
    total = 0.0
    for i in range(labels.shape[0]):
        cluster, distance = labels[i], 0.0
        for j in range(points.shape[1]):
            distance += (points[i, j] - centers[cluster, j]) * (points[i, j] - centers[cluster, j])
        distance = np.sqrt(distance)
        total += mass[i] * (others[i] - distance) / max(others[i], distance, 1e-300)
        for r in range(first[cluster], first[cluster + 1]):
            c = crossed[r]
            along = offsets[c]
            for j in range(points.shape[1]):
                along += points[i, j] * lines[c, j]
            if 0.0 <= along < bins.shape[1]:
                bins[c, int(along)] += mass[i]
    return total
