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
    """The Gaussian Transform: neighborhood covariances compared in closed form; anisotropic and fast.

    Parameters
    ----------
    eps : float, sequence of float, or "auto"
        Radius of the neighborhoods, or one for each iteration. "auto" takes it from the data: `suggest_eps` if points
        move, 2.5 times that if they do not (n_iter=0); with `ridge` the radius at which the noise across curves or
        surfaces shows, see `wt.suggest`.
    lam : float, or "auto"
        Weight λ ≥ 0 of the covariances; 0 is mean shift, 1 compares neighborhoods like LT-WT2 does on segments,
        larger values separate directions more. "auto" is 10 if points do not move and have three
        coordinates at most, else 1.
    profile : {"flat", "gaussian", "epanechnikov", "triangle"} or callable
        Kernel profile as a function of d²/ε².
    ridge : int, optional
        Move points off this many leading axes of their neighborhoods only: 1 brings them to curves, 2 to surfaces,
        without clumping along them. By default they move to the means.
    n_iter : int, or "auto"
        Iterations; 0 gives the GT distance of the unmoved points, which "auto" takes for clusters: it is the safest.
        With `ridge` that is 1.
    metric : "euclidean"
        Others need coordinates beside the distances: fit on `Space.from_distances(D, points=X)`.
    tol : float, optional
        End once no point moves further than tol·ε; by default exactly `n_iter` iterations are done.
    merge : float, optional
        Merge points within merge·ε of each other on the way.
    keep : {"result", "last", "all"}
        States that `trajectory_` holds: the last, or all. New points follow all of them, so "last" keeps the others
        out of sight; "result" drops them, and `transform` is refused.
    output : {"auto", "points", "distances", "embedding"}
        What `transform` and `fit_transform` hand on: the moved points; the distances to the fitted points under the new
        metric; or points whose Euclidean distances are the new ones as nearly as points can have them. "auto" gives
        the points; in a pipeline, where they leave the metric behind (lam > 0), it warns.
    n_jobs : int, optional
        Threads; −1 means all cores, and so does None unless an engine says otherwise. Results do not depend on it.
    verbose : bool
        Show progress.

    Attributes
    ----------
    points_ : array of shape (n, m)
        The moved points.
    metric_ : GaussianMetric
        The GT distance, lazy; its `covs` are the covariances of the neighborhoods.
    distances_ : array of shape (n, n)
        Computed on first use.
    embedding_ : array of shape (n, k)
    distortion_ : float
        Points for output="embedding", and how far their distances are off; computed on first use.
    eps_, lam_ : float
    n_iter_ : int
    reason_ : str
        Where `eps_` comes from.
    trajectory_ : Trajectory

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
