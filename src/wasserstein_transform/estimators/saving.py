"""Save and load fitted estimators."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import numpy as np

from .._archive import archived, check_array, check_type, read, write
from .._display import HasReport
from ..clustering import Clustering
from ..engine import Engine, current
from ..hierarchy import Tree
from ..spaces import Metric, Space
from ..transforms import Process, Trajectory
from .input_output import FittedPoints

NOT_STORED = ("_cached_distances", "_cached_scaling")  # not stored: computed on first use
FITTED_TYPES: dict[str, type] = {
    "trajectory_": Trajectory, "_space": Space, "_process": Process, "metric_": Metric,
    "points_": np.ndarray, "labels_": np.ndarray, "cluster_centers_": np.ndarray, "tree_": Tree, "n_iter_": int,
    "n_clusters_": int, "n_features_in_": int, "feature_names_in_": np.ndarray, "_from_space": bool,
    "_rested": bool, "lam_": float, "reason_": str, "_fitted": FittedPoints, "clustering_": Clustering,
    "probabilities_": np.ndarray,
}  # fmt: skip
NEEDED = {
    "trajectory_": {"_space", "_process", "metric_", "points_", "n_iter_", "_from_space"},
    "clustering_": {"labels_", "probabilities_", "n_clusters_", "reason_", "_fitted", "_transform"},
    "labels_": {"tree_", "n_clusters_", "_fitted", "_transform"},
}
COUNT_POINTS: dict[str, Callable[[Any], int]] = {
    "trajectory_": lambda walk: len(walk.quotients[-1].labels),
    "_space": lambda space: int(space.n), "metric_": lambda metric: int(metric.n), "labels_": len,
    "tree_": lambda tree: int(tree.n), "_fitted": lambda fitted: len(fitted.weights),
    "clustering_": lambda clustering: int(clustering.space.n), "probabilities_": len,
}  # fmt: skip


class Saved(HasReport):
    """An estimator that can be saved and loaded without pickle, with its parameters and fitted attributes."""

    _kind: Callable[[], Any]
    _engine: Callable[[], Engine]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        archived(cls)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the estimator to a `.npz` file, without pickle, and return its path. `load` reads it.

        An estimator with a callable profile cannot be stored.
        """
        return write(path, self)

    @classmethod
    def load(cls, path: str | os.PathLike[str], engine: Engine | None = None) -> Self:
        """Read an estimator from a file that `save` wrote.

        Files that are damaged, too large for the memory, or of another version raise an error.
        """
        estimator: Self = read(
            path, cls, lambda n_bytes: current(engine).reserve(n_bytes, str(path), "free some memory")
        )
        return estimator

    def _archive_state(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in NOT_STORED}

    @classmethod
    def _from_archive(cls, state: dict[str, Any]) -> Self:
        known = cls()
        parameters = set(vars(known))
        stored = {name for name in state if not (name.startswith("_") or name.endswith("_"))}  # others are fitted
        if parameters != stored:
            wrong = ", ".join(sorted(parameters ^ stored))
            raise ValueError(f"parameters of a {cls.__name__} are missing or unknown: {wrong}")
        vars(known).update(state)
        return known

    def _check_archived(self) -> None:
        """Check the fitted attributes: their classes, that none is missing, and that their sizes agree."""
        state = vars(self)
        for name, kind in FITTED_TYPES.items():
            if name in state:
                check_type(state[name], name, kind, *([type(None)] if name == "points_" else []))
        needed = next((names for name, names in NEEDED.items() if name in state), set[str]())
        needed = needed | ({"labels_", "_rested"} if "cluster_centers_" in state else set())
        if missing := needed - set(state):
            raise ValueError(f"fitted attributes are missing: {', '.join(sorted(missing))}")
        (n, *others) = {COUNT_POINTS[name](state[name]) for name in COUNT_POINTS if name in state} or {0}
        if others:
            raise ValueError(f"fitted attributes have different numbers of points: {n} and {others[0]}")
        for name in ("points_", "cluster_centers_"):
            if state.get(name) is not None:
                check_array(state[name], name, "f", None, state["_space"].points.shape[1])
        if state.get("_transform") is not None:  # the transform that was clustered
            check_type(state["_transform"], "_transform", Saved)
            if "trajectory_" not in vars(state["_transform"]):
                raise ValueError("the transform of the stored clusters is not fitted")
        if "labels_" in state:
            check_array(state["labels_"], "labels_", "i", None)
        if "trajectory_" in state:  # raises an error for wrong parameters
            self._kind(), self._engine()
