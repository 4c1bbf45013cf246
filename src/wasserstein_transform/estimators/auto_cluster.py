"""Clusters without parameters, as an estimator."""

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
    """Clusters of points, distances or a Space, with everything chosen by the data: `wt.cluster` as an estimator.

    Columns of different units should be scaled first (`StandardScaler`).

    Parameters
    ----------
    n_clusters : int, optional
        By default as many as the data show; one, if they show none.
    noise : bool, optional
        Whether points in much thinner surroundings than the rest of their cluster get the label −1. By default if no
        number of clusters is given.
    metric : str
        "euclidean" or another SciPy name for points, "precomputed" for distances.
    n_jobs : int, optional
        Threads; −1 means all cores, and so does None unless an engine says otherwise. Results do not depend on it.
    verbose : bool
        Show progress.

    Attributes
    ----------
    labels_ : array of shape (n,)
        Clusters by falling mass; −1 is noise.
    probabilities_ : array of shape (n,)
        For each point the share of the recipes, weighed by what is expected of them, that put it with the rest of its
        cluster; 0 for noise.
    n_clusters_ : int
        Clusters found.
    reason_ : str
        Why these, in words.
    clustering_ : Clustering
        All of it: what else was considered, as a table and a picture.

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
        X : array of shape (n, m), distances of shape (n, n) for metric="precomputed", Space, or a fitted transform
        y : ignored
        sample_weight : array of shape (n,), optional
            Masses of the points; weight k is the same as k copies. Points of weight 0 go to the nearest cluster.
        """
        engine = engine_of(self.n_jobs, self.verbose)
        space = read_space(self, X, self.metric, sample_weight)
        transform = copy(X) if isinstance(X, IteratedTransform) else None  # as it is now
        ground = Ground.of(space, self.metric, isinstance(X, Space))
        found = cluster(space, self.n_clusters, noise=self.noise, engine=engine)
        by_name = transform is None and ground.points is not None  # else distances are what is known of new points
        self.clustering_ = replace(found, named=ground.metric if by_name else None)
        self._transform, self._ground = transform, ground
        self.labels_, self.probabilities_ = self.clustering_.labels, self.clustering_.probabilities
        self.n_clusters_, self.reason_ = self.clustering_.n_clusters, self.clustering_.reason
        return self

    def predict(self, X: Any) -> Ints:
        """The clusters of new points, which carry no mass: that of the nearest fitted point.

        Nearest under the metric that was fitted on, or, where clusters of the Gaussian Transform were chosen, at the
        end of its flow, which new points follow. Fitted on a transform, they follow that.

        Parameters
        ----------
        X : array of shape (n_new, m), or, fitted on distances alone, rows of distances of shape (n_new, n)
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
