"""Transforms that change distances, as estimators: LT-WT, KL-WT, and any localization with any transport."""

from __future__ import annotations

from typing import Any, Self

from .. import _check as check
from .._archive import Part
from ..engine import Engine
from ..localize import Extrinsic, Localization
from ..localize.kernel import ProfileLike
from ..spaces import Space
from ..transforms import Process, Transform, kernel_transform, local_truncation
from ..transforms.iteration import Keep
from ..transforms.transform import Eps
from ..transport import Transport
from .base import Chosen, IteratedTransform
from .input_output import Output


class LocalTruncation(IteratedTransform):
    """LT-WT: exact optimal transport between ε-neighborhoods, in any metric space.

    Parameters
    ----------
    eps : float, sequence of float, or "auto", default "auto"
        Radius ε of the neighborhoods, in the unit of the distances, or one per iteration. "auto": `suggest_eps`.
    p : float, default 1.0
        Order of the Wasserstein distance, ≥ 1 and < 150, or infinity.
    n_iter : int, or "auto", default 1
        Number of iterations. "auto": 1.
    metric : str, default "euclidean"
        A SciPy metric name for points, or "precomputed" for distances.
    tol : float, optional
        Stop early if no distance changes by more than tol·ε in an iteration. None: do exactly `n_iter` iterations.
    merge : float, optional
        After each iteration, merge points within merge·ε of each other; results are expanded to all points again. None:
        no merging.
    keep : {"all", "last"}, default "all"
        Which states `trajectory_` has. `transform` of new points needs all of them; "last" saves their memory.
    output : {"auto", "distances", "embedding"}, default "auto"
        What `transform` and `fit_transform` return. "auto" and "distances": the new distances to the fitted points.
        "embedding": points whose Euclidean distances approximate the new distances (classical scaling).
    n_jobs : int, optional
        Number of threads; −1 means all cores. None: the setting of the current engine, and 1 within joblib. Results do
        not depend on it.
    verbose : bool, default False
        Whether to show the progress bar at once, not after two seconds.

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
        keep: Keep = "all",
        output: Output = "auto",
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.eps = eps
        self.p = p
        super().__init__(n_iter, metric, tol, merge, keep, output, n_jobs, verbose)

    def _make_process(self, space: Space, chosen: Chosen) -> Process:
        return local_truncation(chosen.eps, self.p)


class KernelTransform(IteratedTransform):
    """KL-WT: exact optimal transport between neighborhoods weighted by a kernel, in any metric space.

    Parameters
    ----------
    eps : float, sequence of float, or "auto", default "auto"
        Bandwidth ε, in the unit of the distances, or one per iteration. "auto": `suggest_eps`.
    profile : {"flat", "gaussian", "epanechnikov", "triangle"} or callable, default "gaussian"
        Kernel profile as a function of d²/ε²; the gaussian is exp(−d²/2ε²).
    p : float, default 1.0
        Order of the Wasserstein distance, ≥ 1 and < 150, or infinity.
    cut : float, optional
        Distance in units of ε beyond which the kernel is 0. None: the reach of the profile. A gaussian then reaches
        every point, and each of the n(n−1)/2 problems has n × n costs, which is feasible for one or two hundred points.
    n_iter : int, or "auto", default 1
        Number of iterations. "auto": 1.
    metric : str, default "euclidean"
        A SciPy metric name for points, or "precomputed" for distances.
    tol : float, optional
        Stop early if no distance changes by more than tol·ε in an iteration. None: do exactly `n_iter` iterations.
    merge : float, optional
        After each iteration, merge points within merge·ε of each other; results are expanded to all points again. None:
        no merging.
    keep : {"all", "last"}, default "all"
        Which states `trajectory_` has. `transform` of new points needs all of them; "last" saves their memory.
    output : {"auto", "distances", "embedding"}, default "auto"
        What `transform` and `fit_transform` return. "auto" and "distances": the new distances to the fitted points.
        "embedding": points whose Euclidean distances approximate the new distances (classical scaling).
    n_jobs : int, optional
        Number of threads; −1 means all cores. None: the setting of the current engine, and 1 within joblib. Results do
        not depend on it.
    verbose : bool, default False
        Whether to show the progress bar at once, not after two seconds.

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
    >>> wt.KernelTransform(2.0, "triangle").fit_transform(np.array([[0.0], [1.0], [2.0]]))[0].round(3)
    array([0.   , 0.667, 1.333])
    """

    def __init__(
        self,
        eps: Eps | str = "auto",
        profile: ProfileLike = "gaussian",
        p: float = 1.0,
        *,
        cut: float | None = None,
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
        self.profile = profile
        self.p = p
        self.cut = cut
        super().__init__(n_iter, metric, tol, merge, keep, output, n_jobs, verbose)

    def _make_process(self, space: Space, chosen: Chosen) -> Process:
        return kernel_transform(chosen.eps, self.profile, self.p, self.cut)


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
    keep : {"all", "last"}, default "all"
        Which states `trajectory_` has. `transform` of new points needs all of them; "last" saves their memory.
    output : {"auto", "points", "distances", "embedding"}, default "auto"
        What `transform` and `fit_transform` return. "points": the moved points, if points move. "distances": the new
        distances to the fitted points. "embedding": points whose Euclidean distances approximate the new distances.
        "auto": the points if they move, otherwise the distances.
    n_jobs : int, optional
        Number of threads; −1 means all cores. None: the setting of the current engine, and 1 within joblib. Results do
        not depend on it.
    verbose : bool, default False
        Whether to show the progress bar at once, not after two seconds.

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
        keep: Keep = "all",
        output: Output = "auto",
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.localize = localize
        self.transport = transport
        super().__init__(n_iter, metric, tol, merge, keep, output, n_jobs, verbose)

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

    @property
    def _moves_points(self) -> bool:  # type: ignore[override]
        return isinstance(self.localize, Extrinsic)
