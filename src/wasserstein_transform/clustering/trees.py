"""Trees that partitions are cut from: of the distances, of mutual reachability, and after transforms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from .._types import Floats, Ints
from ..engine import Engine
from ..hierarchy import Tree, spanning_tree
from ..hierarchy.dendrogram import Dendrogram, choose_merges
from ..spaces import Euclidean, Space
from ..transforms import iterate
from .ground import STEP_NEIGHBORS, Ground, moved_to_neighbors
from .recipes import Recipe

REACHES = (0, 5, 10)
WALKS = ((1.0, 5.0, 1), (3.3, 5.0, 2), (5.0, 1.0, 1))
"""Radii of the Gaussian Transform, in units of the ground, with λ and iterations; the trees of all states are cut."""
_JUDGING, _STEPS = 1, (0, 1)  # which of them, and the iterations, by whose trees partitions are judged
_TOGETHER = (
    1e-6  # of the unit: points this close after a transform have met; what is left of their distance is rounding
)


class Forest(NamedTuple):
    """Trees with their recipes, and where the points are after a step of a transform.

    Attributes
    ----------
    trees : list of (Recipe, Tree)
        The trees that are cut.
    plain, reach, first, second : Tree
        Those by which partitions are judged: of the distances, of mutual reachability, and of two transforms.
    moved : array of shape (n, m)
        The points after a step of the Gaussian Transform, or of mean shift with four or more coordinates.
    """

    trees: list[tuple[Recipe, Tree]]
    plain: Tree
    reach: Tree
    first: Tree
    second: Tree
    moved: Floats


def grow(ground: Ground, engine: Engine) -> Forest:
    """Return all trees; different ones grow side by side."""
    reaches = [reach for reach in REACHES if reach < ground.n]
    jobs = [_Job(_of_reach(reach, axes), space) for axes, space in _spaces(ground) for reach in reaches]
    if ground.views:
        moved = moved_to_neighbors(ground.all_points, ground.mass, _nearest(ground, engine), np.arange(ground.n))
        space = Space.from_points(moved, ground.space.weights)
        jobs += [_Job(_of_reach(reach)._replace(n_iter=1), space) for reach in reaches[:2]]
    else:
        space = Space.from_points(ground.points, ground.space.weights)
        walks = [Recipe("gaussian", factor=factor, lam=lam, n_iter=n_iter) for factor, lam, n_iter in WALKS]
        states = engine.map(lambda walk, own: _states(walk, space, ground.unit, own), walks, "transforms")
        after = states[_JUDGING][1].space.points
        assert after is not None
        moved = after
        jobs += [job for some in states for job in some]
    trees = engine.map(lambda job, own: _grow(job, ground.unit, own), jobs, "trees")
    found = dict(zip([job.recipe for job in jobs], trees, strict=True))
    plain = found[_of_reach(0)]
    reach = found.get(_of_reach(REACHES[1]), plain)
    if ground.views:
        first, second = (found.get(_of_reach(reach)._replace(n_iter=1), plain) for reach in REACHES[:2])
    else:
        first, second = (found[walks[_JUDGING]._replace(n_iter=tau)] for tau in _STEPS)
    return Forest(list(found.items()), plain, reach, first, second, moved)


class _Job(NamedTuple):
    recipe: Recipe
    space: Space


def _of_reach(reach: int, axes: int = 0) -> Recipe:
    return Recipe("reach" if reach else "tree", reach=reach, axes=axes)


def _nearest(ground: Ground, engine: Engine) -> Ints:
    return Euclidean(ground.all_points).neighbors(min(STEP_NEIGHBORS, ground.n - 1), engine=engine).indices


def _states(walk: Recipe, space: Space, unit: float, engine: Engine) -> list[_Job]:
    """Return all states of a transform."""
    trajectory = iterate(walk.process(unit), space, n_iter=walk.n_iter, keep="all", engine=engine)
    return [_Job(walk._replace(n_iter=tau), state) for tau, state in enumerate(trajectory.states)]


def _grow(job: _Job, unit: float, engine: Engine) -> Tree:
    """Return a tree; points that have met after a transform are at height 0."""
    recipe, space = job
    derived = space.metric.derived
    if recipe.reach == REACHES[-1] and derived.neighbors is None:
        derived.neighbors = space.metric.neighbors(recipe.reach, engine=engine)
    tree = spanning_tree(space, engine, reachability=recipe.reach)
    if recipe.n_iter or recipe.kind == "gaussian":
        tree = _of_met_points(replace(tree, heights=np.where(tree.heights < _TOGETHER * unit, 0.0, tree.heights)))
    return tree


def _of_met_points(tree: Tree) -> Tree:
    """Return the tree with points at height 0 in chains, linked to others by the first; rounding chose their edges."""
    n, met = tree.n, tree.heights == 0
    ends = tree.edges[met]
    groups = connected_components(
        coo_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(n, n)), directed=False
    )[1]
    order = np.argsort(groups, kind="stable")
    first = np.full(n, n)
    np.minimum.at(first, groups, np.arange(n))
    chains = np.column_stack([order[:-1], order[1:]])[groups[order[:-1]] == groups[order[1:]]]
    edges = first[groups][tree.edges]
    edges[met] = chains
    return replace(tree, edges=edges)


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
