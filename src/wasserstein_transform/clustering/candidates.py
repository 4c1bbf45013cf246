"""Candidate partitions: cuts of trees, communities of the neighbor graph, compact groups.

Sums are computed in the order of the points by one thread, so that the clusters are the same on any machine.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .._types import Floats, Ints
from ..engine import Engine, one_blas_thread
from ..hierarchy import Tree
from ..hierarchy.cut import RootedTree
from ..hierarchy.dendrogram import Dendrogram
from ..hierarchy.labels import number_by_first
from .compact import MOST_SHARES, SHAPES, Shape, k_means, lloyd, mixture, ward
from .crossings import crossing_partitions
from .ground import Ground
from .links import RESOLUTIONS, neighbor_graph
from .recipes import Candidate, Recipe
from .trees import Forest, lasting_cuts, log_levels

_TENTH = 10
SHARES = (0.1, 0.25, 0.5)
"""Least mass of a cluster, relative to the mean mass of a cluster, if the number of clusters is given."""
LEAST = (0.01, 0.03, 0.08)
"""Least mass of a cluster, relative to all mass, if the number is not given."""
_FEWEST = 5  # places in a cluster, if the number of clusters is not given
_MOST = 100  # clusters, if their number is not given
_GAPS = 3  # numbers of clusters taken from each tree: at the widest steps of its heights
_STARTS = Recipe("reach", reach=10), Recipe("gaussian", factor=1.0, lam=5.0, n_iter=1)
"""Trees whose partitions mixtures start from."""
_FINEST = 4.0  # resolution
_MOST_STARTS = 20  # clusters of communities from which mixtures start
_STEEP = 3.0  # log ratio of heights: steps beyond count the same


def with_count(ground: Ground, forest: Forest, k: int, engine: Engine) -> list[Candidate]:
    """Return partitions into k clusters."""
    cuts = engine.map(lambda one, _: cut_into(k, ground.mass, *one), forest.trees, "cuts")
    found = [one for some in cuts for one in some]
    merged = neighbor_graph(ground.indices, ground.mass).merged(k)
    if merged is not None:
        found.append(Candidate(Recipe("graph"), merged))
    return found + (_wide(ground, found, [k], engine) if ground.views else _compact(ground, found, [k], engine))


def without_count(ground: Ground, forest: Forest, engine: Engine) -> list[Candidate]:
    """Return partitions whose numbers of clusters follow from steps in the heights of trees; one is the whole."""
    cuts = engine.map(lambda one, _: list(cut_everywhere(ground.mass, *one)), forest.trees, "cuts")
    found = [Candidate(Recipe("tree", share=1.0), np.zeros(ground.n, np.intp))]
    found += [one for some in cuts for one in some]
    found += _communities(ground, engine)
    if ground.views:
        return [*found, *_wide(ground, found, [k for k in WIDE_COUNTS if k < ground.n / 4], engine)]
    counts, votes = np.unique([one.n_clusters for one in found], return_counts=True)
    frequent = counts[np.argsort(-votes, kind="stable")][:_GAPS].tolist()
    return [*found, *_compact(ground, found, [k for k in frequent if k > 1], engine)]


_THIN = {2: 0.62, 3: 0.4}  # that of round groups is .65 and more in the plane, .44 in space


def are_thin(ground: Ground) -> bool:
    """Whether points lie along curves or sheets: the least share of an axis in the neighborhood of most is small."""
    m = ground.points.shape[1]
    if ground.views or m not in _THIN:
        return False
    around = ground.points[ground.indices]
    around = around - around.mean(axis=1, keepdims=True)
    spreads = np.linalg.eigvalsh(np.einsum("nka,nkb->nab", around, around))
    return bool(m * np.median(spreads[:, 0] / np.maximum(spreads.sum(axis=1), 1e-300)) < _THIN[m])


def crossings(ground: Ground, k: int | None, engine: Engine) -> list[Candidate]:
    """Return partitions into shapes that cross, of points that lie along curves or sheets."""
    if not are_thin(ground):
        return []
    found = crossing_partitions(ground.points, ground.mass, k, engine)
    return [Candidate(Recipe("branches"), one.labels) for one in found]


def resolutions() -> list[float]:
    """Return the resolutions at which communities are candidates."""
    return RESOLUTIONS[RESOLUTIONS <= _FINEST].tolist()  # type: ignore[no-any-return]


def _communities(ground: Ground, engine: Engine) -> list[Candidate]:
    """Return communities of the neighbor graph at resolutions that give from one to many."""
    graph = neighbor_graph(ground.indices, ground.mass)

    def find(resolution: float, own: Engine) -> Candidate:
        own.check()
        return Candidate(Recipe("graph", factor=resolution), graph.partition(resolution))

    found = engine.map(find, resolutions(), "communities")
    return [one for one in found if one.n_clusters < min(_MOST, ground.n / _FEWEST)]


def cut_into(k: int, mass: Floats, recipe: Recipe, tree: Tree) -> list[Candidate]:
    """Return cuts of a tree into k parts that are not small."""
    rooted = RootedTree.of(tree.edges, mass)
    cuts = [(share, rooted.cut_between_large(share * mass.sum() / k, k)) for share in SHARES]
    return [_candidate(recipe._replace(share=share), tree, rooted, edges, k) for share, edges in cuts]


def cut_everywhere(mass: Floats, recipe: Recipe, tree: Tree) -> Iterator[Candidate]:
    """Yield the cuts of a tree before its widest steps, and those into lasting parts."""
    dendrogram, rooted, heights = Dendrogram.of(tree), RootedTree.of(tree.edges, mass), log_levels(tree)
    n, total = len(mass), float(mass.sum())
    for share in LEAST:
        least = max(share, min(_FEWEST, n / 4) / n) * total
        cuts = rooted.cut_between_large(least, _MOST)
        of_tree = recipe._replace(share=share)
        for k in _clear_counts(tree, cuts):
            yield _candidate(of_tree, tree, rooted, cuts, k)
        lasting = lasting_cuts(dendrogram, heights, least / total * dendrogram.mass_before[-1])
        yield _candidate(of_tree._replace(lasting=True), tree, rooted, lasting, len(lasting) + 1)


def _candidate(recipe: Recipe, tree: Tree, rooted: RootedTree, cuts: Ints, k: int) -> Candidate:
    cuts = cuts[tree.heights[cuts] > 0]  # points that have met are not cut apart
    gap = _gap(*tree.heights[cuts[k - 2 : k]].tolist()) if 1 < k <= len(cuts) else 0.0
    return Candidate(recipe, rooted.label_parts(cuts[: k - 1]), gap)


def _gap(cut: float, next_one: float) -> float:
    """Return log(cut/next_one); a cut at height 0 separates nothing."""
    return min(float(np.log(cut / max(next_one, 1e-300))), _STEEP) if cut > 0 else -_STEEP


def _clear_counts(tree: Tree, cuts: Ints) -> Iterator[int]:
    """Yield the numbers of clusters before the widest steps of the heights."""
    if len(cuts) == 0:
        yield 1
        return
    heights = np.log(np.maximum(tree.heights[cuts], 1e-300))
    if len(cuts) < _MOST:  # fewer cuts were found: the next heights are within clusters
        heights = np.append(heights, np.log(max(float(np.median(tree.heights)), 1e-300)))
    steps = heights[:-1] - heights[1:]
    for at in np.argsort(-steps, kind="stable")[:_GAPS]:
        yield int(at) + 2


def _compact(ground: Ground, found: list[Candidate], counts: list[int], engine: Engine) -> list[Candidate]:
    """Return k-means for some numbers of clusters and from communities, and mixtures that start from what is there."""
    points, mass = ground.points, ground.mass
    starts = _of_graph(found)
    for k in counts:
        starts += _starts(found, k)

    def means(k: int, _: Engine) -> Candidate:
        return Candidate(Recipe("means"), number_by_first(k_means(points, mass, k)))

    def settle(start: Candidate, _: Engine) -> Candidate:
        return Candidate(Recipe("means", start=start.recipe.name), number_by_first(lloyd(points, mass, start.labels)))

    def fit(start: Candidate, own: Engine) -> Candidate:
        own.check()
        return Candidate(
            Recipe("mixture", start=start.recipe.name), number_by_first(mixture(points, mass, start.labels))
        )

    most = max([_MOST_STARTS, *counts])
    with one_blas_thread():
        if max(counts, default=0) * ground.n > MOST_SHARES:  # so many come with a number
            return engine.map(settle, starts, "k-means")
        compact = engine.map(means, [k for k in counts if k < ground.n], "k-means")
        compact += engine.map(settle, _of_graph(starts), "k-means")
        different = {one.labels.tobytes(): one for one in [*compact, *starts] if one.n_clusters <= most}
        return [*compact, *engine.map(fit, list(different.values()), "mixtures")]


def _of_graph(found: list[Candidate]) -> list[Candidate]:
    return [one for one in found if one.recipe.kind == "graph" and one.n_clusters > 1]


WIDE_COUNTS = (2, 3, 4, 5, 6, 7, 8, 10, 12)
"""Numbers of clusters of compact partitions with four or more coordinates, if the number is not given."""
_PER_PLACE = 2  # numbers that determine a mixture, for each place: with more, "full" covariances are left out


def _wide(ground: Ground, found: list[Candidate], counts: list[int], engine: Engine) -> list[Candidate]:
    """Return compact partitions in all views of the places, and those that start from communities."""
    mass, views = ground.mass, [(0, ground.points), *((view.shape[1], view) for view in ground.views[1:])]

    def fit(job: tuple[int, Floats, str, Ints], own: Engine) -> list[Candidate]:
        axes, points, start, labels = job
        means = Candidate(Recipe("means", axes=axes, start=start), number_by_first(lloyd(points, mass, labels)))
        of_ward = Candidate(Recipe("ward", axes=axes), number_by_first(labels))
        starts = [(start or "k-means", means.labels)]
        if of_ward.n_clusters == 2 and not start:
            starts.append(("density", _sparse_half(ground)))
        found = [means] if start else [of_ward, means]
        for name, labels in starts:
            for shape in _shapes(points, int(labels.max()) + 1):
                own.check()
                fitted = number_by_first(mixture(points, mass, labels, shape))
                found.append(Candidate(Recipe("mixture", start=name, shape=shape, axes=axes), fitted))
        return found

    with one_blas_thread():
        joined = engine.map(lambda view, _: ward(view[1], counts), views, "Ward")
        jobs = [(*view, "", labels) for view, some in zip(views, joined, strict=True) for labels in some]
        most = max([_MOST_STARTS, *counts])
        jobs += [(*views[0], one.recipe.name, one.labels) for one in _of_graph(found) if one.n_clusters <= most]
        return [one for some in engine.map(fit, jobs, "mixtures") for one in some]


def _shapes(points: Floats, k: int) -> tuple[Shape, ...]:
    n, m = points.shape
    if n * k > MOST_SHARES:
        return ()
    return SHAPES if k * m * (m + 1) / 2 <= _PER_PLACE * n else SHAPES[1:]


def _sparse_half(ground: Ground) -> Ints:
    """Return the places in two parts: around the denser and the sparser half."""
    tenth = ground.distances[:, min(_TENTH, ground.distances.shape[1]) - 1]
    return number_by_first((tenth > np.median(tenth)).astype(np.intp))


def _starts(found: list[Candidate], k: int) -> Iterator[Candidate]:
    """Yield partitions of some trees into k clusters, if there are any."""
    for wanted in _STARTS:
        for one in found:
            recipe = one.recipe._replace(share=0.0, lasting=False)
            if recipe == wanted and one.recipe.share in (SHARES[1], LEAST[1]) and one.n_clusters == k:
                yield one
                break
