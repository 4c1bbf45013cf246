"""From what a user passes to `fit` to a space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import _check_sample_weight, validate_data

from .. import _check as check
from .._archive import archived, check_array, check_range, check_type
from .._types import Floats
from ..engine import current
from ..spaces import Euclidean, Space
from ..spaces.named import cross_by_name, known_name
from ..transforms import Trajectory


def read_space(estimator: BaseEstimator, X: Any, metric: str, sample_weight: ArrayLike | None) -> Space:
    """The space of points, distances (`metric="precomputed"`), the Space itself, or where a fitted transform ended."""
    if isinstance(X, BaseEstimator):
        X = _end_of(X)
    if isinstance(X, Space):
        if sample_weight is not None:
            raise ValueError("a Space carries its weights: make it with them instead of passing sample_weight")
        estimator.n_features_in_ = X.n if X.points is None else X.points.shape[1]
        return X
    if metric == "precomputed" and np.ndim(X) == 1:
        X = check.distances(X, "X")
    X = _validated(estimator, X)
    if metric == "precomputed" and X.shape[0] != X.shape[1]:
        raise ValueError(
            f"metric='precomputed' needs a square matrix of distances, got shape {X.shape}, or SciPy's condensed vector"
        )
    if sample_weight is not None:
        check.numbers(sample_weight, "sample_weight")
        sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
    if metric == "precomputed":
        return Space.from_distances(X, sample_weight)
    known_name(metric)
    return Space.from_points(X, sample_weight, metric)


def _validated(estimator: BaseEstimator, X: Any, reset: bool = True) -> Floats:
    """scikit-learn's checks, and ours of what it takes for numbers."""
    if not any(hasattr(X, name) for name in ("__len__", "__array__", "shape")):
        raise TypeError(f"X must be an array, a Space or a fitted transform, got {type(X).__name__}")
    check.numbers(X, "X")
    try:
        return np.asarray(validate_data(estimator, X, dtype=np.float64, reset=reset))
    except OverflowError as error:
        raise ValueError(f"X must be numbers within the range of floats ({error}); rescale") from None


def dtype_of(X: Any) -> type[np.floating[Any]]:
    """What is handed on for X: single precision for single precision, double for all else."""
    dtypes = getattr(X, "dtypes", None)  # of the columns of a table
    found = {getattr(X, "dtype", None)} if dtypes is None else set(dtypes)
    return np.float32 if found == {np.dtype(np.float32)} else np.float64


def _end_of(transform: BaseEstimator) -> Space:
    """Where a fitted transform ended."""
    name, walk = type(transform).__name__, getattr(transform, "trajectory_", None)
    if isinstance(walk, Trajectory):
        return walk.last
    if not hasattr(transform, "fit_transform"):
        raise TypeError(f"points, distances, a Space or a fitted transform of this library are needed, got {name}")
    raise NotFittedError(f"this {name} is not fitted yet: call its fit(X) first, then pass it on")


def tag_input(tags: Any, metric: str) -> Any:
    """Tell scikit-learn when rows and columns are the same points, and numbers are distances."""
    tags.input_tags.pairwise = metric == "precomputed"
    tags.input_tags.positive_only = metric == "precomputed"
    return tags


def read_points(estimator: BaseEstimator, X: Any) -> Floats:
    """New points for a fitted estimator."""
    return check.points(_validated(estimator, X, reset=False), "X")


@archived
@dataclass(frozen=True, eq=False)
class Ground:
    """What distances of new points to the fitted ones are read by."""

    metric: str
    points: Floats | None
    weights: Floats
    from_space: bool

    def _check_archived(self) -> None:
        check_type(self.metric, "metric", str)
        check_type(self.from_space, "from_space", bool)
        check_array(self.weights, "weights", "f", None)
        check_range(self.weights, "weights", 0.0)
        if self.metric != "precomputed":
            known_name(self.metric)
            check_array(self.points, "points", "f", len(self.weights), None)

    @classmethod
    def of(cls, space: Space, metric: str, from_space: bool) -> Self:
        """Coordinates where the distance is known by name; else none, and new points come as rows of distances."""
        if isinstance(space.metric, Euclidean):
            metric = "euclidean"
        elif from_space:  # its distance is known between its own points only
            metric = "precomputed"
        return cls(metric, None if metric == "precomputed" else space.points, space.weights, from_space)


def read_distances(estimator: BaseEstimator, X: Any, ground: Ground) -> Floats:
    """Distances of new points to the fitted ones."""
    if ground.points is not None:
        new, n = read_points(estimator, X), len(ground.weights)
        what = f"distances of {len(new)} new points to the {n} fitted ones"
        current().reserve(8.0 * len(new) * n, what, "take fewer new points at a time")
        return cross_by_name(new, ground.points, ground.metric, ground.weights)
    if not ground.from_space:
        X = _validated(estimator, X, reset=False)
    distances, n = check.points(X, "distances to the fitted points"), len(ground.weights)
    if distances.shape[1] != n:
        raise ValueError(
            f"X has {distances.shape[1]} features, but {type(estimator).__name__} is expecting {n} features as "
            "input: a row for each new point, with its distances to all fitted points"
        )
    if (distances < 0).any():
        raise ValueError(f"distances must not be negative, got {distances.min()}")
    return distances
