"""Compute what the views show of a metric: tree, embedding, distances of some points, neighbor counts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .._types import Floats, Ints
from ..auto.suggestion import suggestion_of
from ..compute.passes import sample_evenly
from ..engine import Engine
from ..hierarchy import Tree, spanning_tree
from ..localize.scale import rows_of
from ..plotting.dendrograms import leaf_order
from ..plotting.embedding import embed
from ..spaces import Space
from .planes import compact
from .scene import Curve, Scene

_SQUARE = 1_000  # all pairwise distances are computed for at most this many points
_SHOWN = 400  # rows of the distance matrix that is drawn
_ASKED = 200  # points whose neighbors are counted
_RADII = 60
_TOGETHER = 4_000  # rows of distances computed at a time


def seen(scene: Scene, last: Space, engine: Engine, tree: Tree | None = None) -> Scene:
    """The scene with tree (unless given), embedding and distances of its last state added."""
    if last.n < 2:
        return scene
    notes = list(scene.notes)
    try:
        tree = spanning_tree(last, engine) if tree is None else tree
    except ValueError as error:  # some components have no known distance between them
        return replace(scene, notes=(*notes, f"there is no tree: {error}"))
    shown = leaf_order(tree)[sample_evenly(last.n, _SQUARE)]
    distances = last.metric.take(shown).dense(engine)
    if last.n > _SQUARE:
        notes.append(f"embedding and distances use {_SQUARE:,} of {last.n:,} points")
    embedding = None
    if np.isfinite(distances).all():
        unit, onto = float(distances.max()) or 1.0, scene.frames[-1][shown].astype(np.float64)
        flat = embed(distances / unit, onto=(onto - onto.mean(axis=0)) / unit).points
        embedding = compact(unit * _scaled(last, shown, distances / unit, flat, unit, engine))
    part = sample_evenly(len(shown), _SHOWN)
    matrix = compact(distances[np.ix_(part, part)])
    return replace(
        scene, tree=tree.Z, embedding=embedding, matrix=matrix, shown=shown[part], notes=tuple(notes)
    )  # fmt: skip


def _scaled(last: Space, shown: Ints, distances: Floats, flat: Floats, unit: float, engine: Engine) -> Floats:
    """Positions of all points from their distances to the shown ones: landmark MDS (de Silva and Tenenbaum 2004)."""
    out = np.empty((last.n, 2))
    out[shown] = flat
    others = np.setdiff1d(np.arange(last.n), shown)
    center = flat.mean(axis=0)
    back = 0.5 * np.linalg.pinv(flat - center).T
    squares = (distances**2).mean(axis=0)
    for start in range(0, len(others), _TOGETHER):
        rows = others[start : start + _TOGETHER]
        out[rows] = center + (squares - (last.metric.block(rows, shown, engine) / unit) ** 2) @ back
    return out


def curve_of(space: Space, engine: Engine) -> Curve | None:
    """Mean number of points within each radius, and the suggested radius; None if distances are unknown."""
    if space.n < 2 or not space.metric.is_whole:
        return None
    centers = sample_evenly(space.n, _ASKED)
    rows = np.concatenate([np.sort(part, axis=1) for _, part in rows_of(space, centers, engine)])
    known = rows[np.isfinite(rows) & (rows > 0)]
    if not known.size:
        return None
    radii = np.geomspace(float(known.min()), float(known.max()), _RADII) if known.min() < known.max() else known[:1]
    counts = [np.mean([np.searchsorted(row, r * (1 + 1e-12), "right") for row in rows]) for r in radii]
    found = suggestion_of(space, "clusters", engine)
    return Curve(np.asarray(radii), np.array(counts), float(found.eps), found.reason)
