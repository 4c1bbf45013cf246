"""Mean shift as an estimator."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClusterMixin
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils.validation import check_is_fitted

from .._types import Ints
from ..hierarchy.resting import TOGETHER, nearest_place, resting_places
from ..localize.profiles import ProfileLike
from ..spaces import Space
from ..transforms import Process, mean_shift
from ..transforms.named import Eps
from .base import PointTransform
from .output import Output

_SETTLED = 1e-6  # of eps: movements below leave the clusters as they are


class MeanShift(ClusterMixin, PointTransform):
    """Mean shift (blurring): all points move together to the means of their neighborhoods.

    Parameters
    ----------
    eps : float, sequence of float, or "auto"
        Radius of the neighborhoods, or one for each iteration; "auto" takes `suggest_eps`.
    profile : {"flat", "gaussian", "epanechnikov", "triangle"} or callable
        Kernel profile as a function of d²/ε².
    n_iter : int
        Most iterations.
    metric : "euclidean"
        Others need coordinates beside the distances: fit on `Space.from_distances(D, points=X)`.
    tol : float, optional
        End once no point moves further than tol·ε; None does exactly `n_iter` iterations.
    merge : float, optional
        Points within merge·ε of each other move on as one; None lets all move by themselves. What falls together
        costs nothing from then on; the default is far below `tol`.
    keep : {"result", "last", "all"}
        States that `trajectory_` holds: the last, or all. New points follow all of them, so "last" keeps the others
        out of sight; "result" drops them, and `transform` is refused.
    output : {"auto", "points", "distances", "embedding"}
        What `transform` and `fit_transform` hand on: the moved points; the distances to the fitted points under the new
        metric; or points whose Euclidean distances are the new ones as nearly as points can have them. "auto" gives
        the points.
    n_jobs : int, optional
        Threads; −1 means all cores, and so does None unless an engine says otherwise. Results do not depend on it.
    verbose : bool
        Show progress.

    Attributes
    ----------
    points_ : array of shape (n, m)
        The moved points.
    metric_ : Metric
        Their distance, lazy.
    distances_ : array of shape (n, n)
        Computed on first use.
    embedding_ : array of shape (n, k)
    distortion_ : float
        Points for output="embedding", and how far their distances are off; computed on first use.
    eps_ : float
    n_iter_ : int
    trajectory_ : Trajectory
    labels_ : array of shape (n,)
        Clusters by falling mass; only if the points came to rest.
    cluster_centers_ : array of shape (n_clusters, m)
        Where they came to rest.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> X = np.array([[0.0], [0.5], [1.0], [9.0], [9.5]])
    >>> wt.MeanShift(eps=1.0).fit(X).labels_
    array([0, 0, 0, 1, 1])
    """

    labels_: Ints

    def __init__(
        self,
        eps: Eps | str = "auto",
        *,
        profile: ProfileLike = "flat",
        n_iter: int = 300,
        metric: str = "euclidean",
        tol: float | None = 1e-4,
        merge: float | None = 1e-6,
        keep: str = "last",
        output: Output = "auto",
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.eps = eps
        self.profile = profile
        self.n_iter = n_iter
        self.metric = metric
        self.tol = tol
        self.merge = merge
        self.keep = keep
        self.output = output
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _make_point_process(self, space: Space) -> Process:
        return mean_shift(self._choose_eps(space, self.eps), self.profile)

    def fit(self, X: Any, y: Any = None, *, sample_weight: ArrayLike | None = None) -> Self:
        """Move the points; if they come to rest, `labels_` are the places they share.

        Parameters
        ----------
        X : array of shape (n, m), or Space
        y : ignored
        sample_weight : array of shape (n,), optional
            Masses of the points; weight k is the same as k copies, weight 0 as no point.
        """
        super().fit(X, y, sample_weight=sample_weight)
        self.__dict__.pop("labels_", None)
        self.__dict__.pop("cluster_centers_", None)
        movements = self.trajectory_.movements
        if movements and movements[-1] <= max(min(self.tol or 0.0, TOGETHER), _SETTLED):
            self.labels_, self.cluster_centers_ = resting_places(self.trajectory_.last, float(np.max(self.eps_)))
        elif self.tol is not None:
            warnings.warn(f"there are no labels_: {self.trajectory_.outcome}", ConvergenceWarning, stacklevel=2)
        return self

    def __getattr__(self, name: str) -> Any:
        if name in ("labels_", "cluster_centers_") and "trajectory_" in self.__dict__:
            raise AttributeError(f"{name} needs points that came to rest, and this run {self.trajectory_.outcome}")
        if hasattr(type(self), name):  # a property that wants a fit
            raise NotFittedError(f"this {type(self).__name__} is not fitted yet: call fit first")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def predict(self, X: Any) -> Ints:
        """The cluster whose center is nearest to where each new point goes in the fitted flow."""
        check_is_fitted(self, "trajectory_")
        centers = self.cluster_centers_
        return nearest_place(self._follow(X).points, centers)
