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
from ..engine import Engine, one_blas_thread
from ..hierarchy.labels import adjusted_rand, number_by_first
from ..spaces import Euclidean
from ..tables.features import are_directions
from .compact import lloyd
from .ground import LINKS, STEP_NEIGHBORS, Ground, moved_to_neighbors
from .links import RESOLUTIONS, NeighborGraph, link_strengths
from .partitions import Partitions
from .recipes import Candidate, Recipe

_BETWEEN = 2.0**0.5  # factor to the resolutions that are tried around the best
_FEWEST = 8  # mean number of points of a cluster, at least
_N_PARTS, _SHARE = 4, 0.8  # random parts of the points, and how many each has
_COMPARED = 2000  # points that Ward's linkage joins, and of the cloud without groups
_JOINED = 4000  # points that linkage joins if the number of clusters is given
_AXES = 64
_LEAST_VALUE, _LEAST_GAP = 1.0, 0.11  # of a split: sum of both agreements; silhouette above that of the cloud


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


class Cloud(NamedTuple):
    """Points with what their partitions are made of and compared by."""

    mass: Floats
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
        return cls(mass, NeighborGraph.of(strengths), parts, some, moved, linkage(moved, "ward"))

    def scale(self, resolution: float, least: float, engine: Engine) -> Scale | None:
        """The partition at a resolution into clusters of at least this mass; None if it has too many clusters."""
        engine.check()
        labels = self.graph.partition(resolution, 1, self.graph.partition(resolution))
        n = len(labels)
        if labels.max() >= n / _FEWEST and resolution > RESOLUTIONS[0]:
            return None
        labels = self.graph.without_small(labels, self.mass, least)
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

    def scales(self, resolutions: Floats, least: float, engine: Engine) -> list[Scale]:
        """The partitions at those of some resolutions that do not have too many clusters."""
        found = engine.map(lambda one, own: self.scale(one, least, own), resolutions.tolist(), "neighbor graphs")
        return [one for one in found if one is not None]


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


_EXPECTED = (0.8, 1.3, 1.67, 1.85, 1.95, 2.0), (0.3, 0.54, 0.71, 0.78, 0.83, 0.88)
"""The sum of both agreements, and the adjusted Rand index that chosen partitions had, in generated embeddings."""
_EXPECTED_OF_NUMBER = (0.4, 0.55, 0.7, 0.8, 0.87, 0.93, 1.0), (0.25, 0.41, 0.58, 0.73, 0.79, 0.88, 0.98)
"""The same for a given number of clusters, by the mean agreement with other partitions."""


def without_number(ground: Ground, least: float, engine: Engine) -> Partitions:
    """Partitions at several scales; the one is chosen that exceeds most what a cloud without groups gives."""

    def prepare(of_chance: bool, own: Engine) -> Cloud:
        if not of_chance:
            return Cloud.of(ground.points, ground.mass, ground.indices)
        bare = without_groups(ground.points)
        near = Euclidean(bare).neighbors(min(STEP_NEIGHBORS, len(bare) - 1), engine=own)
        return Cloud.of(bare, np.ones(len(bare)), near.indices)

    with one_blas_thread():
        cloud, chance = engine.map(prepare, (False, True), "neighbor graphs")
        found, of_chance = cloud.scales(RESOLUTIONS, least, engine), chance.scales(RESOLUTIONS, least, engine)
        best = int(np.argmax([one.stability + one.agreement for one in found] - typical(of_chance, found)[0]))
        near_best = found[best].resolution * np.array([1 / _BETWEEN, _BETWEEN])
        found += [Scale(0.0, np.zeros(ground.n, np.intp), 1.0, 1.0, 0.0), *cloud.scales(near_best, least, engine)]
        found = list({one.labels.tobytes(): one for one in found[::-1]}.values())[::-1]
    stability, agreement = np.array([one.stability for one in found]), np.array([one.agreement for one in found])
    silhouettes = np.array([one.silhouette for one in found])
    lasting, (by_chance, silhouettes_by_chance) = stability + agreement, typical(of_chance, found)
    gains, counts = lasting - by_chance, np.array([one.n_clusters for one in found])
    is_split = (counts > 1) & (lasting >= _LEAST_VALUE) & (silhouettes - silhouettes_by_chance >= _LEAST_GAP)
    values = np.where(is_split, gains / 2, np.where(counts > 1, -1.0, 0.0))
    criteria = {
        "stability": stability,
        "agreement with Ward": agreement,
        "silhouette": silhouettes,
        "lasting by chance": lasting - gains,
        "silhouette by chance": silhouettes_by_chance,
    }
    candidates = [Candidate(Recipe("graph", factor=one.resolution), one.labels) for one in found]
    partitions = Partitions.of(candidates, ground.mass, cloud.graph.matrix)
    return partitions.valued(values, np.interp(lasting, *_EXPECTED), criteria)


def with_number(ground: Ground, k: int, engine: Engine) -> Partitions:
    """Partitions into k clusters; the one is chosen that agrees most with the others."""
    with one_blas_thread():
        cloud = Cloud.of(ground.points, ground.mass, ground.indices, max(_JOINED, 4 * k))
        moved = leading_axes(
            moved_to_neighbors(ground.points, ground.mass, ground.indices[:, :STEP_NEIGHBORS], np.arange(ground.n))
        )
        joined = [fcluster(merges, k, "maxclust") - 1 for merges in (cloud.merges, linkage(cloud.moved, "average"))]
        if len(cloud.some) < ground.n:
            joined = [cdist(moved, _centers(moved[cloud.some], labels)).argmin(axis=1) for labels in joined]
        found = [Candidate(Recipe(kind, n_iter=1), one) for kind, one in zip(("ward", "average"), joined, strict=True)]
        starts, graph = [("", joined[0])], cloud.graph.merged(k)
        if graph is not None:
            found.append(Candidate(Recipe("graph", factor=1.0), graph))
            starts.append(("graph", graph))
        for start, labels in starts:
            found.append(Candidate(Recipe("means", n_iter=1, start=start), lloyd(moved, ground.mass, labels)))
    found = [one._replace(labels=number_by_first(one.labels)) for one in found]
    partitions = Partitions.of(found, ground.mass, cloud.graph.matrix)
    agreement = np.array([[adjusted_rand(one, other) for other in partitions.labels] for one in partitions.labels])
    values = (agreement @ partitions.votes - 1) / max(len(found) - 1, 1)
    return partitions.valued(values, np.interp(values, *_EXPECTED_OF_NUMBER), {"agreement": values})


def typical(of_chance: list[Scale], found: list[Scale]) -> Floats:
    """The sum of agreements, and the silhouette, that chance gives with as many clusters, between those it gave."""
    some = sorted((one for one in of_chance if one.n_clusters > 1), key=lambda one: one.n_clusters)
    if not some:
        return np.zeros((2, len(found)))
    logs, wanted = (np.log([one.n_clusters for one in scales]) for scales in (some, found))
    columns = ([one.stability for one in some], [one.agreement for one in some], [one.silhouette for one in some])
    stability, agreement, silhouettes = (np.interp(wanted, logs, column) for column in columns)
    return np.array([stability + agreement, silhouettes])
