"""What there is to see of a metric: its tree, a scaling, distances of some points, how many neighbors a radius has."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..auto.suggestion import suggestion_of
from ..engine import Engine
from ..hierarchy import Tree, spanning_tree
from ..localize.places import rows_of, spread
from ..plotting.branches import leaf_order
from ..plotting.embedding import embed
from ..spaces import Space
from .planes import compact, is_moderate
from .scene import Curve, Scene

_SQUARE = 1_000  # points of which all distances are looked at
_SHOWN = 400  # rows of the picture of distances
_ASKED = 200  # points whose neighbors are counted
_RADII = 60


def seen(scene: Scene, last: Space, engine: Engine, tree: Tree | None = None) -> Scene:
    """The scene with the tree, if none is given, the scaling and the distances of its last state."""
    if last.n < 2:
        return scene
    notes = list(scene.notes)
    try:
        tree = spanning_tree(last, engine) if tree is None else tree
    except ValueError as error:  # parts between which no distance is known
        return replace(scene, notes=(*notes, f"there is no tree: {error}"))
    shown = leaf_order(tree)[spread(last.n, _SQUARE)]
    distances = last.metric.take(shown).dense(engine)
    if last.n > _SQUARE:
        notes.append(f"scaling and distances are those of {_SQUARE:,} of {last.n:,} points")
    embedding = None
    if np.isfinite(distances).all():
        embedding = np.full((last.n, 2), np.nan)
        unit, onto = float(distances.max()) or 1.0, scene.frames[-1][shown].astype(np.float64)
        embedding[shown] = unit * embed(distances / unit, onto=(onto - onto.mean(axis=0)) / unit).points
        if is_moderate(embedding[shown]):
            embedding = embedding.astype(np.float32)
    part = spread(len(shown), _SHOWN)
    matrix = compact(distances[np.ix_(part, part)])
    return replace(
        scene, tree=tree.Z, embedding=embedding, matrix=matrix, shown=shown[part], notes=tuple(notes)
    )  # fmt: skip


def curve_of(space: Space, engine: Engine) -> Curve | None:
    """How many points are within each radius on average, and the radius suggested for clusters; None where unknown."""
    if space.n < 2 or not space.metric.is_whole:
        return None
    centers = spread(space.n, _ASKED)
    rows = np.concatenate([np.sort(part, axis=1) for _, part in rows_of(space, centers, engine)])
    known = rows[np.isfinite(rows) & (rows > 0)]
    if not known.size:
        return None
    radii = np.geomspace(float(known.min()), float(known.max()), _RADII) if known.min() < known.max() else known[:1]
    counts = [np.mean([np.searchsorted(row, r * (1 + 1e-12), "right") for row in rows]) for r in radii]
    found = suggestion_of(space, "clusters", engine)
    return Curve(np.asarray(radii), np.array(counts), float(found.eps), found.reason)
