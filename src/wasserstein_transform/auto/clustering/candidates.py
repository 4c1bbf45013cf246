"""Candidate partitions from all recipes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ..._types import Ints
from ...engine import Engine, one_blas_thread
from ...hierarchy import Tree
from ...hierarchy.cut import components, cut_between_large
from ...hierarchy.dendrogram import Dendrogram
from .ground import Ground
from .mixtures import k_means, mixture
from .persistence import lasting_cuts
from .recipes import Recipe

SHARES = (0.1, 0.25, 0.5)
"""Least mass of a cluster, relative to the mean mass of a cluster, if the number of clusters is given."""
LEAST = (0.01, 0.03, 0.08)
"""Least mass of a cluster, relative to all mass, if the number is not given."""
_FEWEST = 5  # places in a cluster, if the number of clusters is not given
_MOST = 100  # clusters, if their number is not given
_GAPS = 3  # numbers of clusters taken from each tree: at the widest steps of its heights
_STARTS = (("reach", 10, 0.0, 0.25), ("gaussian", 0, 1.5, 0.25), ("gaussian", 0, 3.3, 0.5))
"""Trees whose partitions start mixtures: kind, reach, radius, share."""
_STEEP = 3.0  # log ratio of heights: steps beyond count the same

Trees = Sequence[tuple[Recipe, Tree]]


class Candidate(NamedTuple):
    """A partition.

    Attributes
    ----------
    recipe : Recipe
        How it was made.
    labels : array of shape (n,)
        Clusters, numbered by first appearance.
    gap : float
        log(height of its lowest cut / height of the next one): how clear the number of clusters is in its tree.
    """

    recipe: Recipe
    labels: Ints
    gap: float


def with_count(ground: Ground, trees: Trees, k: int, engine: Engine) -> list[Candidate]:
    """Return partitions into k clusters."""
    found = []
    for recipe, tree in trees:
        engine.check()
        for share in SHARES:
            cuts = cut_between_large(tree, ground.mass, share * ground.n / k, k)
            found.append(_candidate(recipe._replace(share=share), tree, cuts, k))
    return [*found, *_compact(ground, found, k)]


def without_count(ground: Ground, trees: Trees, engine: Engine) -> list[Candidate]:
    """Return partitions whose numbers of clusters follow from steps in the heights of trees."""
    found = []
    for recipe, tree in trees:
        engine.check()
        dendrogram = Dendrogram.of(tree)
        for share in LEAST:
            least = max(share * ground.n, min(_FEWEST, ground.n / 4))
            cuts = cut_between_large(tree, ground.mass, least, _MOST)
            of_tree = recipe._replace(share=share)
            found += [_candidate(of_tree, tree, cuts, k) for k in _clear_counts(tree, cuts)]
            lasting = lasting_cuts(tree, dendrogram, least / ground.n * dendrogram.mass_before[-1])
            found.append(_candidate(of_tree._replace(lasting=True), tree, lasting, len(lasting) + 1))
    counts, votes = np.unique([one.labels.max() + 1 for one in found], return_counts=True)
    for k in counts[np.argsort(-votes, kind="stable")][:_GAPS]:
        if k > 1:
            found += _compact(ground, [one for one in found if one.labels.max() + 1 == k], int(k))
    return found


def _candidate(recipe: Recipe, tree: Tree, cuts: Ints, k: int) -> Candidate:
    kept = np.ones(tree.n - 1, bool)
    kept[cuts[: k - 1]] = False
    gap = _gap(*tree.heights[cuts[k - 2 : k]].tolist()) if 1 < k <= len(cuts) else 0.0
    return Candidate(recipe, _in_order(components(tree, kept)), gap)


def _gap(cut: float, next_one: float) -> float:
    """Return log(cut/next_one); a cut at height 0 separates nothing."""
    return min(float(np.log(cut / max(next_one, 1e-300))), _STEEP) if cut > 0 else -np.inf


def _clear_counts(tree: Tree, cuts: Ints) -> Iterator[int]:
    """Yield the numbers of clusters before the widest steps of the heights."""
    if len(cuts) == 0:
        yield 1
        return
    heights = np.log(np.maximum(tree.heights[cuts], 1e-300))
    if len(cuts) < _MOST:  # the walk ended: the next heights are within clusters
        heights = np.append(heights, np.log(max(float(np.median(tree.heights)), 1e-300)))
    steps = heights[:-1] - heights[1:]
    for at in np.argsort(-steps, kind="stable")[:_GAPS]:
        yield int(at) + 2


def _compact(ground: Ground, found: list[Candidate], k: int) -> Iterator[Candidate]:
    """Yield k-means, and mixtures started from it and from partitions of some trees."""
    if ground.n <= k:
        return
    with one_blas_thread():
        means = _in_order(k_means(ground.points, ground.mass, k))
        yield Candidate(Recipe("means"), means, 0.0)
        starts = [("k-means", means), *_starts(found, k)]
        seen = set()
        for name, labels in starts:
            if labels.max() + 1 == k and labels.tobytes() not in seen:
                seen.add(labels.tobytes())
                fitted = _in_order(mixture(ground.points, ground.mass, labels))
                yield Candidate(Recipe("mixture", start=name), fitted, 0.0)


def _starts(found: list[Candidate], k: int) -> Iterator[tuple[str, Ints]]:
    """Yield partitions of three trees into k clusters, if there are any."""
    for kind, reach, factor, share in _STARTS:
        for recipe, labels, _ in found:
            fits = recipe.kind == kind and recipe.reach == reach and recipe.factor == factor
            fits &= recipe.n_iter == (kind == "gaussian") and recipe.share in (share, LEAST[1])
            if fits and labels.max() + 1 == k:
                yield f"the {recipe}", labels
                break


def _in_order(labels: Ints) -> Ints:
    """Return the same partition, with clusters numbered by first appearance."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.intp)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse]
