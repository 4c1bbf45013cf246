"""The Gaussian Transform as an estimator."""

from __future__ import annotations

from ..auto.suggestion import Purpose
from ..localize.profiles import ProfileLike
from ..spaces import Space
from ..transforms import Process, gaussian_transform
from ..transforms.named import Eps
from .base import PointTransform
from .choosing import Chosen
from .output import Output


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
    keep : {"result", "last", "all"}, default "last"
        Which states to keep. `transform` needs all states: "last" keeps them internally, but `trajectory_` shows only
        the last one; "all" shows all of them; "result" drops them to save memory, and `transform` raises an error.
    output : {"auto", "points", "distances", "embedding"}, default "auto"
        What `transform` and `fit_transform` return. "points": the moved points. "distances": the new distances to the
        fitted points. "embedding": points whose Euclidean distances approximate the new distances. "auto": the moved
        points, with a `MetricLostWarning` in a pipeline if lam > 0.
    n_jobs : int, optional
        Number of threads; −1 means all cores. None: the setting of the current engine. Results do not depend on it.
    verbose : bool, default False
        Whether to show a progress bar.

    Attributes
    ----------
    points_ : array of shape (n, m)
        The moved points.
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
        keep: str = "last",
        output: Output = "auto",
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.eps = eps
        self.lam = lam
        self.profile = profile
        self.ridge = ridge
        self.n_iter = n_iter
        self.metric = metric
        self.tol = tol
        self.merge = merge
        self.keep = keep
        self.output = output
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _make_process(self, space: Space, chosen: Chosen) -> Process:
        self.lam_ = chosen.lam
        return gaussian_transform(chosen.eps, chosen.lam, self.profile, self.ridge)

    def _purpose(self) -> Purpose:
        return "clusters" if not self.ridge else "curve" if self.ridge == 1 else "surface"
