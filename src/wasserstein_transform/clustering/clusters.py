"""`cluster`: clustering without parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from .. import _check as check
from .._check import warn
from .._display import counted
from .._types import Bools, Floats, Ints
from ..cuda import on_gpu
from ..engine import Engine, current, one_blas_thread
from ..hierarchy import FewerClustersWarning, Tree, cut_tree, spanning_tree
from ..spaces import Euclidean, Space, as_space
from ..tables.features import AS_THEY_ARE, SCALED, Features, features
from .answer import Clustering
from .candidates import crossings, with_count, without_count
from .criteria import measure
from .ground import Ground, Places, sparsest_places, thin_places
from .judge import Judge, Rule, best_of, check_version
from .neighbor_graph import with_number, without_number
from .partitions import Overlaps, Partition, Partitions
from .recipes import Candidate, Recipe
from .trees import Forest, grow
from .uncertain import BY_ERRORS, names_in, space_of, with_errors

_SMALL = 20  # places: with fewer, and without a given number, only a very wide step of distances tells clusters
_WIDE = 4.0  # ratio to the next distance that is such a step
_FEW = 4  # places: fewer are one cluster, unless a number is given
_SAME = 0.95  # adjusted Rand index from which on two partitions are nearly the same
_ALIKE = 0.9  # and below which partitions with the same number of clusters are different answers
_WORSE = 0.25  # difference to the value of the answer up to which others are alternatives
_SURE = 0.9  # expected quality from which on no shapes that cross are looked for
_ALTERNATIVES = 5  # the most that are kept
_SMALLER = (
    "no partition into {wanted} clusters has at least {least} points in each; ask for fewer clusters, or a smaller "
    "min_cluster_size"
)
_COMMUNITIES = Rule(0.0, 0.0, 0.0)  # of many columns: values are what exceeds chance
_BETTER = 0.02  # expected quality by which the less likely reading of a table must exceed the likelier one


class _Asked(NamedTuple):
    """What is asked for, beside the points."""

    n_clusters: int | None
    noise: bool | float
    least: int  # rows of a cluster
    neighbors: Any
    judge: int


def cluster(
    X: Any,
    n_clusters: int | None = None,
    *,
    columns: Sequence[Any] | None = None,
    scale: str | None = "auto",
    missing: str = "drop",
    sample_weight: ArrayLike | None = None,
    covariances: ArrayLike | Sequence[str] | bool | None = None,
    metric: str = "euclidean",
    noise: bool | float | None = None,
    min_cluster_size: int = 1,
    neighbors: Any = None,
    judge: int | None = None,
    n_jobs: int | None = None,
    verbose: bool = False,
    engine: Engine | None = None,
) -> Clustering:
    """Cluster points or distances, with all parameters chosen from the data.

    Many recipes are tried: the single-linkage tree of the distances, trees of mutual reachability, trees of the
    Gaussian Transform at several radii (in units of the typical distance to the tenth neighbor), weights λ and
    iterations, each cut in several ways; communities of the neighbor graph; k-means; and Gaussian mixtures. Where
    points lie along curves or sheets and none of these is sure to be right, shapes that cross are looked for. Tables of
    four or more columns are seen on few, some and all of their principal axes, and get Ward's linkage, and mixtures
    with full, tied and diagonal covariances; their trees are also those after a step of mean shift. A small model,
    trained on generated shapes, predicts the quality of each partition from criteria that need no labels: agreement
    with the other recipes and with partitions of random parts of the points, conductance and heights of cuts before
    and after a transform, density at borders, … The best partition is taken. The result tells which one, why, and
    which others were considered.

    Points with many columns, such as embeddings of sentences, are seen through the graph of their nearest neighbors
    instead: its communities are found at many resolutions, and the resolution is taken at which random parts of the
    points, and Ward's linkage after a step of mean shift, agree most, compared with a cloud without groups. There may
    be hundreds of clusters. With a given number, communities are compared with linkage and k-means after that step.

    Columns of different units are brought to one scale, and ids, dates and the like of a table are left out: `notes`
    says what was done, `wt.tables.features` has the rules. The clusters do not depend on the order of the rows, on the
    number of threads, or on columns without spread: points are clustered in the dimension that they span. Nor do they
    depend on the unit, or on rotations with scale=None, but for rounding: of two partitions nearly as good, it may
    decide.

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
    covariances : array of shape (n, m) or (n, m, m), sequence of str, or True, optional
        Standard errors or covariances of measured points, in the units of X; of a table, also the names of the columns
        with the standard errors, or True for columns such as x_err beside x. Points are then Gaussians, and distances
        are W2: |x − y|² plus the squared Bures distance of the covariances. Points with different errors are apart, so
        this helps where errors differ between the clusters, and harms where they differ within them. None (default)
        means none; columns such as x_err are then left out.
    metric : str, default "euclidean"
        Metric of the points by SciPy's name, or "precomputed". With "cosine", rows are divided by their lengths and
        compared by Euclidean distance, which orders pairs alike and needs no matrix.
    noise : bool or float, optional
        Whether points in regions much sparser than the rest of their cluster get the label −1. A share such as 0.05:
        the sparsest points, at most this share. None means True if `n_clusters` is not given, else False, which gives
        every point a cluster; `probabilities` tells how sure that is.
    min_cluster_size : int, default 1
        Number of points that each cluster has at least, without noise. Only partitions that keep this are compared.
    neighbors : sparse matrix of shape (n, n), pair of arrays (indices, distances), or NNDescent, optional
        Of points with many columns, at least 20 nearest others of each, also approximate ones, as scikit-learn's
        `kneighbors_graph(mode="distance")`, UMAP or pynndescent has them. All points are then clustered, no sample of
        them, and equal points may get different clusters. None (default) searches for them.
    judge : int, optional
        Version of the model that chooses, which the result names; None means the newest.
    n_jobs : int, optional
        Number of threads; −1 means all cores, None the setting of the engine.
    verbose : bool, default False
        Whether to show the progress bar at once, not after two seconds.
    engine : Engine, optional
        Threads, memory limit and progress; None means the setting of `wt.using`.

    Returns
    -------
    Clustering
        Labels of shape (n,), how sure they are, what the clusters are (`profile`), and other good answers.

    Notes
    -----
    About ten trees and up to two hundred partitions. Of more than 10,000 different places in one or two dimensions, or
    2,000 otherwise, a random sample is clustered, and the other points get the cluster of the nearest.

    Many columns are 48 or more that 500 or more different places span, or 24 and 200 if all rows have length 1. The
    sample then has 10,000 places, other points and new ones go with most of their 15 nearest, and the membership of a
    point is the share of its links that lead into each cluster.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> circles = wt.datasets.circles(0)
    >>> wt.cluster(circles.points).n_clusters
    2
    >>> wt.cluster(wt.datasets.dumbbell().points).sizes  # two discs, and the chain between them
    array([300, 300, 200])
    """
    wanted = None if n_clusters is None else check.count(n_clusters, "n_clusters", 1)
    noise = wanted is None if noise is None else _check_noise(noise)
    least = check.count(min_cluster_size, "min_cluster_size", 1)
    asked = _Asked(wanted, noise, least, neighbors, check_version(judge))
    with current(engine, n_jobs=n_jobs, verbose=verbose).progress_scope() as engine:
        if isinstance(X, Space) or metric == "precomputed" or on_gpu(X, copy=False) is not None:
            of_tables = {
                "columns": columns, "scale": None if scale == "auto" else scale, "covariances": covariances,
                "missing": None if missing == "drop" else missing,
            }  # fmt: skip
            for name, value in of_tables.items():
                if value is not None:
                    raise ValueError(f"{name}={check.shown(value)} needs a table of points, got a Space or distances")
            space = as_space(X, sample_weight, metric)
            by_name = not isinstance(X, Space) and metric != "precomputed"  # otherwise `predict` needs distances
            named = "euclidean" if isinstance(space.metric, Euclidean) else metric if by_name else None
            return replace(_cluster_space(space, asked, engine), named=named)
        if metric != "euclidean":
            if scale not in ("auto", None):
                raise ValueError(f"scale={scale!r} is for metric='euclidean', got metric={metric!r}; leave it out")
            scale = "unit" if metric == "cosine" else None
        scale = None if scale == "auto" and neighbors is not None else scale  # neighbors of the points as they are
        errors = names_in(covariances)
        how: dict[str, Any] = {"scale": scale, "missing": missing, "errors": errors, "sample_weight": sample_weight}
        table = with_errors(X if isinstance(X, Features) else features(X, columns, **how), covariances, metric)
        return _best_reading(table, sample_weight, "euclidean" if metric == "cosine" else metric, asked, engine)


def _check_noise(noise: Any) -> bool | float:
    if isinstance(noise, bool | np.bool_):
        return bool(noise)
    if isinstance(noise, float | np.floating) and 0 <= noise < 1:
        return float(noise)
    raise ValueError(
        f"noise must be True, False, or a share of the points from 0.0 to below 1, got {check.shown(noise)}"
    )


def _best_reading(
    table: Features, sample_weight: ArrayLike | None, metric: str, asked: _Asked, engine: Engine
) -> Clustering:
    """Cluster each reading of a table; rows with gaps have no mass, and so no influence."""
    weights, there = sample_weight if sample_weight is not None else table.weights, table.there
    if not there.all():
        weights = np.where(there, check.weights(weights, table.n), 0.0)
    tried, found = [replace(table, reading=reading) for reading in table.readings], list[Clustering]()
    for one in tried:
        if one.errors is None:
            space = Space.from_points(one.matrix(), weights, metric)
        else:
            space = space_of(one.matrix(), one.scale_errors(one.errors), weights)
        found.append(_cluster_space(space, asked, engine))
    values = [_quality(one.partitions) for one in found]
    at = max(range(len(tried)), key=lambda k: values[k] - _BETTER * (k > 0))
    table, best = tried[at], found[at]
    notes = [*table.notes, *(BY_ERRORS,) * (table.errors is not None)]
    if len(tried) > 1 and all(one.partitions for one in found) and max(one.n_clusters for one in found) > 1:
        notes.append(_say_choice(table, *(one.partitions[0].expected for one in (best, found[1 - at]))))
    plain = table.reading == AS_THEY_ARE and table.errors is None and table.earth is None
    if plain and not np.isnan(table.values).any() and best.space.points is not None:
        table = replace(table, values=best.space.points)  # one array, also in files
    place, table = np.where(there, best.place, -1), replace(table, notes=tuple(notes))
    return replace(best, place=place, named=metric, features=table, notes=(*notes, *best.notes))


def _quality(partitions: tuple[Partition, ...]) -> float:
    """The value of the best partition; that of communities is no quality, but what exceeds chance."""
    if not partitions:
        return 0.0
    best = partitions[0]
    return best.expected if best.recipe.kind == "graph" and best.n_clusters > 1 else best.value


def _say_choice(table: Features, value: float, other: float) -> str:
    """Say why columns were scaled or not, if both were tried."""
    done, rest, option, does = {
        SCALED: ("scaled to standard deviation 1", "as they are", "scale=None", "keeps their units"),
        AS_THEY_ARE: ("used as they are", "scaled", "scale='standard'", "scales them"),
    }[table.reading]
    why = f"expected quality {value:.2f}, {other:.2f} {rest} ({check.option_text(option)} {does})"
    return f"{len(table.used)} columns were {done}: {why}"


def _cluster_space(space: Space, asked: _Asked, engine: Engine) -> Clustering:
    wanted, least = asked.n_clusters, asked.least
    if wanted is not None:
        check.count(wanted, "n_clusters", 1, space.n, "points")
    check.count(least, "min_cluster_size", 1, space.n, "points")
    places = Places.of(space, engine) if asked.neighbors is None else Places.of_rows(space, asked.neighbors)
    engine = replace(engine, device="cpu")  # few places are left, too few for a GPU
    known = _without_candidates(space, places, asked, engine)
    if known is not None:
        return known
    if places.has_many_columns:
        ground, trees = Ground.of_neighbors(places.space, engine, places.given), list[tuple[Recipe, Tree]]()
        smallest = (least - 1e-9) * ground.n / len(places.place)
        found = with_number(ground, wanted, engine) if wanted else without_number(ground, smallest, engine)
        rule = _COMMUNITIES
    else:
        ground = Ground.of(places.space, engine)
        forest = grow(ground, engine)
        found, rule = _by_judge(ground, forest, asked, engine)
        trees = forest.trees
    fitting = _fit(found, asked, places.place)
    values = np.where(fitting, found.values, -np.inf)
    split = best_of(values, found.votes) if wanted else rule.choose(values, found.counts, found.votes)
    best = int(found.counts.argmin()) if split is None else split
    places = places.following(found.labels[best])
    return _answer(space, places, ground, trees, found, best, _different(found, best, fitting), asked)


def _without_candidates(space: Space, places: Places, asked: _Asked, engine: Engine) -> Clustering | None:
    """Return the answer if one cluster is requested or there are few places; None if partitions are to be compared."""
    n, wanted, least = places.space.n, asked.n_clusters, asked.least
    if wanted == 1:
        return _one(space, places, "one cluster was requested")
    if wanted is not None and wanted >= n:
        if np.bincount(places.place).min() < least:
            raise ValueError(_SMALLER.format(wanted=wanted, least=least))
        _warn_if_fewer(n, wanted, "there are no more distinct points")
        return _plain(space, places, places.number(np.arange(n), places.mass), "each distinct point is a cluster")
    if wanted is not None or n >= _SMALL:
        return None
    if n < _FEW:
        few = f"{n} distinct points are too few to look for clusters"
        return _one(space, places, "all points are in one place" if n == 1 else few)
    tree = spanning_tree(places.space, engine)
    heights = tree.heights[::-1][: n // 2 + 1]
    steps = heights[:-1] / np.maximum(heights[1:], 1e-300)
    if steps.max() < _WIDE:
        return _one(space, places, f"there are {n} places, and no wide step between their distances")
    labels = places.number(cut_tree(tree, int(steps.argmax()) + 2, cut="count"), places.mass)
    if np.bincount(labels[places.place]).min() < least:
        return _one(space, places)
    reason = f"the next distance within the clusters is {steps.max():.3g} times smaller than between them"
    return _plain(space, places, labels, reason, tree)


def _one(space: Space, places: Places, reason: str = "") -> Clustering:
    """Make all places one cluster, since no split is convincing, or for another reason."""
    ask = check.option_text("n_clusters=2")
    reason = reason or f"no split of the data is convincing; {ask} splits the data anyway"
    return _plain(space, places, np.zeros(len(places.rows), np.intp), reason)


def _plain(space: Space, places: Places, labels: Ints, reason: str, tree: Tree | None = None) -> Clustering:
    """Return clusters without noise that were not chosen among others."""
    return Clustering(
        n_clusters=int(labels.max()) + 1, reason=reason, space=space, rows=places.rows, place=places.place,
        labels_of_places=labels, is_noise=np.zeros(len(labels), bool), tree=tree,
        probabilities_of_places=np.ones(len(labels)),
    )  # fmt: skip


def _by_judge(ground: Ground, forest: Forest, asked: _Asked, engine: Engine) -> tuple[Partitions, Rule]:
    """Return partitions in the order of the judge, and its rule."""
    wanted = asked.n_clusters
    name = f"{'wide' if ground.views else 'flat'}_{'without' if wanted is None else 'with'}_count"
    judge = Judge.of(name, asked.judge)

    def valued(candidates: list[Candidate]) -> Partitions:
        partitions = Partitions.of(candidates, ground.mass)
        with one_blas_thread():  # matrices are small
            criteria = measure(ground, forest, partitions, wanted, engine)
        values = judge(criteria)
        return partitions.valued(values, judge.tell(values), criteria)

    candidates = without_count(ground, forest, engine) if wanted is None else with_count(ground, forest, wanted, engine)
    found = valued(candidates)
    if found.expected[0] < _SURE and (more := crossings(ground, wanted, engine)):
        found = valued([*candidates, *more])
    return found, judge.rule


def _fit(found: Partitions, asked: _Asked, place: Ints) -> Bools:
    """Return which partitions have large clusters only, and the wanted number of them, or the next smaller one."""
    wanted, least = asked.n_clusters, asked.least
    large = np.array([least <= 1 or np.bincount(one[place]).min() >= least for one in found.labels])
    if wanted is None:
        return large
    fitting = large & (found.counts <= wanted)
    if not fitting.any():
        raise ValueError(_SMALLER.format(wanted=wanted, least=least))
    return np.asarray(fitting & (found.counts == found.counts[fitting].max()))


def _answer(
    space: Space, places: Places, ground: Ground, trees: list[tuple[Recipe, Tree]], found: Partitions, best: int,
    different: dict[int, Overlaps], asked: _Asked,
) -> Clustering:  # fmt: skip
    """Return the answer, with alternatives."""
    table, n_clusters = [found.record(at) for at in range(len(found.labels))], int(found.counts[best])
    for at in different.keys() - {best}:
        table[at], _ = _with_labels(found, at, different[at], ground, places, asked)
    if asked.n_clusters is None and n_clusters == 1:
        answer = _one(space, places)
    else:
        _warn_if_fewer(n_clusters, asked.n_clusters, "no recipe splits the rest into large enough parts; ask for fewer")
        one, membership = _with_labels(found, best, different[best], ground, places, asked)
        answer = Clustering(
            space=space, rows=places.rows, place=places.place, membership_of_places=membership,
            tree=dict(trees).get(one.recipe._replace(share=0.0, lasting=False)), **one.answer,
        )  # fmt: skip
    n, n_all = places.space.n, places.n_all
    sample = f"found on {n:,} of {n_all:,} points, drawn at random; the others got the cluster of the nearest"
    return replace(
        answer, partitions=tuple(table), chosen=best, ground=ground,
        judge=None if places.has_many_columns else asked.judge,
        notes=(*(sample,) * (n_all > n), *(ground.note,) * bool(ground.note)),
    )  # fmt: skip


def _with_labels(
    found: Partitions, at: int, overlaps: Overlaps, ground: Ground, places: Places, asked: _Asked
) -> tuple[Partition, Floats]:
    """Return a partition with labels and probabilities of the places, and noise; and the membership of the places."""
    before = found.labels[at]
    thin = _thin(ground, before, places, asked)
    labels = places.number(before, np.where(thin, 0.0, places.mass))
    membership = _memberships(found, at, overlaps)[:, before[np.unique(labels, return_index=True)[1]]]
    membership[thin] = 0.0
    own, reason = membership[np.arange(ground.n), labels], _reason(found, at, overlaps, ground)
    return found.record(at)._replace(labels=labels, is_noise=thin, probabilities=own, reason=reason), membership


def _thin(ground: Ground, labels: Ints, places: Places, asked: _Asked) -> Bools:
    """Return which places are noise: thin ones, or the sparsest of given share, compared with their clusters."""
    noise = asked.noise
    if not noise or not labels.any():  # one cluster has no noise
        return np.zeros(ground.n, bool)
    thin = thin_places(ground, labels) if noise is True else sparsest_places(ground, labels, places.mass, noise)
    left = np.bincount(labels[places.place], ~thin[places.place])
    return np.asarray(thin & (left >= asked.least)[labels])


def _different(found: Partitions, best: int, fitting: Bools) -> dict[int, Overlaps]:
    """Return the best partition, and others, best first, that are good and differ clearly from it and each other.

    If it is a single cluster, the best split is always among them.
    """
    kept, good = {best: found.overlaps(found.labels[best])}, fitting & (found.values >= found.values[best] - _WORSE)
    if found.counts[best] == 1:
        good[np.flatnonzero(fitting & (found.counts > 1))[:1]] = True
    for at in np.flatnonzero(good).tolist():
        if all(found.counts[at] != found.counts[one] or kept[one].agreement[at] < _ALIKE for one in kept):
            kept[at] = found.overlaps(found.labels[at])
        if len(kept) > _ALTERNATIVES:
            break
    return kept


def _warn_if_fewer(n_clusters: int, wanted: int | None, reason: str) -> None:
    if wanted is not None and n_clusters < wanted:
        warn(f"found {n_clusters} of the {wanted} clusters requested: {reason}", FewerClustersWarning)


def _memberships(found: Partitions, at: int, overlaps: Overlaps) -> Floats:
    """Return, for each point and cluster, the share of its links, or of recipes by quality, that lead there."""
    n, k, labels = len(found.mass), int(found.counts[at]), found.labels[at]
    if found.strengths is not None:
        members = csr_array((np.ones(n), labels, np.arange(n + 1)), shape=(n, k))
        return np.asarray((found.strengths @ members).toarray() * (1 / found.strengths.sum(axis=1)[:, None]))
    weights = np.maximum(found.values, 0.0) ** 2 * found.votes
    if not weights.any():
        return np.eye(k)[labels]
    shares, rows = np.zeros((n, k)), np.arange(n)
    for codes, weight in zip(found.codes, weights, strict=True):
        shares[rows, overlaps.main[codes]] += weight
    return np.asarray(np.minimum(shares / weights.sum(), 1.0))


def _reason(found: Partitions, at: int, overlaps: Overlaps, ground: Ground) -> str:
    """Say which recipe gave a partition, and what speaks for it."""
    origin = found.recipes[at][0].in_words(ground.unit)
    if "stability" in found.criteria and found.strengths is not None:
        stability = found.criteria["stability"][at]
        return f"{origin}; those of random parts of the points agree with each other by {stability:.2f}"
    near, n_recipes = (int(found.votes[which].sum()) for which in (overlaps.agreement > _SAME, slice(None)))
    find = "finds" if near == 1 else "find"
    return f"{near} of {counted(n_recipes, 'recipe')} {find} nearly these clusters; taken from {origin}"
