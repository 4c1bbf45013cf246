"""Partitions of points: labels of the parts of a cut tree, agreement of partitions, criteria of one of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from .compile import jit, jit_allocating
from .spanning_trees import root

N_CRITERIA = 27
"""Numbers that `describe` writes."""

_HIGH = 0.95  # quantile of the edges within a cluster that represents the longest


@jit_allocating
def label_parts(edges: Any, cuts: Any, labels: Any) -> int:
    """Label the parts of a tree without some of its edges, by first appearance; returns their number."""
    n = labels.shape[0]
    parent = np.arange(n)
    kept = np.ones(n, np.bool_)
    for cut in cuts:
        kept[cut] = False
    for e in range(n - 1):
        if kept[e]:
            a, b = root(parent, edges[e, 0]), root(parent, edges[e, 1])
            parent[max(a, b)] = min(a, b)
    n_parts = 0
    for i in range(n):  # the root is the first point of its part
        top = root(parent, i)
        if top == i:
            labels[i] = n_parts
            n_parts += 1
        else:
            labels[i] = labels[top]
    return n_parts


@jit_allocating
def square_overlaps(labels: Any, counts: Any, one: int, mass: Any, out: Any) -> None:
    """Sums of squared masses of the intersections of the clusters of partition `one` and of each partition."""
    n, k = labels.shape[1], counts[one]
    shared = np.empty(k * counts.max())
    for other in range(labels.shape[0]):
        size = k * counts[other]
        shared[:size] = 0.0
        for i in range(n):
            shared[labels[one, i] * counts[other] + labels[other, i]] += mass[i]
        total = 0.0
        for c in range(size):
            total += shared[c] * shared[c]
        out[other] = total


@jit_allocating
def count_agreeing(labels: Any, counts: Any, weights: Any, chosen: Any, mass: Any, out: Any) -> None:
    """For each point, the weights of the partitions in which most of its cluster is in its `chosen` cluster."""
    n, k = labels.shape[1], chosen.max() + 1
    shared, main = np.empty((counts.max(), k)), np.empty(counts.max(), np.intp)
    out[:] = 0.0
    for one in range(labels.shape[0]):
        shared[: counts[one]] = 0.0
        for i in range(n):
            shared[labels[one, i], chosen[i]] += mass[i]
        for c in range(counts[one]):
            main[c] = shared[c].argmax()
        for i in range(n):
            if main[labels[one, i]] == chosen[i]:
                out[i] += weights[one]


@jit
def _log_volume(cov: Any, floor: float) -> float:
    """Half the log determinant of a symmetric matrix plus floor·I; the lower triangle is overwritten."""
    m = cov.shape[0]
    total = 0.0
    for i in range(m):
        for j in range(i + 1):
            value = cov[i, j] + (floor if i == j else 0.0)
            for r in range(j):
                value -= cov[i, r] * cov[j, r]
            if i == j:
                pivot = np.sqrt(max(value, 1e-300))
                cov[i, i] = pivot
                total += np.log(pivot)
            else:
                cov[i, j] = value / cov[j, j]
    return total


@jit
def _cut_heights(edges: Any, heights: Any, labels: Any, k: int, out: Any) -> None:
    """log(1 + excess of cut edges over k − 1), and the mean and least height of the cut edges."""
    n_cut, total, least = 0, 0.0, np.inf
    for e in range(edges.shape[0]):
        if labels[edges[e, 0]] != labels[edges[e, 1]]:
            n_cut += 1
            total += heights[e]
            least = min(least, heights[e])
    out[0] = np.log1p(max(0, n_cut - k + 1)) if n_cut else 0.0
    out[1] = total / n_cut if n_cut else 0.0
    out[2] = least if n_cut else 0.0


@jit_allocating
def _separations(edges: Any, heights: Any, middle: float, labels: Any, k: int) -> Any:
    """The lowest edge that leaves each cluster against its own long edges, from −1 to 1 (as in DBCV)."""
    n = edges.shape[0]
    leaving, own = np.full(k, heights[n - 1]), np.full(k, middle)
    count = np.zeros(k, np.intp)
    for e in range(n):
        a, b = labels[edges[e, 0]], labels[edges[e, 1]]
        if a == b:
            count[a] += 1
        else:
            leaving[a] = min(leaving[a], heights[e])
            leaving[b] = min(leaving[b], heights[e])
    seen = np.zeros(k, np.intp)
    for e in range(n):  # heights ascend
        a = labels[edges[e, 0]]
        if a == labels[edges[e, 1]]:
            if seen[a] == int(np.ceil(_HIGH * (count[a] - 1))):
                own[a] = heights[e]
            seen[a] += 1
    return (leaving - own) / np.maximum(np.maximum(leaving, own), 1e-300)


@jit_allocating
def _valley(points: Any, mass: Any, order: Any, start: Any, a: int, b: int, centers: Any, windows: Any) -> float:
    """The density between two centers relative to the lower of the peaks on both sides, along the line through them.

    The centers are at −1 and 1. Rows of `windows` are the ends of intervals that ascend by equal steps, and whether
    the valley is looked for there.
    """
    m, n_windows = points.shape[1], windows.shape[1]
    line, length, offset = np.empty(m), 0.0, 0.0
    for j in range(m):
        line[j] = centers[b, j] - centers[a, j]
        length += line[j] * line[j]
        offset += line[j] * 0.5 * (centers[a, j] + centers[b, j])
    if length == 0.0:
        return 1.0
    step = (windows[0, n_windows - 1] - windows[0, 0]) / (n_windows - 1)
    density = np.zeros(n_windows)
    for side in range(2):
        c = a if side == 0 else b
        for at in range(start[c], start[c + 1]):
            i = order[at]
            along = -offset
            for j in range(m):
                along += points[i, j] * line[j]
            along *= 2.0 / length
            if along < windows[0, 0] or along >= windows[1, n_windows - 1]:
                continue
            last = int((along - windows[0, 0]) / step) + 1
            for w in range(max(last - 4, 0), min(last + 1, n_windows)):
                if windows[0, w] <= along < windows[1, w]:
                    density[w] += mass[i]
    before, after = density.copy(), density.copy()
    for w in range(1, n_windows):
        before[w] = max(before[w - 1], density[w])
        after[n_windows - 1 - w] = max(after[n_windows - w], density[n_windows - 1 - w])
    least = np.inf
    for w in range(n_windows):
        if windows[2, w] != 0.0:
            least = min(least, (density[w] + 0.5) / (min(before[w], after[w]) + 0.5))
    return least


@jit_allocating
def _valleys(points: Any, mass: Any, labels: Any, centers: Any, windows: Any) -> Any:
    """For each cluster, the density between it and the nearest other one, relative to the lower of two peaks."""
    k, n = centers.shape[0], labels.shape[0]
    start = np.zeros(k + 1, np.intp)
    for i in range(n):
        start[labels[i] + 1] += 1
    for c in range(k):
        start[c + 1] += start[c]
    place, order = start[:k].copy(), np.empty(n, np.intp)
    for i in range(n):
        order[place[labels[i]]] = i
        place[labels[i]] += 1
    nearest, out = np.empty(k, np.intp), np.empty(k)
    for c in range(k):
        least, nearest[c] = np.inf, -1
        for other in range(k):
            apart = 0.0
            for j in range(centers.shape[1]):
                apart += (centers[c, j] - centers[other, j]) ** 2
            if other != c and (apart < least or nearest[c] < 0):
                least, nearest[c] = apart, other
    for c in range(k):
        other = nearest[c]
        if other < c and nearest[other] == c:
            out[c] = out[other]
        else:
            out[c] = _valley(points, mass, order, start, min(c, other), max(c, other), centers, windows)
    return out


@jit_allocating
def _describe_shape(points: Any, mass: Any, labels: Any, held: Any, sizes: Any, out: Any) -> None:
    """Gain in log-likelihood of a Gaussian per cluster over one for all, and the log variance within clusters."""
    n, m, k = points.shape[0], points.shape[1], held.shape[0]
    centers, covs, whole = np.zeros((k, m)), np.zeros((k, m, m)), np.zeros((m, m))
    for i in range(n):
        for j in range(m):
            centers[labels[i], j] += mass[i] * points[i, j]
            for r in range(j + 1):
                whole[j, r] += mass[i] * points[i, j] * points[i, r]
    variance = 0.0
    for j in range(m):
        variance += whole[j, j]
        for r in range(j + 1):
            whole[j, r] /= n
    variance = variance / (n * m)
    if variance == 0.0:
        variance = 1.0
    for c in range(k):
        for j in range(m):
            centers[c, j] /= held[c]
    for i in range(n):
        c = labels[i]
        for j in range(m):
            off = mass[i] * (points[i, j] - centers[c, j])
            for r in range(j + 1):
                covs[c, j, r] += off * (points[i, r] - centers[c, r])
    of_whole = _log_volume(whole, max(1e-9 * variance, 1e-300))
    gain, within = 0.0, 0.0
    for c in range(k):
        for j in range(m):
            within += covs[c, j, j]
            for r in range(j + 1):
                covs[c, j, r] /= held[c]
        if sizes[c] >= m + 2:
            own = _log_volume(covs[c], max(1e-4 * variance, 1e-300))
            gain += held[c] * (of_whole - own + np.log(held[c] / n))
    out[0] = gain / (n * m)
    out[1] = np.log(within / (n * m * variance) + 1e-9)


@jit_allocating
def _describe_centers(
    points: Any, mass: Any, labels: Any, held: Any, likelihood: float, n_axes: int, windows: Any, out: Any
) -> None:
    """Gains of Gaussians over one of them, less BIC's price, and how well centers separate clusters.

    `points` have the identity as covariance, `likelihood` is the gain for points with `n_axes` coordinates.
    """
    n, m, k = points.shape[0], points.shape[1], held.shape[0]
    price = 0.5 * (k - 1) * np.log(n) / n
    centers, within = np.zeros((k, m)), np.zeros((k, m))
    for i in range(n):
        for j in range(m):
            centers[labels[i], j] += mass[i] * points[i, j]
            within[labels[i], j] += mass[i] * points[i, j] ** 2
    mixed, spread, scale, scatter = 0.0, 0.0, np.zeros(m), np.zeros((m, m))
    for c in range(k):
        mixed += held[c] * np.log(held[c] / n) / n
        for j in range(m):
            centers[c, j] /= held[c]
            within[c, j] = max(within[c, j] / held[c] - centers[c, j] ** 2, 1e-4)
            spread += held[c] * np.log(within[c, j])
            scale[j] += held[c] * within[c, j] / n
        for j in range(m):
            for r in range(j + 1):
                scatter[j, r] -= held[c] * centers[c, j] * centers[c, r] / n
    for j in range(m):
        scatter[j, j] += 1.0
    out[0] = likelihood - price * (1 + (n_axes + 1) / 2)
    out[1] = (mixed - _log_volume(scatter, 1e-4)) / m - price
    out[2] = (mixed - 0.5 * spread / n) / m - 2 * price
    if k == 1:
        out[3], out[4], out[5] = 0.0, 1.0, 1.0
        return
    scaled, means = np.empty((n, m)), np.empty((k, m))
    for j in range(m):
        scale[j] = 1 / np.sqrt(scale[j])
        for c in range(k):
            means[c, j] = centers[c, j] * scale[j]
        for i in range(n):
            scaled[i, j] = points[i, j] * scale[j]
    silhouette = 0.0
    for i in range(n):
        own, other = 0.0, np.inf
        for c in range(k):
            apart = 0.0
            for j in range(m):
                apart += (scaled[i, j] - means[c, j]) ** 2
            if c == labels[i]:
                own = apart
            elif apart < other:
                other = apart
        near, far = np.sqrt(own), np.sqrt(other)
        silhouette += mass[i] * (far - near) / max(far, near, 1e-300)
    out[3] = silhouette / n
    valleys, mean = _valleys(scaled, mass, labels, means, windows), 0.0
    for c in range(k):
        mean += held[c] * valleys[c] / n
    out[4], out[5] = mean, valleys.max()


@jit_allocating
def describe(
    labels: Any, mass: Any, near: Any, turns: Any, density: Any, points: Any, whitened: Any, plain: Any,
    plain_logs: Any, reach: Any, reach_logs: Any, reach_heights: Any, reach_middle: float, windows: Any, out: Any,
) -> None:  # fmt: skip
    """Write the criteria of a partition that compare it with no other one.

    Parameters
    ----------
    labels, mass, density : arrays of shape (n,)
        Clusters, masses that sum to n, log densities.
    near, turns : arrays of shape (n, k)
        The nearest points, and how much the shape of the neighborhood changes on the way to them.
    points, whitened : arrays of shape (n, m)
        Coordinates around their mean, and with the identity as covariance.
    plain, plain_logs, reach, reach_logs, reach_heights, reach_middle
        Edges of two trees, their log heights relative to the median, the heights of the second, and their median.
    windows : array of shape (3, n_windows)
        Where densities along the line through two centers are taken.
    out : array of shape (N_CRITERIA,)
        The criteria.
    """
    n, n_near = near.shape
    k = labels.max() + 1
    held, sizes, leaving = np.zeros(k), np.zeros(k), np.zeros(k)
    mean_density, border_held, border_sums = np.zeros(k), np.zeros(k), np.zeros(k)
    for i in range(n):
        held[labels[i]] += mass[i]
        sizes[labels[i]] += 1
        mean_density[labels[i]] += mass[i] * density[i]
    mean_density /= held
    n_crossing, n_border, turn, all_turns, unexplained, middle = 0, 0, 0.0, 0.0, 0.0, density.mean()
    spread = 0.0
    for i in range(n):
        c, is_border = labels[i], False
        for j in range(n_near):
            all_turns += turns[i, j]
            other = labels[near[i, j]]
            if other != c:
                is_border = True
                n_crossing += 1
                turn += turns[i, j]
                leaving[c] += 1
                leaving[other] += 1
        if is_border:
            n_border += 1
            border_held[c] += mass[i]
            border_sums[c] += mass[i] * density[i]
        unexplained += mass[i] * (density[i] - mean_density[c]) ** 2
        spread += (density[i] - middle) ** 2
    conductance, worst = 0.0, 0.0
    for c in range(k):
        share = leaving[c] / max(2 * n_near * min(sizes[c], n - sizes[c]), 1)
        conductance += share / k
        worst = max(worst, share)
    out[0], out[1], out[2] = conductance, worst, 1 - n_crossing / (n * n_near)
    _cut_heights(plain, plain_logs, labels, k, out[3:6])
    _cut_heights(reach, reach_logs, labels, k, out[6:9])
    _describe_shape(points, mass, labels, held, sizes, out[9:11])
    out[11] = 1 - unexplained / n / (spread / n + 1e-12)
    drop, densest, n_with = 0.0, -np.inf, 0
    for c in range(k):
        if border_held[c] > 0:
            off = (border_sums[c] / border_held[c] - mean_density[c]) / points.shape[1]
            drop += off
            densest = max(densest, off)
            n_with += 1
    out[12], out[13] = (drop / n_with, densest) if n_with else (-3.0, -3.0)
    out[14] = n_border / n
    out[15] = (turn / n_crossing) / (all_turns / (n * n_near) + 1e-12) if n_crossing else 2.0
    evenness, smallest, total = 0.0, np.inf, held.sum()
    separations = _separations(reach, reach_heights, reach_middle, labels, k)
    separation = 0.0
    for c in range(k):
        part = held[c] / total
        evenness -= part * np.log(part)
        smallest = min(smallest, part)
        separation += part * separations[c]
    out[16], out[17], out[18] = evenness / np.log(max(k, 2)), min(smallest * k, 1.0), np.log(k)
    out[19], out[20] = separation, separations.min()
    _describe_centers(whitened, mass, labels, held, out[9], points.shape[1], windows, out[21:27])
