"""Clusters of anything, without parameters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from ... import _check as check
from ..._types import Floats, Ints
from ..._warn import warn
from ...engine import Engine, Progress, current
from ...hierarchy import FewerClustersWarning, cut_tree, spanning_tree
from ...localize.places import read
from ...spaces import Euclidean, Space
from .candidates import Candidate, Trees, with_count, without_count
from .clustering import Clustering, Partition
from .criteria import NAMES, Partitions, adjusted_rand, facts_of, measure
from .ground import Ground
from .judge import CLOSE, ONE, Judge
from .noise import thin_places
from .places import Places
from .recipes import Recipe, grow

_SMALL = 20  # places: with fewer, and no number given, only a very wide step of distances tells clusters
_WIDE = 4.0  # times the next distance: such a step
_FEW = 4  # places: fewer are one cluster, unless a number is given


def cluster(
    X: ArrayLike | Space,
    n_clusters: int | None = None,
    *,
    metric: str | None = None,
    weights: ArrayLike | None = None,
    noise: bool | None = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    engine: Engine | None = None,
) -> Clustering:
    """Clusters of points or distances, with everything chosen by the data.

    Many recipes are tried: the tree of the distances, trees of mutual reachability, trees of the Gaussian Transform at
    several radii (in units of the typical distance to the tenth neighbor), weights λ and iterations, each cut in three
    ways, k-means and Gaussian mixtures. A small model, trained on generated shapes, says from criteria that need no
    labels (agreement with the other recipes, conductance, heights of cuts, density at borders, …) how good each
    partition probably is, and the best is taken. The result says which, why, and what else was considered.

    Columns of different units should be scaled first. The clusters do not depend on the order of the rows, on the unit,
    or on the number of threads.

    Parameters
    ----------
    X : array of shape (n, m), distances for metric="precomputed", or Space
    n_clusters : int, optional
        By default as many as the data show; one, if they show none.
    metric : str, optional
        Of the points, by SciPy's name, or "precomputed". Default: Euclidean.
    weights : array of shape (n,), optional
        Masses of the points; weight k is the same as k copies. Points of weight 0 go to the nearest cluster.
    noise : bool, optional
        Whether points in much thinner surroundings than the rest of their cluster get the label −1. By default if no
        number of clusters is given.
    n_jobs, progress, engine
        Where it runs, and whom it tells; by default what `wt.using` says.

    Returns
    -------
    Clustering

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> circles = wt.datasets.circles(0)
    >>> wt.cluster(circles.points).n_clusters
    2
    >>> discs = wt.datasets.dumbbell()
    >>> wt.cluster(discs.points, 3).recipe.kind  # only a transform tells the chain from the discs
    'gaussian'
    """
    wanted = None if n_clusters is None else check.count(n_clusters, "n_clusters", 1)
    noise = wanted is None if noise is None else bool(noise)
    space = read(X, weights, metric)
    with current(engine, n_jobs=n_jobs, progress=progress).watched() as engine:
        return replace(_found(space, wanted, noise, engine), named=_name(space, X, metric))


def _best(expected: Floats, votes: Ints, close: float) -> int:
    """Of the partitions of which nearly as much is expected as of the best, that of most recipes."""
    near = expected >= expected.max() - close
    return int(np.lexsort((-np.arange(len(votes)), expected, np.where(near, votes, -1)))[-1])


def _name(space: Space, X: ArrayLike | Space, metric: str | None) -> str | None:
    """How the distance of new points to these is called; None where coordinates do not tell it."""
    if isinstance(space.metric, Euclidean):
        return "euclidean"
    return None if isinstance(X, Space) or metric == "precomputed" else metric


def _found(space: Space, wanted: int | None, noise: bool, engine: Engine) -> Clustering:
    places = Places.of(space, engine)
    if wanted == 1 or (wanted is None and places.space.n < _FEW):
        return _one(space, places, "one cluster was asked for" if wanted == 1 else _why_one(places))
    if wanted is not None and wanted >= places.space.n:
        return _each(space, places, wanted)
    if wanted is None and places.space.n < _SMALL:
        return _by_widest_step(space, places, engine)
    ground = Ground.of(places.space, engine)
    trees = list(grow(ground, engine))
    found = without_count(ground, trees, engine) if wanted is None else with_count(ground, trees, wanted, engine)
    return _chosen(space, places, ground, trees, found, wanted, noise, engine)


def _chosen(
    space: Space, places: Places, ground: Ground, trees: Trees, found: list[Candidate], wanted: int | None, noise: bool,
    engine: Engine,
) -> Clustering:  # fmt: skip
    partitions = Partitions.of(found)
    by_kind = {recipe.reach: tree for recipe, tree in trees if recipe.kind != "gaussian"}
    facts = facts_of(ground, by_kind[0], by_kind.get(5, by_kind[0]))
    criteria = measure(ground, facts, partitions, wanted, engine)
    expected = Judge.of("without_count" if wanted is None else "with_count")(criteria)
    counts = np.array([int(labels.max()) + 1 for labels in partitions.labels])
    fitting = counts == (counts[counts <= wanted].max() if wanted else counts)
    votes = np.array([len(group) for group in partitions.members])
    best = _best(np.where(fitting, expected, -np.inf), votes, CLOSE if wanted is None else 0.0)
    if wanted is None and (expected.max() < ONE or counts[best] == 1):
        why = _whole(partitions, best) if counts[best] == 1 else _no_clusters(float(expected.max()))
        return _one(space, places, why, _table(partitions, criteria, expected))
    if wanted is not None and counts[best] < wanted:
        reason = "no recipe parts the rest into large enough pieces"
        warn(f"found {counts[best]} clusters of the {wanted} asked for: {reason}", FewerClustersWarning)
    labels = _by_mass(partitions.labels[best], ground.mass)
    probabilities = _agreement(partitions, expected, best, ground.mass)
    thin = thin_places(ground, labels) if noise else np.zeros(ground.n, bool)
    labels = np.where(thin, -1 - labels, labels)
    recipe = _typical(partitions.members[best])
    tree = next((tree for one, tree in trees if one == recipe._replace(share=0.0, lasting=False)), None)
    return Clustering(
        np.maximum(labels, -1)[places.place],
        np.where(thin, 0.0, probabilities)[places.place],
        int(counts[best]),
        recipe,
        _reason(ground, places, partitions, expected, best, counts, wanted, recipe),
        _table(partitions, criteria, expected),
        space,
        places.rows,
        labels,
        ground,
        tree,
    )


def _one(space: Space, places: Places, reason: str, table: tuple[Partition, ...] = ()) -> Clustering:
    labels = np.zeros(space.n, np.intp)
    return Clustering(
        labels, np.ones(space.n), 1, None, reason, table, space, places.rows, labels[: len(places.rows)], None, None
    )


def _each(space: Space, places: Places, wanted: int) -> Clustering:
    """Every place is a cluster."""
    n = places.space.n
    if n < wanted:
        warn(f"found {n} clusters of the {wanted} asked for: there are no more places with mass", FewerClustersWarning)
    labels = _by_mass(np.arange(n), places.space.weights)
    reason = f"there are {n} different places, and each is a cluster"
    return Clustering(
        labels[places.place], np.ones(space.n), n, None, reason, (), space, places.rows, labels, None, None
    )


def _by_widest_step(space: Space, places: Places, engine: Engine) -> Clustering:
    """The tree of the distances of few places, cut at its widest step, if that is wide."""
    tree = spanning_tree(places.space, engine)
    heights = tree.heights[::-1][: places.space.n // 2 + 1]
    steps = heights[:-1] / np.maximum(heights[1:], 1e-300)
    if steps.max() < _WIDE:
        return _one(space, places, f"one cluster: {places.space.n} places, and no wide step between their distances")
    k = int(steps.argmax()) + 2
    labels = _by_mass(cut_tree(tree, k, cut="count"), places.space.weights)
    reason = f"{k} clusters: the next distance within them is {steps.max():.3g} times smaller than between them"
    return Clustering(
        labels[places.place], np.ones(space.n), k, None, reason, (), space, places.rows, labels, None, tree
    )


def _why_one(places: Places) -> str:
    n = places.space.n
    return "all points are in one place" if n == 1 else f"{n} different places are too few to tell clusters"


def _no_clusters(expected: float) -> str:
    return (
        f"one cluster: even the best partition would agree by {max(expected, 0):.2f} only with what is there, going by "
        "shapes that are known; n_clusters=2 parts it all the same"
    )


def _whole(partitions: Partitions, best: int) -> str:
    votes = sum(len(group) for group in partitions.members)
    return (
        f"one cluster: {len(partitions.members[best])} of {votes} candidates part nothing, and of no partition more is "
        "expected; n_clusters=2 parts it all the same"
    )


def _by_mass(labels: Ints, mass: Floats) -> Ints:
    """Numbered by falling mass, equal ones as they come."""
    held = np.round(np.bincount(labels, weights=mass / mass.sum()), 12)
    rank = np.empty(len(held), np.intp)
    rank[np.argsort(-held, kind="stable")] = np.arange(len(held))
    return rank[labels]


def _typical(members: list[Candidate]) -> Recipe:
    """Of the recipes that gave the partition the least transformed."""
    order = {"tree": 0, "reach": 1, "gaussian": 2, "means": 3, "mixture": 4}
    recipes = [one.recipe for one in members]
    return min(recipes, key=lambda r: (order[r.kind], r.reach, r.n_iter, r.lam, r.factor, abs(r.share - 0.25)))


def _agreement(partitions: Partitions, expected: Floats, best: int, mass: Floats) -> Floats:
    """The share of the candidates, weighed by what is expected, that put a point with the rest of its cluster."""
    chosen = partitions.labels[best]
    k = int(chosen.max()) + 1
    agreeing, total = np.zeros(len(chosen)), 0.0
    for labels, members, value in zip(partitions.labels, partitions.members, expected, strict=True):
        weight = max(float(value), 0.0) ** 2 * len(members)
        shared = np.bincount(labels * k + chosen, weights=mass, minlength=(int(labels.max()) + 1) * k).reshape(-1, k)
        agreeing += weight * (shared.argmax(axis=1)[labels] == chosen)
        total += weight
    return agreeing / total if total else np.ones(len(chosen))


def _reason(
    ground: Ground, places: Places, partitions: Partitions, expected: Floats, best: int, counts: Ints,
    wanted: int | None, recipe: Recipe,
) -> str:  # fmt: skip
    votes = [len(group) for group in partitions.members]
    alike = [adjusted_rand([partitions.labels[best], labels], ground.mass)[0, 1] for labels in partitions.labels]
    near = int(sum(vote for vote, one in zip(votes, alike, strict=True) if one > 0.95))
    agree = min(float(expected[best]), 1.0)
    words = [f"{counts[best]} clusters of the {recipe}: expected to agree by {agree:.2f} with what is there"]
    most = "the most" if expected[best] == expected.max() else f"nearly the most ({min(expected.max(), 1.0):.2f})"
    among = f"{most} of {len(votes)} partitions" if len(votes) > 1 else "the only partition"
    words.append(f"{among}; {near} of {sum(votes)} candidates find nearly the same")
    if recipe.kind == "gaussian":
        words.append(f"a unit is the typical distance to the tenth neighbor, ε = {recipe.factor * ground.unit:.4g}")
    if places.n_all > places.space.n:
        sample = f"{places.space.n} of {places.n_all} points"
        words.append(f"found on {sample}, drawn at random; the others go with the nearest of these")
    if ground.note:
        words.append(ground.note)
    return "; ".join(words)


def _table(partitions: Partitions, criteria: Floats, expected: Floats) -> tuple[Partition, ...]:
    """The partitions, the best first."""
    rows = []
    for at in np.argsort(-expected, kind="stable"):
        members = partitions.members[at]
        named = dict(zip(NAMES, criteria[at].tolist(), strict=False))
        rows.append(
            Partition(_typical(members), len(members), int(partitions.labels[at].max()) + 1, float(expected[at]), named)
        )
    return tuple(rows)
