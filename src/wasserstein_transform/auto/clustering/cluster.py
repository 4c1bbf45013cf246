"""`cluster`: clustering without parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ... import _check as check
from ..._check import warn
from ..._types import Floats, Ints
from ...cuda import on_gpu
from ...engine import Engine, current
from ...hierarchy import FewerClustersWarning, cut_tree, spanning_tree
from ...spaces import Euclidean, Space, as_space
from ...tables.features import AS_THEY_ARE, SCALED, Features, features
from .candidates import Candidate, Recipe, Trees, grow, with_count, without_count
from .clustering import Clustering, Partition
from .criteria import CLOSE, NAMES, ONE, Judge, Partitions, adjusted_rand, facts_of, measure
from .ground import Ground, Places, thin_places

_SMALL = 20  # places: with fewer, and without a given number, only a very wide step of distances tells clusters
_WIDE = 4.0  # ratio to the next distance that is such a step
_FEW = 4  # places: fewer are one cluster, unless a number is given
_BETTER = 0.02  # expected quality by which columns as they are must exceed scaled ones


def cluster(
    X: Any,
    n_clusters: int | None = None,
    *,
    columns: Sequence[Any] | None = None,
    scale: str | None = "auto",
    missing: str = "drop",
    sample_weight: ArrayLike | None = None,
    metric: str = "euclidean",
    noise: bool | None = None,
    n_jobs: int | None = None,
    verbose: bool = False,
    engine: Engine | None = None,
) -> Clustering:
    """Cluster points or distances, with all parameters chosen from the data.

    Many recipes are tried: the single-linkage tree of the distances, trees of mutual reachability, trees of the
    Gaussian Transform at several radii (in units of the typical distance to the tenth neighbor), weights λ and
    iterations, each cut in three ways; k-means; and Gaussian mixtures. A small model, trained on generated shapes,
    predicts the quality of each partition from criteria that need no labels: agreement with the other recipes,
    conductance, heights of cuts, density at borders, … The best partition is taken. The result tells which one, why,
    and which others were considered.

    Columns of different units are brought to one scale, and ids, dates and the like of a table are left out: `notes`
    says what was done, `wt.tables.features` has the rules. The clusters do not depend on the order of the rows, on the
    unit, on the number of threads, or on columns without spread: points are clustered in the dimension that they span.

    Parameters
    ----------
    X : array of shape (n, m), DataFrame, distances of shape (n, n) for metric="precomputed", Space, or Features
        The points.
    n_clusters : int, optional
        Number of clusters; None (default) chooses it from the data, possibly one.
    columns : sequence, optional
        The columns of a table to use, whatever they hold; of an array, their numbers. None (default) chooses them.
    scale : {"auto", "standard", "robust", "range", None}, default "auto"
        How columns are scaled; None keeps their units. "auto" scales columns of different units to standard deviation
        1. Where it is not clear whether units differ, both are clustered, and the better partition is taken.
    missing : {"drop", "fill", "error"}, default "drop"
        Rows with missing cells get the label −1, or are filled, or are an error.
    sample_weight : array of shape (n,), optional
        Masses of the points; weight k is the same as k copies. Points of weight 0 get the nearest cluster. None means
        equal masses.
    metric : str, default "euclidean"
        Metric of the points by SciPy's name, or "precomputed". With "cosine", rows are divided by their lengths and
        compared by Euclidean distance, which orders pairs alike and needs no matrix.
    noise : bool, optional
        Whether points in regions much sparser than the rest of their cluster get the label −1. None means yes if
        `n_clusters` is not given, else no.
    n_jobs : int, optional
        Number of threads; −1 means all cores, None the setting of the engine.
    verbose : bool, default False
        Whether to show the progress bar at once, not after two seconds.
    engine : Engine, optional
        Threads, memory limit and progress; None means the setting of `wt.using`.

    Returns
    -------
    Clustering
        Labels of shape (n,), the reason, and all partitions considered.

    Notes
    -----
    24 trees and up to a few hundred partitions. Of more than 10,000 different places in one or two dimensions, 2,000
    in three, or 1,000 otherwise, a random sample is clustered, and the other points get the cluster of the nearest.

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
    with current(engine, n_jobs=n_jobs, verbose=verbose).watched() as engine:
        if isinstance(X, Space) or metric == "precomputed" or on_gpu(X, copy=False) is not None:
            _refuse_options(columns, scale, missing)
            space = as_space(X, sample_weight, metric)
            return replace(_found(space, wanted, noise, engine), named=_name(space, X, metric))
        if metric != "euclidean":
            scale = _scale_of(metric, scale)
        table = X if isinstance(X, Features) else features(X, columns, scale=scale, missing=missing)
        metric = "euclidean" if metric == "cosine" else metric
        return _best_reading(table, sample_weight, metric, lambda space: _found(space, wanted, noise, engine))


def _refuse_options(columns: Any, scale: str | None, missing: str) -> None:
    """Raise for options of tables, given with a Space, distances, or points on a GPU."""
    for name, value, default in (("columns", columns, None), ("scale", scale, "auto"), ("missing", missing, "drop")):
        if value not in (default, None):
            raise ValueError(f"{name}={value!r:.60} needs a table of points, got a Space or distances; leave it out")


def _scale_of(metric: str, scale: str | None) -> str | None:
    if scale not in ("auto", None):
        raise ValueError(f"scale={scale!r} is for metric='euclidean', got metric={metric!r}; leave it out")
    return "unit" if metric == "cosine" else None


def _best_reading(
    table: Features, sample_weight: ArrayLike | None, metric: str, find: Callable[[Space], Clustering]
) -> Clustering:
    """Cluster each reading of a table; rows with gaps have no mass, and so no influence."""
    weights, notes = sample_weight, list(table.notes)
    if table.has_gaps:
        weights = np.zeros(table.n)
        weights[table.rows] = check.weights(sample_weight, table.n)[table.rows]
    found = {one: find(Space.from_points(table.matrix(one), weights, metric)) for one in table.readings}
    expected = {one: each.partitions[0].expected if each.partitions else 0.0 for one, each in found.items()}
    reading = max(found, key=lambda one: expected[one] - _BETTER * (one == AS_THEY_ARE))
    if len(found) > 1:
        notes.append(_say_reading(reading, expected, len(table.used)))
    best, there = found[reading], np.isin(np.arange(table.n), table.rows)
    if reading == AS_THEY_ARE and best.space.points is not None and not np.isnan(table.values).any():
        table = replace(table, values=best.space.points)  # one array, also in files
    return replace(
        best,
        labels=np.where(there, best.labels, -1),
        probabilities=np.where(there, best.probabilities, 0.0),
        named=metric,
        features=replace(table, reading=reading, notes=tuple(notes)),
    )


def _say_reading(reading: str, expected: dict[str, float], n: int) -> str:
    scaled, literal = f"{expected[SCALED]:.2f}", f"{expected[AS_THEY_ARE]:.2f}"
    if reading == SCALED:
        said = f"scaled to standard deviation 1: expected quality {scaled}, {literal} as they are"
        return f"{n} columns were {said} (scale=None keeps their units)"
    return (
        f"{n} columns were used as they are: expected quality {literal}, {scaled} scaled (scale='standard' scales them)"
    )


def _best(expected: Floats, votes: Ints, close: float) -> int:
    """Return the partition with most votes among those expected to be nearly as good as the best."""
    near = expected >= expected.max() - close
    return int(np.lexsort((-np.arange(len(votes)), expected, np.where(near, votes, -1)))[-1])


def _name(space: Space, X: ArrayLike | Space, metric: str) -> str | None:
    """Return the name of the metric from new points to these; None if coordinates do not determine it."""
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
        reason = "no recipe splits the rest into large enough parts; ask for fewer"
        warn(f"found {counts[best]} clusters of the {wanted} asked for: {reason}", FewerClustersWarning)
    labels = partitions.labels[best]
    thin = thin_places(ground, labels) if noise else np.zeros(ground.n, bool)
    labels = _by_mass(labels, np.where(thin, 0.0, places.mass))
    probabilities = np.where(thin, 0.0, _agreement(partitions, expected, best, ground.mass))
    recipe = _typical(partitions.members[best])
    tree = next((tree for one, tree in trees if one == recipe._replace(share=0.0, lasting=False)), None)
    return Clustering(
        np.where(thin, -1, labels)[places.place],
        probabilities[places.place],
        int(counts[best]),
        recipe,
        _reason(ground, places, partitions, expected, best, counts, wanted, recipe),
        _table(partitions, criteria, expected),
        space,
        places.rows,
        np.where(thin, -1 - labels, labels),
        ground,
        tree,
    )


def _one(space: Space, places: Places, reason: str, table: tuple[Partition, ...] = ()) -> Clustering:
    labels = np.zeros(space.n, np.intp)
    return Clustering(
        labels, np.ones(space.n), 1, None, reason, table, space, places.rows, labels[: len(places.rows)], None, None
    )


def _each(space: Space, places: Places, wanted: int) -> Clustering:
    """Make every place a cluster."""
    n = places.space.n
    if n < wanted:
        warn(f"found {n} clusters of the {wanted} asked for: there are no more places with mass", FewerClustersWarning)
    labels = _by_mass(np.arange(n), places.mass)
    reason = f"there are {n} different places, and each is a cluster"
    return Clustering(
        labels[places.place], np.ones(space.n), n, None, reason, (), space, places.rows, labels, None, None
    )


def _by_widest_step(space: Space, places: Places, engine: Engine) -> Clustering:
    """Cut the tree of few places at its widest step, if that is wide enough."""
    tree = spanning_tree(places.space, engine)
    heights = tree.heights[::-1][: places.space.n // 2 + 1]
    steps = heights[:-1] / np.maximum(heights[1:], 1e-300)
    if steps.max() < _WIDE:
        return _one(space, places, f"one cluster: {places.space.n} places, and no wide step between their distances")
    k = int(steps.argmax()) + 2
    labels = _by_mass(cut_tree(tree, k, cut="count"), places.mass)
    reason = f"{k} clusters: the next distance within them is {steps.max():.3g} times smaller than between them"
    return Clustering(
        labels[places.place], np.ones(space.n), k, None, reason, (), space, places.rows, labels, None, tree
    )


def _why_one(places: Places) -> str:
    n = places.space.n
    return "all points are in one place" if n == 1 else f"{n} different places are too few to tell clusters"


def _no_clusters(expected: float) -> str:
    return (
        f"one cluster: the best partition has an expected adjusted Rand index of {max(expected, 0):.2f} only; "
        "n_clusters=2 splits the data anyway"
    )


def _whole(partitions: Partitions, best: int) -> str:
    votes = sum(len(group) for group in partitions.members)
    return (
        f"one cluster: {len(partitions.members[best])} of {votes} candidates split nothing, and no partition is "
        "expected to be better; n_clusters=2 splits the data anyway"
    )


def _by_mass(labels: Ints, mass: Floats) -> Ints:
    """Number clusters by decreasing mass, ties by their first place."""
    held = np.round(np.bincount(labels, weights=mass), 12)
    rank = np.empty(len(held), np.intp)
    rank[np.argsort(-held, kind="stable")] = np.arange(len(held))
    return rank[labels]


def _typical(members: list[Candidate]) -> Recipe:
    """Return the simplest of the recipes that gave the partition."""
    order = {"tree": 0, "reach": 1, "gaussian": 2, "means": 3, "mixture": 4}
    recipes = [one.recipe for one in members]
    return min(recipes, key=lambda r: (order[r.kind], r.reach, r.n_iter, r.lam, r.factor, abs(r.share - 0.25)))


def _agreement(partitions: Partitions, expected: Floats, best: int, mass: Floats) -> Floats:
    """Return, for each point, the fraction of candidates, weighted by quality, that put it with its cluster."""
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
    words = [f"{counts[best]} clusters of the {recipe}: expected adjusted Rand index {agree:.2f}"]
    most = "the highest" if expected[best] == expected.max() else f"nearly the highest ({min(expected.max(), 1.0):.2f})"
    among = f"{most} of {len(votes)} partitions" if len(votes) > 1 else "the only partition"
    words.append(f"{among}; {near} of {sum(votes)} candidates are nearly the same")
    if recipe.kind == "gaussian":
        words.append(f"one unit is the typical distance to the tenth neighbor: ε = {recipe.factor * ground.unit:.4g}")
    if places.n_all > places.space.n:
        sample = f"{places.space.n} of {places.n_all} points"
        words.append(f"found on {sample}, drawn at random; the others get the cluster of the nearest of these")
    if ground.note:
        words.append(ground.note)
    return "; ".join(words)


def _table(partitions: Partitions, criteria: Floats, expected: Floats) -> tuple[Partition, ...]:
    """Return the partitions, best first."""
    rows = []
    for at in np.argsort(-expected, kind="stable"):
        members = partitions.members[at]
        named = dict(zip(NAMES, criteria[at].tolist(), strict=False))
        rows.append(
            Partition(_typical(members), len(members), int(partitions.labels[at].max()) + 1, float(expected[at]), named)
        )
    return tuple(rows)
