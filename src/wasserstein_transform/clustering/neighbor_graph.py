"""Points with many columns, such as embeddings of sentences: communities of the neighbor graph, at a scale that lasts.

Each point is linked to its nearest on all coordinates, and a link is as strong as the share of neighbors that both ends
have in common. Partitions of large modularity are made at many resolutions. Two things tell how good a resolution is:
whether partitions of random parts of the points agree, and whether they agree with Ward's linkage of the points after
one step of mean shift, each to the mean of its nearest. Both are compared with what a Gaussian cloud of the same mean
and covariances gives, which has no groups.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist

from .._types import Floats, Ints
from ..compute import sample_evenly
from ..compute.graphs.modularity_jit import LinkGraph, maximize_modularity, modularity_workspace
from ..engine import Engine, one_blas_thread
from ..hierarchy.labels import adjusted_rand, number_by_first
from ..spaces import Euclidean
from ..tables.features import are_directions
from .candidates import Candidate, Recipe
from .compact import lloyd
from .ground import LINKS, STEP_NEIGHBORS, Ground

_RESOLUTIONS = 2.0 ** np.arange(-3.0, 9.0)
_BETWEEN = 2.0**0.5  # factor to the resolutions that are tried around the best
_FEWEST = 8  # mean number of points of a cluster, at least
_N_PARTS, _SHARE = 4, 0.8  # random parts of the points, and how many each has
_COMPARED = 2000  # points that Ward's linkage joins, and of the cloud without groups
_JOINED = 4000  # points that linkage joins if the number of clusters is given
_AXES = 64
_LEAST_VALUE, _LEAST_GAP = 1.0, 0.11  # of a split: sum of both agreements; silhouette above that of the cloud


class NeighborGraph(NamedTuple):
    """A weighted graph: the ends of each link, in both directions, and links in compressed rows."""

    sources: Ints
    links: LinkGraph

    @classmethod
    def of(cls, matrix: csr_array) -> NeighborGraph:
        """The graph of a symmetric matrix of strengths."""
        n = matrix.shape[0]
        sources = np.repeat(np.arange(n), np.diff(matrix.indptr))
        degrees = np.bincount(sources, matrix.data, n)
        return cls(
            sources, LinkGraph(matrix.indptr.astype(np.intp), matrix.indices.astype(np.intp), matrix.data, degrees)
        )

    def partition(self, resolution: float, seed: int = 0, start: Ints | None = None) -> Ints:
        """A partition of large modularity."""
        n = len(self.links.degrees)
        labels = np.arange(n) if start is None else start.copy()
        work = modularity_workspace(n, len(self.sources))
        maximize_modularity(self.links, labels, resolution, seed, work)
        return number_by_first(labels)


def link_strengths(indices: Ints, mass: Floats) -> csr_array:
    """The share of neighbors that two points have in common, the points included, if one is a neighbor of the other."""
    n, k = indices.shape
    near = csr_array((np.ones(n * k), indices.ravel(), np.arange(0, n * k + 1, k)), shape=(n, n))
    near.sort_indices()
    linked = ((near + near.T) > 0).astype(np.float64)
    near.setdiag(1.0)
    common = csr_array(linked.multiply(near @ near.T))
    common.data /= 2 * (k + 1) - common.data
    common.sort_indices()
    ends = np.repeat(np.arange(n), np.diff(common.indptr))
    common.data *= mass[ends] * mass[common.indices]
    return common


class Scale(NamedTuple):
    """A resolution, a partition there, and how well it lasts."""

    resolution: float
    labels: Ints
    stability: float
    agreement: float
    silhouette: float

    @property
    def n_clusters(self) -> int:
        return int(self.labels.max()) + 1

    @property
    def lasting(self) -> float:
        """The sum of both agreements."""
        return self.stability + self.agreement


class Cloud(NamedTuple):
    """Points with what their partitions are made of and compared by."""

    mass: Floats
    strengths: csr_array
    graph: NeighborGraph
    parts: list[tuple[Ints, NeighborGraph]]
    some: Ints
    moved: Floats
    merges: Floats

    @classmethod
    def of(cls, points: Floats, mass: Floats, indices: Ints, n_compared: int = _COMPARED) -> Cloud:
        """Prepare points whose nearest others are known."""
        strengths = link_strengths(indices[:, :LINKS], mass)
        n, rng, parts = len(points), np.random.default_rng(0), []
        for _ in range(_N_PARTS):
            nodes = np.sort(rng.choice(n, int(_SHARE * n), replace=False))
            parts.append((nodes, NeighborGraph.of(csr_array(strengths[nodes][:, nodes]))))
        some = sample_evenly(n, n_compared)
        moved = leading_axes(moved_to_neighbors(points, mass, indices[:, :STEP_NEIGHBORS], some))
        return cls(mass, strengths, NeighborGraph.of(strengths), parts, some, moved, linkage(moved, "ward"))

    def scale(self, resolution: float, least: float, engine: Engine) -> Scale | None:
        """The partition at a resolution into clusters of at least this mass; None if it has too many clusters."""
        engine.check()
        labels = self.graph.partition(resolution, 1, self.graph.partition(resolution))
        n = len(labels)
        if labels.max() >= n / _FEWEST and resolution > _RESOLUTIONS[0]:
            return None
        labels = self.without_small(labels, least)
        found = np.full((len(self.parts), n), -1)
        for row, (nodes, graph) in zip(found, self.parts, strict=True):
            row[nodes] = graph.partition(resolution)
        pairs = [(a, b) for i, a in enumerate(found) for b in found[:i]]
        both = [adjusted_rand(a[there], b[there]) for a, b in pairs if (there := (a >= 0) & (b >= 0)).any()]
        own = number_by_first(labels[self.some])
        if own.max() == 0:
            return Scale(resolution, labels, float(np.mean(both)), 1.0, 0.0)
        agreement = adjusted_rand(own, fcluster(self.merges, int(own.max()) + 1, "maxclust"))
        return Scale(resolution, labels, float(np.mean(both)), agreement, silhouette(self.moved, own))

    def without_small(self, labels: Ints, least: float) -> Ints:
        """Small communities join those that they are linked to most, the smallest first."""
        if np.bincount(labels, self.mass).min() >= least:
            return labels
        communities = _Communities(self, labels, 0.0)
        while communities.masses.min() < least and len(communities.masses) > 1:
            smallest = int(communities.masses.argmin())
            communities.join(smallest, int(communities.gains[smallest].argmax()))
        return number_by_first(communities.home[labels])

    def merged(self, k: int) -> Ints | None:
        """Communities, merged until k are left, by the least loss of modularity; None if there are fewer."""
        for resolution in _RESOLUTIONS.tolist():
            labels = self.graph.partition(resolution, 1, self.graph.partition(resolution))
            if labels.max() + 1 >= k:
                communities = _Communities(self, labels, resolution)
                while len(communities.masses) > k:
                    communities.join(*divmod(int(communities.gains.argmax()), len(communities.gains)))
                return number_by_first(communities.home[labels])
        return None

    def scales(self, resolutions: Floats, least: float, engine: Engine) -> list[Scale]:
        """The partitions at those of some resolutions that do not have too many clusters."""
        found = engine.map(lambda one, own: self.scale(one, least, own), resolutions.tolist(), "neighbor graphs")
        return [one for one in found if one is not None]


class _Communities:
    """Communities that are joined: gains in modularity for each two, masses, and the number of each one now."""

    def __init__(self, cloud: Cloud, labels: Ints, resolution: float) -> None:
        n = len(labels)
        members = csr_array((np.ones(n), labels, np.arange(n + 1)))
        between = (members.T @ cloud.strengths @ members).toarray()
        degrees = between.sum(axis=1)
        self.gains = between - resolution * np.outer(degrees, degrees) / max(degrees.sum(), 1e-300)
        np.fill_diagonal(self.gains, -np.inf)
        self.masses = np.bincount(labels, cloud.mass)
        self.home = np.arange(len(self.masses))

    def join(self, one: int, other: int) -> None:
        kept, gone = min(one, other), max(one, other)
        self.gains[kept] += self.gains[gone]
        self.gains[:, kept] = self.gains[kept]
        self.gains[kept, kept] = -np.inf
        self.gains = np.delete(np.delete(self.gains, gone, 0), gone, 1)
        self.masses[kept] += self.masses[gone]
        self.masses = np.delete(self.masses, gone)
        self.home = np.where(self.home == gone, kept, self.home)
        self.home -= self.home > gone


def moved_to_neighbors(points: Floats, mass: Floats, indices: Ints, rows: Ints) -> Floats:
    """Some points, moved to the means of their nearest and themselves; directions stay directions."""
    near = np.column_stack([rows, indices[rows]])
    n, k = near.shape
    weights = mass[near] / mass[near].sum(axis=1, keepdims=True)
    moved = csr_array((weights.ravel(), near.ravel(), np.arange(0, n * k + 1, k)), shape=(n, len(points))) @ points
    if are_directions(points):
        moved /= np.maximum(np.linalg.norm(moved, axis=1, keepdims=True), 1e-300)
    return np.asarray(moved)


def leading_axes(points: Floats) -> Floats:
    """Coordinates along the leading principal axes, found by powers of the covariances."""
    centered = points - points.mean(axis=0)
    count = min(_AXES, *points.shape)
    if count == points.shape[1]:
        return np.asarray(centered)
    basis = np.random.default_rng(0).standard_normal((points.shape[1], min(2 * count, *points.shape)))
    for _ in range(4):
        basis = np.linalg.qr(centered.T @ (centered @ basis))[0]
    inner = centered @ basis
    return np.asarray(inner @ np.linalg.eigh(inner.T @ inner)[1][:, -count:])


def silhouette(points: Floats, labels: Ints) -> float:
    """The mean difference of the distances to the nearest other center and to the own, relative to the larger."""
    centers = _centers(points, labels)
    apart, rows = cdist(points, centers), np.arange(len(points))
    own = apart[rows, labels]
    apart[rows, labels] = np.inf
    other = apart.min(axis=1)
    return float(np.mean((other - own) / np.maximum(np.maximum(other, own), 1e-300)))


def _centers(points: Floats, labels: Ints) -> Floats:
    k, n = int(labels.max()) + 1, len(labels)
    members = csr_array((np.ones(n), (labels, np.arange(n))), shape=(k, n))
    return np.asarray(members @ points / np.bincount(labels)[:, None])


def without_groups(points: Floats) -> Floats:
    """At most 2,000 points of a Gaussian cloud with the mean and the covariances of the points."""
    some = points[sample_evenly(len(points), _COMPARED)]
    shares = np.random.default_rng(0).standard_normal((len(some), len(some)))
    cloud = shares @ (some - some.mean(axis=0)) / np.sqrt(len(some)) + points.mean(axis=0)
    if are_directions(points):
        cloud /= np.linalg.norm(cloud, axis=1, keepdims=True)
    return np.asarray(cloud)


def _cloud_of(ground: Ground, engine: Engine) -> Cloud:
    return Cloud.of(ground.points, ground.mass, ground.indices)


def _chance(ground: Ground, engine: Engine) -> Cloud:
    """The same of a cloud without groups."""
    bare = without_groups(ground.points)
    near = Euclidean(bare).neighbors(min(STEP_NEIGHBORS, len(bare) - 1), engine=engine)
    return Cloud.of(bare, np.ones(len(bare)), near.indices)


class Proposals(NamedTuple):
    """Partitions with their values; no value above 0 means that there is a single cluster."""

    candidates: list[Candidate]
    values: Floats
    expected: Floats
    criteria: list[dict[str, float]]
    strengths: csr_array


_EXPECTED = (0.8, 1.3, 1.67, 1.85, 1.95, 2.0), (0.3, 0.54, 0.71, 0.78, 0.83, 0.88)
"""The sum of both agreements, and the adjusted Rand index that chosen partitions had, in generated embeddings."""
_EXPECTED_OF_NUMBER = (0.4, 0.55, 0.7, 0.8, 0.87, 0.93, 1.0), (0.25, 0.41, 0.58, 0.73, 0.79, 0.88, 0.98)
"""The same for a given number of clusters, by the mean agreement with other partitions."""


def without_number(ground: Ground, least: float, engine: Engine) -> Proposals:
    """Partitions at several scales; the one is chosen that exceeds most what a cloud without groups gives."""
    with one_blas_thread():
        cloud, chance = engine.map(lambda make, own: make(ground, own), (_cloud_of, _chance), "neighbor graphs")
        found, of_chance = cloud.scales(_RESOLUTIONS, least, engine), chance.scales(_RESOLUTIONS, least, engine)
        best = int(np.argmax([one.lasting - typical(of_chance, one).lasting for one in found]))
        near_best = found[best].resolution * np.array([1 / _BETWEEN, _BETWEEN])
        found += [Scale(0.0, np.zeros(ground.n, np.intp), 1.0, 1.0, 0.0), *cloud.scales(near_best, least, engine)]
        found = list({one.labels.tobytes(): one for one in found[::-1]}.values())[::-1]
    lasting, chances = np.array([one.lasting for one in found]), [typical(of_chance, one) for one in found]
    gains = lasting - [one.lasting for one in chances]
    gaps = np.array([one.silhouette for one in found]) - [one.silhouette for one in chances]
    counts = np.array([one.n_clusters for one in found])
    is_split = (counts > 1) & (lasting >= _LEAST_VALUE) & (gaps >= _LEAST_GAP)
    return Proposals(
        [Candidate(Recipe("graph", factor=one.resolution), one.labels, 0.0) for one in found],
        np.where(is_split, gains / 2, np.where(counts > 1, -1.0, 0.0)),
        np.interp(lasting, *_EXPECTED),
        [
            {"stability": one.stability, "agreement with Ward": one.agreement, "silhouette": one.silhouette}
            | {"lasting by chance": other.lasting, "silhouette by chance": other.silhouette}
            for one, other in zip(found, chances, strict=True)
        ],
        cloud.strengths,
    )


def with_number(ground: Ground, k: int, engine: Engine) -> Proposals:
    """Partitions into k clusters; the one is chosen that agrees most with the others."""
    with one_blas_thread():
        cloud = Cloud.of(ground.points, ground.mass, ground.indices, max(_JOINED, 4 * k))
        moved = leading_axes(
            moved_to_neighbors(ground.points, ground.mass, ground.indices[:, :STEP_NEIGHBORS], np.arange(ground.n))
        )

        joined = [fcluster(merges, k, "maxclust") - 1 for merges in (cloud.merges, linkage(cloud.moved, "average"))]
        if len(cloud.some) < ground.n:
            joined = [cdist(moved, _centers(moved[cloud.some], labels)).argmin(axis=1) for labels in joined]
        of_ward, average = joined
        starts, graph = {"": of_ward}, cloud.merged(k)
        found = [
            Candidate(Recipe("ward", n_iter=1), of_ward, 0.0),
            Candidate(Recipe("average", n_iter=1), average, 0.0),
        ]
        if graph is not None:
            found.append(Candidate(Recipe("graph", factor=1.0), graph, 0.0))
            starts["graph"] = graph
        for start, labels in starts.items():
            found.append(Candidate(Recipe("means", n_iter=1, start=start), lloyd(moved, ground.mass, labels), 0.0))
    found = [one._replace(labels=number_by_first(one.labels)) for one in found]
    agreement = np.array([[adjusted_rand(one.labels, other.labels) for other in found] for one in found])
    values = (agreement.sum(axis=1) - 1) / max(len(found) - 1, 1)
    expected = np.interp(values, *_EXPECTED_OF_NUMBER)
    return Proposals(found, values, expected, [{"agreement": float(value)} for value in values], cloud.strengths)


def typical(of_chance: list[Scale], one: Scale) -> Scale:
    """What chance gives with as many clusters, between the numbers that it gave."""
    some = sorted((other for other in of_chance if other.n_clusters > 1), key=lambda other: other.n_clusters)
    if not some:
        return one._replace(stability=0.0, agreement=0.0, silhouette=0.0)
    counts = np.log([other.n_clusters for other in some])

    def at(values: list[float]) -> float:
        return float(np.interp(np.log(one.n_clusters), counts, values))

    return one._replace(
        stability=at([other.stability for other in some]),
        agreement=at([other.agreement for other in some]),
        silhouette=at([other.silhouette for other in some]),
    )
