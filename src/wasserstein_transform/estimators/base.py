"""Base classes of the transforms as scikit-learn estimators."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
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
from sklearn.utils.validation import check_is_fitted

from .. import _check as check
from .._types import Floats
from ..engine import Engine, current
from ..hierarchy import linkage
from ..parameters.suggestion import Purpose, suggestion_of
from ..spaces import Space
from ..spaces.metric import read_only
from ..transforms import Followed, Process, follow_distances, follow_points
from ..transforms.estimates import warn_of_scale
from ..transforms.iteration import Keep, check_options, run
from ..transforms.scaling import Scaling
from ..transforms.transform import warn_massless
from .input_output import (
    FittedPoints,
    Kind,
    Output,
    output_dtype,
    read_distances,
    read_points,
    read_space,
    resolve_output,
    tag_input,
)
from .saving import Saved

CLUSTER_ATTRIBUTES = ("fit_predict", "predict", "labels_", "n_clusters_", "cluster_centers_")


@dataclass(frozen=True)
class Chosen:
    """The parameters of a fit, and the reason for them."""

    radii: tuple[float, ...]
    lam: float
    n_iter: int
    reason: str
    given: bool = False
    """Whether the user gave the radii."""

    @property
    def eps(self) -> Any:
        """The radius, or a list with one radius per iteration."""
        return self.radii[0] if len(self.radii) == 1 else list(self.radii)


def is_auto(value: Any) -> bool:
    """Whether a parameter is "auto"."""
    return isinstance(value, str) and value == "auto"


def choose(eps: Any, lam: Any, n_iter: Any, purpose: Purpose, space: Space, engine: Engine) -> Chosen:
    """Choose the parameters: given values stay, and "auto" becomes a suggestion that fits them."""
    radii = None if is_auto(eps) else tuple(check.eps_sequence(eps))
    iterations = None if is_auto(n_iter) else check.count(n_iter, "n_iter", 0)
    weight = None if is_auto(lam) else check.tolerance(lam, "lam")
    if radii is not None and len(radii) > 1:
        iterations = _count_iterations(len(radii), iterations)
    if radii is not None and iterations is not None and weight is not None:
        return Chosen(radii, weight, iterations, "as given", given=True)
    with engine.progress_scope() as watched:
        suggestion = suggestion_of(space, purpose, watched, iterations)
    return Chosen(
        (suggestion.eps,) if radii is None else radii,
        suggestion.lam if weight is None else weight,
        suggestion.n_iter if iterations is None else iterations,
        suggestion.reason if radii is None else f"eps as given; lam and n_iter for {purpose}",
        given=radii is not None,
    )


def _count_iterations(n_radii: int, n_iter: int | None) -> int:
    """The number of iterations for `n_radii` radii."""
    if n_iter is not None and n_radii > max(n_iter, 1):
        raise ValueError(
            f"eps has {n_radii} radii, one per iteration, but n_iter={n_iter}; "
            f"{check.option_text(f'n_iter={n_radii}')} uses all of them"
        )
    return n_radii if n_iter is None else n_iter


class IteratedTransform(Saved, ClassNamePrefixFeaturesOutMixin, OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Base class: runs a process on a space and keeps its states, so that new points can be transformed."""

    eps_: Any
    reason_: str
    _purpose: Purpose = "clusters"  # that parameters are suggested for
    _moves_points = False  # otherwise only distances change

    def __init__(
        self,
        n_iter: int | str,
        metric: str,
        tol: float | None,
        merge: float | None,
        keep: Keep,
        output: Output,
        n_jobs: int | None,
        verbose: bool,
    ) -> None:
        self.n_iter = n_iter
        self.metric = metric
        self.tol = tol
        self.merge = merge
        self.keep = keep
        self.output = output
        self.n_jobs = n_jobs
        self.verbose = verbose

    @abstractmethod
    def _make_process(self, space: Space, chosen: Chosen) -> Process:
        """The process to run."""

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
        engine, kind = self._engine(), self._kind()
        self._check_metric()
        space = self._read(X, sample_weight)
        if kind != "points":
            need = f"a {space.n} × {space.n} matrix of new distances in addition to the old one"
            points = check.option_text(", or output='points'", "")
            instead = points if self._moves_points else ", or GaussianTransform"
            matrices = 7 if kind == "embedding" else 2  # the centered matrix, its eigenvectors, workspace of LAPACK
            engine.reserve(8.0 * matrices * space.n**2, need, f"use fewer points{instead}")
        chosen = self._choose(space, engine)
        process = self._make_process(space, chosen)
        n_iter, tol, merge = check_options(process, chosen.n_iter, self.tol, self.merge, self.keep, None)
        if chosen.given:
            first, n_known = process.start or process.at(0), n_iter if tol is None else None
            warn_of_scale(first, max(chosen.radii), n_known, space, engine)
        with engine.progress_scope() as watched:
            trajectory, massless = run(process, space, watched, n_iter=n_iter, tol=tol, merge=merge, keep=self.keep)
        warn_massless(massless)
        self._process, self._space, self.trajectory_ = process, space, trajectory
        self._from_space = isinstance(X, Space)
        self.metric_ = trajectory.last.metric
        self.points_ = (
            None if trajectory.points is None else read_only(trajectory.points.astype(output_dtype(X), copy=False))
        )
        self.n_iter_ = trajectory.n_iter
        self.__dict__.pop("_cached_distances", None)
        self.__dict__.pop("_cached_scaling", None)
        if kind == "embedding":
            self._scaling()
        return self

    def fit_transform(self, X: Any, y: Any = None, *, sample_weight: ArrayLike | None = None) -> Floats:
        """Fit, and return the moved points, the new distances or an embedding, as set by `output`.

        Returns
        -------
        array of shape (n, m), (n, n) or (n, k)
            The moved points, the new distances, or the embedding. float32 if X is float32, otherwise float64.
        """
        self.fit(X, y, sample_weight=sample_weight)
        kind, dtype = self._kind(), output_dtype(X)
        if kind == "distances":
            return self.distances_.astype(dtype)
        if kind == "embedding":
            return self.embedding_.astype(dtype)
        assert self.points_ is not None  # `fit` raises an error for spaces without coordinates
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
            result = self._follow(X).points
        else:
            distances = self.distances_to(X)
            result = distances if kind == "distances" else self._scaling().place(distances)
        return result.astype(output_dtype(X), copy=False)

    def distances_to(self, X: Any) -> Floats:
        """Compute the new distances from new points to the fitted ones, shape (n_new, n), for any `output`."""
        return self._follow(X).distances(self._engine()) if self._moves_points else self._follow_distances(X)

    @property
    def distances_(self) -> Floats:
        """The new distances, shape (n, n); computed on first use."""
        check_is_fitted(self, "trajectory_")
        if "_cached_distances" not in self.__dict__:
            self._cached_distances = read_only(self.metric_.dense(self._engine()))
        return self._cached_distances

    @property
    def embedding_(self) -> Floats:
        """Points (n, k) whose Euclidean distances approximate the new distances; computed on first use."""
        return read_only(self._scaling().points)

    @property
    def distortion_(self) -> float:
        """Relative error of the distances of `embedding_`: the root of Σ (‖x − y‖ − d)² / Σ d² over all pairs."""
        return self._scaling().distortion

    def linkage(self) -> Floats:
        """Compute the single linkage of the transformed space as SciPy's linkage matrix, shape (n−1, 4)."""
        check_is_fitted(self, "trajectory_")
        return linkage(self.trajectory_.last, engine=self._engine())

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return the names of the output columns: those of the input if the output is points, otherwise numbered."""
        check_is_fitted(self, "trajectory_")
        mixin = OneToOneFeatureMixin if self._kind() == "points" else ClassNamePrefixFeaturesOutMixin
        return mixin.get_feature_names_out(self, input_features)

    @property
    def _n_features_out(self) -> int:
        return self._space.n if self._kind() == "distances" else self.embedding_.shape[1]

    def _kind(self) -> Kind:
        return resolve_output(self.output, self._moves_points, type(self).__name__)

    def _scaling(self) -> Scaling:
        check_is_fitted(self, "trajectory_")
        if "_cached_scaling" not in self.__dict__:
            self._cached_scaling = Scaling.of(self.distances_, self._space.weights)
        return self._cached_scaling

    def _engine(self) -> Engine:
        return current(n_jobs=self.n_jobs, verbose=self.verbose)

    def _read(self, X: Any, sample_weight: ArrayLike | None) -> Space:
        """The space that `fit` starts from."""
        return read_space(self, X, self.metric, sample_weight)

    def _read_new(self, X: Any) -> Floats:
        """The coordinates of new points."""
        return read_points(self, X)

    def _check_metric(self) -> None:
        """Raise an error for a metric that this transform cannot use."""

    def _check_states(self) -> None:
        check_is_fitted(self, "trajectory_")
        if self.trajectory_.first > 0:
            raise ValueError("new points need all states of the fit, but keep='last' kept only one; use keep='all'")

    def _follow(self, X: Any) -> Followed:
        self._check_states()
        return follow_points(self._process, self._space, self.trajectory_, self._read_new(X), self._engine())

    def _follow_distances(self, X: Any) -> Floats:
        self._check_states()
        distances = read_distances(self, X, FittedPoints.of(self._space, self.metric, self._from_space))
        return follow_distances(self._process, self.trajectory_, distances, self._engine())

    def _choose(self, space: Space, engine: Engine) -> Chosen:
        """The given or suggested parameters; sets `eps_` and `reason_`."""
        params = vars(self)
        n_iter = 1 if is_auto(self.n_iter) and not self._moves_points else self.n_iter  # with 0, nothing would change
        chosen = choose(params["eps"], params.get("lam", 0.0), n_iter, self._purpose, space, engine)
        self.eps_ = chosen.radii[0] if len(chosen.radii) == 1 else np.array(chosen.radii)
        self.reason_ = chosen.reason
        return chosen

    def __getattr__(self, name: str) -> Any:
        """Give a hint for attributes of clusterings; other attributes raise their own error."""
        if name in CLUSTER_ATTRIBUTES and not isinstance(self, ClusterMixin):
            raise AttributeError(
                f"{type(self).__name__} makes a metric and no clusters, so it has no {name}; "
                "wt.SingleLinkage(n_clusters).fit(transform) clusters a fitted transform and predicts new points"
            )
        return super().__getattribute__(name)

    def __sklearn_tags__(self) -> Any:
        tags = tag_input(super().__sklearn_tags__(), self.metric)
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class PointTransform(IteratedTransform):
    """Base class of transforms that move points."""

    _moves_points = True

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
