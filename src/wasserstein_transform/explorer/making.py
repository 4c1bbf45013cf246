"""Compute the trajectory for given settings, and the scene of its points."""

from __future__ import annotations

from dataclasses import replace

from ..engine import Engine
from ..transforms import Trajectory, iterate
from .framing import framed
from .scene import Scene
from .sets import DataSet
from .settings import Settings


def run(data: DataSet, settings: Settings, engine: Engine, before: Trajectory | None = None) -> Trajectory:
    """A trajectory with at least the iterations of the settings; continues `before`, which must have the same key."""
    if before is not None and before.n_iter >= settings.n_iter:
        return before
    return iterate(settings.process(), data.space, n_iter=settings.n_iter, keep="all", resume=before, engine=engine)


def points_of(data: DataSet, settings: Settings, walk: Trajectory) -> Scene:
    """The scene of the moved points and their Gaussians, which is updated while a slider is dragged."""
    scene = framed(walk.states[: settings.n_iter + 1], data.plane, data.columns)
    return replace(
        scene,
        title=data.name,
        rows=data.rows,
        eps=settings.eps,
        truth=data.truth,
        code=settings.code(data.reading, data.has_weights),
        notes=(*data.notes, *scene.notes),
    )
