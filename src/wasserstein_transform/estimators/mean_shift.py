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

_SETTLED = 1e-6  # in units of eps: smaller movements do not change the clusters


class MeanShift(ClusterMixin, PointTransform):
    """Blurring mean shift: in each iteration, all points move to the mean of their neighborhood.

    Parameters
    ----------
    eps : float, sequence of float, or "auto", default "auto"
        Radius ε of the neighborhoods, in the unit of the points, or one per iteration. "auto": a radius at which a
        sample has the same clusters as at smaller and larger radii; see `wt.suggest`.
    profile : {"flat", "gaussian", "epanechnikov", "triangle"} or callable, default "flat"
        Kernel profile as a function of d²/ε².
    n_iter : int, or "auto", default 300
        Largest number of iterations. "auto": 300.
    metric : "euclidean"
        The only choice, since points move. For other distances, fit on `Space.from_distances(D, points=X)`.
    tol : float or None, default 1e-4
        Stop early if no point moves farther than tol·ε in an iteration. None: do exactly `n_iter` iterations.
    merge : float or None, default 1e-6
        After each iteration, merge points within merge·ε of each other, which makes later iterations cheaper. The
        default is far below `tol`. None: no merging.
    keep : {"result", "last", "all"}, default "last"
        Which states to keep. `transform` needs all states: "last" keeps them internally, but `trajectory_` shows only
        the last one; "all" shows all of them; "result" drops them to save memory, and `transform` raises an error.
    output : {"auto", "points", "distances", "embedding"}, default "auto"
        What `transform` and `fit_transform` return. "auto" and "points": the moved points. "distances": the new
        distances to the fitted points. "embedding": points whose Euclidean distances approximate the new distances.
    n_jobs : int, optional
        Number of threads; −1 means all cores. None: the setting of the current engine. Results do not depend on it.
    verbose : bool, default False
        Whether to show a progress bar.

    Attributes
    ----------
    points_ : array of shape (n, m)
        The moved points.
    metric_ : Metric
        The distance between the moved points, computed on demand.
    distances_ : array of shape (n, n)
        The new distances. Computed on first use.
    embedding_ : array of shape (n, k)
        Points whose Euclidean distances approximate the new distances. Computed on first use.
    distortion_ : float
        Relative error of the distances of `embedding_`; 0 if they are exact. Computed on first use.
    eps_ : float, or array of shape (n_iter,)
        The radius ε that was used, or one per iteration.
    n_iter_ : int
        Number of iterations done.
    reason_ : str
        How `eps_` was chosen, in words.
    trajectory_ : Trajectory
        The kept states, the movements and the outcome.
    labels_ : array of int, shape (n,)
        The cluster of each point, numbered from the largest mass to the smallest: points that converged to one place.
        If the run did not converge, the clusters are chains of points within ε of each other, and a
        `ConvergenceWarning` is given unless `tol` is None.
    cluster_centers_ : array of shape (n_clusters, m)
        The place of each cluster, or the mean of its moved points if the run did not converge.

    Notes
    -----
    One pass over the pairs within ε per iteration. Memory O(n m) per state.

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
        """Move the points, and label those that converged to the same place.

        Parameters
        ----------
        X : array of shape (n, m), or Space
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
        super().fit(X, y, sample_weight=sample_weight)
        movements, end, eps = self.trajectory_.movements, self.trajectory_.last, float(np.max(self.eps_))
        self._rested = bool(movements) and movements[-1] <= max(min(self.tol or 0.0, TOGETHER), _SETTLED)
        if self._rested:
            self.labels_, self.cluster_centers_ = resting_places(end, eps)
            return self
        self.labels_, self.cluster_centers_ = within_reach(end, eps)
        if self.tol is not None:
            warn(
                f"the points did not converge, and labels_ are groups of points within eps of each other so far: "
                f"{self.trajectory_.outcome}",
                ConvergenceWarning,
            )
        return self

    def predict(self, X: Any) -> Ints:
        """Move new points like the fitted ones, and assign each to the cluster of the nearest moved point.

        Parameters
        ----------
        X : array of shape (n_new, m)
            The new points.

        Returns
        -------
        array of int, shape (n_new,)
            The clusters.
        """
        check_is_fitted(self, "trajectory_")
        places = self._follow(X).points
        if self._rested:  # all points of a cluster are at its center
            return nearest_place(places, self.cluster_centers_)
        assert self.points_ is not None  # mean shift moves points
        heavy = np.flatnonzero(self._space.weights > 0)
        return np.asarray(self.labels_[heavy[nearest_place(places, self.points_[heavy])]])
