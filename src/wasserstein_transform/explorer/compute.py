"""Compute what the views show: the run, the tree, an embedding, some distances, counts of neighbors."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from .._display import counted
from .._types import Floats, Ints
from ..compute.cells.rows import sample_evenly
from ..engine import Engine
from ..hierarchy import Tree, spanning_tree
from ..localize import rows_of
from ..parameters import suggestion_of
from ..plotting import branches, embed, node_positions
from ..spaces import Space
from ..transforms import Trajectory, iterate
from .scene import NeighborCounts, Scene, compact, frames_of

if TYPE_CHECKING:
    from .data import DataSet
    from .settings import Settings

N_LANDMARKS = 400  # points with all pairwise distances, which are drawn and embedded
MAX_EMBEDDED = 5_000  # points placed by their distances to the landmarks
MAX_CENTERS = 100  # points whose neighbors are counted
N_RADII = 60


def run(data: DataSet, settings: Settings, engine: Engine, before: Trajectory | None = None) -> Trajectory:
    """A trajectory with at least the iterations of the settings; continues `before`, which must have the same key."""
    if before is not None and before.n_iter >= settings.n_iter:
        return before
    return iterate(settings.process(), data.space, n_iter=settings.n_iter, keep="all", resume=before, engine=engine)


def scene_of(data: DataSet, settings: Settings, trajectory: Trajectory) -> Scene:
    """The scene of the moved points and their Gaussians, which is updated while a slider is dragged."""
    scene = frames_of(trajectory.states[: settings.n_iter + 1], data.plane, data.columns)
    return replace(
        scene, title=data.name, rows=data.rows, eps=settings.eps, truth=data.truth,
        code=settings.code(data.reading, data.has_weights), notes=(*data.notes, *scene.notes),
    )  # fmt: skip


def add_metric(scene: Scene, last: Space, engine: Engine, tree: Tree | None = None) -> Scene:
    """The scene with tree (unless given), embedding and distances of its last state added."""
    if last.n < 2:
        return scene
    notes = list(scene.notes)
    try:
        tree = spanning_tree(last, engine) if tree is None else tree
    except ValueError as error:  # some components have no known distance between them
        return replace(scene, notes=(*notes, f"there is no tree: {error}"))
    order = np.argsort(node_positions(branches(tree))[: last.n], kind="stable")  # no branches cross
    shown = order[sample_evenly(last.n, N_LANDMARKS)]
    distances = last.metric.take(shown).dense(engine)
    if last.n > MAX_EMBEDDED:
        notes.append(f"the scaling shows {MAX_EMBEDDED:,} of {last.n:,} points")
    if last.n > N_LANDMARKS:
        notes.append(f"the distances are those of {N_LANDMARKS:,} of {last.n:,} points, and the scaling relies on them")
    embedding = embedded = None
    if np.isfinite(distances).all():
        unit, onto = float(distances.max()) or 1.0, scene.frames[-1][shown].astype(np.float64)
        flat = embed(distances / unit, onto=(onto - onto.mean(axis=0)) / unit).points
        embedded = sample_evenly(last.n, MAX_EMBEDDED)
        embedding = compact(unit * _embed_others(last, embedded, shown, distances / unit, flat, unit, engine))
    return replace(
        scene, tree=tree, embedding=embedding, embedded=embedded, matrix=compact(distances), shown=shown,
        notes=tuple(notes),
    )  # fmt: skip


def _embed_others(
    last: Space, points: Ints, shown: Ints, distances: Floats, flat: Floats, unit: float, engine: Engine
) -> Floats:
    """Positions of points from their distances to the landmarks: landmark MDS (de Silva and Tenenbaum 2004)."""
    index = np.full(last.n, -1)
    index[shown] = np.arange(len(shown))
    is_landmark = index[points] >= 0
    out = np.empty((len(points), 2))
    out[is_landmark] = flat[index[points[is_landmark]]]
    if not is_landmark.all():
        center, others = flat.mean(axis=0), points[~is_landmark]
        squares = (last.metric.block(others, shown, engine) / unit) ** 2
        out[~is_landmark] = center + ((distances**2).mean(axis=0) - squares) @ (0.5 * np.linalg.pinv(flat - center).T)
    return out


def curve_of(space: Space, engine: Engine) -> NeighborCounts | None:
    """Mean number of points within each radius, and the suggested radius; None if distances are unknown."""
    if space.n < 2 or not space.metric.is_whole:
        return None
    centers = sample_evenly(space.n, MAX_CENTERS)
    rows = np.concatenate([part for _, part in rows_of(space, centers, engine)])
    positive = rows[np.isfinite(rows) & (rows > 0)]
    if not positive.size:
        return None
    low, high = float(positive.min()), float(positive.max())
    radii = np.geomspace(low, high, N_RADII) if low < high else np.array([low])
    within = np.searchsorted(radii * (1 + 1e-12), rows.ravel())
    counts = np.cumsum(np.bincount(within, minlength=len(radii))[: len(radii)]) / len(rows)
    suggestion = suggestion_of(space, "clusters", engine)
    return NeighborCounts(radii, counts, float(suggestion.eps), suggestion.reason)


def with_labels(scene: Scene, labels: Ints, distances: str) -> Scene:
    """The scene with labels, its tree cut where they come from; if they are no cut at one height, it says so."""
    scene = replace(scene, labels=labels)
    if scene.tree is None:
        return scene
    cut, n_clusters = cut_of_labels(scene.tree, labels), int(labels.max(initial=-1)) + 1
    clusters = "the one cluster found" if n_clusters == 1 else f"the {counted(n_clusters, 'cluster')} found"
    noise = int(np.count_nonzero(labels < 0))
    clusters += f" and {counted(noise, 'point')} without a cluster" * bool(noise)
    if np.isfinite(cut):
        return replace(scene, cut=cut, answer=f"{clusters}: the cut of this tree at height {cut:.4g}")
    answer = f"colors: {clusters}. The tree joins points by their {distances} distances; no single height of it "
    return replace(scene, cut=cut, answer=answer + "gives these clusters")


def cut_of_labels(tree: Tree, labels: Ints) -> float:
    """The height at which a tree falls into the clusters of `labels`, noise aside; NaN if there is none."""
    n = len(labels)
    below = [*labels.tolist(), *[0] * (n - 1)]
    within, between, mixed = 0.0, float("inf"), -2
    for k, (a, b) in enumerate(tree.Z[:, :2].astype(np.intp).tolist()):
        first, second = below[a], below[b]
        below[n + k] = second if first == -1 else first if second in (-1, first) else mixed
        if first == second != mixed and first >= 0:
            within = float(tree.heights[k])  # heights ascend
        elif below[n + k] == mixed:
            between = min(between, float(tree.heights[k]))
    if np.isinf(between):
        between = 1.02 * float(tree.heights[-1]) or 1.0
    return (within + between) / 2 if within < between else float("nan")
