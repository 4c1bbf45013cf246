"""From what a user passes to `fit` to a space."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import _check_sample_weight, validate_data

from .. import _check as check
from .._types import Floats
from ..spaces import Euclidean, Space
from ..spaces.named import cross_by_name, known_name
from ..transforms import Trajectory


def read_space(estimator: BaseEstimator, X: Any, metric: str, sample_weight: ArrayLike | None) -> Space:
    """The space of points, distances (`metric="precomputed"`), the Space itself, or where a fitted transform ended."""
    walk = getattr(X, "trajectory_", None)
    X = walk.last if isinstance(walk, Trajectory) else X
    if isinstance(X, Space):
        if sample_weight is not None:
            raise ValueError("a Space carries its weights: make it with them instead of passing sample_weight")
        estimator.n_features_in_ = X.n if X.points is None else X.points.shape[1]
        return X
    X = validate_data(estimator, X, dtype=np.float64)
    if metric == "precomputed" and X.shape[0] != X.shape[1]:
        raise ValueError(f"metric='precomputed' needs a square matrix of distances, got shape {X.shape}")
    if sample_weight is not None:
        sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
    if metric == "precomputed":
        return Space.from_distances(X, sample_weight)
    known_name(metric)
    return Space.from_points(X, sample_weight, metric)


def tag_input(tags: Any, metric: str) -> Any:
    """Tell scikit-learn when rows and columns are the same points, and numbers are distances."""
    tags.input_tags.pairwise = metric == "precomputed"
    tags.input_tags.positive_only = metric == "precomputed"
    return tags


def read_points(estimator: BaseEstimator, X: Any) -> Floats:
    """New points for a fitted estimator."""
    return check.points(validate_data(estimator, X, dtype=np.float64, reset=False), "X")


def read_distances(estimator: BaseEstimator, X: Any, metric: str, space: Space, from_space: bool) -> Floats:
    """Distances of new points to the points of the fitted space.

    From coordinates where the distance is known by name; else X must be rows of distances.
    """
    if isinstance(space.metric, Euclidean):
        metric = "euclidean"
    elif from_space:  # its distance is known between its own points only
        metric = "precomputed"
    if metric != "precomputed" and space.points is not None:
        return cross_by_name(read_points(estimator, X), space.points, metric, space.weights)
    if not from_space:
        X = validate_data(estimator, X, dtype=np.float64, reset=False)
    distances = check.points(X, "distances to the fitted points")
    if distances.shape[1] != space.n:
        raise ValueError(
            f"X has {distances.shape[1]} features, but {type(estimator).__name__} is expecting {space.n} features as "
            "input: a row for each new point, with its distances to all fitted points"
        )
    if (distances < 0).any():
        raise ValueError(f"distances must not be negative, got {distances.min()}")
    return distances
