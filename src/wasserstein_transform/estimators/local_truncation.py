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
    eps : float, sequence of float, or "auto", default "auto"
        Radius ε of the neighborhoods, in the unit of the distances, or one per iteration. "auto": `suggest_eps`.
    p : float, default 1.0
        Order of the Wasserstein distance, ≥ 1.
    n_iter : int, or "auto", default 1
        Number of iterations. "auto": 1.
    metric : str, default "euclidean"
        A SciPy metric name for points, or "precomputed" for distances.
    tol : float, optional
        Stop early if no distance changes by more than tol·ε in an iteration. None: do exactly `n_iter` iterations.
    merge : float, optional
        After each iteration, merge points within merge·ε of each other; results are expanded to all points again. None:
        no merging.
    keep : {"result", "last", "all"}, default "last"
        Which states to keep. `transform` needs all states: "last" keeps them internally, but `trajectory_` shows only
        the last one; "all" shows all of them; "result" drops them to save memory, and `transform` raises an error.
    output : {"auto", "distances", "embedding"}, default "auto"
        What `transform` and `fit_transform` return. "auto" and "distances": the new distances to the fitted points.
        "embedding": points whose Euclidean distances approximate the new distances (classical scaling).
    n_jobs : int, optional
        Number of threads; −1 means all cores. None: the setting of the current engine. Results do not depend on it.
    verbose : bool, default False
        Whether to show a progress bar.

    Attributes
    ----------
    metric_ : Dense
        The new metric; `metric_.gap` is the largest primal–dual gap of its transport problems.
    distances_ : array of shape (n, n)
        The new distances.
    points_ : array of shape (n, m), or None
        The points, which do not move. None if fitted on distances.
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

    Notes
    -----
    Up to n(n−1)/2 transport problems per iteration, and 8 n² bytes per state.

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
