"""Criteria of partitions that compare them with no other one: sums over clusters, for all partitions at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._types import Floats, Ints
from ..compute.trees.partitions_jit import compare_centers, nearest_other, scatter_clusters, sum_clusters
from ..engine import Engine
from ..hierarchy import Tree
from ..spaces import Euclidean
from .compact import MOST_SHARES
from .ground import Ground

NEAR = 10
"""Neighbors of a place in the graph of neighbors."""
_BINS = 33  # of width 0.1 along the line through two centers, which are at −1 and 1; a window has three of them
_INNER = slice(7, 23)  # the windows where valleys are looked for, with middles from −0.8 to 0.7
_HIGH = 0.95  # quantile of the edges within a cluster that represents the longest


class View(NamedTuple):
    """What partitions are seen on: a graph of neighbors, and two trees.

    Attributes
    ----------
    near, turns : arrays of shape (n, k)
        The nearest points, and how much the shape of the neighborhood changes on the way to them.
    first, first_logs, second, second_logs
        Edges of the trees, their log heights relative to the median.
    """

    near: Ints
    turns: Floats
    first: Ints
    first_logs: Floats
    second: Ints
    second_logs: Floats

    @classmethod
    def of(cls, near: Ints, turns: Floats | None, first: Tree, second: Tree, unit: float) -> View:
        """Prepare neighbors and trees."""
        near = np.ascontiguousarray(near[:, :NEAR])
        turns = np.zeros(near.shape) if turns is None else turns
        return cls(near, turns, first.edges, _log_heights(first, unit), second.edges, _log_heights(second, unit))


class Facts(NamedTuple):
    """Quantities that are the same for all partitions.

    Attributes
    ----------
    mass, density : arrays of shape (n,)
        Masses that sum to n, log densities.
    points, whitened : arrays of shape (n, m)
        Coordinates around their mean, and with the identity as covariance.
    view : View
        Neighbors, the tree of the distances, that of mutual reachability.
    reach_heights : array of shape (n − 1,)
        The heights of the latter.
    moved : View, or None
        The same after steps of a transform.
    """

    mass: Floats
    density: Floats
    points: Floats
    whitened: Floats
    view: View
    reach_heights: Floats
    moved: View | None


def facts_of(ground: Ground, plain: Tree, reach: Tree, turns: Floats | None = None, moved: View | None = None) -> Facts:
    """Collect the neighbor graph, log densities, coordinates and two trees."""
    view = View.of(ground.indices, turns, plain, reach, ground.unit)
    density = -ground.points.shape[1] * np.log(np.maximum(ground.to_tenth, 1e-9 * ground.unit))
    points = ground.points - np.average(ground.points, axis=0, weights=ground.mass)
    return Facts(ground.mass, density, points, _whitened(ground), view, reach.heights, moved)


def _log_heights(tree: Tree, unit: float) -> Floats:
    logs = np.log(np.maximum(tree.heights, 1e-9 * unit))
    return np.asarray(logs - np.median(logs))


def _whitened(ground: Ground) -> Floats:
    """Return all coordinates with the identity as covariance; axes without spread are left out."""
    points = ground.all_points - np.average(ground.all_points, axis=0, weights=ground.mass)
    values, axes = np.linalg.eigh((ground.mass[:, None] * points).T @ points / ground.n)
    kept = values > 1e-9 * values[-1]
    return np.ascontiguousarray(points @ (axes[:, kept] / np.sqrt(values[kept])))


class Runs(NamedTuple):
    """The clusters of all partitions, one after the other: where those of each partition begin, and how many it has."""

    starts: Ints
    counts: Ints

    @classmethod
    def of(cls, partitions: list[Ints]) -> Runs:
        """Return the runs of partitions whose clusters are numbered from 0."""
        counts = np.array([int(labels.max()) + 1 for labels in partitions])
        return cls(np.cumsum(counts) - counts, counts)

    @property
    def total(self) -> int:
        """The number of clusters of all partitions."""
        return int(self.counts.sum())

    def of_one(self, at: int) -> slice:
        """Return where the clusters of a partition are."""
        return slice(self.starts[at], self.starts[at] + self.counts[at])

    def add(self, values: Floats) -> Floats:
        """Add up values of clusters for each partition."""
        return np.asarray(np.add.reduceat(values, self.starts, axis=0))

    def least(self, values: Floats) -> Floats:
        """Return the least value of each partition."""
        return np.asarray(np.minimum.reduceat(values, self.starts))


class _Sums(NamedTuple):
    """What `sum_clusters` adds up."""

    values: Floats
    border: Floats
    totals: Floats
    leaving: Ints
    inside: Ints

    @classmethod
    def of(cls, view: View, values: Floats, partitions: list[Ints], runs: Runs, engine: Engine) -> _Sums:
        sums, border = np.zeros((runs.total, values.shape[1])), np.zeros((runs.total, 4))
        totals = np.zeros((len(partitions), 8))
        leaving, inside = np.full((runs.total, 2), len(view.second) - 1), np.zeros((runs.total, 2), np.intp)

        def add_up(at: int, _: Engine) -> None:
            own = runs.of_one(at)
            sum_clusters(
                partitions[at], view.near, view.turns, values, view.first, view.first_logs, view.second,
                view.second_logs, sums[own], border[own], totals[at], leaving[own], inside[own],
            )  # fmt: skip

        engine.silent().map(add_up, range(len(partitions)), "criteria")
        return cls(sums, border, totals, leaving, inside)

    def criteria(self, runs: Runs, n: int, n_near: int, names: tuple[str, ...]) -> dict[str, Floats]:
        """Return mean and worst conductance, and purity; and of each tree what is cut.

        That is log(1 + excess of cut edges over k − 1), and the mean and least height of the cut edges.
        """
        sizes = self.values[:, 0]
        share = self.border[:, 0] / np.maximum(2 * n_near * np.minimum(sizes, n - sizes), 1)
        values = [runs.add(share) / runs.counts, -runs.least(-share), 1 - self.totals[:, 0] / (n * n_near)]
        for n_cut, total, least in (self.totals[:, 2:5].T, self.totals[:, 5:8].T):
            values += [np.log1p(np.maximum(0, n_cut - runs.counts + 1)), total / np.maximum(n_cut, 1), least]
        return dict(zip(names, values, strict=True))


_PLAIN = (
    "conductance", "worst conductance", "purity", "edges cut", "height of cuts", "lowest cut", "reach edges cut",
    "height of reach cuts", "lowest reach cut",
)  # fmt: skip
_AFTER_A_STEP = (
    "conductance after a step", "worst conductance after a step", "purity after a step", "transformed edges cut",
    "height of transformed cuts", "lowest transformed cut", "edges cut after a step", "height of cuts after a step",
    "lowest cut after a step",
)  # fmt: skip


def describe(facts: Facts, partitions: list[Ints], engine: Engine) -> dict[str, Floats]:
    """Return the criteria of each partition that need no other one, by name."""
    (n, n_near), m, runs = facts.view.near.shape, facts.points.shape[1], Runs.of(partitions)
    mass, whitened, counts = facts.mass[:, None], facts.whitened, runs.counts
    spread_points = np.column_stack([facts.points, facts.density])
    values = np.column_stack([np.ones(n), mass, mass * spread_points[:, ::-1], mass * whitened, mass * whitened**2])
    added = _Sums.of(facts.view, values, partitions, runs, engine)
    sums, border, totals, leaving, inside = added
    sizes, held = sums[:, 0], sums[:, 1]
    means = sums[:, 2:] / held[:, None]
    of_points, of_whitened = np.ascontiguousarray(means[:, m::-1]), means[:, m + 1 : m + 1 + whitened.shape[1]]
    within = np.maximum(means[:, m + 1 + whitened.shape[1] :] - of_whitened**2, 1e-4)
    scale = 1 / np.sqrt(runs.add(held[:, None] * within) / n)
    covs, ranks = np.zeros((runs.total, m + 1, m + 1)), np.ceil(_HIGH * (inside[:, 1] - 1)).astype(np.intp)
    longest, silhouettes, valleys = np.zeros(runs.total, np.intp), np.zeros(len(counts)), np.ones(runs.total)
    scatter = np.empty((len(counts), whitened.shape[1], whitened.shape[1]))

    def compare(at: int, alone: Engine) -> None:
        own, labels, middles = runs.of_one(at), partitions[at], of_whitened[runs.of_one(at)]
        scatter_clusters(
            labels, facts.mass, spread_points, of_points[own], facts.view.second, ranks[own], covs[own], longest[own]
        )
        scatter[at] = np.eye(whitened.shape[1]) - np.einsum("c,ci,cj->ij", held[own] / n, middles, middles)
        if counts[at] > 1:
            scaled = whitened * scale[at], middles * scale[at]
            silhouettes[at], valleys[own] = _between(labels, facts.mass, *scaled, alone)

    engine.silent().map(compare, range(len(partitions)), "criteria")
    on_border = border[:, 2] > 0
    drop = np.where(on_border, border[:, 3] / np.where(on_border, border[:, 2], 1.0) - means[:, 0], 0.0) / m
    n_with, n_crossing = runs.add(on_border.astype(float)), totals[:, 0]
    part = held / np.repeat(runs.add(held), counts)
    heights, middle = facts.reach_heights, float(np.median(facts.reach_heights))
    left, inner = heights[leaving[:, 1]], np.where(inside[:, 1] > 0, heights[longest], middle)
    separations = (left - inner) / np.maximum(np.maximum(left, inner), 1e-300)
    off = facts.density - facts.density.mean()
    price, mixed = 0.5 * (counts - 1) * np.log(n) / n, runs.add(held * np.log(held / n)) / n
    likelihood, variance = _gain(facts, runs, sizes, held, covs[:, :m, :m])
    on_whole = np.where(on_border, -drop, np.inf)
    found = added.criteria(runs, n, n_near, _PLAIN) | {
        "likelihood": likelihood,
        "variance within": variance,
        "density explained": 1 - runs.add(covs[:, m, m]) / n / ((off**2).sum() / n + 1e-12),
        "border density": np.where(n_with > 0, runs.add(drop) / np.maximum(n_with, 1), -3.0),
        "densest border": np.where(n_with > 0, -runs.least(on_whole), -3.0),
        "border": runs.add(border[:, 1]) / n,
        "turn at borders": np.where(
            n_crossing > 0, totals[:, 1] / np.maximum(n_crossing, 1) / (facts.view.turns.mean() + 1e-12), 2.0
        ),
        "evenness": -runs.add(part * np.log(part)) / np.log(np.maximum(counts, 2)),
        "smallest": np.minimum(runs.least(part) * counts, 1.0),
        "clusters": np.log(counts),
        "separation": runs.add(part * separations),
        "least separation": runs.least(separations),
        "full gain": likelihood - price * (1 + (m + 1) / 2),
        "tied gain": (mixed - log_volumes(scatter, 1e-4)) / whitened.shape[1] - price,
        "diagonal gain": (mixed - 0.5 * runs.add(held * np.log(within).sum(axis=1)) / n) / whitened.shape[1]
        - 2 * price,
        "silhouette": silhouettes / n,
        "valley": runs.add(held * valleys) / n,
        "shallowest valley": -runs.least(-valleys),
    }
    if facts.moved is None:
        return found
    after = _Sums.of(facts.moved, np.ascontiguousarray(values[:, :3]), partitions, runs, engine)
    return found | after.criteria(runs, n, n_near, _AFTER_A_STEP)


def _gain(facts: Facts, runs: Runs, sizes: Floats, held: Floats, covs: Floats) -> tuple[Floats, Floats]:
    """Return the gain in log-likelihood of a Gaussian per cluster over one for all, and the log variance within."""
    n, m = facts.points.shape
    whole = np.einsum("n,ni,nj->ij", facts.mass / n, facts.points, facts.points)
    variance = float(np.trace(whole)) / m or 1.0
    of_whole = log_volumes(whole[None], max(1e-9 * variance, 1e-300))
    own = log_volumes(covs / held[:, None, None], max(1e-4 * variance, 1e-300))
    gains = np.where(sizes >= m + 2, held * (of_whole - own + np.log(held / n)), 0.0)
    within = runs.add(np.trace(covs, axis1=1, axis2=2))
    return runs.add(gains) / (n * m), np.log(within / (n * m * variance) + 1e-9)


def log_volumes(covs: Floats, floor: float) -> Floats:
    """Return half the log determinants of symmetric matrices plus floor·I, from their lower triangles."""
    left, total = covs + floor * np.eye(covs.shape[-1]), np.zeros(len(covs))
    for _ in range(covs.shape[-1]):  # the first row and column are eliminated
        pivot, column = np.maximum(left[:, 0, 0], 1e-300), left[:, 1:, 0]
        total += 0.5 * np.log(pivot)
        left = left[:, 1:, 1:] - column[:, :, None] * (column / pivot[:, None])[:, None, :]
    return total


def _between(labels: Ints, mass: Floats, points: Floats, centers: Floats, engine: Engine) -> tuple[float, Floats]:
    """Return the sum of silhouettes by centers, and for each cluster the valley between it and the nearest other one.

    A valley is the density between two centers relative to the lower of the peaks on both sides, along the line through
    them.
    """
    own = np.arange(len(centers))
    squares, nearest = _nearest_other(centers, own, centers, engine)
    a, b = centers[np.minimum(own, nearest)], centers[np.maximum(own, nearest)]
    bins = np.zeros((len(centers), _BINS))
    lines = (b - a) * (20 / np.where(squares > 0, squares, np.inf))[:, None]
    offsets = _BINS / 2 + 1e-9 - (lines * (a + b)).sum(axis=1) / 2  # rounding moves no point to the bin below
    ends = np.append(own, nearest)  # a cluster has points on its own line, and on those of which it is the nearest
    by_end = np.argsort(ends, kind="stable")
    first, crossed = np.searchsorted(ends[by_end], np.arange(len(centers) + 1)), np.append(own, own)[by_end]
    others = np.sqrt(_nearest_other(points, labels, centers, engine)[0])
    silhouettes = compare_centers(labels, mass, points, centers, others, lines, offsets, first, crossed, bins)
    density = bins[:, :-2] + bins[:, 1:-1] + bins[:, 2:]
    peaks = np.maximum.accumulate(density, axis=1), np.maximum.accumulate(density[:, ::-1], axis=1)[:, ::-1]
    ratios = (density + 0.5) / (np.minimum(*peaks) + 0.5)
    return silhouettes, np.where(squares > 0, ratios[:, _INNER].min(axis=1), 1.0)


def _nearest_other(points: Floats, labels: Ints, centers: Floats, engine: Engine) -> tuple[Floats, Ints]:
    """Return the squared distance to the nearest center of another cluster, and its number, for each point."""
    if len(points) * len(centers) > MOST_SHARES:
        distances, indices = Euclidean(centers).neighbors(2, Euclidean(points), engine)
        second = (indices[:, :1] == labels[:, None]).astype(np.intp)
        return np.take_along_axis(distances, second, 1)[:, 0] ** 2, np.take_along_axis(indices, second, 1)[:, 0]
    squares, nearest = np.empty(len(points)), np.zeros(len(points), np.intp)
    nearest_other(points, labels, centers, squares, nearest)
    return squares, nearest
