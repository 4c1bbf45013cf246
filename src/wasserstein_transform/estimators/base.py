"""Base classes of the transforms as scikit-learn estimators."""

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
    """Base class: runs a process on a space and keeps its states, so that new points can be transformed."""

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
        """Whether the transform moves points; otherwise it changes only distances."""

    def fit(self, X: Any, y: Any = None, *, sample_weight: ArrayLike | None = None) -> Self:
        """Transform points, distances or a `Space`.

        Parameters
        ----------
        X : array of shape (n, m), distances of shape (n, n) if metric="precomputed", or Space
            The points.
        y : None
            Ignored; for pipelines.
        sample_weight : array of shape (n,), optional
            Masses of the points; a point of weight k acts like k copies, and weight 0 has no influence on the others.
            None: uniform.

        Returns
        -------
        self
        """
        tol = None if self.tol is None else check.tolerance(self.tol, "tol")
        if self.keep not in ("result", "last", "all"):
            raise ValueError(f"keep must be 'result', 'last' or 'all', got {self.keep!r}")
        engine, kind = self._engine(), self._kind()
        self._check_metric()
        space = read_space(self, X, self.metric, sample_weight)
        if kind != "points":
            need = f"a {space.n} × {space.n} matrix of new distances in addition to the old one"
            instead = "output='points'" if self._moves_points() else "GaussianTransform"
            matrices = 7 if kind == "embedding" else 2  # the centered matrix, its eigenvectors, workspace of LAPACK
            engine.reserve(8.0 * matrices * space.n**2, need, f"use fewer points, or {instead}")
        chosen = self._choose(space, engine)
        process = self._make_process(space, chosen)
        warn_of_radii(chosen, process, tol, space, engine)
        kept: Keep = "last" if self.keep == "result" else "all"  # `transform` needs all states
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
        """Fit, and return the moved points, the new distances or an embedding, as set by `output`.

        With output="auto" in a pipeline, a `MetricLostWarning` is given if the next step gets points although the new
        metric is more than their Euclidean distance.

        Returns
        -------
        array of shape (n, m), (n, n) or (n, k)
            The moved points, the new distances, or the embedding. float32 if X is float32, otherwise float64.
        """
        self.fit(X, y, sample_weight=sample_weight)
        kind, dtype = self._kind(), dtype_of(X)
        if kind == "distances":
            return self.distances_.astype(dtype)
        if kind == "embedding":
            return self.embedding_.astype(dtype)
        assert self.points_ is not None  # `fit` raises an error for spaces without coordinates
        if self.output == "auto" and not self.metric_.is_euclidean:
            warn_of_lost_metric(type(self).__name__)
        return self.points_.astype(dtype)

    def transform(self, X: Any) -> Floats:
        """Transform new points through the states of the fit; they carry no mass and do not change the fitted points.

        Parameters
        ----------
        X : array of shape (n_new, m), or distances of shape (n_new, n) if fitted on distances
            The new points.

        Returns
        -------
        array of shape (n_new, m), (n_new, n) or (n_new, k)
            As set by `output`: the moved points, their new distances to the fitted points, or their positions in the
            embedding. float32 if X is float32, otherwise float64.
        """
        kind = self._kind()
        if kind == "points":
            found = self._follow(X).points
        else:
            found = self.distances_to(X)
            found = found if kind == "distances" else self._scaled().place(found)
        return found.astype(dtype_of(X), copy=False)

    def distances_to(self, X: Any) -> Floats:
        """Compute the new distances from new points to the fitted ones, shape (n_new, n), for any `output`."""
        return self._follow(X).distances(self._engine()) if self._moves_points() else self._follow_distances(X)

    @property
    def distances_(self) -> Floats:
        """The new distances, shape (n, n); computed on first use."""
        check_is_fitted(self, "trajectory_")
        if "_distances" not in self.__dict__:
            self._distances = read_only(self.metric_.dense(self._engine()))
        return self._distances

    @property
    def embedding_(self) -> Floats:
        """Points (n, k) whose Euclidean distances approximate the new distances; computed on first use."""
        return read_only(self._scaled().points)

    @property
    def distortion_(self) -> float:
        """Relative error of the distances of `embedding_`: the root of Σ (‖x − y‖ − d)² / Σ d² over all pairs."""
        return self._scaled().distortion

    def linkage(self, method: Method = "single") -> Floats:
        """Compute SciPy's linkage matrix of the transformed space, shape (n−1, 4)."""
        check_is_fitted(self, "trajectory_")
        return linkage(self.trajectory_.last, method, self._engine())

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return the names of the output columns: those of the input if the output is points, otherwise numbered."""
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
        """Raise an error for a metric that this transform cannot use."""

    def _check_states(self) -> None:
        check_is_fitted(self, "trajectory_")
        if self._walk.first > 0:
            raise ValueError(
                "new points need the states of the fit, but keep='result' dropped them; fit with keep='last'"
            )

    def _follow(self, X: Any) -> Followed:
        self._check_states()
        return follow_points(self._process, self._space, self._walk, read_points(self, X), self._engine())

    def _follow_distances(self, X: Any) -> Floats:
        self._check_states()
        distances = read_distances(self, X, Ground.of(self._space, self.metric, self._from_space))
        return follow_distances(self._process, self._walk, distances, self._engine())

    def _choose(self, space: Space, engine: Engine) -> Chosen:
        """The given or suggested parameters; sets `eps_` and `reason_`."""
        params = vars(self)
        chosen = choose(params["eps"], params.get("lam", 0.0), self._iterations(), self._purpose(), space, engine)
        self.eps_ = chosen.radii[0] if len(chosen.radii) == 1 else np.array(chosen.radii)
        self.reason_ = chosen.reason
        return chosen

    def _purpose(self) -> Purpose:
        """The purpose that parameters are suggested for."""
        return "clusters"

    def _iterations(self) -> Any:
        """The number of iterations, or "auto"."""
        return self.n_iter

    def __getattr__(self, name: str) -> Any:
        """Raise an AttributeError, with a hint for attributes of clusterings."""
        if name in _OF_CLUSTERS and not isinstance(self, ClusterMixin):
            raise AttributeError(
                f"{type(self).__name__} makes a metric and no clusters, so it has no {name}; "
                "wt.SingleLinkage(n_clusters).fit(transform) clusters a fitted transform and predicts new points"
            )
        if name in _OF_CLUSTERS or hasattr(type(self), name):  # a property that exists only after fit
            if "trajectory_" in vars(self):
                return object.__getattribute__(self, name)  # fitted: the error of the property itself
            raise NotFittedError(f"this {type(self).__name__} is not fitted yet: call fit first")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __sklearn_tags__(self) -> Any:
        tags = tag_input(super().__sklearn_tags__(), self.metric)
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class PointTransform(IteratedTransform):
    """Base class of transforms that move points."""

    def _moves_points(self) -> bool:
        return True

    def _check_metric(self) -> None:
        if self.metric != "euclidean":
            raise ValueError(
                f"{type(self).__name__} needs coordinates, but metric={self.metric!r} gives only distances; "
                "to use another distance, fit on Space.from_distances(D, points=X)"
            )

    def _choose(self, space: Space, engine: Engine) -> Chosen:
        if space.points is None:
            raise ValueError(
                f"{type(self).__name__} needs coordinates, but this Space has only distances; "
                "use Space.from_distances(D, points=X)"
            )
        return super()._choose(space, engine)


class DistanceTransform(IteratedTransform):
    """Base class of transforms that change only distances."""

    def _iterations(self) -> Any:
        return 1 if is_auto(self.n_iter) else self.n_iter  # 0 iterations would change nothing

    def _moves_points(self) -> bool:
        return False
