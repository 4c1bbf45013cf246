"""Clustering without parameters, as an estimator."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any, Self

from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted

from .._types import Ints
from ..auto import cluster
from ..spaces import Space
from .base import IteratedTransform
from .running import engine_of
from .saving import Saved
from .spaces import Ground, read_distances, read_points, read_space, tag_input


class AutoCluster(Saved, ClusterMixin, BaseEstimator):
    """Cluster points, distances or a Space, with all parameters chosen from the data: `wt.cluster` as an estimator.

    Scale columns of different units first (`StandardScaler`).

    Parameters
    ----------
    n_clusters : int, optional
        Number of clusters. None: chosen from the data; 1 if they show no clusters.
    noise : bool, optional
        Whether points in a much sparser region than the rest of their cluster get the label −1. None: only if
        `n_clusters` is None.
    metric : str, default "euclidean"
        A SciPy metric name for points, or "precomputed" for distances.
    n_jobs : int, optional
        Number of threads; −1 means all cores. None: the setting of the current engine. Results do not depend on it.
    verbose : bool, default False
        Whether to show a progress bar.

    Attributes
    ----------
    labels_ : array of int, shape (n,)
        The cluster of each point, numbered from the largest mass to the smallest; −1 is noise.
    probabilities_ : array of shape (n,)
        For each point, the share of the candidate clusterings, weighted by their expected quality, that put it with
        the rest of its cluster; 0 for noise.
    n_clusters_ : int
        Number of clusters found.
    reason_ : str
        Why these clusters were chosen, in words.
    clustering_ : Clustering
        The full result, with all candidates as a table and a picture.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> circles = wt.datasets.circles(0)
    >>> found = wt.AutoCluster().fit(circles.points)
    >>> found.n_clusters_
    2
    >>> found.predict(circles.points[:5] + 0.001) == found.labels_[:5]
    array([ True,  True,  True,  True,  True])
    """

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        noise: bool | None = None,
        metric: str = "euclidean",
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.noise = noise
        self.metric = metric
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, *, sample_weight: ArrayLike | None = None) -> Self:
        """Find the clusters.

        Parameters
        ----------
        X : array of shape (n, m), distances of shape (n, n) if metric="precomputed", Space, or a fitted transform
            The points.
        y : None
            Ignored; for pipelines.
        sample_weight : array of shape (n,), optional
            Masses of the points; a point of weight k acts like k copies. Points of weight 0 get the label of the
            nearest cluster. None: uniform.

        Returns
        -------
        self
        """
        engine = engine_of(self.n_jobs, self.verbose)
        space = read_space(self, X, self.metric, sample_weight)
        transform = copy(X) if isinstance(X, IteratedTransform) else None  # later changes of X have no effect
        ground = Ground.of(space, self.metric, isinstance(X, Space))
        found = cluster(space, self.n_clusters, noise=self.noise, engine=engine)
        by_name = transform is None and ground.points is not None  # otherwise new points are given by distances
        self.clustering_ = replace(found, named=ground.metric if by_name else None)
        self._transform, self._ground = transform, ground
        self.labels_, self.probabilities_ = self.clustering_.labels, self.clustering_.probabilities
        self.n_clusters_, self.reason_ = self.clustering_.n_clusters, self.clustering_.reason
        return self

    def predict(self, X: Any) -> Ints:
        """Assign each new point to the cluster of the nearest fitted point.

        The metric is the one of `fit`. If clusters of the Gaussian Transform were chosen, or if X of `fit` was a fitted
        transform, the new points are moved by that transform first. New points carry no mass.

        Parameters
        ----------
        X : array of shape (n_new, m), or distances of shape (n_new, n) if fitted on distances
            The new points.

        Returns
        -------
        array of int, shape (n_new,)
            The clusters; −1 is noise.
        """
        check_is_fitted(self)
        if self._transform is not None:
            new = self._transform.distances_to(X)
        elif self.clustering_.named is None:
            new = read_distances(self, X, self._ground)
        else:
            new = read_points(self, X)
        return self.clustering_.predict(new, engine_of(self.n_jobs, self.verbose))

    def __sklearn_tags__(self) -> Any:
        return tag_input(super().__sklearn_tags__(), self.metric)
