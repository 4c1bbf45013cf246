"""What estimators take and return: X becomes a space, points or distances; `output` says what `transform` returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Self, TypeAlias, get_args

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
from ..spaces.dense import as_distances
from ..spaces.named import cross_by_name, known_name
from ..tables.features import is_frame
from ..transforms import Trajectory

Kind: TypeAlias = Literal["points", "distances", "embedding"]
Output: TypeAlias = Literal["auto", "points", "distances", "embedding"]


def read_space(estimator: BaseEstimator, X: Any, metric: str, sample_weight: ArrayLike | None) -> Space:
    """Turn points, distances (`metric="precomputed"`), a Space or a fitted transform (its result) into a Space."""
    if isinstance(X, BaseEstimator):
        X = _last_state(X)
    if isinstance(X, Space):
        if sample_weight is not None:
            raise ValueError("a Space carries its weights: set them when making the Space, not by sample_weight")
        estimator.n_features_in_ = X.n if X.points is None else X.points.shape[1]
        return X
    if metric == "precomputed" and np.ndim(X) == 1:
        X = as_distances(X, "X")
    X = _validate(estimator, X)
    if metric == "precomputed" and X.shape[0] != X.shape[1]:
        raise ValueError(
            f"metric='precomputed' needs a square matrix of distances or SciPy's condensed vector, got shape {X.shape}"
        )
    if sample_weight is not None:
        sample_weight = read_weights(sample_weight, X)
    if metric == "precomputed":
        return Space.from_distances(X, sample_weight)
    return Space.from_points(X, sample_weight, metric)


def read_weights(sample_weight: ArrayLike, X: Any) -> Floats:
    """Check one weight for each row."""
    check.numbers(sample_weight, "sample_weight")
    return np.asarray(_check_sample_weight(sample_weight, X, dtype=np.float64))


def _validate(estimator: BaseEstimator, X: Any, reset: bool = True, is_table: bool = False) -> Floats:
    """Validate X by scikit-learn, after checks of values that it would accept as numbers; a table may have NaN."""
    if not any(hasattr(X, name) for name in ("__len__", "__array__", "shape")):
        raise TypeError(f"X must be an array, a Space or a fitted transform, got {type(X).__name__}")
    if not getattr(getattr(X, "columns", None), "is_unique", True):
        twice = X.columns[X.columns.duplicated()][0]
        raise ValueError(f"X must have columns of different names, got {twice!r} twice; rename one of them")
    check.numbers(X, "X")
    try:
        array = validate_data(estimator, X, dtype=np.float64, reset=reset, ensure_all_finite=False)
    except OverflowError as error:
        raise ValueError(f"X must be numbers within the range of floats ({error}); rescale") from None
    return array if is_table else check.floats(array, "X")


def read_table(estimator: BaseEstimator, X: Any, reset: bool = True) -> Any:
    """Check the names and the number of columns of a DataFrame, whose cells `features` reads; an array as usual."""
    check.known_table(X)
    if is_frame(X) and X.columns.is_unique:
        return validate_data(estimator, X, reset=reset, skip_check_array=True)
    return _validate(estimator, X, reset, is_table=True)


def output_dtype(X: Any) -> type[np.floating[Any]]:
    """The output type for X: float32 if X is float32, otherwise float64."""
    dtypes = getattr(X, "dtypes", None)  # types of the columns of a table
    kinds = {getattr(X, "dtype", None)} if dtypes is None else set(dtypes)
    return np.float32 if kinds == {np.dtype(np.float32)} else np.float64


def _last_state(transform: BaseEstimator) -> Space:
    """The last state of a fitted transform."""
    name, trajectory = type(transform).__name__, getattr(transform, "trajectory_", None)
    if isinstance(trajectory, Trajectory):
        return trajectory.last
    if not hasattr(transform, "fit_transform"):
        raise TypeError(f"X must be points, distances, a Space or a fitted transform of this library, got {name}")
    raise NotFittedError(f"this {name} is not fitted yet: call its fit(X) before you pass it")


def tag_input(tags: Any, metric: str) -> Any:
    """Set the scikit-learn tags for precomputed distances."""
    tags.input_tags.pairwise = metric == "precomputed"
    tags.input_tags.positive_only = metric == "precomputed"
    return tags


def read_points(estimator: BaseEstimator, X: Any) -> Floats:
    """Check new points for a fitted estimator."""
    return check.points(_validate(estimator, X, reset=False), "X")


@archived
@dataclass(frozen=True, eq=False)
class FittedPoints:
    """What is needed to compute or check distances from new points to the fitted ones."""

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
        """Keep the coordinates if the metric has a name; otherwise new points are given by their distances."""
        if isinstance(space.metric, Euclidean):
            metric = "euclidean"
        elif from_space:  # a Space knows distances only between its own points
            metric = "precomputed"
        return cls(metric, None if metric == "precomputed" else space.points, space.weights, from_space)


def read_distances(estimator: BaseEstimator, X: Any, fitted: FittedPoints) -> Floats:
    """Compute, or check, the distances from new points to the fitted ones."""
    if fitted.points is not None:
        new, n = read_points(estimator, X), len(fitted.weights)
        what = f"distances of {len(new)} new points to the {n} fitted ones"
        current().reserve(8.0 * len(new) * n, what, "take fewer new points at a time")
        return cross_by_name(new, fitted.points, fitted.metric, fitted.weights)
    if not fitted.from_space:
        X = _validate(estimator, X, reset=False)
    distances, n = check.points(X, "distances to the fitted points"), len(fitted.weights)
    if distances.shape[1] != n:
        raise ValueError(
            f"X has {distances.shape[1]} features, but {type(estimator).__name__} is expecting {n} features as "
            "input: one row per new point, with its distances to all fitted points"
        )
    if (distances < 0).any():
        raise ValueError(f"distances must not be negative, got {distances.min()}")
    return distances


def resolve_output(output: str, moves_points: bool, name: str) -> Kind:
    """The kind of output; "auto" means points if the transform moves points, otherwise distances."""
    check.choice(output, "output", get_args(Output))
    if output == "points" and not moves_points:
        raise ValueError(
            f"{name} changes distances and does not move points: use output='distances' for the new distances, or "
            "output='embedding' for points that approximate them"
        )
    if output == "auto":
        return "points" if moves_points else "distances"
    return output  # type: ignore[return-value]  # one of the others
