"""What the iterated transforms share as scikit-learn estimators."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    OneToOneFeatureMixin,
    TransformerMixin,
)
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from .. import _check as check
from .._types import Floats
from ..auto.suggestion import Purpose
from ..engine import Engine
from ..hierarchy import linkage
from ..hierarchy.methods import Method
from ..spaces import Space
from ..spaces.matrices import read_only
from ..transforms import Followed, Process, follow_distances, follow_points, iterate
from ..transforms.loop import Keep
from ..transforms.scaling import Scaling
from .choosing import Chosen, choose, is_auto, warn_of_radii
from .output import Kind, kind_of, warn_of_lost_metric
from .running import engine_of
from .saving import Saved
from .spaces import Ground, dtype_of, read_distances, read_points, read_space, tag_input

_OF_CLUSTERS = ("fit_predict", "predict", "labels_", "n_clusters_", "cluster_centers_")


class IteratedTransform(Saved, ClassNamePrefixFeaturesOutMixin, OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Fits a process to a space and keeps its flow, so that new points can follow it."""

    n_iter: int | str
    tol: float | None
    merge: float | None
    keep: str
    output: str
    n_jobs: int | None
    verbose: bool
    metric: str
    eps_: Any
    reason_: str

    @abstractmethod
    def _make_process(self, space: Space, chosen: Chosen) -> Process:
        """The process to run."""

    @abstractmethod
    def _moves_points(self) -> bool:
        """Whether points move; else distances alone do."""

    def fit(self, X: Any, y: Any = None, *, sample_weight: ArrayLike | None = None) -> Self:
        """Transform the points or distances X, or a `Space`.

        Parameters
        ----------
        X : array of shape (n, m), distances of shape (n, n) for metric="precomputed", or Space
        y : ignored
        sample_weight : array of shape (n,), optional
            Masses of the points; weight k is the same as k copies, weight 0 as no point.
        """
        tol = None if self.tol is None else check.tolerance(self.tol, "tol")
        if self.keep not in ("result", "last", "all"):
            raise ValueError(f"keep must be 'result', 'last' or 'all', got {self.keep!r}")
        engine, kind = self._engine(), self._kind()
        self._check_metric()
        space = read_space(self, X, self.metric, sample_weight)
        if kind != "points":
            need = f"a {space.n} × {space.n} matrix of new distances beside the old"
            instead = "output='points'" if self._moves_points() else "GaussianTransform"
            matrices = 7 if kind == "embedding" else 2  # centred, its eigenvectors, and what LAPACK takes
            engine.reserve(8.0 * matrices * space.n**2, need, f"use fewer points, or {instead}")
        chosen = self._choose(space, engine)
        process = self._make_process(space, chosen)
        warn_of_radii(chosen, process, tol, space, engine)
        kept: Keep = "last" if self.keep == "result" else "all"  # new points follow all states
        walk = iterate(process, space, n_iter=chosen.n_iter, tol=tol, merge=self.merge, keep=kept, engine=engine)
        self._process, self._space, self._walk = process, space, walk
        self._from_space = isinstance(X, Space)
        self.trajectory_ = walk if self.keep == "all" else walk.only_last()
        self.metric_ = walk.last.metric
        self.points_ = None if walk.points is None else read_only(walk.points)
        self.n_iter_ = walk.n_iter
        self.__dict__.pop("_distances", None)
        self.__dict__.pop("_scaling", None)
        if kind == "embedding":
            self._scaled()
        return self

    def fit_transform(self, X: Any, y: Any = None, *, sample_weight: ArrayLike | None = None) -> Floats:
        """Fit, and return what `output` says: the moved points, the n × n distances, or points that have these.

        Where a pipeline gets points because nothing else was said, and the new metric is more than their Euclidean
        distance, a `MetricLostWarning` says so: in a pipeline only what is returned travels.
        """
        self.fit(X, y, sample_weight=sample_weight)
        kind, dtype = self._kind(), dtype_of(X)
        if kind == "distances":
            return self.distances_.astype(dtype)
        if kind == "embedding":
            return self.embedding_.astype(dtype)
        assert self.points_ is not None  # `fit` refuses spaces without coordinates
        if self.output == "auto" and not self.metric_.is_euclidean:
            warn_of_lost_metric(type(self).__name__)
        return self.points_.astype(dtype)

    def transform(self, X: Any) -> Floats:
        """New points carry no mass and follow the fitted flow: where they go, or their distances to the fitted points.

        Parameters
        ----------
        X : array of shape (n_new, m), or, fitted on distances alone, rows of distances of shape (n_new, n)

        Returns
        -------
        array
            As `output` says: n_new places; n_new × n distances to the fitted points under the new metric; or n_new
            places in the embedding of the fitted points. In single precision if X is.
        """
        kind = self._kind()
        if kind == "points":
            found = self._follow(X).points
        else:
            found = self.distances_to(X)
            found = found if kind == "distances" else self._scaled().place(found)
        return found.astype(dtype_of(X), copy=False)

    def distances_to(self, X: Any) -> Floats:
        """Distances of new points to the fitted ones under the new metric, n_new × n, whatever `output` says."""
        return self._follow(X).distances(self._engine()) if self._moves_points() else self._follow_distances(X)

    @property
    def distances_(self) -> Floats:
        """All distances at the end, n × n; computed on first use."""
        check_is_fitted(self, "trajectory_")
        if "_distances" not in self.__dict__:
            self._distances = read_only(self.metric_.dense(self._engine()))
        return self._distances

    @property
    def embedding_(self) -> Floats:
        """Points in R^k that have the distances at the end, as far as points can; computed on first use."""
        return read_only(self._scaled().points)

    @property
    def distortion_(self) -> float:
        """How far the distances of `embedding_` are off: the root of Σ (‖x − y‖ − d)² / Σ d² over all pairs."""
        return self._scaled().distortion

    def linkage(self, method: Method = "single") -> Floats:
        """SciPy's linkage matrix of the transformed space."""
        check_is_fitted(self, "trajectory_")
        return linkage(self.trajectory_.last, method, self._engine())

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Names of the columns: those of the input where points are handed on, else numbered ones."""
        check_is_fitted(self, "trajectory_")
        mixin = OneToOneFeatureMixin if self._kind() == "points" else ClassNamePrefixFeaturesOutMixin
        return mixin.get_feature_names_out(self, input_features)

    @property
    def _n_features_out(self) -> int:
        return self._space.n if self._kind() == "distances" else self.embedding_.shape[1]

    def _kind(self) -> Kind:
        return kind_of(self.output, self._moves_points(), type(self).__name__)

    def _scaled(self) -> Scaling:
        check_is_fitted(self, "trajectory_")
        if "_scaling" not in self.__dict__:
            self._scaling = Scaling.of(self.distances_, self._space.weights)
        return self._scaling

    def _engine(self) -> Engine:
        return engine_of(self.n_jobs, self.verbose)

    def _check_metric(self) -> None:
        """Refuse a metric this transform cannot use, before anything is computed."""

    def _check_states(self) -> None:
        check_is_fitted(self, "trajectory_")
        if self._walk.first > 0:
            raise ValueError(
                "new points follow the states of the flow, and keep='result' dropped them; fit with keep='last'"
            )

    def _follow(self, X: Any) -> Followed:
        self._check_states()
        return follow_points(self._process, self._space, self._walk, read_points(self, X), self._engine())

    def _follow_distances(self, X: Any) -> Floats:
        self._check_states()
        distances = read_distances(self, X, Ground.of(self._space, self.metric, self._from_space))
        return follow_distances(self._process, self._walk, distances, self._engine())

    def _choose(self, space: Space, engine: Engine) -> Chosen:
        """The parameters asked for, or those suggested; sets `eps_` and `reason_`."""
        params = vars(self)
        chosen = choose(params["eps"], params.get("lam", 0.0), self._iterations(), self._purpose(), space, engine)
        self.eps_ = chosen.radii[0] if len(chosen.radii) == 1 else np.array(chosen.radii)
        self.reason_ = chosen.reason
        return chosen

    def _purpose(self) -> Purpose:
        """What parameters are suggested for."""
        return "clusters"

    def _iterations(self) -> Any:
        """How many are asked for: a number, or "auto"."""
        return self.n_iter

    def __getattr__(self, name: str) -> Any:
        """What is not there: say what is, where people look for clusters."""
        if name in _OF_CLUSTERS and not isinstance(self, ClusterMixin):
            raise AttributeError(
                f"{type(self).__name__} makes a metric and no clusters, so it has no {name}; "
                "wt.SingleLinkage(n_clusters).fit(transform) finds those of a fitted transform, and predicts them"
            )
        if name in _OF_CLUSTERS or hasattr(type(self), name):  # a property that wants a fit
            raise NotFittedError(f"this {type(self).__name__} is not fitted yet: call fit first")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __sklearn_tags__(self) -> Any:
        tags = tag_input(super().__sklearn_tags__(), self.metric)
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class PointTransform(IteratedTransform):
    """A transform that moves points."""

    def _moves_points(self) -> bool:
        return True

    def _check_metric(self) -> None:
        if self.metric != "euclidean":
            raise ValueError(
                f"{type(self).__name__} needs coordinates, and metric={self.metric!r} gives distances only; "
                "to use another distance fit on Space.from_distances(D, points=X)"
            )

    def _choose(self, space: Space, engine: Engine) -> Chosen:
        if space.points is None:
            raise ValueError(
                f"{type(self).__name__} needs coordinates, and this Space has distances only; "
                "use Space.from_distances(D, points=X)"
            )
        return super()._choose(space, engine)


class DistanceTransform(IteratedTransform):
    """A transform that changes distances only."""

    def _iterations(self) -> Any:
        return 1 if is_auto(self.n_iter) else self.n_iter  # none would leave the distances as they are

    def _moves_points(self) -> bool:
        return False
