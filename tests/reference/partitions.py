"""Criteria of partitions the slow way: NumPy, one criterion after another."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from wasserstein_transform._types import Bools, Floats, Ints
from wasserstein_transform.clustering.description import Facts as Given, View
from wasserstein_transform.clustering.ground import Ground
from wasserstein_transform.hierarchy import Tree

_HIGH = 0.95
_WINDOWS = np.arange(-1.5, 1.51, 0.1)
_HALF = 0.15


class Facts(NamedTuple):
    source: Ints
    target: Ints
    density: Floats
    turns: Floats
    plain: Tree
    reach: Tree
    whitened: Floats


def criteria(ground: Ground, given: Given, plain: Tree, reach: Tree, labels: Ints) -> dict[str, float]:
    """All numbers that `describe` returns, but those after a step."""
    facts = _facts(given, given.view, plain, reach)
    alone = _of_partition(ground, facts, labels)
    return alone | _of_gaussians(ground, facts, labels, alone["likelihood"])


def criteria_after_a_step(ground: Ground, given: Given, first: Tree, second: Tree, labels: Ints) -> dict[str, float]:
    """The numbers that `describe` returns of moved points and transformed trees."""
    assert given.moved is not None
    facts = _facts(given, given.moved, first, second)
    crossing = labels[facts.source] != labels[facts.target]
    values = [*_conductance(ground, facts, labels, crossing, _held(labels, ground.mass)), 1 - float(crossing.mean())]
    names = ["conductance after a step", "worst conductance after a step", "purity after a step"]
    for tree, of_tree in (
        (first, ("transformed edges cut", "height of transformed cuts", "lowest transformed cut")),
        (second, ("edges cut after a step", "height of cuts after a step", "lowest cut after a step")),
    ):
        names += of_tree
        values += _heights_cut(tree, labels, int(labels.max()) + 1, ground.unit)
    return dict(zip(names, values, strict=True))


def _facts(given: Given, view: View, first: Tree, second: Tree) -> Facts:
    n, near = view.near.shape
    source = np.repeat(np.arange(n), near)
    return Facts(source, view.near.ravel(), given.density, view.turns.ravel(), first, second, given.whitened)


def adjusted_rand(partitions: list[Ints], mass: Floats) -> Floats:
    """Return the adjusted Rand index of every two partitions, by mass: over pairs of units of mass."""
    counts = np.array([int(labels.max()) + 1 for labels in partitions])
    starts = np.cumsum(counts) - counts
    codes = np.array(partitions) + starts[:, None]
    squares = np.empty((len(partitions), len(partitions)))  # sums of squared masses of the intersections
    for a, labels in enumerate(partitions):
        within = (codes[: a + 1] * counts[a] + labels).ravel()
        common = np.bincount(within, weights=np.tile(mass, a + 1), minlength=(starts[a] + counts[a]) * counts[a])
        squares[a, : a + 1] = np.add.reduceat(common**2, starts[: a + 1] * counts[a])
    squares = np.tril(squares) + np.tril(squares, -1).T
    pairs, total = (squares - mass.sum()) / 2, (mass.sum() ** 2 - mass.sum()) / 2
    own = np.diag(pairs)
    chance, most = np.outer(own, own) / total, (own[:, None] + own) / 2
    same = most - chance <= 1e-12 * most
    return np.where(same, 1.0, (pairs - chance) / np.where(same, 1.0, most - chance))


def _held(labels: Ints, mass: Floats) -> Floats:
    """Return the mass of each cluster."""
    return np.asarray(np.bincount(labels, weights=mass), np.float64)


def _of_partition(ground: Ground, facts: Facts, labels: Ints) -> dict[str, float]:
    k, mass, density = int(labels.max()) + 1, ground.mass, facts.density
    held = _held(labels, mass)
    part = held / held.sum()
    crossing = labels[facts.source] != labels[facts.target]
    border = crossing.reshape(ground.n, -1).any(axis=1)
    mean_density = np.bincount(labels, weights=mass * density) / held
    explained = 1 - float(mass @ (density - mean_density[labels]) ** 2) / ground.n / (density.var() + 1e-12)
    turn = facts.turns[crossing].mean() / (facts.turns.mean() + 1e-12) if crossing.any() else 2.0
    separation = _separation(facts.reach, labels, k)
    names = (
        "conductance", "worst conductance", "purity", "edges cut", "height of cuts", "lowest cut", "reach edges cut",
        "height of reach cuts", "lowest reach cut", "likelihood", "variance within", "density explained",
        "border density", "densest border", "border", "turn at borders", "evenness", "smallest", "clusters",
        "separation", "least separation",
    )  # fmt: skip
    values = [
        *_conductance(ground, facts, labels, crossing, held), 1 - float(crossing.mean()),
        *_heights_cut(facts.plain, labels, k, ground.unit), *_heights_cut(facts.reach, labels, k, ground.unit),
        *_compactness(ground, labels, held),
        explained, *_border_density(ground, density, labels, border, mean_density), float(border.mean()), float(turn),
        float(-(part * np.log(part)).sum() / np.log(max(k, 2))), min(float(part.min()) * k, 1.0), np.log(k),
        float(separation @ part), float(separation.min()),
    ]  # fmt: skip
    return dict(zip(names, values, strict=True))


def _conductance(ground: Ground, facts: Facts, labels: Ints, crossing: Bools, held: Floats) -> tuple[float, float]:
    """Return the fraction of edges that leave a cluster, or its complement if smaller: mean and largest."""
    leaving = np.bincount(labels[facts.source[crossing]], minlength=len(held))
    leaving += np.bincount(labels[facts.target[crossing]], minlength=len(held))
    size = np.bincount(labels, minlength=len(held))
    edges = 2 * (len(facts.source) / ground.n) * np.minimum(size, ground.n - size)
    shares = leaving / np.maximum(edges, 1)
    return float(shares.mean()), float(shares.max())


def _heights_cut(tree: Tree, labels: Ints, k: int, unit: float) -> tuple[float, float, float]:
    """Return log(1 + excess of cut tree edges over k − 1), and the mean and least log height of cut edges."""
    cut = labels[tree.edges[:, 0]] != labels[tree.edges[:, 1]]
    heights = np.log(np.maximum(tree.heights, 1e-9 * unit))
    if not cut.any():
        return 0.0, 0.0, 0.0
    off = heights[cut] - np.median(heights)
    return float(np.log1p(max(0, int(cut.sum()) - k + 1))), float(off.mean()), float(off.min())


def _compactness(ground: Ground, labels: Ints, held: Floats) -> tuple[float, float]:
    """Return the gain in log-likelihood of a Gaussian per cluster over one for all, and the log variance within."""
    mass, (n, m) = ground.mass, ground.points.shape
    points = ground.points - np.average(ground.points, axis=0, weights=mass)
    variance = float(mass @ (points**2).sum(axis=1)) / (n * m) or 1.0
    whole = _log_volumes((mass[:, None] * points).T @ points / n, 1e-9 * variance)
    centers = np.column_stack([_held(labels, mass * x) for x in points.T]) / held[:, None]
    off = points - centers[labels]
    covs = np.empty((len(held), m, m))
    for i in range(m):
        for j in range(i + 1):
            covs[:, i, j] = covs[:, j, i] = _held(labels, mass * off[:, i] * off[:, j]) / held
    within = float(held @ np.trace(covs, axis1=1, axis2=2))
    enough = np.bincount(labels) >= m + 2
    gains = np.where(enough, whole - _log_volumes(covs, 1e-4 * variance) + np.log(held / n), 0.0)
    return float(held @ gains) / (n * m), float(np.log(within / (n * m * variance) + 1e-9))


def _log_volumes(covs: Floats, floor: float) -> Floats:
    """Return half the log determinants."""
    return np.asarray(0.5 * np.linalg.slogdet(covs + max(floor, 1e-300) * np.eye(covs.shape[-1]))[1])


def _border_density(
    ground: Ground, density: Floats, labels: Ints, border: Bools, mean_density: Floats
) -> tuple[float, float]:
    """Return how much denser borders are than their clusters, per dimension: mean and largest."""
    held = np.bincount(labels[border], weights=ground.mass[border], minlength=len(mean_density))
    sums = np.bincount(labels[border], weights=(ground.mass * density)[border], minlength=len(mean_density))
    if not held.any():
        return -3.0, -3.0
    drop = (sums[held > 0] / held[held > 0] - mean_density[held > 0]) / ground.points.shape[1]
    return float(drop.mean()), float(drop.max())


def _separation(tree: Tree, labels: Ints, k: int) -> Floats:
    """Compare the lowest edge that leaves each cluster with its own long edges, from −1 to 1 (as DBCV does)."""
    ends = labels[tree.edges]
    inside = ends[:, 0] == ends[:, 1]
    leaving = np.full(k, float(tree.heights[-1]))
    for side in (0, 1):
        np.minimum.at(leaving, ends[~inside, side], tree.heights[~inside])
    own = np.full(k, float(np.median(tree.heights)))
    cluster = ends[inside, 0]
    order = np.argsort(cluster, kind="stable")  # heights ascend within each cluster
    count = np.bincount(cluster, minlength=k)
    last = (np.cumsum(count) - count + np.ceil(_HIGH * (count - 1)).astype(np.intp))[count > 0]
    own[count > 0] = tree.heights[inside][order[last]]
    return np.asarray((leaving - own) / np.maximum(np.maximum(leaving, own), 1e-300))


def _of_gaussians(ground: Ground, facts: Facts, labels: Ints, likelihood: float) -> dict[str, float]:
    """Return gains of Gaussians over one of them, less BIC's price, and how well centers tell clusters apart."""
    points, mass, n, k = facts.whitened, ground.mass, ground.n, int(labels.max()) + 1
    m, held = points.shape[1], _held(labels, mass)
    price = 0.5 * (k - 1) * np.log(n) / n
    m_full = ground.points.shape[1]
    full = likelihood - price * (1 + (m_full + 1) / 2)
    member = np.zeros((n, k))
    member[np.arange(n), labels] = mass
    centers = member.T @ points / held[:, None]
    squares = member.T @ points**2 / held[:, None]
    within = np.maximum(squares - centers**2, 1e-4)
    mixed = float(held @ np.log(held / n)) / n
    diagonal = (mixed - 0.5 * float(held @ np.log(within).sum(axis=1)) / n) / m - 2 * price
    scatter = np.eye(m) - (centers * held[:, None]).T @ centers / n
    tied = (mixed - 0.5 * np.linalg.slogdet(scatter + 1e-4 * np.eye(m))[1]) / m - price
    gains = {"full gain": full, "tied gain": tied, "diagonal gain": diagonal}
    if k == 1:
        return gains | {"silhouette": 0.0, "valley": 1.0, "shallowest valley": 1.0}
    scale = 1 / np.sqrt(held @ within / n)
    apart = _squared_distances(points * scale, centers * scale)
    own = apart[np.arange(n), labels].copy()
    apart[np.arange(n), labels] = np.inf
    other = np.sqrt(apart.min(axis=1))
    near = np.sqrt(own)
    silhouette = float(mass @ ((other - near) / np.maximum(np.maximum(other, near), 1e-300))) / n
    valleys = _valleys(points * scale, mass, labels, centers * scale)
    valley = float(held @ valleys) / n
    return gains | {"silhouette": silhouette, "valley": valley, "shallowest valley": float(valleys.max())}


def _squared_distances(points: Floats, centers: Floats) -> Floats:
    return np.asarray(cdist(points, centers, "sqeuclidean"))


def _valleys(points: Floats, mass: Floats, labels: Ints, centers: Floats) -> Floats:
    """Return, for each cluster, the density between it and the nearest other one, relative to the lower of two peaks.

    Densities are those of the points of both clusters along the line through their centers.
    """
    between = _squared_distances(centers, centers)
    np.fill_diagonal(between, np.inf)
    nearest, out = between.argmin(axis=1), np.ones(len(centers))
    known: dict[tuple[int, int], float] = {}
    for c, other in enumerate(nearest.tolist()):
        pair = (min(c, other), max(c, other))
        if pair not in known:
            known[pair] = _valley(points, mass, labels, centers, *pair)
        out[c] = known[pair]
    return out


def _valley(points: Floats, mass: Floats, labels: Ints, centers: Floats, a: int, b: int) -> float:
    both = np.flatnonzero((labels == a) | (labels == b))
    line = centers[b] - centers[a]
    length = float(line @ line)
    if length == 0:
        return 1.0
    along = (points[both] - (centers[a] + centers[b]) / 2) @ line * (2 / length)
    order = np.argsort(along, kind="stable")
    upto = np.append(0.0, np.cumsum(mass[both][order]))
    low, high = (np.searchsorted(along[order], _WINDOWS + off) for off in (-_HALF, _HALF))
    density = upto[high] - upto[low]
    inner = np.flatnonzero(np.abs(_WINDOWS) < 0.8)
    peaks = np.minimum(np.maximum.accumulate(density), np.maximum.accumulate(density[::-1])[::-1])
    return float(np.min((density[inner] + 0.5) / (peaks[inner] + 0.5)))
