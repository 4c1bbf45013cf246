"""What the iterated transforms share as scikit-learn estimators."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from .. import _check as check
from .._types import Floats
from ..engine import Engine, bar
from ..hierarchy import linkage
from ..hierarchy.methods import Method
from ..localize import suggest_eps
from ..spaces import Space
from ..transforms import Process, follow_distances, follow_points, iterate
from .spaces import read_distances, read_points, read_space, tag_input


class IteratedTransform(TransformerMixin, BaseEstimator):
    """Fits a process to a space and keeps its flow, so that new points can follow it."""

    n_iter: int
    tol: float
    merge: float | None
    keep: str
    n_jobs: int
    verbose: bool
    metric: str
    eps_: Any

    @abstractmethod
    def _make_process(self, space: Space) -> Process:
        """The process to run; sets `eps_`."""

    def fit(self, X: Any, y: Any = None, *, sample_weight: ArrayLike | None = None) -> Self:
        """Transform the points or distances X, or a `Space`.

        Parameters
        ----------
        X : array of shape (n, m), distances of shape (n, n) for metric="precomputed", or Space
        y : ignored
        sample_weight : array of shape (n,), optional
            Masses of the points; weight k is the same as k copies, weight 0 as no point.
        """
        tol = check.tolerance(self.tol, "tol")
        n_iter = check.count(self.n_iter, "n_iter", 0)
        if self.keep not in ("last", "all"):
            raise ValueError(f"keep must be 'last' or 'all', got {self.keep!r}")
        engine = self._engine()
        self._check_metric()
        space = read_space(self, X, self.metric, sample_weight)
        if self._makes_matrix():
            need = f"a {space.n} × {space.n} matrix of new distances beside the old"
            engine.reserve(16.0 * space.n**2, need, "use fewer points, or GaussianTransform")
        process = self._make_process(space)
        walk = iterate(
            process, space, n_iter=n_iter, stop=tol if tol > 0 else None, merge=self.merge, keep="all", engine=engine
        )
        self._process, self._space, self._walk = process, space, walk
        self._from_space = isinstance(X, Space)
        self.trajectory_ = walk if self.keep == "all" else walk.only_last()
        self.metric_ = walk.last.metric
        self.points_ = walk.points
        self.n_iter_ = walk.n_iter
        self.__dict__.pop("_distances", None)
        return self

    @property
    def distances_(self) -> Floats:
        """All distances at the end, n × n; computed on first use."""
        check_is_fitted(self, "trajectory_")
        if "_distances" not in self.__dict__:
            self._distances = self.metric_.dense(self._engine())
        return self._distances

    def linkage(self, method: Method = "single") -> Floats:
        """SciPy's linkage matrix of the transformed space."""
        check_is_fitted(self, "trajectory_")
        return linkage(self.trajectory_.last, method, self._engine())

    def _engine(self) -> Engine:
        return Engine(self.n_jobs, bar() if self.verbose else None)

    def _makes_matrix(self) -> bool:
        """Whether the result is a stored matrix of distances."""
        return False

    def _check_metric(self) -> None:
        """Refuse a metric this transform cannot use, before anything is computed."""

    def _follow_points(self, X: Any) -> Floats:
        check_is_fitted(self, "trajectory_")
        return follow_points(self._process, self._space, self._walk, read_points(self, X), self._engine()).points

    def _follow_distances(self, X: Any) -> Floats:
        check_is_fitted(self, "trajectory_")
        distances = read_distances(self, X, self.metric, self._space, self._from_space)
        return follow_distances(self._process, self._walk, distances, self._engine())

    def _choose_eps(self, space: Space, eps: Any) -> Any:
        """The radius or radii asked for, or the suggested one; sets `eps_`."""
        if isinstance(eps, str):
            if eps != "auto":
                raise ValueError(f"eps must be a positive number, a sequence of them, or 'auto', got {eps!r}")
            self.eps_ = suggest_eps(space).eps
            return self.eps_
        radii = check.eps_sequence(eps)
        self.eps_ = radii[0] if len(radii) == 1 else np.array(radii)
        return radii[0] if len(radii) == 1 else radii

    def __sklearn_tags__(self) -> Any:
        return tag_input(super().__sklearn_tags__(), self.metric)


class PointTransform(OneToOneFeatureMixin, IteratedTransform):
    """A transform that moves points."""

    def fit_transform(self, X: Any, y: Any = None, *, sample_weight: ArrayLike | None = None) -> Floats:
        """Fit, and return the moved points."""
        self.fit(X, y, sample_weight=sample_weight)
        assert self.points_ is not None  # `fit` refuses spaces without coordinates
        return self.points_.copy()

    def transform(self, X: Any) -> Floats:
        """Where new points go: each carries no mass and follows the fitted flow. The fitted points go to `points_`."""
        return self._follow_points(X)

    def _check_metric(self) -> None:
        if self.metric != "euclidean":
            raise ValueError(
                f"{type(self).__name__} needs coordinates, and metric={self.metric!r} gives distances only; "
                "to use another distance fit on Space.from_distances(D, points=X)"
            )

    def _make_process(self, space: Space) -> Process:
        if space.points is None:
            raise ValueError(
                f"{type(self).__name__} needs coordinates, and this Space has distances only; "
                "use Space.from_distances(D, points=X)"
            )
        return self._make_point_process(space)

    @abstractmethod
    def _make_point_process(self, space: Space) -> Process:
        """The process, once coordinates are known to be there."""


class DistanceTransform(ClassNamePrefixFeaturesOutMixin, IteratedTransform):
    """A transform that changes distances only."""

    def fit_transform(self, X: Any, y: Any = None, *, sample_weight: ArrayLike | None = None) -> Floats:
        """Fit, and return the n × n distances."""
        return self.fit(X, y, sample_weight=sample_weight).distances_.copy()

    def transform(self, X: Any) -> Floats:
        """Distances of new points (coordinates, or rows of distances) to the fitted points, n_new × n."""
        return self._follow_distances(X)

    def _makes_matrix(self) -> bool:
        return True

    @property
    def _n_features_out(self) -> int:
        return self._space.n
