"""What the experiments measure, so that nothing is judged by eye."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import procrustes

from .._types import Bools, Floats, Ints
from ..datasets import Curve
from ..hierarchy import Tree
from ..localize import Truncation
from ..spaces import Space


@dataclass(frozen=True)
class Separation:
    """What the heights of a single-linkage tree know of a partition.

    Attributes
    ----------
    error : float
        The least share of a part that lies outside the part's own cluster, over all heights, the worst part counting;
        1 where at every height two parts share a cluster.
    lower, upper : float
        The widest range of heights at which the partition stands, up to the tolerance; both 0 if there is none.
    n_clusters : int
        Clusters at `lower`, those of stray points included; 0 if there are none.
    """

    error: float
    lower: float
    upper: float
    n_clusters: int

    @property
    def found(self) -> bool:
        """Whether some height has the partition."""
        return self.n_clusters > 0

    @property
    def gap(self) -> float:
        """Width of the range of heights, relative to its upper end: 0 for no range, 1 from height 0 on."""
        return 1.0 - self.lower / self.upper if self.upper > 0 else 0.0

    def __str__(self) -> str:
        if self.found:
            return f"gap {100 * self.gap:.0f} % (heights {self.lower:.3g} to {self.upper:.3g}, error {self.error:.1%})"
        return "no height" + (f" (best error {self.error:.0%})" if self.error < 1 else "")


def separation(tree: Tree, labels: Ints, *, tolerance: float = 0.03, n_clusters: int | None = None) -> Separation:
    """Whether a threshold of the tree separates the labelled parts, and how wide the range of such thresholds is.

    A height separates the parts if each has a cluster of its own that holds all of it but for the tolerance. Points of
    label −1 may be anywhere. With `n_clusters` there must be exactly as many clusters, stray points included.
    """
    n_parts = int(labels.max()) + 1
    totals = np.bincount(labels[labels >= 0], minlength=n_parts)
    levels = tree.levels()
    stops = np.searchsorted(tree.heights, levels, side="right")
    held = np.zeros((tree.n, n_parts))  # of each part, by each cluster: clusters are named by one of their points
    held[np.flatnonzero(labels >= 0), labels[labels >= 0]] = 1.0
    root = np.arange(tree.n)
    best, error, run, done = Separation(1.0, 0.0, 0.0, 0), 1.0, None, 0
    for level, stop in zip(levels, stops, strict=True):
        if run is not None:  # the partition stood up to here
            candidate = Separation(error, run[0], float(level), run[1])
            best = candidate if candidate.gap > best.gap or not best.found else best
        for a, b in tree.edges[done:stop]:
            _join(root, held, int(a), int(b))
        done = int(stop)
        outside = _outside(held, totals)
        error = min(error, outside)
        count = tree.n - done
        stands = outside <= tolerance and n_clusters in (None, count)
        run = (run or (float(level), count)) if stands else None
    return Separation(error, best.lower, best.upper, best.n_clusters)


def _join(root: Ints, held: Floats, a: int, b: int) -> None:
    """Union of two clusters, halving paths."""
    ends = []
    for point in (a, b):
        while root[point] != point:
            root[point] = root[root[point]]
            point = int(root[point])  # noqa: PLW2901
        ends.append(point)
    keep, lose = ends
    root[lose] = keep
    held[keep] += held[lose]
    held[lose] = 0.0


def _outside(held: Floats, totals: Ints) -> float:
    """Largest share of a part outside its largest cluster; 1 if two parts have the same one."""
    own = held.argmax(axis=0)
    if len(np.unique(own)) < len(own):
        return 1.0
    return float(np.max(1.0 - held[own, np.arange(len(own))] / totals))


def off_curve(points: Floats, curve: Curve) -> float:
    """Mean distance of the points to the curve."""
    return float(curve.distance(points).mean())


def absorbed(points: Floats, curve: Curve, within: float) -> float:
    """Share of the points that are within a distance of the curve."""
    return float(np.mean(curve.distance(points) <= within))


def thickness(points: Floats, radius: float) -> float:
    """Mean extent of the neighbourhoods across their widest axes: root of the smallest variance within the radius.

    0 on a straight line, and where points have gathered in one place.
    """
    sight = Truncation(radius)(Space.from_points(points))
    smallest = np.linalg.eigvalsh(sight.covs(points).values)[:, 0]
    return float(np.sqrt(np.maximum(smallest, 0.0)).mean())


def agreement(one: Floats, other: Floats) -> float:
    """1 − Procrustes disparity of two embeddings of the same points: 1 if they are equal up to motion and scale."""
    return float(1.0 - procrustes(one, other)[2])


def correlation(one: Floats, other: Floats) -> float:
    """Pearson correlation of two distance matrices, pairs counted once."""
    pairs = np.triu_indices(len(one), 1)
    return float(np.corrcoef(one[pairs], other[pairs])[0, 1])


@dataclass(frozen=True)
class Cluster:
    """The cluster of a tree that is most like a given set.

    Attributes
    ----------
    overlap : float
        Size of the intersection over that of the union; 1 if the cluster is the set.
    lower, upper : float
        Heights at which it forms and is joined to others.
    """

    overlap: float
    lower: float
    upper: float

    def __str__(self) -> str:
        return f"overlap {self.overlap:.1%}" + (
            f" from {self.lower:.3g} to {self.upper:.3g}" if self.overlap == 1 else ""
        )


def most_alike(tree: Tree, members: Bools) -> Cluster:
    """The cluster, over all heights, most like the set of members. Ties in height are joined at once."""
    levels = tree.levels()
    stops = np.searchsorted(tree.heights, levels, side="right")
    root, held = np.arange(tree.n), np.column_stack([members, ~members]).astype(float)
    best, done, size = Cluster(0.0, 0.0, 0.0), 0, np.count_nonzero(members)
    for k, (level, stop) in enumerate(zip(levels, stops, strict=True)):
        for a, b in tree.edges[done:stop]:
            _join(root, held, int(a), int(b))
        done = int(stop)
        overlap = float(np.max(held[:, 0] / (size + held[:, 1])))
        if overlap > best.overlap:
            best = Cluster(overlap, float(level), float(levels[k + 1]) if k + 1 < len(levels) else np.inf)
    return best
