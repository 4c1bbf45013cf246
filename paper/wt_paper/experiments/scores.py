"""Scores of the experiments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy.cluster.hierarchy import cophenet
from scipy.ndimage import binary_dilation, gaussian_gradient_magnitude
from scipy.spatial import procrustes
from scipy.stats import entropy
from sklearn.metrics import adjusted_rand_score

from wasserstein_transform._types import Bools, Floats, Ints
from wasserstein_transform.datasets import Curve
from wasserstein_transform.hierarchy import Tree
from wasserstein_transform.localize import Truncation
from wasserstein_transform.spaces import Space


@dataclass(frozen=True)
class Separation:
    """How well thresholds of a single-linkage tree separate the parts of a partition.

    Attributes
    ----------
    error : float
        Share of a part outside its own cluster, for the worst part: the maximum over the range of heights; without a
        range, the minimum over all heights, where 1 means that two parts share a cluster.
    lower, upper : float
        The widest range of heights that separate the parts, up to the tolerance; both 0 if there is none.
    n_clusters : int
        Number of clusters at `lower`, including those of stray points; 0 if there is no range.
    """

    error: float
    lower: float
    upper: float
    n_clusters: int

    @property
    def found(self) -> bool:
        """Whether some height separates the parts."""
        return self.n_clusters > 0

    @property
    def gap(self) -> float:
        """Width of the range of heights, relative to its upper end: 0 if there is no range, 1 if it starts at 0."""
        return 1.0 - self.lower / self.upper if self.upper > 0 else 0.0

    def __str__(self) -> str:
        if self.found:
            strays = f", error {self.error:.1%}" if self.error > 0 else ""
            return f"gap {100 * self.gap:.0f} % (heights {self.lower:.3g} to {self.upper:.3g}{strays})"
        return "no height" + (f" (best error {self.error:.0%})" if self.error < 1 else "")


def separation(tree: Tree, labels: Ints, *, tolerance: float = 0.03, n_clusters: int | None = None) -> Separation:
    """Find the widest range of heights of a tree that separate the labeled parts.

    A height separates the parts if each has its own cluster that holds it up to the tolerance. Points with label −1 may
    be anywhere. With `n_clusters` there must be exactly this number of clusters, including those of stray points.
    """
    totals = np.bincount(labels[labels >= 0])
    ranges, least, run = [], 1.0, None
    for level, held, count in _levels(tree, labels):
        if run is not None:  # the parts were separated up to here
            ranges.append(Separation(run.error, run.lower, level, run.n_clusters))
        outside = _outside(held, totals)
        least = min(least, outside)
        if outside > tolerance or n_clusters not in (None, count):
            run = None
        elif run is None:
            run = Separation(outside, level, level, count)
        else:
            run = replace(run, error=max(run.error, outside))
    return max(ranges, key=lambda one: one.gap, default=Separation(least, 0.0, 0.0, 0))


def _levels(tree: Tree, labels: Ints) -> Iterator[tuple[float, Floats, int]]:
    """For each height, the number of points of each part in each cluster, and the number of clusters.

    The row of a cluster is that of one of its points; rows of other points are 0. Merges at equal heights count as one.
    """
    held = np.zeros((tree.n, int(labels.max()) + 1))
    held[np.flatnonzero(labels >= 0), labels[labels >= 0]] = 1.0
    root, done = np.arange(tree.n), 0
    levels = tree.levels()
    for level, stop in zip(levels, np.searchsorted(tree.heights, levels, side="right"), strict=True):
        for a, b in tree.edges[done:stop]:
            _join(root, held, int(a), int(b))
        done = int(stop)
        yield float(level), held, tree.n - done


def _join(root: Ints, held: Floats, a: int, b: int) -> None:
    """Union of two clusters, with path halving."""
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
    """Largest share of a part outside its largest cluster; 1 if two parts have the same largest cluster."""
    own = held.argmax(axis=0)
    if len(np.unique(own)) < len(own):
        return 1.0
    return float(np.max(1.0 - held[own, np.arange(len(own))] / totals))


def best_rand(tree: Tree, labels: Ints) -> float:
    """The highest adjusted Rand index with the parts over all cuts. Points with label −1 do not count."""
    return max(adjusted_rand(held) for _, held, _ in _levels(tree, labels))


def adjusted_rand(held: Floats) -> float:
    """The adjusted Rand index of a contingency table of clusters and parts.

    The same as scikit-learn's, which needs labels of all points and is too slow for all cuts of a tree.
    """

    def pairs(counts: Floats) -> float:
        return float((counts * (counts - 1) / 2).sum())

    both, clusters, parts = pairs(held), pairs(held.sum(axis=1)), pairs(held.sum(axis=0))
    expected = clusters * parts / pairs(held.sum(keepdims=True))
    most = (clusters + parts) / 2
    return (both - expected) / (most - expected) if most != expected else 1.0


@dataclass(frozen=True)
class Cluster:
    """The cluster of a tree most similar to a given set.

    Attributes
    ----------
    overlap : float
        Size of the intersection over size of the union; 1 if the cluster equals the set.
    height : float
        Height at which the cluster forms.
    """

    overlap: float
    height: float

    def __str__(self) -> str:
        return f"overlap {self.overlap:.1%}" + (f" at height {self.height:.3g}" if self.overlap == 1 else "")


def most_alike(tree: Tree, members: Bools) -> Cluster:
    """The cluster most similar to the set of members, over all heights."""
    best, size = Cluster(0.0, 0.0), np.count_nonzero(members)
    for level, held, _ in _levels(tree, np.where(members, 0, 1)):
        overlap = float(np.max(held[:, 0] / (size + held[:, 1])))
        if overlap > best.overlap:
            best = Cluster(overlap, level)
    return best


def alike(one: Tree, other: Tree) -> float:
    """Cophenetic correlation of two trees: the correlation of the heights at which they join each pair of points."""
    return float(np.corrcoef(cophenet(one.Z), cophenet(other.Z))[0, 1])


def off_curve(points: Floats, curve: Curve) -> float:
    """Mean distance of the points to the curve."""
    return float(curve.distance(points).mean())


def absorbed(points: Floats, curve: Curve, within: float) -> float:
    """Share of the points within a distance of the curve."""
    return float(np.mean(curve.distance(points) <= within))


def thickness(points: Floats, radius: float) -> float:
    """Mean thickness of the neighborhoods: the square root of the smallest variance within the radius.

    0 on a straight line, and where points have collapsed to one place.
    """
    sight = Truncation(radius)(Space.from_points(points))
    smallest = np.linalg.eigvalsh(sight.covs(points).values)[:, 0]
    return float(np.sqrt(np.maximum(smallest, 0.0)).mean())


def unevenness(points: Floats, labels: Ints) -> float:
    """Deviation of the parts from circles about the origin: standard deviation of the radius, averaged over parts."""
    radii = np.hypot(*points.T)
    return float(np.mean([radii[labels == label].std() for label in np.unique(labels)]))


def agreement(one: Floats, other: Floats) -> float:
    """1 − Procrustes disparity of two embeddings: 1 if they are equal up to rigid motion and scale."""
    return float(1.0 - procrustes(one, other)[2])


def correlation(one: Floats, other: Floats) -> float:
    """Pearson's correlation."""
    return float(np.corrcoef(one, other)[0, 1])


def same_regions(one: Ints, other: Ints) -> float:
    """Adjusted Rand index of two segmentations of an image: 1 if they are equal, about 0 if they are independent."""
    return float(adjusted_rand_score(one.ravel(), other.ravel()))


def information_apart(one: Ints, other: Ints) -> float:
    """Variation of information of two segmentations, in bits: 0 if they are equal."""
    _, both = np.unique(np.stack([one.ravel(), other.ravel()]), axis=1, return_counts=True)
    sizes = [np.unique(labels, return_counts=True)[1] for labels in (one, other)]
    return max(0.0, float(2 * entropy(both, base=2) - sum(entropy(size, base=2) for size in sizes)))


def differences(one: Ints, other: Ints) -> Floats:
    """For each pixel, the difference of its regions in two segmentations: 1 − intersection over union."""
    _, which, both = np.unique(np.stack([one.ravel(), other.ravel()]), axis=1, return_inverse=True, return_counts=True)
    shared = both[which.ravel()].reshape(one.shape)
    unions = np.bincount(one.ravel())[one] + np.bincount(other.ravel())[other] - shared
    return np.asarray(1.0 - shared / unions)


def explained(labels: Ints, image: Floats) -> float:
    """The share of the variance of gray values between regions; it grows with the number of regions."""
    flat = labels.ravel()
    means = np.bincount(flat, image.ravel()) / np.maximum(np.bincount(flat), 1)
    return float(1.0 - ((image - means[labels]) ** 2).mean() / image.var())


def on_edges(boundaries: Bools, image: Floats, share: float = 0.1) -> float:
    """F-measure of boundaries and the steepest pixels of the image (a share of all), with a tolerance of one pixel."""
    steep = gaussian_gradient_magnitude(image, 1.0)
    edges = steep >= np.quantile(steep, 1 - share)
    around = np.ones((3, 3), np.bool_)
    precision = _share(binary_dilation(edges, around)[boundaries])
    recall = _share(binary_dilation(boundaries, around)[edges])
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0


def _share(marks: Bools) -> float:
    return float(marks.mean()) if marks.size else 0.0
