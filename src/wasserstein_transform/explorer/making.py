"""Scenes out of runs: the moved points first, and what takes longer when it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from .._types import Floats, Ints
from ..auto import suggest
from ..engine import Engine
from ..hierarchy import spanning_tree
from ..localize.places import rows_of, spread
from ..plotting.branches import leaf_order
from ..plotting.embedding import embed
from ..spaces import GaussianMetric, Space
from ..transforms import Trajectory, iterate
from .scene import Curve, Scene
from .sets import DataSet
from .settings import Settings

_SHAPED = 20_000  # points whose Gaussians are sent along
_SQUARE = 1_000  # points of which all distances are looked at
_SEEN = 400  # rows of the picture of distances
_ASKED = 200  # points whose neighbors are counted
_RADII = 60
_TOGETHER = 4_000  # rows of distances at a time


def run(data: DataSet, settings: Settings, engine: Engine, before: Trajectory | None = None) -> Trajectory:
    """The states that the settings ask for; `before` is a run with the same key, which is gone on from or cut short."""
    if before is not None and before.n_iter >= settings.n_iter:
        return before
    return iterate(settings.process(), data.space, n_iter=settings.n_iter, keep="all", resume=before, engine=engine)


def points_of(data: DataSet, settings: Settings, walk: Trajectory) -> Scene:
    """The moved points and their Gaussians: what is computed while a slider is dragged."""
    states = walk.states[: settings.n_iter + 1]
    return Scene(
        title=data.name,
        axes=data.axes,
        frames=np.stack([_places(data, state) for state in states]),
        rows=data.rows,
        eps=settings.eps,
        lam=settings.lam if "lam" in settings.rule.uses else 0.0,
        covariances=_shapes(data, states),
        planar=data.space.points is not None and data.space.points.shape[1] <= 2,
        truth=data.truth,
        code=settings.code(data.reading, data.has_weights),
        notes=data.notes,
    )


def completed(scene: Scene, last: Space, engine: Engine) -> Scene:
    """The same with tree, scaling and distances of the last state."""
    if last.n < 2:
        return scene
    tree = spanning_tree(last, engine)
    shown = leaf_order(tree)[spread(last.n, _SQUARE)]
    distances = last.metric.take(shown).dense(engine)
    engine.check()
    embedding = _scaled(last, shown, distances, scene.frames[-1], engine)
    seen = spread(len(shown), _SEEN)
    return replace(
        scene,
        tree=tree.Z,
        embedding=embedding,
        matrix=distances[np.ix_(seen, seen)].astype(np.float32),
        shown=shown[seen],
        notes=(*scene.notes, *_sampled(last.n)),
    )


def curve_of(data: DataSet, engine: Engine) -> Curve:
    """How many neighbors a radius has, in the data as they came, and the radius suggested."""
    space = data.space
    found = suggest(space, "clusters", engine=engine)
    centers = spread(space.n, _ASKED)
    rows = np.concatenate([np.sort(part, axis=1) for _, part in rows_of(space, centers, engine)])
    farthest = float(rows[:, -1].max())
    near = rows[:, 1:][rows[:, 1:] > 0]
    if not near.size:
        return Curve(np.array([1.0]), np.array([float(space.n)]), found.eps, found.reason)
    radii = np.geomspace(float(near.min()), max(farthest, float(near.min()) * 2), _RADII)
    counts = np.array([np.mean([np.searchsorted(row, r * (1 + 1e-12), "right") for row in rows]) for r in radii])
    return Curve(radii, counts, found.eps, found.reason)


def _places(data: DataSet, state: Space) -> NDArray[np.float32]:
    points = data.layout if state.points is None else state.points @ data.directions
    return points.astype(np.float32)


def _shapes(data: DataSet, states: Sequence[Space]) -> NDArray[np.float32] | None:
    """Covariances seen along the two directions."""
    metrics = [state.metric for state in states]
    if data.n > _SHAPED or not all(isinstance(metric, GaussianMetric) for metric in metrics):
        return None
    u, v = data.directions.T
    covs = [metric.covs for metric in metrics if isinstance(metric, GaussianMetric)]
    return np.stack(
        [np.stack([_along(c, u, u), _along(c, u, v), _along(c, v, v)], axis=-1) for c in covs], dtype=np.float32
    )  # fmt: skip


def _along(covs: Floats, u: Floats, v: Floats) -> Floats:
    return np.asarray(np.einsum("i,nij,j->n", u, covs, v))


def _scaled(
    last: Space, shown: Ints, distances: Floats, onto: NDArray[np.float32], engine: Engine
) -> NDArray[np.float32]:
    """Classical scaling of the points shown; the others lie where their distances to these put them.

    The second is landmark scaling (de Silva and Tenenbaum 2004).
    """
    flat = embed(distances, onto=onto[shown].astype(np.float64)).points
    out = np.empty((last.n, 2), np.float32)
    if len(shown) == last.n:
        out[shown] = flat
        return out
    center = flat.mean(axis=0)
    back = 0.5 * np.linalg.pinv(flat - center).T
    squares = (distances**2).mean(axis=0)
    for start in range(0, last.n, _TOGETHER):
        rows = np.arange(start, min(last.n, start + _TOGETHER))
        out[rows] = center + (squares - last.metric.block(rows, shown, engine) ** 2) @ back
    return out


def _sampled(n: int) -> list[str]:
    return [f"scaling and distances of {_SQUARE:,} of the {n:,} points"] if n > _SQUARE else []
