"""Transforms that move points, as estimators: the Gaussian Transform and mean shift."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from .._check import warn
from .._types import Ints
from ..hierarchy.cut import components_within
from ..localize.kernel import ProfileLike
from ..parameters.suggestion import Purpose
from ..spaces import Space
from ..transforms import Process, gaussian_transform, mean_shift
from ..transforms.iteration import Keep
from ..transforms.transform import Eps
from .base import Chosen, PointTransform
from .converged import MERGE_TOL, merge_converged, nearest_center
from .input_output import Output

SETTLED_MOVEMENT = 1e-6  # in units of eps: smaller movements do not change the clusters


class GaussianTransform(PointTransform):
    """Gaussian Transform: represents each neighborhood by a Gaussian and compares them by W2, in closed form.

    Parameters
    ----------
    eps : float, sequence of float, or "auto", default "auto"
        Radius ε of the neighborhoods, in the unit of the points, or one per iteration. "auto": `suggest_eps` if points
        move, 2.5 times that if they do not (n_iter=0). With `ridge`, the radius at which the noise across curves or
        surfaces shows; see `wt.suggest`.
    lam : float, or "auto", default 1.0
        Weight λ ≥ 0 of the covariances. 0 is mean shift, 1 compares neighborhoods like LT-WT2 on segments, and larger
        values separate directions more. "auto": 10 if points do not move and have at most three coordinates,
        otherwise 1.
    profile : {"flat", "gaussian", "epanechnikov", "triangle"} or callable, default "flat"
        Kernel profile as a function of d²/ε².
    ridge : int, optional
        Move points only perpendicular to this many leading axes of their neighborhoods: 1 moves them to curves, 2 to
        surfaces, without clumping along them. None: move to the means.
    n_iter : int, or "auto", default 1
        Number of iterations. 0: the GT distance of the unmoved points. "auto": 0, the safest choice for clusters; 1
        with `ridge`.
    metric : "euclidean"
        The only choice, since points move. For other distances, fit on `Space.from_distances(D, points=X)`.
    tol : float, optional
        Stop early if no point moves farther than tol·ε in an iteration. None: do exactly `n_iter` iterations.
    merge : float, optional
        After each iteration, merge points within merge·ε of each other; results are expanded to all points again. None:
        no merging.
    keep : {"all", "last"}, default "all"
        Which states `trajectory_` has. `transform` of new points needs all of them; "last" saves their memory.
    output : {"auto", "points", "distances", "embedding"}, default "auto"
        What `transform` and `fit_transform` return. "points": the moved points. "distances": the new distances to the
        fitted points. "embedding": points whose Euclidean distances approximate the new distances. "auto": the moved
        points; the covariances are part of the metric and do not travel with them.
    n_jobs : int, optional
        Number of threads; −1 means all cores. None: the setting of the current engine, and 1 within joblib. Results do
        not depend on it.
    verbose : bool, default False
        Whether to show the progress bar at once, not after two seconds.

    Attributes
    ----------
    points_ : array of shape (n, m)
        The moved points; float32 if X is.
    metric_ : GaussianMetric
        The GT distance, computed on demand; its `covs` (n, m, m) are the covariances of the neighborhoods.
    distances_ : array of shape (n, n)
        The new distances. Computed on first use.
    embedding_ : array of shape (n, k)
        Points whose Euclidean distances approximate the new distances. Computed on first use.
    distortion_ : float
        Relative error of the distances of `embedding_`; 0 if they are exact. Computed on first use.
    eps_ : float, or array of shape (n_iter,)
        The radius ε that was used, or one per iteration.
    lam_ : float
        The λ that was used.
    n_iter_ : int
        Number of iterations done.
    reason_ : str
        How `eps_` was chosen, in words.
    trajectory_ : Trajectory
        The kept states, the movements and the outcome.

    Notes
    -----
    Two passes over the pairs within ε per iteration. Memory O(n m²) per state; `distances_` takes 8 n² bytes.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [9.0, 0.0]])
    >>> wt.GaussianTransform(eps=2.0, lam=1.0).fit_transform(X)[:, 0]
    array([1., 1., 1., 9.])
    """

    def __init__(
        self,
        eps: Eps | str = "auto",
        lam: float | str = 1.0,
        *,
        profile: ProfileLike = "flat",
        ridge: int | None = None,
        n_iter: int | str = 1,
        metric: str = "euclidean",
        tol: float | None = None,
        merge: float | None = None,
        keep: Keep = "all",
        output: Output = "auto",
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.eps = eps
        self.lam = lam
        self.profile = profile
        self.ridge = ridge
        super().__init__(n_iter, metric, tol, merge, keep, output, n_jobs, verbose)

    def _make_process(self, space: Space, chosen: Chosen) -> Process:
        self.lam_ = chosen.lam
        return gaussian_transform(chosen.eps, chosen.lam, self.profile, self.ridge)

    @property
    def _purpose(self) -> Purpose:  # type: ignore[override]
        return "clusters" if not self.ridge else "curve" if self.ridge == 1 else "surface"


class MeanShift(ClusterMixin, PointTransform):
    """Blurring mean shift: in each iteration, all points move to the mean of their neighborhood.

    One step with nearest neighbors instead of a radius, before another clusterer, is `NeighborMeans`.

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
    keep : {"all", "last"}, default "all"
        Which states `trajectory_` has. `transform` of new points needs all of them; "last" saves their memory.
    output : {"auto", "points", "distances", "embedding"}, default "auto"
        What `transform` and `fit_transform` return. "auto" and "points": the moved points. "distances": the new
        distances to the fitted points. "embedding": points whose Euclidean distances approximate the new distances.
    n_jobs : int, optional
        Number of threads; −1 means all cores. None: the setting of the current engine, and 1 within joblib. Results do
        not depend on it.
    verbose : bool, default False
        Whether to show the progress bar at once, not after two seconds.

    Attributes
    ----------
    points_ : array of shape (n, m)
        The moved points; float32 if X is.
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
        The cluster of each point, points that converged to one place, numbered from the largest mass to the smallest,
        those of equal mass by their coordinates.
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
    _purpose = "modes"

    def __init__(
        self,
        eps: Eps | str = "auto",
        *,
        profile: ProfileLike = "flat",
        n_iter: int | str = 300,
        metric: str = "euclidean",
        tol: float | None = 1e-4,
        merge: float | None = 1e-6,
        keep: Keep = "all",
        output: Output = "auto",
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.eps = eps
        self.profile = profile
        super().__init__(n_iter, metric, tol, merge, keep, output, n_jobs, verbose)

    def _make_process(self, space: Space, chosen: Chosen) -> Process:
        return mean_shift(chosen.eps, self.profile)

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
        self._rested = bool(movements) and movements[-1] <= max(min(self.tol or 0.0, MERGE_TOL), SETTLED_MOVEMENT)
        if self._rested:
            self.labels_, self.cluster_centers_ = merge_converged(end, eps)
            return self
        self.labels_, self.cluster_centers_ = components_within(end, eps)
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
            return nearest_center(places, self.cluster_centers_)
        moved = self.trajectory_.points
        assert moved is not None  # mean shift moves points
        heavy = np.flatnonzero(self._space.weights > 0)
        return np.asarray(self.labels_[heavy[nearest_center(places, moved[heavy])]])
