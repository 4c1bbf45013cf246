"""Clusterings as estimators: single linkage with a choice of cuts, and `cluster`, which chooses everything."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted

from .._types import Floats, Ints
from ..clustering import cluster
from ..engine import current
from ..hierarchy import cut_tree, spanning_tree
from ..hierarchy.cut import Cut
from ..hierarchy.tree import TIE
from ..spaces import Space
from .base import IteratedTransform
from .input_output import FittedPoints, read_distances, read_space, read_table, read_weights, tag_input
from .saving import Saved


class SingleLinkage(Saved, ClusterMixin, BaseEstimator):
    """Single-linkage clustering of points, distances or a Space, cut by count, by height, or robust to outliers.

    Parameters
    ----------
    n_clusters : int, default 2
        Number of clusters, for the cuts "count" and "robust".
    cut : {"count", "height", "robust"}, default "count"
        "count": cut the highest merges; outliers may become clusters of their own. "height": cut all merges above
        `height`. "robust": cut the highest merges of parts that each hold at least share·(total mass)/n_clusters;
        smaller pieces go to the nearest cluster. Merges of equal height are cut together or not at all (see
        `cut_tree`), so that clusters depend neither on the order of the rows nor on the unit.
    height : float, optional
        The height for cut="height", in the unit of the distances.
    share : float, default 0.25
        For the robust cut, between 0 and 1: the smallest allowed mass of a cluster, relative to the mean mass.
    noise : bool, default False
        For the robust cut: whether small pieces get the label −1 instead of the nearest cluster.
    reachability : int, default 0
        k > 0 links by mutual reachability, max(d(x, y), core(x), core(y)), where core is the distance to the k-th
        nearest other point (see `wt.hierarchy.spanning_tree`). 5 suits noisy clusters. 0 links by d.
    metric : str, default "euclidean"
        A SciPy metric name for points, or "precomputed" for distances.
    n_jobs : int, optional
        Number of threads; −1 means all cores. None: the setting of the current engine, and 1 within joblib. Results do
        not depend on it.
    verbose : bool, default False
        Whether to show the progress bar at once, not after two seconds.

    Attributes
    ----------
    labels_ : array of int, shape (n,)
        The cluster of each point, numbered from the largest mass to the smallest; −1 is noise.
    n_clusters_ : int
        Number of clusters found.
    tree_ : Tree
        The minimum spanning tree.

    Notes
    -----
    The cost is that of the spanning tree: O(n²) distances at worst, and memory O(n) in addition to the metric.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0], [10.0], [11.0], [12.0], [13.0], [50.0]])
    >>> wt.SingleLinkage(n_clusters=2).fit_predict(X)
    array([0, 0, 0, 0, 0, 0, 0, 0, 1])
    >>> wt.SingleLinkage(n_clusters=2, cut="robust").fit_predict(X)
    array([1, 1, 1, 1, 0, 0, 0, 0, 0])
    """

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        cut: Cut = "count",
        height: float | None = None,
        share: float = 0.25,
        noise: bool = False,
        reachability: int = 0,
        metric: str = "euclidean",
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.cut = cut
        self.height = height
        self.share = share
        self.noise = noise
        self.reachability = reachability
        self.metric = metric
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, *, sample_weight: ArrayLike | None = None) -> Self:
        """Compute the spanning tree and cut it.

        Parameters
        ----------
        X : array of shape (n, m), distances of shape (n, n) if metric="precomputed", Space, or a fitted transform
            The points.
        y : None
            Ignored; for pipelines.
        sample_weight : array of shape (n,), optional
            Masses of the points, used by the robust cut. Points of weight 0 join the nearest cluster and never connect
            two clusters. None: uniform.

        Returns
        -------
        self
        """
        engine = current(n_jobs=self.n_jobs, verbose=self.verbose)
        space = read_space(self, X, self.metric, sample_weight)
        self._transform = copy(X) if isinstance(X, IteratedTransform) else None  # later changes of X have no effect
        self._fitted = FittedPoints.of(space, self.metric, isinstance(X, Space))
        self.tree_ = spanning_tree(space, engine, reachability=self.reachability)
        self.labels_ = cut_tree(
            self.tree_, self.n_clusters, cut=self.cut, height=self.height, share=self.share, noise=self.noise
        )
        self.n_clusters_ = int(self.labels_.max(initial=-1)) + 1
        return self

    def predict(self, X: Any) -> Ints:
        """Assign each new point to the cluster of the nearest fitted point.

        The metric is the one of `fit`, without reachability. If X of `fit` was a fitted transform, the new points are
        moved by it first. New points carry no mass.

        Parameters
        ----------
        X : array of shape (n_new, m), or distances of shape (n_new, n) if fitted on distances
            The new points.

        Returns
        -------
        array of int, shape (n_new,)
            The clusters; −1 if all nearest fitted points are noise.

        Examples
        --------
        >>> import numpy as np, wasserstein_transform as wt
        >>> X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
        >>> clusters = wt.SingleLinkage(n_clusters=2).fit(wt.GaussianTransform(eps=2.0).fit(X))
        >>> clusters.predict([[3.0], [9.0]])
        array([0, 1])
        """
        check_is_fitted(self)
        transform, heavy = self._transform, np.flatnonzero(self.tree_.weights > 0)
        rows = read_distances(self, X, self._fitted) if transform is None else transform.distances_to(X)
        near = rows[:, heavy]
        tied = near <= near.min(axis=1, keepdims=True) * (1 + TIE)
        labels = np.where(self.labels_[heavy] < 0, self.n_clusters_, self.labels_[heavy])  # noise loses every tie
        nearest = np.where(tied, labels, self.n_clusters_).min(axis=1)
        return np.where(nearest == self.n_clusters_, -1, nearest)

    def linkage(self) -> Floats:
        """Return SciPy's linkage matrix `Z` of shape (n−1, 4)."""
        check_is_fitted(self)
        return self.tree_.Z

    def __sklearn_tags__(self) -> Any:
        return tag_input(super().__sklearn_tags__(), self.metric)


class AutoCluster(Saved, ClusterMixin, BaseEstimator):
    """Cluster points, distances or a Space, with all parameters chosen from the data: `wt.cluster` as an estimator.

    Columns of different units are scaled, and ids, dates and the like of a DataFrame are left out; `notes_` says so.

    Parameters
    ----------
    n_clusters : int, optional
        Number of clusters. None: chosen from the data; 1 if they show no clusters.
    noise : bool or float, optional
        Whether points in a much sparser region than the rest of their cluster get the label −1; a share such as 0.05:
        the sparsest points, at most this share. None: True only if `n_clusters` is None.
    min_cluster_size : int, default 1
        Number of points that each cluster has at least, as in `wt.cluster`.
    metric : str, default "euclidean"
        A SciPy metric name for points, or "precomputed" for distances.
    columns : sequence, optional
        The columns of a DataFrame to use, whatever they hold. None: chosen; see `wt.tables.features`.
    scale : {"auto", "standard", "robust", "range", None}, default "auto"
        How columns are scaled, as in `wt.cluster`; None keeps their units.
    missing : {"drop", "fill", "error"}, default "drop"
        Rows with missing cells (NaN) get the label −1, or are filled, or are an error.
    n_jobs : int, optional
        Number of threads; −1 means all cores. None: the setting of the current engine, and 1 within joblib. Results do
        not depend on it.
    verbose : bool, default False
        Whether to show the progress bar at once, not after two seconds.

    Attributes
    ----------
    labels_ : array of int, shape (n,)
        The cluster of each point, numbered from the largest mass to the smallest; −1 is noise.
    probabilities_ : array of shape (n,)
        For each point, the share of the candidate clusterings, weighted by their expected quality, that put it with
        the rest of its cluster; 0 for noise.
    membership_strengths_ : array of shape (n,)
        The same, by the name that programs for topics read.
    cluster_layers_ : tuple of arrays of shape (n,)
        Labels of nested clusters, from fine to coarse, as these programs count; `clustering_.layers` begin with
        the coarse.
    n_clusters_ : int
        Number of clusters found.
    reason_ : str
        Why these clusters were chosen, in words.
    notes_ : tuple of str
        What was done with the columns and rows.
    clustering_ : Clustering
        The full result: how sure it is, what the clusters are, and other good answers.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> circles = wt.datasets.circles(0)
    >>> clusters = wt.AutoCluster().fit(circles.points)
    >>> clusters.n_clusters_
    2
    >>> clusters.predict(circles.points[:5] + 0.001) == clusters.labels_[:5]
    array([ True,  True,  True,  True,  True])
    """

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        noise: bool | float | None = None,
        min_cluster_size: int = 1,
        metric: str = "euclidean",
        columns: Sequence[Any] | None = None,
        scale: str | None = "auto",
        missing: str = "drop",
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.noise = noise
        self.min_cluster_size = min_cluster_size
        self.metric = metric
        self.columns = columns
        self.scale = scale
        self.missing = missing
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, *, sample_weight: ArrayLike | None = None, neighbors: Any = None) -> Self:
        """Find the clusters.

        Parameters
        ----------
        X : array of shape (n, m), DataFrame, distances (n, n) if metric="precomputed", Space, or a fitted transform
            The points.
        y : None
            Ignored; for pipelines.
        sample_weight : array of shape (n,), optional
            Masses of the points; a point of weight k acts like k copies. Points of weight 0 get the label of the
            nearest cluster. None: uniform.
        neighbors : sparse matrix, pair of arrays, or NNDescent, optional
            The nearest others of each point, if they are known, as in `wt.cluster`.

        Returns
        -------
        self
        """
        engine = current(n_jobs=self.n_jobs, verbose=self.verbose)
        transform = copy(X) if isinstance(X, IteratedTransform) else None  # later changes of X have no effect
        how: dict[str, Any] = {"columns": self.columns, "scale": self.scale, "missing": self.missing}
        how |= {
            "noise": self.noise,
            "min_cluster_size": self.min_cluster_size,
            "neighbors": neighbors,
            "engine": engine,
        }
        if isinstance(X, Space | BaseEstimator) or self.metric == "precomputed":
            space = read_space(self, X, self.metric, sample_weight)
            fitted = FittedPoints.of(space, self.metric, isinstance(X, Space))
            clustering = cluster(space, self.n_clusters, **how)
            by_name = transform is None and fitted.points is not None  # otherwise new points are given by distances
            self.clustering_ = replace(clustering, named=fitted.metric if by_name else None)
        else:
            table = read_table(self, X)
            masses = None if sample_weight is None else read_weights(sample_weight, table)
            self.clustering_ = cluster(table, self.n_clusters, sample_weight=masses, metric=self.metric, **how)
            fitted = FittedPoints.of(self.clustering_.space, self.metric, False)
        self._transform, self._fitted = transform, fitted
        self.labels_, self.probabilities_ = self.clustering_.labels, self.clustering_.probabilities
        self.n_clusters_, self.reason_ = self.clustering_.n_clusters, self.clustering_.reason
        self.membership_strengths_, self.cluster_layers_ = self.probabilities_, self.clustering_.layers[::-1]
        self.notes_ = self.clustering_.notes
        return self

    def predict(self, X: Any) -> Ints:
        """Assign each new point to the cluster of the nearest fitted point.

        The metric is the one of `fit`. If clusters of the Gaussian Transform were chosen, or if X of `fit` was a fitted
        transform, the new points are moved by that transform first. New points carry no mass.

        Parameters
        ----------
        X : array of shape (n_new, m), DataFrame, or distances of shape (n_new, n) if fitted on distances
            The new points.

        Returns
        -------
        array of int, shape (n_new,)
            The clusters; −1 is noise.
        """
        check_is_fitted(self)
        new: Any
        if self._transform is not None:
            new = self._transform.distances_to(X)
        elif self.clustering_.named is None:
            new = read_distances(self, X, self._fitted)
        else:
            new = read_table(self, X, reset=False)
        return self.clustering_.predict(new, current(n_jobs=self.n_jobs, verbose=self.verbose))

    def __sklearn_tags__(self) -> Any:
        tags = tag_input(super().__sklearn_tags__(), self.metric)
        tags.input_tags.allow_nan = self.metric != "precomputed"
        return tags
