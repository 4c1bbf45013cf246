"""Any composition of parts as an estimator."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from .._parts import Part
from .._types import Floats
from ..localize import Localization
from ..localize.extrinsic import Extrinsic
from ..spaces import Space
from ..transforms import Process, Transform
from ..transport import Transport
from .base import IteratedTransform


class WassersteinTransform(IteratedTransform):
    """Any localization with any transport that compares its measures.

    Parameters
    ----------
    localize : Localization
        For example `Truncation(0.2)`, or `Mean(Kernel("gaussian", 0.2))`. Its parameters take part in `get_params`,
        `set_params(localize__eps=…)` and grid search.
    transport : Transport
        `Exact(p)`, `Points()` or `Bures()`.
    n_iter : int
        Iterations.
    metric : str
        "euclidean" or another SciPy name for points, "precomputed" for distances.
    tol : float
        End once nothing moves further than tol·ε; 0 does exactly `n_iter` iterations.
    merge : float, optional
        Merge points within merge·ε of each other on the way.
    keep : {"last", "all"}
        States that `trajectory_` holds.
    n_jobs : int
        Threads; −1 means all cores. Results do not depend on it.
    verbose : bool
        Show progress.

    Attributes
    ----------
    metric_ : Metric
    distances_ : array of shape (n, n)
        Computed on first use.
    points_ : array of shape (n, m), or None
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
        tol: float = 0.0,
        merge: float | None = None,
        keep: str = "last",
        n_jobs: int = -1,
        verbose: bool = False,
    ) -> None:
        self.localize = localize
        self.transport = transport
        self.n_iter = n_iter
        self.metric = metric
        self.tol = tol
        self.merge = merge
        self.keep = keep
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

    def _make_process(self, space: Space) -> Process:
        if self.localize is None or self.transport is None:
            raise ValueError(
                "WassersteinTransform needs its parts: a localization such as Truncation(eps) "
                "and a transport such as Exact(p=1)"
            )
        process = Process(None, Transform(self.localize, self.transport))
        self.eps_ = self.localize.scale
        return process

    def _makes_matrix(self) -> bool:
        return not self._moves_points()

    def _moves_points(self) -> bool:
        return isinstance(self.localize, Extrinsic)

    def fit_transform(self, X: Any, y: Any = None, *, sample_weight: ArrayLike | None = None) -> Floats:
        """Fit, and return the moved points if the measures have centres, else the n × n distances."""
        self.fit(X, y, sample_weight=sample_weight)
        points = self.points_
        return points.copy() if self._moves_points() and points is not None else self.distances_.copy()

    def transform(self, X: Any) -> Floats:
        """Where new points go, or their distances to the fitted points, n_new × n."""
        return self._follow_points(X) if self._moves_points() else self._follow_distances(X)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Names of the output columns: coordinates, or one for each fitted point."""
        check_is_fitted(self, "trajectory_")
        space = self._space
        width = space.n if not self._moves_points() or space.points is None else space.points.shape[1]
        return np.array([f"wassersteintransform{k}" for k in range(width)], dtype=object)
