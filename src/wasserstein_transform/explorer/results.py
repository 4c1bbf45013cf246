"""What a report shows of each type of result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..clustering import Clustering
from ..compute import sample_evenly
from ..curves import Denoised, Skeleton
from ..engine import Engine
from ..estimators import AutoCluster, IteratedTransform, SingleLinkage
from ..hierarchy import Tree
from ..parameters import Suggestion
from ..spaces import Dense, Space
from ..transforms import Trajectory
from .scene import Scene, add_metric, plane_of, scene_of

MAX_POINTS = 100_000  # most points drawn
MAX_POINTS_BY_DISTANCE = 2_000  # if distances are stored or an embedding is needed
MAX_FRAMES, MAX_DRAWN_POSITIONS = 101, 1_000_000  # most states, and positions in all of them, of a trajectory


def draw(result: Any, engine: Engine) -> Scene | None:
    """The scene of a result; None if there are no points."""
    if isinstance(result, IteratedTransform | AutoCluster | SingleLinkage):
        check_is_fitted(result)
    match result:
        case Suggestion():
            return None
        case Trajectory():
            return _draw_trajectory(result, (), engine)
        case IteratedTransform():
            names, radii = (
                tuple(map(str, getattr(result, "feature_names_in_", ()))),
                np.ravel(np.asarray(result.eps_, float)),
            )  # None is NaN
            scene = _draw_trajectory(result.trajectory_, names, engine)
            scene = replace(scene, eps=float(radii[0]) if len(radii) == 1 else float("nan"))
            return _labeled(scene, vars(result).get("labels_"))
        case Clustering():
            return _draw_clustering(result, engine)
        case AutoCluster():
            return _draw_clustering(result.clustering_, engine)
        case SingleLinkage() if result.tree_.space is not None:
            return _labeled(_draw_states([result.tree_.space], engine, tree=result.tree_), result.labels_)
        case SingleLinkage():
            raise ValueError("a SingleLinkage loaded from a file has no points; fit it again before report")
        case Denoised():
            return _draw_denoised(result.in_meters(), engine)
        case Skeleton():
            net = result.in_meters()
            plane = plane_of(Space.from_points(net.source.before))
            scene = _draw_denoised(net.source, engine)
            return replace(scene, lines=tuple(plane.project(line) for line in net.lines))
    raise TypeError(
        f"report needs a Trajectory, Clustering, Denoised, Skeleton, Suggestion or fitted estimator, "
        f"got {type(result).__name__}"
    )


def facts_of(result: Any) -> str:
    """What a result, or the result in a fitted estimator, says of itself in a notebook, as HTML."""
    names = ("trajectory_", "clustering_", "tree_")
    facts: str = next((vars(result)[name] for name in names if name in vars(result)), result)._repr_html_()
    return facts


def _draw_trajectory(trajectory: Trajectory, columns: Sequence[str], engine: Engine) -> Scene:
    """The scene of a trajectory, with as many of its states as a page can hold."""
    quotients = trajectory.quotients
    most = MAX_DRAWN_POSITIONS // min(len(quotients[0].labels), MAX_POINTS)
    chosen = sample_evenly(len(quotients), max(2, min(most, MAX_FRAMES))).tolist()
    notes = []
    if len(chosen) < len(quotients):
        notes.append(f"{len(chosen)} of {len(quotients)} states are drawn, evenly spread")
    if trajectory.first:
        notes.append(f"states before τ = {trajectory.first} were not kept; keep='all' keeps them")
    times = [trajectory.first + k for k in chosen]
    return _draw_states([quotients[k].expand() for k in chosen], engine, columns, times, notes)


def _draw_clustering(result: Clustering, engine: Engine) -> Scene:
    tree = result.tree
    if tree is not None and tree.n == result.space.n:  # otherwise several points are in one place
        tree = Tree(result.rows[tree.edges], tree.heights, result.space.weights)
    scene = _draw_states([result.space], engine, result.columns[0], tree=tree)
    return _labeled(scene, result.labels)


def _draw_denoised(result: Denoised, engine: Engine) -> Scene:
    states = [Space.from_points(points, result.weights) for points in (result.before, result.points)]
    times = (0, result.n_iter) if result.n_iter else (0,)
    scene = _draw_states(states[: len(times)], engine, times=times)
    is_even = bool((result.scale == result.scale[0]).all())
    scene = replace(scene, eps=result.eps * float(result.scale[0]) if is_even else float("nan"))
    return _labeled(scene, np.where(result.outliers, -1, 0))


def _draw_states(
    states: Sequence[Space],
    engine: Engine,
    columns: Sequence[str] = (),
    times: Sequence[int] = (),
    notes: Sequence[str] = (),
    tree: Tree | None = None,
) -> Scene:
    """The scene of states of the same points, or of a sample; with the given tree of the last one, if it has all."""
    n, is_stored = states[0].n, states[0].points is None or isinstance(states[0].metric, Dense)
    rows = sample_evenly(n, MAX_POINTS_BY_DISTANCE if is_stored else MAX_POINTS)
    if len(rows) < n:
        states = [state.take(rows) for state in states]
        notes = (*notes, f"a sample of {len(rows):,} of the {n:,} points is shown")
    scene = scene_of(states, plane_of(states[0], engine), "", columns, times)
    scene = replace(scene, rows=rows, notes=(*notes, *scene.notes))
    return add_metric(scene, states[-1], engine, tree if tree is not None and tree.n == len(rows) else None)


def _labeled(scene: Scene, labels: Any) -> Scene:
    return scene if labels is None else replace(scene, labels=np.asarray(labels)[scene.rows])
