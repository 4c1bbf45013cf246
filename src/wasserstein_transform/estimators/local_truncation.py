"""LT-WT as an estimator."""

from __future__ import annotations

from ..spaces import Space
from ..transforms import Process, local_truncation
from ..transforms.named import Eps
from .base import DistanceTransform
from .choosing import Chosen
from .output import Output


class LocalTruncation(DistanceTransform):
    """LT-WT: exact optimal transport between ε-neighborhoods, in any metric space.

    Parameters
    ----------
    eps : float, sequence of float, or "auto"
        Radius of the neighborhoods, or one for each iteration; "auto" takes `suggest_eps`.
    p : float
        Order of the Wasserstein distance, finite and ≥ 1.
    n_iter : int, or "auto"
        Iterations; "auto" is 1.
    metric : str
        "euclidean" or another SciPy name for points, "precomputed" for distances.
    tol : float, optional
        End once no distance changes by more than tol·ε; by default exactly `n_iter` iterations are done.
    merge : float, optional
        Merge points within merge·ε of each other on the way.
    keep : {"result", "last", "all"}
        States that `trajectory_` holds: the last, or all. New points follow all of them, so "last" keeps the others
        out of sight; "result" drops them, and `transform` is refused.
    output : {"auto", "distances", "embedding"}
        What `transform` and `fit_transform` hand on: the distances to the fitted points under the new metric, which is
        "auto", or points whose Euclidean distances are these as nearly as points can have them.
    n_jobs : int, optional
        Threads; −1 means all cores, and so does None unless an engine says otherwise. Results do not depend on it.
    verbose : bool
        Show progress.

    Attributes
    ----------
    metric_ : Dense
        The new distance; `metric_.gap` is the largest primal–dual gap of its transport problems.
    distances_ : array of shape (n, n)
    points_ : array of shape (n, m), or None
        The points, which do not move.
    embedding_ : array of shape (n, k)
    distortion_ : float
        Points for output="embedding", and how far their distances are off; computed on first use.
    eps_ : float
    n_iter_ : int
    reason_ : str
        Where `eps_` comes from.
    trajectory_ : Trajectory

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> wt.LocalTruncation(eps=1.0).fit_transform(np.array([[0.0], [1.0], [2.0]]))
    array([[0. , 0.5, 1. ],
           [0.5, 0. , 0.5],
           [1. , 0.5, 0. ]])
    """

    def __init__(
        self,
        eps: Eps | str = "auto",
        p: float = 1.0,
        *,
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
        self.p = p
        self.n_iter = n_iter
        self.metric = metric
        self.tol = tol
        self.merge = merge
        self.keep = keep
        self.output = output
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _make_process(self, space: Space, chosen: Chosen) -> Process:
        return local_truncation(chosen.eps, self.p)
