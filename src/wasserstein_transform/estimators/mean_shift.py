"""Mean shift as an estimator."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from .._types import Ints
from .._warn import warn
from ..auto.suggestion import Purpose
from ..hierarchy.resting import TOGETHER, nearest_place, resting_places, within_reach
from ..localize.profiles import ProfileLike
from ..spaces import Space
from ..transforms import Process, mean_shift
from ..transforms.named import Eps
from .base import PointTransform
from .choosing import Chosen
from .output import Output

_SETTLED = 1e-6  # of eps: movements below leave the clusters as they are


class MeanShift(ClusterMixin, PointTransform):
    """Mean shift (blurring): all points move together to the means of their neighborhoods.

    Parameters
    ----------
    eps : float, sequence of float, or "auto"
        Radius of the neighborhoods, or one for each iteration; "auto" takes one at which a sample has the same
        clusters as at the radii beside it, see `wt.suggest`.
    profile : {"flat", "gaussian", "epanechnikov", "triangle"} or callable
        Kernel profile as a function of d²/ε².
    n_iter : int, or "auto"
        Most iterations; "auto" is 300.
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
    reason_ : str
        Where `eps_` comes from.
    trajectory_ : Trajectory
    labels_ : array of shape (n,)
        Clusters by falling mass: points that came to rest together. If they did not come to rest, those that are
        within ε of each other, by way of others: a warning says so, unless `tol` is None.
    cluster_centers_ : array of shape (n_clusters, m)
        Where they came to rest, or the mean of where they are.

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
        n_iter: int | str = 300,
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

    def _make_process(self, space: Space, chosen: Chosen) -> Process:
        return mean_shift(chosen.eps, self.profile)

    def _purpose(self) -> Purpose:
        return "modes"

    def fit(self, X: Any, y: Any = None, *, sample_weight: ArrayLike | None = None) -> Self:
        """Move the points; `labels_` are the places they share.

        Parameters
        ----------
        X : array of shape (n, m), or Space
        y : ignored
        sample_weight : array of shape (n,), optional
            Masses of the points; weight k is the same as k copies, weight 0 as no point.
        """
        super().fit(X, y, sample_weight=sample_weight)
        movements, end, eps = self.trajectory_.movements, self.trajectory_.last, float(np.max(self.eps_))
        self._rested = bool(movements) and movements[-1] <= max(min(self.tol or 0.0, TOGETHER), _SETTLED)
        if self._rested:
            self.labels_, self.cluster_centers_ = resting_places(end, eps)
            return self
        self.labels_, self.cluster_centers_ = within_reach(end, eps)
        if self.tol is not None:
            warn(
                f"the points are not at rest, and labels_ say who is within eps of each other so far: "
                f"{self.trajectory_.outcome}",
                ConvergenceWarning,
            )
        return self

    def predict(self, X: Any) -> Ints:
        """The cluster that each new point goes to in the fitted flow: that of the nearest fitted point there."""
        check_is_fitted(self, "trajectory_")
        places = self._follow(X).points
        if self._rested:  # all of a cluster are where its center is
            return nearest_place(places, self.cluster_centers_)
        assert self.points_ is not None  # mean shift moves points
        heavy = np.flatnonzero(self._space.weights > 0)
        return np.asarray(self.labels_[heavy[nearest_place(places, self.points_[heavy])]])
