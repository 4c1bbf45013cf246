"""Means of nearest neighbors, before another clusterer."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse

from .. import _check as check
from .._check import warn
from .._types import Floats
from ..engine import Engine
from ..localize import Mean, Nearest
from ..spaces import Euclidean, Space
from ..transforms import Process, ScaleWarning, Transform
from ..transforms.estimates import MAX_TOGETHER
from ..transforms.iteration import Keep
from ..transport import DiracDistance
from .base import Chosen, PointTransform
from .input_output import Output, read_points, read_space

_METRICS = "auto", "cosine", "euclidean"
_ROUNDING = 1e-3  # of lengths of rows that were divided by them and stored as float16


class NeighborMeans(PointTransform):
    """Moves every point to the mean of its nearest neighbors, itself included: one step of mean shift without a radius.

    Before clusterers that read distances: HDBSCAN, linkage, k-means. Embeddings of texts and images, rows of length 1,
    stay on the sphere. Before a graph of neighbors or UMAP it does harm, since neighbors share their neighbors then.

    Parameters
    ----------
    n_neighbors : int, default 20
        Number of points in each neighborhood, the point itself included; those as far as the last one count as well.
        With weights, neighborhoods hold the mass of as many points of mean weight.
    n_iter : int, default 1
        Number of iterations.
    metric : {"auto", "cosine", "euclidean"}, default "auto"
        "cosine" divides rows by their lengths, and the means again, so that points move on the sphere; "euclidean"
        normalizes nothing; "auto" is "cosine" if all rows have length 1 (to 1e-3), otherwise "euclidean".
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
    on_sphere_ : bool
        Whether rows were divided by their lengths, before and after.
    metric_ : Euclidean
        The distance between the moved points, computed on demand.
    distances_ : array of shape (n, n)
        The new distances. Computed on first use.
    embedding_ : array of shape (n, k)
        Points whose Euclidean distances approximate the new distances. Computed on first use.
    distortion_ : float
        Relative error of the distances of `embedding_`; 0 if they are exact. Computed on first use.
    n_iter_ : int
        Number of iterations done.
    trajectory_ : Trajectory
        The kept states and the movements.

    Notes
    -----
    A search of the nearest neighbors, and a mean of each neighborhood; memory O(n (m + n_neighbors)). Sparse matrices
    are copied into dense ones. A new point moves to the mean of the fitted points nearest to it, and has no mass
    itself: a fitted point moves to the same place again.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> X = np.array([[0.0], [1.0], [3.0], [4.0]])
    >>> wt.NeighborMeans(2).fit_transform(X).ravel()
    array([0.5, 0.5, 3.5, 3.5])
    """

    eps_: None = None

    def __init__(
        self,
        n_neighbors: int = 20,
        *,
        n_iter: int = 1,
        metric: str = "auto",
        keep: Keep = "all",
        output: Output = "auto",
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_neighbors = n_neighbors
        super().__init__(n_iter, metric, None, None, keep, output, n_jobs, verbose)

    def _check_metric(self) -> None:
        check.choice(self.metric, "metric", _METRICS)

    def _read(self, X: Any, sample_weight: ArrayLike | None) -> Space:
        space = read_space(self, self._dense(X), "euclidean", sample_weight)
        if space.points is None:
            return space  # `_choose` raises the error
        lengths = np.linalg.norm(space.points, axis=1)
        self.on_sphere_ = self.metric == "cosine" or (self.metric == "auto" and _are_ones(lengths, space.points))
        if not self.on_sphere_:
            return space
        points = _divide(space.points, lengths)
        return Space(Euclidean(points) if space.metric.is_euclidean else space.metric, space.weights, points)

    def _read_new(self, X: Any) -> Floats:
        points = read_points(self, self._dense(X))
        return _divide(points, np.linalg.norm(points, axis=1)) if self.on_sphere_ else points

    def _dense(self, X: Any) -> Any:
        if not issparse(X):
            return X
        n, m = X.shape
        what, instead = f"a sparse matrix of {n} × {m} as a dense one", "reduce it first: TruncatedSVD(50)"
        self._engine().reserve(24.0 * n * m, what, instead)  # the array, the copy that is kept, and the moved points
        return X.toarray()

    def _choose(self, space: Space, engine: Engine) -> Chosen:
        if space.points is None:
            return super()._choose(space, engine)  # raises the error
        k = check.count(self.n_neighbors, "n_neighbors", 1)
        n = np.count_nonzero(space.weights)
        if k > MAX_TOGETHER * n:
            warn(
                f"n_neighbors={k} of {n} points: all will collapse to one; use a smaller number, or more points",
                ScaleWarning,
            )
        self.reason_ = "as given"
        return Chosen((), 0.0, check.count(self.n_iter, "n_iter", 0), self.reason_)

    def _make_process(self, space: Space, chosen: Chosen) -> Process:
        return Process(None, Transform(Mean(Nearest(self.n_neighbors), self.on_sphere_), DiracDistance()))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _are_ones(lengths: Floats, points: Floats) -> bool:
    """Whether the lengths of all rows are 1 but for rounding; an error if those of most are, but not all."""
    if points.shape[1] == 1:
        return False
    wrong = np.flatnonzero(np.abs(lengths - 1) > _ROUNDING)
    if 0 < len(wrong) < len(lengths) / 2:
        raise ValueError(
            f"{len(wrong)} of {len(lengths)} rows do not have length 1 like the others, row {wrong[0]} has length "
            f"{lengths[wrong[0]]:.4g}; metric='cosine' divides all rows by their lengths, metric='euclidean' none, "
            "and rows of zeros must be dropped"
        )
    return len(wrong) == 0


def _divide(points: Floats, lengths: Floats) -> Floats:
    """Rows divided by their lengths."""
    if not lengths.all():
        raise ValueError(
            f"{np.count_nonzero(lengths == 0)} of {len(lengths)} rows have only zeros, and so no direction, the first "
            f"is row {lengths.argmin()}; drop them, or use metric='euclidean'"
        )
    return np.asarray(points / lengths[:, None])
