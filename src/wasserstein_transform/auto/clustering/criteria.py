"""Criteria of partitions that need no labels, and the judge: a model that predicts from them how good a partition is.

No criterion depends on units or on the order of the points. Graphs are of the ten nearest neighbors; d₁₀ is the
distance to the tenth, and −m·log d₁₀ is the log density up to a constant.

The judge is a sum of small regression trees, trained on generated families of shapes only
(`benchmarks/quality/train.py`): one for points with up to three coordinates, one for tables with more, each with and
without a given number of clusters. It predicts the adjusted Rand index that partitions with similar criteria had there.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np

from ..._types import Bools, Floats, Ints
from ...compute.passes import sample_evenly
from ...engine import Engine
from ...hierarchy import Tree
from .candidates import Candidate
from .ground import Ground

_NEAR = 10
_COMPARED = 2000  # places by which partitions are compared
_HIGH = 0.95  # quantile of the edges within a cluster that represents the longest

NAMES = (
    "agreement", "agreement of trees", "agreement of compact", "median agreement", "votes",
    "conductance", "worst conductance", "purity",
    "edges cut", "height of cuts", "lowest cut",
    "reach edges cut", "height of reach cuts", "lowest reach cut",
    "likelihood", "variance within", "density explained", "border density", "densest border", "border",
    "turn at borders",
    "evenness", "smallest", "clusters", "clusters of those wanted", "separation", "least separation", "gap",
    "smallest share", "middle share", "largest share",
    "lasting", "plain", "reachability", "transformed", "compact", "radius", "lambda", "iterations",
    "full gain", "tied gain", "diagonal gain", "silhouette", "valley", "shallowest valley",
    "Ward", "spectral", "full", "tied", "diagonal", "axes", "agreement at its number", "votes of its number",
)  # fmt: skip
_LIKELIHOOD = NAMES.index("likelihood") - 5  # of the numbers after agreement and votes
OF_DATA = ("points", "dimension", "variation of density", "elongation", "mean agreement", "different partitions")


class Facts(NamedTuple):
    """Quantities that are the same for all partitions."""

    source: Ints
    target: Ints
    density: Floats
    turns: Floats
    plain: Tree
    reach: Tree
    elongation: float
    whitened: Floats


def facts_of(ground: Ground, plain: Tree, reach: Tree) -> Facts:
    """Compute the neighbor graph, log densities, changes of neighborhood shape along its edges, and two trees."""
    source, target, density = _graph_of(ground)
    around = ground.points[ground.indices]
    around = around - around.mean(axis=1, keepdims=True)
    covs = np.einsum("nka,nkb->nab", around, around)
    covs /= np.maximum(np.trace(covs, axis1=1, axis2=2), 1e-300)[:, None, None]
    turns = np.sqrt(((covs[source] - covs[target]) ** 2).sum(axis=(1, 2)))
    elongation = float(np.linalg.eigvalsh(covs)[:, -1].mean())
    return Facts(source, target, density, turns, plain, reach, elongation, _whitened(ground))


def _graph_of(ground: Ground) -> tuple[Ints, Ints, Floats]:
    """Return the edges of the neighbor graph, and log densities."""
    near = ground.indices[:, :_NEAR]
    tenth = np.maximum(ground.distances[:, near.shape[1] - 1], 1e-9 * ground.unit)
    source, target = np.repeat(np.arange(ground.n), near.shape[1]), near.ravel()
    return source, target, -ground.points.shape[1] * np.log(tenth)


def _whitened(ground: Ground) -> Floats:
    """Return all coordinates with the identity as covariance; axes without spread are left out."""
    points = ground.all_points - np.average(ground.all_points, axis=0, weights=ground.mass)
    values, axes = np.linalg.eigh((ground.mass[:, None] * points).T @ points / ground.n)
    kept = values > 1e-9 * values[-1]
    return np.asarray(points @ (axes[:, kept] / np.sqrt(values[kept])))


class Partitions(NamedTuple):
    """Different partitions, and the candidates that gave each of them."""

    labels: list[Ints]
    members: list[list[Candidate]]

    @classmethod
    def of(cls, candidates: list[Candidate]) -> Partitions:
        """Group candidates by equal partitions."""
        groups: dict[bytes, list[Candidate]] = {}
        for one in candidates:
            groups.setdefault(one.labels.tobytes(), []).append(one)
        return cls([group[0].labels for group in groups.values()], list(groups.values()))


def measure(ground: Ground, facts: Facts, partitions: Partitions, wanted: int | None, engine: Engine) -> Floats:
    """Return a row of numbers for each partition, in the order of NAMES, then of OF_DATA."""
    some = sample_evenly(ground.n, _COMPARED)
    agreement = adjusted_rand([labels[some] for labels in partitions.labels], ground.mass[some])
    votes = np.array([len(group) for group in partitions.members], float)
    of_trees = np.array([sum(one.recipe.is_tree for one in group) for group in partitions.members], float)
    compact = votes - of_trees
    columns = [_of_others(agreement, votes), _of_others(agreement, of_trees), _of_others(agreement, compact)]
    columns += [_weighted_medians(agreement, votes), np.log(votes / votes.sum())]
    rows = []
    for labels, group in zip(partitions.labels, partitions.members, strict=True):
        engine.check()
        rows.append([*_of_partition(ground, facts, labels, wanted), *_of_members(group)])
        rows[-1] += [*_of_gaussians(ground, facts, labels, rows[-1]), *_of_compact(group)]
    columns_after = _of_number(agreement, votes, np.array([len(np.unique(labels)) for labels in partitions.labels]))
    data = [
        np.log(ground.n), ground.points.shape[1], facts.density.std(), facts.elongation,
        np.average(columns[0], weights=votes), len(votes) / votes.sum(),
    ]  # fmt: skip
    return np.concatenate([np.column_stack(columns), rows, columns_after, np.tile(data, (len(rows), 1))], axis=1)


def measure_alone(ground: Ground, labels: Ints, reach: Tree) -> dict[str, float]:
    """Return the criteria of one partition that compare it with no others and need few arrays, by name."""
    source, target, density = _graph_of(ground)
    facts = Facts(source, target, density, np.zeros(len(source)), reach, reach, 0.0, _whitened(ground))
    row = _of_partition(ground, facts, labels, None)
    gaussian = _of_gaussians(ground, facts, labels, row)
    first, then = NAMES.index("conductance"), NAMES.index("full gain")
    return dict(zip(NAMES[first:], row, strict=False)) | dict(zip(NAMES[then:], gaussian, strict=False))


def _of_number(agreement: Floats, votes: Floats, counts: Ints) -> Floats:
    """Return the mean agreement with other partitions into as many clusters, and the fraction of votes for them."""
    same = (counts[:, None] == counts) * votes
    total = same.sum(axis=1)
    mean = (np.einsum("ij,ij->i", agreement, same) - 1) / np.maximum(total - 1, 1)
    return np.column_stack([np.where(total > 1, mean, 0.0), total / votes.sum()])


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


def compare_clusterings(a: Ints, b: Ints) -> float:
    """Return the adjusted Rand index of two clusterings: 1 for the same clusters, about 0 for unrelated ones."""
    numbers = [np.unique(labels, return_inverse=True)[1] for labels in (a, b)]
    return float(adjusted_rand(numbers, np.ones(len(a)))[0, 1])


def _held(labels: Ints, mass: Floats) -> Floats:
    """Return the mass of each cluster."""
    return np.asarray(np.bincount(labels, weights=mass), np.float64)


def _of_others(agreement: Floats, votes: Floats) -> Floats:
    """Return the mean agreement with the votes, without its own."""
    return np.asarray((agreement @ votes - (votes > 0)) / max(votes.sum() - 1, 1))


def _weighted_medians(agreement: Floats, votes: Floats) -> Floats:
    return np.median(np.repeat(agreement, votes.astype(np.intp), axis=1), axis=1)


def _of_partition(ground: Ground, facts: Facts, labels: Ints, wanted: int | None) -> list[float]:
    k, mass, density = int(labels.max()) + 1, ground.mass, facts.density
    held = _held(labels, mass)
    part = held / held.sum()
    crossing = labels[facts.source] != labels[facts.target]
    border = crossing.reshape(ground.n, -1).any(axis=1)
    mean_density = np.bincount(labels, weights=mass * density) / held
    explained = 1 - float(mass @ (density - mean_density[labels]) ** 2) / ground.n / (density.var() + 1e-12)
    turn = facts.turns[crossing].mean() / (facts.turns.mean() + 1e-12) if crossing.any() else 2.0
    separation = _separation(facts.reach, labels, k)
    return [
        *_conductance(ground, facts, labels, crossing, held), 1 - float(crossing.mean()),
        *_heights_cut(facts.plain, labels, k, ground.unit), *_heights_cut(facts.reach, labels, k, ground.unit),
        *_compactness(ground, labels, held),
        explained, *_border_density(ground, density, labels, border, mean_density), float(border.mean()), float(turn),
        float(-(part * np.log(part)).sum() / np.log(max(k, 2))), min(float(part.min()) * k, 1.0), np.log(k),
        k / wanted if wanted else 1.0, float(separation @ part), float(separation.min()),
    ]  # fmt: skip


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


def _of_members(group: list[Candidate]) -> list[float]:
    """Describe the recipes that gave a partition."""
    recipes = [one.recipe for one in group]
    shares = [recipe.share for recipe in recipes]
    walks = [recipe for recipe in recipes if recipe.kind == "gaussian"]
    return [
        max(one.gap for one in group),
        *(float(np.mean([share in pair for share in shares])) for pair in ((0.1, 0.01), (0.25, 0.03), (0.5, 0.08))),
        float(np.mean([recipe.lasting for recipe in recipes])),
        float(any(recipe.kind == "tree" for recipe in recipes)),
        float(any(recipe.kind == "reach" for recipe in recipes)),
        len(walks) / len(recipes),
        float(any(not recipe.is_tree for recipe in recipes)),
        *(
            (float(np.mean(np.log([w.factor for w in walks]))), float(np.mean(np.log([w.lam for w in walks]))),
             float(np.mean([w.n_iter for w in walks]))) if walks else (0.0, 0.0, 0.0)
        ),
    ]  # fmt: skip


_WINDOWS = np.arange(-1.5, 1.51, 0.1)  # centers, where the centers of two clusters are −1 and 1
_HALF = 0.15  # half their width


def _of_gaussians(ground: Ground, facts: Facts, labels: Ints, before: list[float]) -> list[float]:
    """Return gains of Gaussians over one of them, less BIC's price, and how well centers tell clusters apart."""
    points, mass, n, k = facts.whitened, ground.mass, ground.n, int(labels.max()) + 1
    m, held = points.shape[1], _held(labels, mass)
    price = 0.5 * (k - 1) * np.log(n) / n
    m_full = ground.points.shape[1]
    full = before[_LIKELIHOOD] - price * (1 + (m_full + 1) / 2)
    member = np.zeros((n, k))
    member[np.arange(n), labels] = mass
    centers = member.T @ points / held[:, None]
    squares = member.T @ points**2 / held[:, None]
    within = np.maximum(squares - centers**2, 1e-4)
    mixed = float(held @ np.log(held / n)) / n
    diagonal = (mixed - 0.5 * float(held @ np.log(within).sum(axis=1)) / n) / m - 2 * price
    scatter = np.eye(m) - (centers * held[:, None]).T @ centers / n
    tied = (mixed - 0.5 * np.linalg.slogdet(scatter + 1e-4 * np.eye(m))[1]) / m - price
    if k == 1:
        return [full, tied, diagonal, 0.0, 1.0, 1.0]
    scale = 1 / np.sqrt(held @ within / n)
    apart = _squared_distances(points * scale, centers * scale)
    own = apart[np.arange(n), labels].copy()
    apart[np.arange(n), labels] = np.inf
    other = np.sqrt(apart.min(axis=1))
    near = np.sqrt(own)
    silhouette = float(mass @ ((other - near) / np.maximum(np.maximum(other, near), 1e-300))) / n
    valleys = _valleys(points * scale, mass, labels, centers * scale)
    return [full, tied, diagonal, silhouette, float(held @ valleys) / n, float(valleys.max())]


def _squared_distances(points: Floats, centers: Floats) -> Floats:
    found = (points**2).sum(axis=1)[:, None] - 2 * points @ centers.T + (centers**2).sum(axis=1)
    return np.asarray(np.maximum(found, 0.0))


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


def _of_compact(group: list[Candidate]) -> list[float]:
    """Describe the compact recipes that gave a partition."""
    recipes = [one.recipe for one in group]
    mixtures = [recipe.shape for recipe in recipes if recipe.kind == "mixture"]
    return [
        float(any(recipe.kind == "ward" for recipe in recipes)),
        float(any(recipe.kind == "spectral" for recipe in recipes)),
        *(float(shape in mixtures) for shape in ("full", "tied", "diagonal")),
        float(np.mean([np.log1p(recipe.axes) for recipe in recipes])),
    ]


class Rule(NamedTuple):
    """How a partition is chosen if the number of clusters is not given.

    Attributes
    ----------
    least : float
        If no split is expected to reach this, there is one cluster.
    whole : float
        The same, if the best split is not expected to be better than no split by more than this.
    close : float
        Splits whose expected values differ by less are equally good, and votes decide.
    """

    least: float
    whole: float
    close: float

    def choose(self, expected: Floats, counts: Ints, votes: Ints) -> int | None:
        """Return the chosen split; None if there is one cluster."""
        splits = np.where(counts > 1, expected, -np.inf)
        best = splits.max()
        if best < self.least or best <= expected[counts == 1].max(initial=-np.inf) + self.whole:
            return None
        return best_of(splits, votes, self.close)


RULES = {"flat": Rule(0.4, 0.1, 0.08), "wide": Rule(0.2, 0.1, 0.0)}
"""For up to three coordinates, and for more: the best on generated sets that were kept apart from training, among those
that find one cluster in at least 95 % of clouds without structure."""


def best_of(expected: Floats, votes: Ints, close: float = 0.0) -> int:
    """Return the partition with most votes among those expected to be nearly as good as the best."""
    near = expected >= expected.max() - close
    return int(np.lexsort((-np.arange(len(votes)), expected, np.where(near, votes, -1)))[-1])


_DIGITS = 7  # of features and of expected values, after the point


class Judge(NamedTuple):
    """A sum of complete binary trees of one depth.

    Attributes
    ----------
    start : float
        Initial value of the sum.
    features, thresholds : arrays of shape (n_trees, 2^depth − 1)
        At each node, level by level, the feature to compare, and the largest value to go left.
    values : array of shape (n_trees, 2^depth)
        Values of the leaves.
    told : arrays of shape (2, n)
        Values of the sum, and the adjusted Rand index that chosen partitions of such values had in sets kept apart.
    """

    start: float
    features: Ints
    thresholds: Floats
    values: Floats
    told: Floats

    @classmethod
    @cache
    def of(cls, name: str) -> Judge:
        """Return a judge: "flat_with_count", "flat_without_count", "wide_with_count" or "wide_without_count"."""
        stored = json.loads(files(__package__).joinpath("judge.json").read_text("utf-8"))
        assert stored["criteria"] == [*NAMES, *OF_DATA]  # the criteria it was trained on
        return cls.from_json(stored[name])

    @classmethod
    def from_json(cls, model: dict[str, Any]) -> Judge:
        """Return the judge that a file describes."""
        features, thresholds, values = (np.array([tree[i] for tree in model["trees"]]) for i in range(3))
        return cls(model["start"], features, thresholds, values, np.array(model["told"]))

    def __call__(self, criteria: Floats) -> Floats:
        """Return the expected value of each partition."""
        return self.of_features(asked(criteria))

    def of_features(self, numbers: Floats) -> Floats:
        """Return the expected value of partitions with these features; their rounding decides nothing."""
        numbers, tree = np.round(numbers, _DIGITS), np.arange(len(self.features))
        at = np.zeros((len(numbers), len(tree)), np.intp)
        while at[0, 0] < self.features.shape[1]:
            number = np.take_along_axis(numbers, self.features[tree, at], axis=1)
            at = 2 * at + 1 + (number > self.thresholds[tree, at])
        total = self.start + self.values[tree, at - self.features.shape[1]].sum(axis=1)
        return np.asarray(np.round(total, _DIGITS))

    def tell(self, expected: Floats) -> Floats:
        """Return the adjusted Rand index to expect of partitions of these values, if they are chosen."""
        return np.interp(expected, *self.told)


def asked(criteria: Floats, ends: Floats | None = None) -> Floats:
    """Return the features: criteria of each partition, how far they are from the extremes, and those of the data."""
    own = criteria[:, : len(NAMES)]
    largest, smallest = (own.max(axis=0), own.min(axis=0)) if ends is None else ends
    return np.concatenate([own, own - largest, own - smallest, criteria[:, len(NAMES) :]], axis=1)
