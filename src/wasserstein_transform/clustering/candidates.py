"""Candidate partitions: trees of raw and transformed metrics, cut in several ways; compact groups.

Sums are computed in the order of the points by one thread, so that the clusters are the same on any machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from .._types import Floats, Ints
from ..engine import Engine, one_blas_thread
from ..hierarchy import Tree, spanning_tree
from ..hierarchy.cut import RootedTree
from ..hierarchy.dendrogram import Dendrogram, choose_merges
from ..hierarchy.labels import number_by_first
from ..spaces import Space
from ..transforms import Process, gaussian_transform, iterate
from .compact import MOST_SHARES, SHAPES, Shape, k_means, lloyd, mixture, spectral, spectral_axes, ward
from .ground import Ground

REACHES = (0, 5, 10)
WALKS = ((1.0, 5.0), (1.5, 1.0), (1.5, 20.0), (2.2, 5.0), (3.3, 5.0), (5.0, 1.0), (5.0, 20.0))
"""Radii of the Gaussian Transform, in units of the ground, with λ."""
N_ITER = 2
WIDE_WALKS = ((1.5, 1.0), (2.2, 5.0), (3.3, 5.0))
"""The same with four or more coordinates, of which the Gaussian Transform takes the first principal ones."""
WIDE_N_ITER = 1
_WIDE_PLACES = 1000  # most places of these: a distance of Gaussians costs the cube of the number of coordinates
_TENTH = 10
_TOGETHER = (
    1e-6  # of the unit: points this close after a transform have met; what is left of their distance is rounding
)
KINDS = ("tree", "reach", "gaussian", "means", "mixture", "ward", "average", "spectral", "graph")


class Recipe(NamedTuple):
    """How a partition is made.

    Attributes
    ----------
    kind : str
        "tree", "reach", "gaussian", "means", "mixture", "ward", "average", "spectral" or "graph".
    share : float
        For cuts: least mass of both sides, relative to the mean mass of a cluster, or to all mass if the number of
        clusters is not given.
    lasting : bool
        For cuts: whether clusters are the most persistent parts, not those before the widest steps of heights.
    reach : int
        For "reach": the neighbor whose distance is the core distance.
    factor, lam, n_iter
        For "gaussian": ε in units of the ground, λ, τ. For "graph", the factor is the resolution. For others, n_iter is
        the number of steps of mean shift before.
    start, shape : str
        For "mixture": the partition it was started from; "full", "tied" or "diagonal" covariances.
    axes : int
        Number of principal axes in which it was made; 0 means the coordinates of the ground.
    """

    kind: str
    share: float = 0.0
    reach: int = 0
    factor: float = 0.0
    lam: float = 0.0
    n_iter: int = 0
    start: str = ""
    lasting: bool = False
    shape: str = "full"
    axes: int = 0

    def __str__(self) -> str:
        where = f" on {self.axes} axes" * bool(self.axes) + " after a step of mean shift" * self.n_iter
        compact = {
            "means": "k-means",
            "mixture": f"Gaussian mixture ({self.shape}) started from {self.start}",
            "ward": "Ward's linkage",
            "average": "average linkage",
            "spectral": "spectral cut of the neighbor graph",
            "graph": f"communities of the neighbor graph at resolution {self.factor:.3g}",
        }
        if self.kind in compact:
            return compact[self.kind] + where
        trees = {
            "tree": "tree of the distances",
            "reach": f"tree of mutual reachability, {self.reach} neighbors",
            "gaussian": f"tree of GT, ε = {self.factor:g} units, λ = {self.lam:g}, τ = {self.n_iter}",
        }
        return f"{trees[self.kind]}{where}, share {self.share:g}{', lasting parts' * self.lasting}"

    @property
    def is_tree(self) -> bool:
        """Whether it is a cut of a tree."""
        return self.kind in ("tree", "reach", "gaussian")

    def process(self, unit: float) -> Process:
        """Return the transform of a recipe "gaussian"."""
        return gaussian_transform(self.factor * unit, self.lam)


def grow(ground: Ground, engine: Engine) -> list[tuple[Recipe, Tree]]:
    """Return all trees; different ones grow side by side."""
    jobs: list[_Job] = []
    for axes, space in _spaces(ground):
        reaches = [reach for reach in REACHES if reach < ground.n]
        jobs += [(Recipe("reach" if reach else "tree", reach=reach, axes=axes), space, 0) for reach in reaches]
    walks = () if ground.views and ground.n > _WIDE_PLACES else WIDE_WALKS if ground.views else WALKS
    cloud = Space.from_points(ground.gaussian_points, ground.space.weights)
    axes, n_iter = (ground.gaussian_points.shape[1], WIDE_N_ITER) if ground.views else (0, N_ITER)
    jobs += [(Recipe("gaussian", factor=factor, lam=lam, axes=axes), cloud, n_iter) for factor, lam in walks]
    walked = engine.map(lambda job, own: _states(job, ground.unit, own), jobs, "transforms")
    states = [one for some in walked for one in some]
    return engine.map(lambda state, own: _grow(*state, ground.unit, own), states, "trees")


_Job = tuple[Recipe, Space, int]


def _states(job: _Job, unit: float, engine: Engine) -> list[tuple[Recipe, Space]]:
    """Return a space, or all states of a transform of it."""
    recipe, space, n_iter = job
    derived = space.metric.derived
    if recipe.reach == REACHES[-1] and derived.neighbors is None:
        derived.neighbors = space.metric.neighbors(recipe.reach, engine=engine)
    if recipe.kind != "gaussian":
        return [(recipe, space)]
    trajectory = iterate(recipe.process(unit), space, n_iter=n_iter, keep="all", engine=engine)
    return [(recipe._replace(n_iter=tau), state) for tau, state in enumerate(trajectory.states)]


def _grow(recipe: Recipe, space: Space, unit: float, engine: Engine) -> tuple[Recipe, Tree]:
    """Return the tree of a state; points that have met are at height 0."""
    tree = spanning_tree(space, engine, reachability=recipe.reach)
    if recipe.kind == "gaussian":
        tree = replace(tree, heights=np.where(tree.heights < _TOGETHER * unit, 0.0, tree.heights))
    return recipe, tree


def _spaces(ground: Ground) -> Iterator[tuple[int, Space]]:
    """Yield the space of the ground, and those of its other views with their numbers of axes."""
    yield 0, ground.space
    for view in ground.views[1:]:
        yield view.shape[1], Space.from_points(view, ground.space.weights)


def log_levels(tree: Tree) -> Floats:
    """Return the log height of each level of a tree."""
    logs = np.empty(int(tree.level_of_edges.max(initial=-1)) + 1)
    logs[tree.level_of_edges] = np.log(np.maximum(tree.heights, 1e-300))
    return logs


def lasting_cuts(dendrogram: Dendrogram, heights: Floats, least: float) -> Ints:
    """Return the edges to cut so that clusters are the most persistent parts of at least the mass `least`.

    A part persists from the height at which it joins others down to the height at which it splits into large parts, or
    to the median height of its own edges. Its score is mass · log(upper/lower), compared with the sum of the scores of
    its parts. (This is HDBSCAN's excess of mass, with ratios of heights, so that it does not depend on the unit.)
    `heights` are the logs of all levels.
    """
    merges = choose_merges(dendrogram, least, dendrogram.points.size).merges
    whole = _Part(slice(0, len(dendrogram.points)), -1, float("nan"))
    parts, of_merge = [whole], list[list[int]]()
    inside = np.zeros(len(dendrogram.points), np.intp)  # the smallest part that contains each position
    masses = dendrogram.masses
    for merge in merges.tolist():
        run = np.arange(dendrogram.first[merge], dendrogram.first[merge + 1])
        above = int(inside[dendrogram.starts[run[0]]])
        parts[above].split = len(of_merge)
        of_merge.append([])
        for one in run[masses[run] >= least].tolist():
            positions = slice(int(dendrogram.starts[one]), int(dendrogram.ends[one]))
            inside[positions] = len(parts)
            of_merge[-1].append(len(parts))
            parts.append(_Part(positions, above, float(heights[dendrogram.levels[merge]])))
    cut = _chosen(parts, of_merge, [_lasts(part, merges, dendrogram, heights) for part in parts])
    edges = [dendrogram.edges[dendrogram.first_edge[m] : dendrogram.first_edge[m + 1]] for m in merges[cut].tolist()]
    return np.concatenate(edges) if edges else np.empty(0, np.intp)


class _Part:
    def __init__(self, positions: slice, above: int, upper: float) -> None:
        self.positions, self.above, self.upper = positions, above, upper
        self.split = -1  # index of the merge at which it splits


def _lasts(part: _Part, merges: Ints, dendrogram: Dendrogram, heights: Floats) -> float:
    """Return mass · log(upper/lower); 0 for the whole, which has no upper height."""
    if part.above < 0:
        return 0.0
    start, stop = part.positions.start, part.positions.stop
    mass = float(dendrogram.mass_before[stop] - dendrogram.mass_before[start])
    if part.split >= 0:
        lower = float(heights[dendrogram.levels[merges[part.split]]])
    else:
        inner = dendrogram.gaps[start : stop - 1]
        middle = [(len(inner) - 1) // 2, len(inner) // 2]  # of the median; levels ascend with their heights
        lower = sum(heights[np.partition(inner, middle)[middle]].tolist()) / 2 if len(inner) else part.upper
    return mass * (part.upper - lower)


def _chosen(parts: list[_Part], of_merge: list[list[int]], lasts: list[float]) -> list[int]:
    """Return the merges to cut: those where the parts below have a larger total score than the part above."""
    best = list(lasts)
    whole = [True] * len(parts)
    for at in range(len(parts) - 1, -1, -1):  # inner parts come later
        if parts[at].split >= 0:
            below = sum(best[one] for one in of_merge[parts[at].split])
            if below > best[at]:
                best[at], whole[at] = below, False
    found, open_ = list[int](), [0]
    while open_:
        at = open_.pop()
        if not whole[at]:
            found.append(parts[at].split)
            open_ += of_merge[parts[at].split]
    return sorted(found)


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

    def cut(one: tuple[Recipe, Tree], _: Engine) -> list[Candidate]:
        (recipe, tree), rooted = one, RootedTree.of(one[1].edges, ground.mass)
        cuts = [(share, rooted.cut_between_large(share * ground.n / k, k)) for share in SHARES]
        return [_candidate(recipe._replace(share=share), tree, rooted, edges, k) for share, edges in cuts]

    found = [one for some in engine.map(cut, trees, "cuts") for one in some]
    if ground.views:
        return [*found, *_wide(ground, [k], engine)]
    return [*found, *_compact(ground, found, [k], engine)]


def without_count(ground: Ground, trees: Trees, engine: Engine) -> list[Candidate]:
    """Return partitions whose numbers of clusters follow from steps in the heights of trees; one is the whole."""

    def cut(one: tuple[Recipe, Tree], _: Engine) -> list[Candidate]:
        return list(_cut_everywhere(ground, *one))

    found = [Candidate(Recipe("tree", share=1.0), np.zeros(ground.n, np.intp), 0.0)]
    found += [one for some in engine.map(cut, trees, "cuts") for one in some]
    if ground.views:
        return [*found, *_wide(ground, [k for k in WIDE_COUNTS if k < ground.n / 4], engine)]
    counts, votes = np.unique([one.labels.max() + 1 for one in found], return_counts=True)
    frequent = counts[np.argsort(-votes, kind="stable")][:_GAPS].tolist()
    return [*found, *_compact(ground, found, [k for k in frequent if k > 1], engine)]


def _cut_everywhere(ground: Ground, recipe: Recipe, tree: Tree) -> Iterator[Candidate]:
    """Yield the cuts of a tree before its widest steps, and those into lasting parts."""
    dendrogram, rooted, heights = Dendrogram.of(tree), RootedTree.of(tree.edges, ground.mass), log_levels(tree)
    for share in LEAST:
        least = max(share * ground.n, min(_FEWEST, ground.n / 4))
        cuts = rooted.cut_between_large(least, _MOST)
        of_tree = recipe._replace(share=share)
        for k in _clear_counts(tree, cuts):
            yield _candidate(of_tree, tree, rooted, cuts, k)
        lasting = lasting_cuts(dendrogram, heights, least / ground.n * dendrogram.mass_before[-1])
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
    """Return k-means for some numbers of clusters, and mixtures started from it and from partitions of some trees."""
    counts = [k for k in counts if k < ground.n]
    if max(counts, default=0) * ground.n > MOST_SHARES:  # so many come with a number, which is one
        parts = [labels for _, labels in _starts(found, counts[0])]
        return [
            Candidate(Recipe("means"), number_by_first(lloyd(ground.points, ground.mass, one)), 0.0) for one in parts
        ]

    def means(k: int, _: Engine) -> Ints:
        return number_by_first(k_means(ground.points, ground.mass, k))

    def fit(start: tuple[str, Ints], _: Engine) -> Candidate:
        return Candidate(
            Recipe("mixture", start=start[0]), number_by_first(mixture(ground.points, ground.mass, start[1])), 0.0
        )

    with one_blas_thread():
        of_means, starts = engine.map(means, counts, "k-means"), list[dict[bytes, tuple[str, Ints]]]()
        for k, own in zip(counts, of_means, strict=True):
            starts.append({})
            for name, labels in (("k-means", own), *_starts(found, k)):
                if labels.max() + 1 == k:
                    starts[-1].setdefault(labels.tobytes(), (name, labels))
        fitted = iter(engine.map(fit, [one for some in starts for one in some.values()], "mixtures"))
    out = []
    for own, some in zip(of_means, starts, strict=True):
        out += [Candidate(Recipe("means"), own, 0.0), *(next(fitted) for _ in some)]
    return out


WIDE_COUNTS = (2, 3, 4, 5, 6, 7, 8, 10, 12)
"""Numbers of clusters of compact partitions with four or more coordinates, if the number is not given."""
_AXES_COST = 1 << 26  # points times clusters squared up to which spectral cuts are made: some seconds
_PER_PLACE = 2  # numbers that determine a mixture, for each place: with more, "full" covariances are left out


def _wide(ground: Ground, counts: list[int], engine: Engine) -> list[Candidate]:
    """Return compact partitions in all views of the places."""
    few = [k for k in counts if ground.n * k * k <= _AXES_COST]
    views = [(0, ground.points), *((view.shape[1], view) for view in ground.views[1:])]

    def start(points: Floats | None, own: Engine) -> list[Any]:
        if points is None:
            return [spectral_axes(ground.indices[:, :_TENTH], max(few))]
        return ward(points, counts)

    def fit(job: tuple[int, Floats, int, Ints], own: Engine) -> list[Candidate]:
        axes, points, k, of_ward = job
        means = number_by_first(lloyd(points, ground.mass, of_ward))
        found = [Candidate(Recipe("ward", axes=axes), number_by_first(of_ward), 0.0)]
        found += [Candidate(Recipe("means", axes=axes), means, 0.0)]
        for name, labels in (("k-means", means), *[("density", _sparse_half(ground))] * (k == 2)):
            for shape in _shapes(points, int(labels.max()) + 1):
                own.check()
                fitted = number_by_first(mixture(points, ground.mass, labels, shape))
                found.append(Candidate(Recipe("mixture", start=name, shape=shape, axes=axes), fitted, 0.0))
        return found

    def cut(k: int, _: Engine) -> Candidate:
        return Candidate(Recipe("spectral"), number_by_first(spectral(started[-1][0], ground.mass, k)), 0.0)

    with one_blas_thread():
        started = engine.map(start, [*(points for _, points in views), *[None] * bool(few)], "Ward")
        jobs = [
            (*view, *one)
            for view, some in zip(views, started[: len(views)], strict=True)
            for one in zip(counts, some, strict=True)
        ]
        found = [one for some in engine.map(fit, jobs, "mixtures") for one in some]
        return [*found, *engine.map(cut, few, "spectral cuts")]


def _shapes(points: Floats, k: int) -> tuple[Shape, ...]:
    n, m = points.shape
    if n * k > MOST_SHARES:
        return ()
    return SHAPES if k * m * (m + 1) / 2 <= _PER_PLACE * n else SHAPES[1:]


def _sparse_half(ground: Ground) -> Ints:
    """Return the places in two parts: around the denser and the sparser half."""
    tenth = ground.distances[:, min(_TENTH, ground.distances.shape[1]) - 1]
    return number_by_first((tenth > np.median(tenth)).astype(np.intp))


def _starts(found: list[Candidate], k: int) -> Iterator[tuple[str, Ints]]:
    """Yield partitions of three trees into k clusters, if there are any."""
    for kind, reach, factor, share in _STARTS:
        for recipe, labels, _ in found:
            fits = recipe.kind == kind and recipe.reach == reach and recipe.factor == factor
            fits &= recipe.n_iter == (kind == "gaussian") and recipe.share in (share, LEAST[1])
            if fits and labels.max() + 1 == k:
                yield f"the {recipe}", labels
                break
