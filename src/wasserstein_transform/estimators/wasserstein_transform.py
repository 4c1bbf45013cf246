"""Any composition of parts as an estimator."""

from __future__ import annotations

from typing import Any, Self

from .. import _check as check
from .._parts import Part
from ..engine import Engine
from ..localize import Extrinsic, Localization
from ..spaces import Space
from ..transforms import Process, Transform
from ..transport import Transport
from .base import IteratedTransform
from .choosing import Chosen
from .output import Output


class WassersteinTransform(IteratedTransform):
    """Any localization with any transport that compares its measures.

    Parameters
    ----------
    localize : Localization
        For example `Truncation(0.2)`, or `Mean(Kernel(0.2, "gaussian"))`. Its parameters take part in `get_params`,
        `set_params(localize__eps=…)` and grid search.
    transport : Transport
        One that compares the measures the localization makes, such as `Exact(p)`, `DiracDistance()` or `Bures()`.
    n_iter : int
        Iterations.
    metric : str
        "euclidean" or another SciPy name for points, "precomputed" for distances.
    tol : float, optional
        End once nothing moves further than tol·ε; by default exactly `n_iter` iterations are done.
    merge : float, optional
        Merge points within merge·ε of each other on the way.
    keep : {"result", "last", "all"}
        States that `trajectory_` holds: the last, or all. New points follow all of them, so "last" keeps the others
        out of sight; "result" drops them, and `transform` is refused.
    output : {"auto", "points", "distances", "embedding"}
        What `transform` and `fit_transform` hand on: the moved points, if points move; the distances to the fitted
        points under the new metric; or points whose Euclidean distances are the new ones as nearly as points can have
        them. "auto" gives the points if they move, with a warning if a pipeline loses the metric by that, or the
        distances.
    n_jobs : int, optional
        Threads; −1 means all cores, and so does None unless an engine says otherwise. Results do not depend on it.
    verbose : bool
        Show progress.

    Attributes
    ----------
    metric_ : Metric
    distances_ : array of shape (n, n)
        Computed on first use.
    points_ : array of shape (n, m), or None
    embedding_ : array of shape (n, k)
    distortion_ : float
        Points for output="embedding", and how far their distances are off; computed on first use.
    eps_ : float, or None if the localization has no radius
    n_iter_ : int
    trajectory_ : Trajectory

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> wt.WassersteinTransform(wt.Truncation(1.0), wt.Exact(p=2)).fit_transform(X).round(3)
    array([[0.   , 0.707, 1.   ],
           [0.707, 0.   , 0.707],
           [1.   , 0.707, 0.   ]])
    """

    def __init__(
        self,
        localize: Localization | None = None,
        transport: Transport | None = None,
        *,
        n_iter: int = 1,
        metric: str = "euclidean",
        tol: float | None = None,
        merge: float | None = None,
        keep: str = "last",
        output: Output = "auto",
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.localize = localize
        self.transport = transport
        self.n_iter = n_iter
        self.metric = metric
        self.tol = tol
        self.merge = merge
        self.keep = keep
        self.output = output
        self.n_jobs = n_jobs
        self.verbose = verbose

    def set_params(self, **params: Any) -> Self:
        """Set parameters; `localize__eps` puts a new part in place of the old one, parts themselves never change."""
        own: dict[str, Any] = {}
        inner: dict[str, dict[str, Any]] = {"localize": {}, "transport": {}}
        for key, value in params.items():
            name, _, rest = key.partition("__")
            if rest and name in inner:
                inner[name][rest] = value
            else:
                own[key] = value
        super().set_params(**own)
        for name, changes in inner.items():
            part = getattr(self, name)
            if changes and not isinstance(part, Part):
                raise ValueError(f"{name} is {part!r} and has no parameters to set")
            if changes:
                setattr(self, name, part.replaced(**changes))
        return self

    def _choose(self, space: Space, engine: Engine) -> Chosen:
        return Chosen((), 0.0, check.count(self.n_iter, "n_iter", 0), "as given")

    def _make_process(self, space: Space, chosen: Chosen) -> Process:
        if self.localize is None or self.transport is None:
            raise ValueError(
                "WassersteinTransform needs its parts: a localization such as Truncation(eps) "
                "and a transport such as Exact(p=1)"
            )
        process = Process(None, Transform(self.localize, self.transport))
        self.eps_ = self.localize.scale
        return process

    def _moves_points(self) -> bool:
        return isinstance(self.localize, Extrinsic)
