"""What a report shows of each type of result."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._display import ShortRepr
from .._types import Ints
from ..clustering import Clustering
from ..curves import Denoised, Skeleton
from ..engine import Engine, current
from ..estimators import AutoCluster, IteratedTransform, SingleLinkage
from ..hierarchy import Tree
from ..parameters import Suggestion
from ..spaces import Dense, GaussianMetric, Space
from ..transforms import Trajectory
from .compute import add_metric, curve_of, with_labels
from .scene import NeighborCounts, Scene, frames_of, in_plane, plane_of, single

MAX_POINTS = 100_000  # most points drawn
MAX_POINTS_BY_DISTANCE = 2_000  # if distances are stored or an embedding is needed
MAX_DRAWN_POSITIONS = 2_000_000  # most positions drawn, over all frames

Facts = dict[str, Any]


@dataclass(frozen=True, eq=False, repr=False)
class Story(ShortRepr):
    """The content of a report: a scene if there are points, else a table; and facts by name."""

    scene: Scene | None
    title: str
    facts: Facts
    code: str = ""
    table: dict[str, list[Any]] | None = None
    chosen: int | None = None
    curve: Any = None
    eps: float = float("nan")
    examined: str = "Radii examined"
    """Heading of the table."""


def story_of(result: Any, engine: Engine | None = None) -> Story:
    """The content of a report on a result; raises a TypeError for other objects."""
    engine = current(engine).silent()
    for kind, attribute, tell in STORY_OF_TYPE:
        if isinstance(result, kind):
            if attribute and attribute not in vars(result):
                raise ValueError(f"this {type(result).__name__} is not fitted yet; call fit before report")
            story: Story = tell(result, engine)
            return story
    raise TypeError(
        f"report needs a Trajectory, Clustering, Denoised, Skeleton, Suggestion or fitted estimator, "
        f"got {type(result).__name__}"
    )


def _code(lines: str) -> str:
    """Python code that computes a result."""
    return f"import wasserstein_transform as wt\n\nX = …  # your points\n{lines}"


def _trajectory(trajectory: Trajectory, engine: Engine) -> Story:
    scene = _walked(trajectory, float("nan"), "Trajectory", (), engine)
    facts = {
        "points": len(trajectory.quotients[-1].labels), "iterations": trajectory.n_iter, "outcome": trajectory.outcome,
        "merged points at the end": trajectory.quotients[-1].space.n,
    }  # fmt: skip
    return Story(scene, "Trajectory", facts)


def _estimator(fitted: IteratedTransform, engine: Engine) -> Story:
    name, radii = type(fitted).__name__, np.ravel(fitted.eps_)
    names = tuple(map(str, getattr(fitted, "feature_names_in_", ())))
    eps = float(radii[0]) if len(radii) == 1 else float("nan")
    scene = _walked(fitted.trajectory_, eps, name, names, engine)
    labels = vars(fitted).get("labels_")
    scene = scene if labels is None else with_labels(scene, np.asarray(labels)[scene.rows], "new")
    facts: Facts = {"points": fitted._space.n, "ε": ", ".join(f"{e:.6g}" for e in radii)}
    if "lam_" in vars(fitted):
        facts["λ"] = f"{fitted.lam_:g}"
    facts |= {"iterations": fitted.n_iter_, "outcome": fitted.trajectory_.outcome}
    facts["where ε comes from"] = vars(fitted).get("reason_", "")
    code = _code(f"fitted = wt.{fitted!r}.fit(X)")
    return Story(scene, name, facts, code)


def _clustering(result: Clustering, engine: Engine) -> Story:
    rows, notes = _drawn(result.space)
    tree = _whole_tree(result) if len(rows) == result.space.n else None
    scene = _still(result.space, rows, "Clustering", result.columns[0], [*result.notes, *notes], engine, tree)
    scene = with_labels(scene, result.labels[rows], "clustered" if tree is not None else "input")
    facts = {"answer": result.verdict, "sizes": result.sizes_in_words(), "why": result.reason}
    facts["other good answers"] = "\n".join(": ".join(other.lines[:2]) for other in result.alternatives)
    head, cells = result.profile().cells()
    profile = dict(zip(head, map(list, zip(*cells, strict=True)), strict=True))
    code = _code("found = wt.cluster(X)\nprint(found)")
    return Story(scene, "Clustering", facts, code, profile, examined="What the clusters are")


def _denoised(result: Denoised, engine: Engine) -> Story:
    result = result.in_meters()
    n, m = result.points.shape
    rows, notes = _sample(n, MAX_POINTS)
    plane = plane_of(result.before)
    frames = np.stack([in_plane(plane, result.before[rows]), in_plane(plane, result.points[rows])])
    frames = single(frames)
    even = bool((result.scale == result.scale[0]).all())
    eps = result.eps * float(result.scale[0]) if even else float("nan")
    labels = np.where(result.outliers[rows], -1, 0)
    space = Space.from_points(result.before[rows], result.weights[rows])
    scene = Scene(
        "Denoised", plane.names(()), frames, rows, eps, planar=m <= 2 and even, labels=labels,
        notes=(*notes, *plane.notes), taus=(0, result.n_iter) if result.n_iter else (),
        curve=curve_of(space, engine) if even else None,
    )  # fmt: skip
    if not result.n_iter:
        scene = replace(scene, frames=frames[:1])
    facts = {
        "points": n, "dimension of the shape": result.dim, "ε": result.length(result.eps),
        "noise": result.length(result.sigma), "moved": result.moved_in_words, "outliers": result.outliers_in_words,
        "outcome": result.outcome, "where ε comes from": result.reason,
    }  # fmt: skip
    code = _code(f"clean = wt.denoise(X, {result.dim})")
    return Story(scene, "Denoised points", facts, code)


def _skeleton(net: Skeleton, engine: Engine) -> Story:
    net = net.in_meters()
    below = _denoised(net.source, engine)
    plane = plane_of(net.source.before)
    assert below.scene is not None
    scene = replace(below.scene, title="Skeleton", lines=tuple(in_plane(plane, line) for line in net.lines))
    facts = {"lines": net.in_words, "detail": net.source.length(net.detail)}
    code = f"{below.code}\nlines = wt.skeleton(clean)"
    return Story(scene, "Skeleton", {**facts, **below.facts}, code)


def _suggestion(result: Suggestion, engine: Engine) -> Story:
    facts = {"for": result.purpose, "write": result._call, "why": result.reason, "places": result.n}
    columns = result.table
    curve = None
    if "neighbors" in columns and len(columns["eps"]):
        curve = NeighborCounts(np.array(columns["eps"]), np.array(columns["neighbors"]), result.eps, result.reason)
    code = _code(f"fitted = wt.{result._call}.fit(X)")
    return Story(None, f"Suggestion for {result.purpose}", facts, code, columns, result.chosen, curve, result.eps)


def _auto(fitted: AutoCluster, engine: Engine) -> Story:
    story = _clustering(fitted.clustering_, engine)
    return replace(story, title="AutoCluster", code=_code(f"fitted = wt.{fitted!r}.fit(X)"))


def _linkage(fitted: SingleLinkage, engine: Engine) -> Story:
    space = fitted.tree_.space
    if space is None:
        raise ValueError("a SingleLinkage loaded from a file has no points; fit it again before report")
    rows, notes = _drawn(space)
    scene = _still(space, rows, "SingleLinkage", (), notes, engine, fitted.tree_ if len(rows) == space.n else None)
    scene = with_labels(scene, fitted.labels_[rows], "input")
    code = _code(f"fitted = wt.{fitted!r}.fit(X)")
    return Story(scene, "SingleLinkage", {"points": space.n, "clusters": fitted.n_clusters_}, code)


STORY_OF_TYPE: tuple[tuple[type, str, Any], ...] = (
    (Trajectory, "", _trajectory), (IteratedTransform, "trajectory_", _estimator), (Clustering, "", _clustering),
    (Denoised, "", _denoised), (Skeleton, "", _skeleton), (Suggestion, "", _suggestion),
    (AutoCluster, "clustering_", _auto), (SingleLinkage, "tree_", _linkage),
)  # fmt: skip
"""Each type of result, the attribute that it has once it is fitted, and the function that reports on it."""


def _walked(trajectory: Trajectory, eps: float, title: str, names: tuple[str, ...], engine: Engine) -> Scene:
    """The scene of a trajectory, with as many of its states as a page can hold."""
    first = trajectory.quotients[0].expand()
    rows, notes = _drawn(first)
    n_states = len(trajectory.quotients)
    n_frames = max(2, min(n_states, MAX_DRAWN_POSITIONS // max(len(rows), 1), 101))
    chosen = sorted({round(k) for k in np.linspace(0, n_states - 1, n_frames)})
    if len(chosen) < n_states:
        notes.append(f"{len(chosen)} of {n_states} states are drawn, evenly spread")
    if trajectory.first:
        notes.append(f"states before τ = {trajectory.first} were not kept; keep='all' keeps them")
    states = [trajectory.quotients[k].expand().take(rows) for k in chosen]
    scene = _placed(states, rows, eps, title, names, notes, engine)
    taus = tuple(trajectory.first + k for k in chosen)
    scene = replace(scene, taus=() if taus == tuple(range(len(taus))) else taus)
    return add_metric(scene, states[-1], engine)


def _still(
    space: Space, rows: Ints, title: str, names: tuple[str, ...], notes: Iterable[str], engine: Engine,
    tree: Tree | None = None,
) -> Scene:  # fmt: skip
    """The scene of one space, with the given tree or its single-linkage tree."""
    part = space.take(rows) if len(rows) < space.n else space
    return add_metric(_placed([part], rows, float("nan"), title, names, notes, engine), part, engine, tree)


def _placed(
    states: list[Space], rows: Ints, eps: float, title: str, names: tuple[str, ...], notes: Iterable[str],
    engine: Engine,
) -> Scene:  # fmt: skip
    first = states[0]
    scene = frames_of(states, plane_of(first.points, first, engine), names)
    if isinstance(first.metric, GaussianMetric) and first.points is not None:  # neighbors are Euclidean ones
        first = Space.from_points(first.points, first.weights)
    curve = None if first.points is None and scene.lam else curve_of(first, engine)
    return replace(scene, title=title, rows=rows, eps=eps, notes=(*notes, *scene.notes), curve=curve)


def _drawn(space: Space) -> tuple[Ints, list[str]]:
    """The points to draw, and notes: fewer points if all distances are stored or an embedding is needed."""
    stored = isinstance(space.metric, Dense) or space.points is None
    return _sample(space.n, MAX_POINTS_BY_DISTANCE if stored else MAX_POINTS)


def _sample(n: int, max_points: int) -> tuple[Ints, list[str]]:
    if n <= max_points:
        return np.arange(n), []
    rows = np.sort(np.random.default_rng(0).choice(n, max_points, replace=False))
    return rows, [f"a sample of {max_points:,} of the {n:,} points is shown"]


def _whole_tree(result: Clustering) -> Tree | None:
    """The tree of all points, from the tree of distinct positions: duplicates are joined at height 0."""
    tree, n = result.tree, result.space.n
    if tree is None:
        return None
    edges, heights = result.rows[tree.edges], tree.heights
    if len(result.rows) < n:
        if result.space.points is None:
            return None
        _, group = np.unique(result.space.points, axis=0, return_inverse=True)
        leader = np.full(int(group.max()) + 1, -1)
        leader[group.ravel()[result.rows]] = result.rows
        others = np.setdiff1d(np.arange(n), result.rows)
        hosts = leader[group.ravel()[others]]
        if (hosts < 0).any():
            return None
        edges = np.concatenate([np.column_stack([hosts, others]), edges])
        heights = np.concatenate([np.zeros(len(others)), heights])
    return Tree(edges, heights, result.space.weights)
