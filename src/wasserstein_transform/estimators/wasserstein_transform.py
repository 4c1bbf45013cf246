"""Any combination of a localization and a transport, as an estimator."""

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
    """Wasserstein Transform with any localization and any transport that accepts its measures.

    Parameters
    ----------
    localize : Localization
        For example `Truncation(0.2)`, or `Mean(Kernel(0.2, "gaussian"))`. Its parameters are part of `get_params`,
        `set_params(localize__eps=…)` and grid search.
    transport : Transport
        Compares the measures of the localization, such as `Exact(p)`, `DiracDistance()` or `Bures()`.
    n_iter : int, default 1
        Number of iterations.
    metric : str, default "euclidean"
        A SciPy metric name for points, or "precomputed" for distances.
    tol : float, optional
        Stop early if the largest movement of an iteration is at most tol·ε. None: do exactly `n_iter` iterations.
    merge : float, optional
        After each iteration, merge points within merge·ε of each other; results are expanded to all points again. None:
        no merging.
    keep : {"result", "last", "all"}, default "last"
        Which states to keep. `transform` needs all states: "last" keeps them internally, but `trajectory_` shows only
        the last one; "all" shows all of them; "result" drops them to save memory, and `transform` raises an error.
    output : {"auto", "points", "distances", "embedding"}, default "auto"
        What `transform` and `fit_transform` return. "points": the moved points, if points move. "distances": the new
        distances to the fitted points. "embedding": points whose Euclidean distances approximate the new distances.
        "auto": the points if they move, with a `MetricLostWarning` if a pipeline would lose the metric; otherwise the
        distances.
    n_jobs : int, optional
        Number of threads; −1 means all cores. None: the setting of the current engine. Results do not depend on it.
    verbose : bool, default False
        Whether to show a progress bar.

    Attributes
    ----------
    metric_ : Metric
        The new metric.
    distances_ : array of shape (n, n)
        The new distances. Computed on first use.
    points_ : array of shape (n, m), or None
        The points, moved if the localization moves points. None if fitted on distances.
    embedding_ : array of shape (n, k)
        Points whose Euclidean distances approximate the new distances. Computed on first use.
    distortion_ : float
        Relative error of the distances of `embedding_`; 0 if they are exact. Computed on first use.
    eps_ : float or None
        The radius ε of the localization; None if it has no radius.
    n_iter_ : int
        Number of iterations done.
    trajectory_ : Trajectory
        The kept states, the movements and the outcome.

    Notes
    -----
    For Exact transport up to n(n−1)/2 transport problems per iteration, and 8 n² bytes per state.

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
        """Set parameters; `localize__eps` replaces the localization by a copy with another eps."""
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
                "WassersteinTransform needs a localization such as Truncation(eps) and a transport such as Exact(p=1)"
            )
        process = Process(None, Transform(self.localize, self.transport))
        self.eps_ = self.localize.scale
        return process

    def _moves_points(self) -> bool:
        return isinstance(self.localize, Extrinsic)
