"""The catalogue of messages: what a mistake is told, word for word, and by which exception or warning.

Elsewhere tests ask for the type and the word that tells which check spoke. What is wrong inside of a file is said
beside its format (`tests/tables`, `tests/estimators/test_saving.py`).
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from pandas import DataFrame
from scipy.sparse import coo_array, csr_array
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.svm import SVC

import wasserstein_transform as wt
from wasserstein_transform import GaussianTransform, io, plotting, tables
from wasserstein_transform.graphs import as_network, communities, curvature
from wasserstein_transform.image import segment_by_radii as by_radii
from wasserstein_transform.tables import columns

mpl = pytest.importorskip("matplotlib")
mpl.use("Agg")
from matplotlib import pyplot as plt  # noqa: E402

Row = tuple[str, Callable[[], object]] | tuple[str, Callable[[], object], type[BaseException]]
"""What is said, where … stands for anything; the call that is told so; the type, if it is no ValueError."""

from_points, from_distances, from_graph = wt.Space.from_points, wt.Space.from_distances, wt.Space.from_graph
GOOD = np.arange(6.0).reshape(3, 2)
CLOUD = np.random.default_rng(20).normal(size=(30, 2))
SPACE = from_points(GOOD)
DISTANCES = from_distances(np.ones(3))
PLANE = from_points(CLOUD)
PLACES = DataFrame({"lon": [0.0, 20.0, 40.0], "lat": 0.0})
STEP = wt.Transform(wt.Truncation(1.0), wt.Exact(1))
EDGES = [(0, 1), (1, 2), (3, 4)]
FIVE = wt.spaces.Euclidean(np.arange(10.0).reshape(5, 2))
scatter = partial(plotting.cloud, CLOUD)


def gaussians(n: int, m: int, lam: float = 1.0) -> wt.spaces.GaussianMetric:
    return wt.spaces.GaussianMetric(np.zeros((n, m)), np.zeros((n, m, m)), lam)


def errors_with(row: int, value: float) -> np.ndarray:
    errors = np.ones(CLOUD.shape)
    errors[row, 0] = value
    return errors


def near() -> wt.Space:
    """Distances known up to 0.5, among points of which one is farther from all others."""
    return wt.transforms.iterate_locally(wt.transforms.local_truncation(0.1), from_points([[0.0], [0.2], [9.0]]), 0.5)


def lazy(step: wt.Transform = STEP) -> wt.Space:
    return wt.transforms.transform_lazily(step, SPACE)


def flow() -> wt.transforms.Trajectory:
    return wt.iterate(wt.transforms.mean_shift(0.7), PLANE, n_iter=3, keep="all")


def still() -> wt.transforms.Trajectory:
    """A run that leaves the points where they are, as LT-WT does."""
    state = wt.spaces.quotient(PLANE)
    return wt.transforms.Trajectory((state, state), (0.1,), 1, False, "as an LT-WT leaves it")


def matrix_file(D: Any) -> Path:
    np.save("d.npy", D)
    return Path("d.npy")


SPACES: list[Row] = [
    ("points must be finite, got nan at [0, 1]", lambda: from_points([[0.0, np.nan]])),
    ("must be finite, got inf", lambda: from_points([[np.inf]])),
    ("points must be a 2-D array with one row per point", lambda: from_points([1.0, 2.0])),
    ("at least one point with one coordinate", lambda: from_points(np.empty((0, 2)))),
    ("at least one point with one coordinate", lambda: from_points(np.empty((3, 0)))),
    ("must be a 2-D array", lambda: from_points(np.zeros((2, 2, 2)))),
    ("must be numbers", lambda: from_points([["a", "b"]])),
    ("must be numbers", lambda: from_points([[1.0], [1.0, 2.0]])),
    ("points must be numbers, got None", lambda: from_points(None)),
    ("points must be numbers, got str 'a.csv'; wt.read(path) reads a file", lambda: wt.cluster("a.csv")),
    ("must be numbers…complex", lambda: from_points([[1 + 1j]])),
    ("must lie between 1e-150 and 1e150", lambda: from_points([[1e200], [0.0]])),
    ("must not be masked", lambda: from_points(np.ma.masked_array([[1.0]], [[True]]))),
    ("metric must be one of", lambda: from_points(GOOD, metric="taxi")),
    ("span all coordinates", lambda: from_points(np.ones((3, 1)), metric="mahalanobis")),
    ("coordinates that vary", lambda: from_points(np.ones((3, 1)), metric="seuclidean")),
    ("weights must not be negative, got -1.0 at 1", lambda: from_points(GOOD, [1, -1, 1])),
    ("weights must have a positive total", lambda: from_points(GOOD, [0, 0, 0])),
    ("weights must be finite", lambda: from_points(GOOD, [1, np.nan, 1])),
    ("weights must hold one number per point, shape (3,), got shape (2,)", lambda: from_points(GOOD, [1, 1])),
    ("distances must be finite", lambda: from_distances([[0, np.nan], [np.nan, 0]])),
    ("must not be negative, got -1.0 at [0, 1]", lambda: from_distances([[0, -1], [-1, 0]])),
    (
        "must be symmetric, got 1.0 at [0, 1] and 2.0 at [1, 0]; use (D + D.T) / 2",
        lambda: from_distances([[0, 1], [2, 0]]),
    ),
    ("must be 0 on the diagonal, got 1.0 at [0, 0]", lambda: from_distances([[1, 1], [1, 0]])),
    ("must be a square matrix or SciPy's condensed vector, got shape (2, 3)", lambda: from_distances(np.zeros((2, 3)))),
    ("must be a square matrix", lambda: from_distances(np.zeros((0, 0)))),
    ("must have n(n-1)/2 entries, got 4", lambda: from_distances(np.ones(4))),
    ("entries, got 0", lambda: from_distances([])),
    ("one row per point of the 3 × 3 distances, got 2", lambda: from_distances(np.ones(3), points=[[0.0], [1.0]])),
    ("there is no file a.npy of distances", lambda: from_distances("a.npy"), FileNotFoundError),
    (
        "read from .npy files, got a.csv; wt.io.read_matrix",
        lambda: [np.savetxt("a.csv", np.eye(2)), from_distances("a.csv")],
    ),
    (
        "is not a .npy file of numbers, or it is cut off or damaged",
        lambda: Path("a.npy").write_bytes(b"\x93NUMPY\x01\x00 of no kind") and from_distances("a.npy"),
    ),
    ("there is no folder …nowhere", lambda: SPACE.metric.dense(out="nowhere/d.npy"), FileNotFoundError),
    ("a Space is needed, got ndarray; wt.Space.from_points(X) makes one", lambda: wt.Truncation(1.0)(GOOD), TypeError),
    ("indices of points must be 0 to 2, got 5 to 5", lambda: SPACE.metric.pairs(np.array([0]), [5]), IndexError),
    ("rows and cols must have the same length", lambda: SPACE.metric.pairs([0, 1], [1])),
    ("1-D array of integer indices", lambda: SPACE.metric.block([0.5], [1])),
    ("radius must be", lambda: SPACE.metric.balls(np.nan)),
    ("tol must be", lambda: wt.spaces.quotient(SPACE, -1)),
    ("distances are stored as float32 or float64, got dtype=int64", lambda: SPACE.metric.dense(dtype=np.int64)),
    ("shape (3, 3) and dtype float64", lambda: SPACE.metric.dense(out=np.empty((3, 4)))),
    ("dtype float32", lambda: SPACE.metric.dense(dtype=np.float32, out=np.empty((3, 3)))),
    ("on disk", lambda: SPACE.metric.dense(wt.Engine(memory=10)), MemoryError),
    ("need covs of shape", lambda: wt.spaces.GaussianMetric(GOOD, np.zeros((2, 2, 2)), 1.0)),
    ("lam must be", lambda: wt.spaces.GaussianMetric(GOOD, np.zeros((3, 2, 2)), -1.0)),
    ("range of floats", lambda: wt.spaces.GaussianMetric(np.zeros((2, 2)), np.full((2, 2, 2), 1e300), 1e30).dense()),
    ("k must be an integer ≥ 1, got 0", lambda: FIVE.neighbors(0)),
    ("k must be at most 4, the number of other points, got 5", lambda: FIVE.neighbors(5)),
    (
        "k must be at most 5, the number of points, got 6",
        lambda: FIVE.neighbors(6, wt.spaces.Euclidean(np.zeros((1, 2)))),
    ),
    (
        "new points must have 2 coordinates like the others, got 3",
        lambda: FIVE.neighbors(1, wt.spaces.Euclidean(np.zeros((1, 3)))),
    ),
    (
        "new points must be Euclidean like the others, got GaussianMetric",
        lambda: FIVE.neighbors(1, gaussians(2, 2)),
        TypeError,
    ),
    ("must be in R^2 with lam=1, got R^3 with lam=1", lambda: gaussians(5, 2).neighbors(1, gaussians(5, 3))),
    ("got R^2 with lam=2", lambda: gaussians(5, 2).neighbors(1, gaussians(5, 2, 2.0))),
    (
        "must be a GaussianMetric like the others, got Euclidean",
        lambda: gaussians(5, 2).neighbors(1, wt.spaces.Euclidean(np.zeros((1, 2)))),
        TypeError,
    ),
    (
        "Dense distances are known between their own points only",
        lambda: wt.spaces.Dense(np.zeros((3, 3))).neighbors(1, FIVE),
        TypeError,
    ),
    ("the 20 nearest of 30 points", lambda: PLANE.metric.neighbors(20, engine=wt.Engine(memory=1000)), MemoryError),
    ("fewer than 1 others at a known distance", lambda: near().metric.neighbors(1)),
    ("known up to 0.5 only, but …was requested; ask for a larger radius", lambda: near().metric.balls(0.6)),
    ("fall into 2 parts that are farther apart; ask for a larger radius", lambda: wt.hierarchy.spanning_tree(near())),
    (
        "known up to 0.5 only, but transport between all",
        lambda: wt.wasserstein_pairs(np.eye(3), near(), pairs=[[0, 1]]),
    ),
    ("must not be negative, got -1", lambda: from_graph([(0, 1, -1.0)], weight="length")),
    ("numbers, got weight 'far' between 0 and 1", lambda: from_graph([(0, 1, "far")])),
    ("must hold", lambda: from_graph([(0, 1, 2, 3)])),
    ("must be integers", lambda: from_graph(np.ones((3, 3)) * 0.5)),
    ("got shape (3, 4)", lambda: from_graph(np.ones((3, 4)))),
    ("must be square", lambda: from_graph(csr_array((2, 3)))),
    ("must be square", lambda: from_graph(coo_array(np.ones(3)))),
    ("at least one node", lambda: from_graph([])),
    ("must be finite", lambda: from_graph([(0, 1, np.nan)])),
    ("must be hashable", lambda: from_graph([([0], [1])])),
    ("between 1e-150 and 1e150", lambda: from_graph([(0, 1, 1e308), (1, 2, 1e308)], weight="length")),
    ("between 1e-150 and 1e150", lambda: from_graph([(0, 1, 5e-324)], weight="length")),
    ("up to 2^53", lambda: from_graph(np.array([[1e19, 0.0]]))),
    ("matrix of lengths or a list of edges", lambda: from_graph(np.array([[0, 1, 2], [1, 0, 3], [2, 3, 0]]))),
    ("networkx graph, a sparse matrix", lambda: from_graph(3.0), TypeError),
    ("must be connected, got 2 pieces", lambda: STEP(from_graph(EDGES))),
    ("a square sparse array in CSR format", lambda: wt.spaces.Graph(np.eye(2))),
    ("a square sparse array in CSR format", lambda: wt.spaces.Graph(csr_array(np.ones((2, 3))))),
    (
        "finite and at least 0; drop or correct the other edges",
        lambda: wt.spaces.Graph(csr_array([[0.0, -1.0], [-1.0, 0.0]])),
    ),
    ("finite and at least 0", lambda: wt.spaces.Graph(csr_array([[0.0, np.nan], [np.nan, 0.0]]))),
    (
        "size must be a number of nodes from 1 to 2, got 3",
        lambda: wt.spaces.Graph(csr_array([[0.0, 1.0], [1.0, 0.0]]), 3),
    ),
]

PARTS: list[Row] = [
    (
        "eps must be positive and finite, got 0; wt.localize.suggest_eps(X) gives a starting value",
        lambda: wt.Truncation(0),
    ),
    (
        (
            "eps must be positive and finite, got 'gaussian'; wt.localize.suggest_eps(X) gives a starting value, "
            "the profile comes after eps"
        ),
        lambda: wt.Kernel("gaussian", 0.3),
    ),
    ("eps must be positive and finite", lambda: wt.Truncation(1e-200)),
    ("lam must be a finite number ≥ 0", lambda: wt.Gaussian(wt.Truncation(1.0), lam=-1)),
    ("p must be a number ≥ 1 or infinity", lambda: wt.Exact(0.5)),
    ("p must be less than 150 or infinity, got 200", lambda: wt.Exact(200)),
    ("profile must be one of flat, gaussian, epanechnikov, triangle", lambda: wt.Kernel(1.0, "box")),
    ("a profile must turn an array", lambda: wt.Kernel(1.0, lambda t: -np.ones_like(t))(SPACE)),
    ("cut must be positive", lambda: wt.Kernel(1.0, "gaussian", cut=0)),
    (
        "3 points with positive weight see no mass, the first is point 0",
        lambda: wt.Kernel(1.0, lambda t: 1.0 * ((t > 0) & (t < 1)))(SPACE),
    ),
    ("Truncation has no parameter 'radius'; it has eps", lambda: wt.Truncation(0.5).replaced(radius=1.0)),
    ("must be square", lambda: wt.localize.Given(np.ones((2, 3)) / 3)),
    ("negative entries", lambda: wt.localize.Given([[2.0, -1.0], [0.0, 1.0]])),
    (
        "row 0 sums to 0.6; divide each row by its sum, …also after taking a part of a larger matrix (here 2 × 2",
        lambda: wt.localize.Given([[0.3, 0.3], [0.2, 0.8]]),
    ),
    ("must be finite", lambda: wt.localize.Given([[np.nan, 1.0], [0.0, 1.0]])),
    ("has 2 rows, but the space has 3 points", lambda: wt.localize.Given(np.eye(2))(SPACE)),
    ("see no mass", lambda: wt.localize.Given(np.zeros((3, 3)))(SPACE)),
    ("Mean needs a base localization on the space itself", lambda: wt.Mean(wt.Mean(wt.Truncation(1.0))), TypeError),
    (
        "Ridge needs a base localization on the space itself",
        lambda: wt.localize.Ridge(wt.Mean(wt.Truncation(1.0))),
        TypeError,
    ),
    ("Ridge needs coordinates, but this space has only", lambda: wt.localize.Ridge(wt.Truncation(1.0))(DISTANCES)),
    ("Space.from_distances(D, points=X)", lambda: wt.Mean(wt.Truncation(1.0))(DISTANCES)),
    ("dim must be an integer ≥ 0, got -1", lambda: wt.localize.Ridge(wt.Truncation(1.0), -1)),
    ("ridge must be an integer ≥ 0, got -1", lambda: wt.transforms.gaussian_transform(1.0, ridge=-1)),
    ("ridge=1 needs centers that move: use move=True as well", lambda: wt.Gaussian(wt.Truncation(1.0), 1.0, ridge=1)),
    ("flat kernel", lambda: wt.localize.CachedNeighbors(wt.Kernel(1.0, "gaussian")), TypeError),  # bits cannot weigh
    ("flat kernel", lambda: wt.localize.CachedNeighbors(wt.localize.Whole()), TypeError),
    (
        "a bit for each",
        lambda: wt.Mean(wt.localize.CachedNeighbors(wt.Truncation(4.0)))(
            from_points(np.zeros((500, 3)) + np.arange(500)[:, None]), wt.Engine(memory=100)
        ),
        MemoryError,
    ),
    ("needs a space from Space.from_graph", lambda: wt.localize.Heat(1.0)(SPACE)),
    ("needs a localization", lambda: wt.localize.Heat(1.0, 0.5), TypeError),
    (
        "Heat needs a localization on the space itself such as Truncation",
        lambda: wt.localize.Heat(1.0, wt.Mean(wt.Truncation(1.0))),
        TypeError,
    ),
    ("must have shape (3, 3)", lambda: wt.localize.Heat(1.0, csr_array((2, 2)))(SPACE)),
    ("time must be positive", lambda: wt.localize.Heat(0.0)),
    ("share below 1", lambda: wt.localize.Heat(1.0, cut=2.0)),
    ("at most 1e+06 steps", lambda: wt.localize.Heat(1e9)),
    (
        "Bures compares Gaussians measures, made by Gaussian;…Discrete…Truncation…use Exact",
        lambda: wt.Transform(wt.Truncation(1.0), wt.Bures())(SPACE),
        TypeError,
    ),
    (
        "Bures compares Gaussians measures",
        lambda: wt.Transform(wt.Truncation(1.0), wt.transport.Stored(wt.Bures()))(SPACE),
        TypeError,
    ),
    (
        "Exact compares Discrete…use DiracDistance",
        lambda: wt.Transform(wt.Mean(wt.Truncation(1.0)), wt.Exact(1))(SPACE),
        TypeError,
    ),
    (
        "DiracDistance compares Diracs…use Bures",
        lambda: wt.Transform(wt.Gaussian(wt.Truncation(1.0), 1.0), wt.transport.DiracDistance())(SPACE),
        TypeError,
    ),
    (
        "one coordinate, got points of shape (3, 2); use Exact",
        lambda: wt.Transform(wt.Truncation(9.0), wt.transport.Line())(SPACE),
    ),
    (
        "one coordinate and the Euclidean metric, got Dense; use Exact",
        lambda: wt.Transform(wt.Truncation(9.0), wt.transport.Line())(DISTANCES),
        TypeError,
    ),
    ("Stored needs a Transport", lambda: wt.transport.Stored(3), TypeError),
    ("pass space.metric", lambda: wt.Exact(1).coupling(wt.Truncation(9.0)(SPACE), SPACE, 0, 1), TypeError),
    (
        "indices of measures from 0 to 2",
        lambda: wt.Exact(1).coupling(wt.Truncation(9.0)(SPACE), SPACE.metric, 3, 1),
        IndexError,
    ),
]

TRANSFORMS: list[Row] = [
    ("localize must be a Localization", lambda: wt.Transform(1.0, wt.Exact(1)), TypeError),
    ("transport must be a Transport", lambda: wt.Transform(wt.Truncation(1.0), "exact"), TypeError),
    ("a Space is needed", lambda: STEP(GOOD), TypeError),
    ("a Space is needed, got ndarray", lambda: wt.iterate(wt.transforms.mean_shift(1.0), GOOD, n_iter=1), TypeError),
    ("a Process or a Transform is needed", lambda: wt.iterate(wt.Truncation(1.0), SPACE, n_iter=1), TypeError),
    ("n_iter must be an integer ≥ 0", lambda: wt.iterate(wt.transforms.mean_shift(1.0), SPACE, n_iter=-1)),
    ("n_iter must be", lambda: wt.iterate(wt.transforms.mean_shift(1.0), SPACE, n_iter=np.inf)),
    (
        "keep must be one of 'last', 'all', got 'some'",
        lambda: wt.iterate(wt.transforms.mean_shift(1.0), SPACE, n_iter=1, keep="some"),
    ),
    ("tol must be a finite number ≥ 0", lambda: wt.iterate(STEP, SPACE, n_iter=1, tol=-1)),
    ("merge must be a finite number ≥ 0", lambda: wt.iterate(STEP, SPACE, n_iter=1, merge=np.nan)),
    (
        "Identity() has no eps",
        lambda: wt.iterate(wt.Transform(wt.localize.Identity(), wt.Exact(1)), SPACE, n_iter=2, tol=1e-3),
    ),
    ("empty sequence", lambda: wt.transforms.mean_shift([])),
    (
        "there are steps …for 2 iterations, but iteration 3 was requested",
        lambda: wt.iterate(wt.transforms.mean_shift([0.3, 0.6]), SPACE, n_iter=3),
    ),
    ("needs all distances", lambda: lazy().metric.neighbors(1), TypeError),
    ("not saved", lambda: lazy().save("nowhere.npz"), TypeError),
    ("Exact transport is needed", lambda: lazy(wt.transforms.mean_shift(1.0).at(0)), TypeError),
    (
        "kernel of finite reach and Exact transport",
        lambda: wt.transforms.iterate_locally(wt.transforms.kernel_transform(1.0, "gaussian"), SPACE, 1.0),
        TypeError,
    ),
    ("radius must be", lambda: wt.transforms.iterate_locally(STEP, SPACE, 0.0)),
    ("n_iter must be", lambda: wt.transforms.iterate_locally(STEP, SPACE, 1.0, 0)),
    (
        "needs the triangle inequality",
        lambda: wt.transforms.iterate_locally(STEP, from_points(GOOD, metric="sqeuclidean"), 1.0),
    ),
    (
        "1 of 3 points have no mass within eps",
        lambda: wt.iterate(wt.transforms.mean_shift(1.0), from_points([[0.0], [0.5], [9.0]], [1, 1, 0]), n_iter=1),
        wt.transforms.MasslessWarning,
    ),
]

HIERARCHY: list[Row] = [
    ("a Space is needed", lambda: wt.hierarchy.spanning_tree(GOOD), TypeError),
    (
        "a Tree is needed, got ndarray; wt.hierarchy.spanning_tree(space) makes one",
        lambda: wt.hierarchy.cut_tree(wt.hierarchy.linkage(SPACE), 2),
        TypeError,
    ),
    ("a Tree is needed, got ndarray", lambda: wt.hierarchy.cut_tree_each(np.zeros(3), [2]), TypeError),
    (
        "share must be between 0 and 1, got 2",
        lambda: wt.hierarchy.cut_tree_each(wt.hierarchy.spanning_tree(SPACE), [2], share=2),
    ),
    ("n_clusters must be", lambda: wt.hierarchy.cut_tree_each(wt.hierarchy.spanning_tree(SPACE), [2, 0])),
    (
        "reachability must be at most 2, the number of other points, got 3",
        lambda: wt.hierarchy.spanning_tree(SPACE, reachability=3),
    ),
    ("reachability must be", lambda: wt.hierarchy.spanning_tree(SPACE, reachability=-1)),
    ("cut must be one of 'count', 'height', 'robust'", lambda: wt.SingleLinkage(cut="best").fit(GOOD)),
    ("n_clusters must be an integer ≥ 1", lambda: wt.SingleLinkage(0).fit(GOOD)),
    ("share must be between 0 and 1", lambda: wt.SingleLinkage(cut="robust", share=2).fit(GOOD)),
    ("share must be", lambda: wt.SingleLinkage(cut="robust", share="a").fit(GOOD)),
    ("needs a height", lambda: wt.SingleLinkage(cut="height").fit(GOOD)),
    ("metric must be one of", lambda: wt.SingleLinkage(metric=["euclidean"]).fit(GOOD)),
    ("must be an integer of at most 9223372036854775807", lambda: wt.iterate(STEP, from_points(GOOD), n_iter=10**25)),
    (
        "found 1 of the 2 clusters requested…the next merges tie, and cutting all of them would make 3",
        lambda: wt.SingleLinkage(2, cut="robust").fit([[4], [5], [6], [4]]),
        wt.hierarchy.FewerClustersWarning,
    ),
    (
        "in one place; a transform with a smaller eps or fewer iterations",
        lambda: wt.SingleLinkage(2, cut="robust").fit(np.zeros((9, 1))),
        wt.hierarchy.FewerClustersWarning,
    ),
    (
        "found 2 of the 3 clusters requested: there are no more distinct points",
        lambda: wt.cluster([[0.0], [1.0], [1.0]], 3),
        wt.hierarchy.FewerClustersWarning,
    ),
]

ESTIMATORS: list[Row] = [
    ("is not fitted yet", lambda: GaussianTransform(1.0).distances_, NotFittedError),
    (
        "this LocalTruncation is not fitted yet: call its fit(X) before",
        lambda: wt.SingleLinkage().fit(wt.LocalTruncation()),
        NotFittedError,
    ),
    ("a fitted transform of this library, got SVC", lambda: wt.SingleLinkage().fit(SVC()), TypeError),
    (
        "X must be an array, a Space or a fitted transform, got object",
        lambda: GaussianTransform(1.0).fit(object()),
        TypeError,
    ),
    ("X must not be masked", lambda: wt.SingleLinkage(1).fit(np.ma.masked_array(GOOD, GOOD > 3))),
    (
        "columns of different names, got 'a' twice; rename one of them",
        lambda: wt.SingleLinkage(1).fit(pd.DataFrame(GOOD, columns=["a", "a"])),
    ),
    ("WassersteinTransform needs a localization", lambda: wt.WassersteinTransform().fit(GOOD)),
    ("no parameters", lambda: wt.WassersteinTransform(wt.Truncation(1.0), wt.Exact()).set_params(localize__eps__x=1)),
    (
        "Mean has no parameter 'eps'",
        lambda: wt.WassersteinTransform(wt.Mean(wt.Truncation(0.1)), wt.transport.DiracDistance()).set_params(
            localize__eps=3
        ),
    ),
    (
        "needs a square matrix of distances or SciPy's condensed vector, got shape",
        lambda: wt.LocalTruncation(metric="precomputed").fit(GOOD),
    ),
    ("needs a square matrix", lambda: wt.SingleLinkage(metric="precomputed").fit(GOOD)),
    ("n_iter must be an integer of at most", lambda: wt.MeanShift(1.0, n_iter=10**25).fit(GOOD)),
    ("Space.from_distances(D, points=X)", lambda: wt.MeanShift(metric="precomputed").fit(1 - np.eye(2))),
    ("a Space carries its weights", lambda: wt.MeanShift(1.0).fit(SPACE, sample_weight=[1, 1, 1])),
    ("a Space carries its weights", lambda: wt.localize.suggest_eps(SPACE, sample_weight=[1, 1, 1])),
    ("eps must be positive and finite, got 'best'", lambda: GaussianTransform("best").fit(GOOD)),
    ("lam must be a finite number ≥ 0, got 'best'", lambda: GaussianTransform(lam="best").fit(GOOD)),
    ("n_iter must be an integer ≥ 0", lambda: GaussianTransform(n_iter="best").fit(GOOD)),
    (
        "eps has 3 radii, one per iteration, but n_iter=2; n_iter=3 uses all",
        lambda: GaussianTransform([0.1, 0.2, 0.3], n_iter=2).fit(GOOD),
    ),
    (
        "output must be one of 'auto', 'points', 'distances', 'embedding', got 'x'",
        lambda: GaussianTransform(output="x").fit(GOOD),
    ),
    (
        "changes distances and does not move points: use output='distances'",
        lambda: wt.LocalTruncation(1.0, output="points").fit(GOOD),
    ),
    (
        "matrix of new distances…use fewer points, or output='points'",
        lambda: GaussianTransform(output="distances").fit(np.zeros((1_000_000, 2))),
        MemoryError,
    ),
    (
        "matrix of new distances in addition to the old one needs 14.6 TiB",
        lambda: wt.LocalTruncation().fit(np.zeros((1_000_000, 2))),
        MemoryError,
    ),
    (
        "new points need all states of the fit, but keep='last' kept only one",
        lambda: GaussianTransform(1.0, keep="last").fit(GOOD).transform(GOOD),
    ),
    (
        "one row per new point, with its distances to all fitted points",
        lambda: wt.LocalTruncation(1.0).fit(from_points(GOOD, metric="cityblock")).transform(GOOD),
    ),
    (
        "coordinates do not give their distances",
        lambda: wt.MeanShift(9.0).fit(from_distances(np.ones(3), points=GOOD)).transform(GOOD),
    ),
    (
        "Given has no measures for new points, only for the fitted",
        lambda: wt.WassersteinTransform(wt.localize.Given(np.eye(3)), wt.Exact()).fit(GOOD).transform(GOOD),
    ),
    (
        "makes a metric and no clusters…wt.SingleLinkage(n_clusters).fit",
        lambda: GaussianTransform().labels_,
        AttributeError,
    ),
    ("has no attribute 'label'", lambda: wt.MeanShift(9.0).fit(GOOD).label, AttributeError),
    (
        "X has 3 features, but AutoCluster is expecting 2 features",
        lambda: wt.AutoCluster(3).fit(CLOUD).predict(np.zeros((1, 3))),
    ),
    ("n_clusters must be", lambda: wt.AutoCluster(0).fit(CLOUD)),
    ("a Space carries its weights", lambda: wt.AutoCluster().fit(PLANE, sample_weight=np.ones(30))),
    (
        "did not converge, and labels_ are groups…ran 1 iteration…not within the tolerance 0: raise n_iter",
        lambda: wt.MeanShift(3.0, n_iter=1, tol=0.0).fit(np.arange(40.0)[:, None] ** 1.1),
        ConvergenceWarning,
    ),
    (
        "a function cannot be stored, got …; use a named profile",
        lambda: wt.MeanShift(9.0, profile=np.ones_like).fit(GOOD).save("x.npz"),
        TypeError,
    ),
    (
        "there is no folder …nowhere to write x.npz to; make it first",
        lambda: SPACE.save("nowhere/x"),
        FileNotFoundError,
    ),
    (
        "a file is needed to write to, got the folder",
        lambda: [Path("x.npz").mkdir(), SPACE.save("x")],
        IsADirectoryError,
    ),
    ("holds a Space, but a Trajectory is needed", lambda: wt.transforms.Trajectory.load(SPACE.save("x"))),
]

AUTO: list[Row] = [
    (
        "1 cell has no value: 1 in column 1; missing='drop' leaves their rows out, missing='fill' fills them",
        lambda: wt.cluster([[0.0, np.nan], [1.0, 2.0]], missing="error"),
    ),
    ("must be finite, got inf at [0, 1]", lambda: wt.cluster([[0.0, np.inf], [1.0, np.nan]])),
    ("every row has a gap, 2 cells have no value", lambda: wt.cluster([[0.0, np.nan], [np.nan, 2.0]])),
    ("scale must be one of 'auto', 'standard'…, got 'log'", lambda: wt.cluster(CLOUD, scale="log")),
    ("missing must be one of 'drop', 'fill', 'error', got 'mean'", lambda: wt.cluster(CLOUD, missing="mean")),
    ("scale='robust' needs a table of points, got a Space or distances", lambda: wt.cluster(PLANE, scale="robust")),
    ("scale='robust' is for metric='euclidean'", lambda: wt.cluster(CLOUD, scale="robust", metric="cosine")),
    ("row 1 has only zeros, and so no direction", lambda: wt.cluster([[1.0, 2], [0, 0]], metric="cosine")),
    ("columns of an array must be numbers from 0 to 1, got ['x']", lambda: wt.cluster(CLOUD, columns=["x"])),
    (
        "a sparse matrix of 20000 × 1000; reduce it first: sklearn.decomposition.TruncatedSVD(50).fit_transform(X)",
        lambda: wt.cluster(csr_array((20000, 1000))),
    ),
    (
        "the table has no column to cluster: id numbers the rows; when holds dates; columns=[...] uses them anyway",
        lambda: wt.cluster(DataFrame({"id": range(9), "when": ["2024-01-10"] * 9})),
    ),
    (
        "the table has no column size; its columns are length",
        lambda: wt.cluster(DataFrame({"size": [1.0, 2, 3]})).predict(DataFrame({"length": [1.0]})),
    ),
    (
        "covariances must be standard errors of shape (30, 2) or covariances of shape (30, 2, 2), got shape (30,)",
        lambda: wt.cluster(CLOUD, covariances=np.ones(30)),
    ),
    ("covariances must be numbers or names of columns", lambda: wt.cluster(CLOUD, covariances={"x": 1})),
    ("covariances must be finite, got those of row 3", lambda: wt.cluster(CLOUD, covariances=errors_with(3, np.nan))),
    ("standard errors must not be negative, got -1", lambda: wt.cluster(CLOUD, covariances=errors_with(3, -1.0))),
    (
        "covariances must be symmetric, those of row 0 are not",
        lambda: wt.cluster(CLOUD, covariances=np.tile([[1.0, 0.5], [0.2, 1.0]], (30, 1, 1))),
    ),
    (
        "covariances must be positive semidefinite, those of row 0 have the eigenvalue -1",
        lambda: wt.cluster(CLOUD, covariances=np.tile([[1.0, 2.0], [2.0, 1.0]], (30, 1, 1))),
    ),
    ("covariances need metric='euclidean'", lambda: wt.cluster(CLOUD, covariances=CLOUD**2, metric="cosine")),
    ("covariances need a table of points", lambda: wt.cluster(PLANE, covariances=CLOUD**2)),
    ("X has no columns of standard errors, such as x_err", lambda: wt.cluster(CLOUD, covariances=True)),
    ("columns of errors need a DataFrame, got ndarray", lambda: wt.cluster(CLOUD, covariances=["a", "b"])),
    (
        "must name a column of errors for each of the 2 columns x, y, got 1",
        lambda: wt.cluster(DataFrame({"x": CLOUD[:, 0], "y": CLOUD[:, 1], "e": 1.0}), covariances=["e"]),
    ),
    (
        "column e: standard errors must not be negative, got -1",
        lambda: wt.cluster(DataFrame({"x": CLOUD[:, 0], "e": -1.0}), covariances=["e"], columns=["x"]),
    ),
    (
        "the fitted points have errors, so predict needs the standard errors of the new ones",
        lambda: wt.cluster(CLOUD, covariances=CLOUD**2).predict(CLOUD),
    ),
    ("covariances were not given to wt.cluster", lambda: wt.cluster(CLOUD).predict(CLOUD, covariances=CLOUD**2)),
    (
        "covariances must be standard errors of shape (30, 2), as the fitted ones",
        lambda: wt.cluster(CLOUD, covariances=CLOUD**2).predict(CLOUD, covariances=np.tile(np.eye(2), (30, 1, 1))),
    ),
    ("labels must have shape (30,), one for each point, got (3,)", lambda: wt.score(CLOUD, [0, 1, 2])),
    ("labels must be integers, got float64", lambda: wt.score(CLOUD, np.linspace(0, 1, 30))),
    ("every point is noise (label -1)", lambda: wt.score(CLOUD, np.full(30, -1))),
    ("n_clusters must be", lambda: wt.cluster(CLOUD, 0)),
    ("noise must be True, False, or a share…below 1, got 1.0", lambda: wt.cluster(CLOUD, noise=1.0)),
    ("a Space carries its metric", lambda: wt.cluster(PLANE, metric="cityblock")),
    ("weights must have a positive total", lambda: wt.cluster(CLOUD, sample_weight=np.zeros(30))),
    ("X must have 2 columns, as the fitted points, got 3", lambda: wt.cluster(CLOUD, 2).predict(np.zeros((1, 3)))),
    (
        "X must hold distances to all 30 fitted points, got 2 columns",
        lambda: wt.cluster(PLANE.metric.dense(), 2, metric="precomputed").predict([[1.0, 2.0]]),
    ),
    (
        "distances must not be negative, got -1",
        lambda: wt.cluster(PLANE.metric.dense(), 2, metric="precomputed").predict(-np.ones((1, 30))),
    ),
    (
        "the classical scaling of 30 places needs",
        lambda: wt.cluster(PLANE.metric.dense(), 3, metric="precomputed", engine=wt.Engine(memory=8 * 30 * 30 * 3)),
        MemoryError,
    ),
    ("one of 'clusters', 'modes', 'curve', 'surface', got 'lines'", lambda: wt.suggest(SPACE, "lines")),
    ("a Space carries its metric: leave out metric='cityblock'", lambda: wt.suggest(SPACE, metric="cityblock")),
    ("a Space carries its weights", lambda: wt.suggest(SPACE, sample_weight=[1, 1, 1])),
    ("needs coordinates, and these are distances only", lambda: wt.suggest(DISTANCES, "curve")),
    (
        "at eps=1e-05 all points are alone…is eps in the unit of the data?",
        lambda: GaussianTransform(1e-5).fit(np.random.default_rng(0).normal(size=(300, 2))),
        wt.transforms.ScaleWarning,
    ),
    (
        "at eps=0.5 nearly all points are alone",
        lambda: GaussianTransform(0.5).fit(np.r_[0.1, np.arange(300.0)][:, None]),
        wt.transforms.ScaleWarning,
    ),
    (
        "a typical neighborhood holds …% of the points…wt.suggest(X)",
        lambda: GaussianTransform(5.0).fit(np.random.default_rng(0).normal(size=(300, 2))),
        wt.transforms.ScaleWarning,
    ),
    (
        "Column 1 spreads 1e+03 times as far as column 0…StandardScaler",
        lambda: GaussianTransform(0.5).fit(CLOUD / CLOUD.std(axis=0) * [1.0, 1000.0]),
        wt.transforms.ScaleWarning,
    ),
    (
        "has integers beyond 2^53, which are rounded, such as 46116860184273879",
        lambda: from_points([[2**62], [2**62 + 1]]),
        UserWarning,
    ),
]

PLOTTING: list[Row] = [
    (
        "ax must be a matplotlib Axes, got Figure; plt.subplots()[1] is one",
        lambda: scatter(ax=plotting.panels()[0]),
        TypeError,
    ),
    ("needs 2-D Axes, got 3-D ones", lambda: scatter(ax=plotting.panels(dim=3)[1])),
    (
        "need 3-D Axes, got 2-D ones; …projection='3d'",
        lambda: plotting.cloud(np.zeros((4, 3)), ax=plotting.panels()[1]),
    ),
    ("1, 2 or 3 coordinates can be drawn, these have 5", lambda: plotting.cloud(np.zeros((4, 5)))),
    ("has no coordinates to draw; plotting.mds", lambda: plotting.cloud(DISTANCES)),
    ("kind", lambda: plotting.cloud(pd.DataFrame({"x": [0.0, 1.0], "kind": ["a", "b"]}))),
    ("one label per point, shape (30,), got shape (2,)", lambda: scatter([0, 1])),
    ("one label per point", lambda: plotting.mds(PLANE, [0, 1])),
    ("one label per point, shape (30,), got shape (29,)", lambda: scatter(np.linspace(0, 1, 29))),
    ("size must be positive and finite, got -1", lambda: scatter(size=-1)),
    (
        "colors must have one for each label, and has none for 'b'",
        lambda: plotting.cloud([[0.0], [1.0]], ["a", "b"], colors={"a": "red"}),
    ),
    ("values must be finite", lambda: scatter(np.r_[np.inf, np.linspace(0, 1, 29)])),
    ("colors must be a mapping from label to color, or one", lambda: scatter(np.arange(30) % 2, colors="red")),
    ("one color for points without labels, got {0: 'red'}", lambda: scatter(colors={0: "red"})),
    ("these are values, which have a scale", lambda: scatter(CLOUD[:, 0], colors={0: "red"})),
    ('all steps τ = 0 … 3, and this run has none; run it with keep="all"', lambda: plotting.walk(flow().only_last())),
    ("a Trajectory is needed, got Space; wt.iterate", lambda: plotting.walk(PLANE), TypeError),
    ("some of the kept τ = 0 … 3, got [7]", lambda: plotting.walk(flow(), steps=[7])),
    ("axes must be 4, one for each panel, got 1", lambda: plotting.walk(flow(), axes=plotting.panels()[1])),
    ("or draw distances with plotting.mds", lambda: plotting.walk(still())),
    (
        "onto must have a row …shape (30, 3), got shape (30, 2)",
        lambda: plotting.embedding.embed(PLANE.metric, dim=3, onto=CLOUD),
    ),
    ("distances must be a square matrix", lambda: plotting.embedding.embed(CLOUD)),
    ("dim must be an integer ≥ 1, got 0", lambda: plotting.embedding.embed(PLANE.metric, 0)),
    (
        "max_leaves must be an integer ≥ 2, got 1",
        lambda: plotting.dendrogram(wt.hierarchy.spanning_tree(PLANE), max_leaves=1),
    ),
    ("tree must be a Tree, got ndarray; wt.hierarchy", lambda: plotting.dendrogram(PLANE.metric.dense()), TypeError),
    ("integers or names, got fractions", lambda: plotting.dendrogram(wt.hierarchy.spanning_tree(PLANE), CLOUD[:, 0])),
    ("dim must be 2 or 3, got 4", lambda: plotting.panels(dim=4)),
    ("rows must be an integer ≥ 1, got 0", lambda: plotting.panels(0)),
    (
        "labels must have the shape of the image, (2, 2), got (3, 2)",
        lambda: plotting.segmentation(np.zeros((2, 2)), np.zeros((3, 2), int)),
    ),
    (
        "labels must be integers, got dtype float64",
        lambda: plotting.segmentation(np.zeros((2, 2)), np.zeros((2, 2))),
    ),
    ("image must hold numbers, in shape (h, w)", lambda: plotting.segmentation(np.zeros(4), np.zeros(4, int))),
    ("shape (5, 2)", lambda: plotting.curvature(curvature(EDGES), [[0.0, 1.0]])),
    ("found must be Curvature, got list", lambda: plotting.curvature(EDGES), TypeError),
    ("found must be Flow", lambda: plotting.flow(3), TypeError),
    ("found must be Communities", lambda: plotting.communities(3), TypeError),
    ("found must be Clustering, got list; wt.cluster(X) makes one", lambda: plotting.clustering([0, 1]), TypeError),
    ("found must be Denoised, got ndarray", lambda: plotting.denoised(GOOD), TypeError),
    ("found must be Skeleton, got int", lambda: plotting.skeleton(1), TypeError),
    ("at most 1500 nodes", lambda: plotting.graphs.layout(nx.path_graph(1501))),
    ("nothing to draw: all the mass is in one place", lambda: wt.suggest(np.zeros((5, 2))).plot()),
]

VALUES = nx.Graph([("a", "b", {"value": 2, "id": 0}), ("b", "c", {"value": 3, "id": 1})])
TWO_VALUES = nx.Graph([("a", "b", {"value": 2, "n": 0.5}), ("b", "c", {"value": 3, "n": 1.5})])

GRAPHS: list[Row] = [
    ("between 0 and 1", lambda: wt.graphs.LazyWalk(1.5)),
    ("step must be at most 1", lambda: wt.graphs.ricci_flow(EDGES, step=2.0)),
    ("must be a LazyWalk or a localization", lambda: curvature(EDGES, 0.5), TypeError),
    ("the graph is directed and is used without directions", lambda: curvature(nx.DiGraph([(0, 1)])), UserWarning),
    ("the graph has no node 'z'", lambda: curvature(EDGES).of("z", 0), KeyError),
    ("was not asked for", lambda: curvature(EDGES).of(0, 2), KeyError),
    ("it has no 'e'", lambda: curvature(EDGES, pairs=[(0, "e")])),
    ("not the edges", lambda: curvature(EDGES, pairs=[(0, 2)]).to_networkx()),
    ("no path leads to", lambda: curvature(EDGES, wt.localize.Whole())),
    (
        "overflow; rescale lengths",
        lambda: curvature([(0, 1, 1e120), (1, 2, 3e120)], wt.graphs.LazyWalk(0.5, 3.0), weight="length"),
    ),
    ("n_communities must be at most 5, the number of nodes, got 6", lambda: communities(EDGES, 6)),
    ("n_communities must be an integer", lambda: communities(EDGES, 0)),
    ("at most 5, the number of nodes, got 6", lambda: wt.graphs.ricci_flow(EDGES, 2).communities(6)),
    ("give one of n_communities and resolution", lambda: communities(EDGES, 2, resolution=1.0)),
    ("resolution must be", lambda: communities(EDGES, resolution=-1.0)),
    ("edges of length 0 have no strength", lambda: communities([(0, 1, 0.0), (1, 2, 1.0)], weight="length")),
    ("either n_communities or cutoff", lambda: wt.graphs.ricci_flow(EDGES, 2).communities(2, cutoff=1.5)),
    (
        "n_communities must be at least 2, the number of connected parts of the graph, got 1",
        lambda: wt.graphs.ricci_flow(EDGES, 2).communities(1),
    ),
    (
        "found 1 community of the 3 requested: the next edges",
        lambda: wt.graphs.ricci_flow(nx.cycle_graph(6), 2).communities(3),
        wt.hierarchy.FewerClustersWarning,
    ),
    (
        "edges have the attribute 'value'; pass weight='value' to use it, or weight=None to ignore numbers",
        lambda: as_network(VALUES),
    ),
    ("edges have the attributes 'n' and 'value'; pass weight='n' to use", lambda: as_network(TWO_VALUES)),
    ("'value' may be a length or a strength; pass weight=('value', 'length')", lambda: as_network(VALUES, "value")),
    ("edges have no strength; pass weight=('value', 'strength')", lambda: as_network(VALUES, "strength")),
    ("no edge has the attribute 'cost' with a number; they have 'value'", lambda: as_network(VALUES, "cost")),
    ("weight must be 'length', 'strength', the name of an edge attribute, a pair", lambda: as_network(EDGES, 3)),
    ("weight must be", lambda: as_network(EDGES, ("value", "cost"))),
    ("weight must be", lambda: as_network(EDGES, ["length"])),
    ("strengths of edges must be positive, got 0; leave out", lambda: as_network([(0, 1, 0.0)], "strength")),
    ("strengths of edges must be positive, got -2", lambda: as_network([(0, 1, -2.0)], "strength")),
    ("strengths of edges must be finite", lambda: as_network([(0, 1, np.nan)], "strength")),
    ("between 1e-150 and 1e150", lambda: as_network([(0, 1, 1e-300)], "strength")),
    ("must be finite", lambda: as_network([(0, 1, 5e-324)], "strength")),
    ("must be finite", lambda: as_network(csr_array([[0, np.nan], [np.nan, 0]]))),
    ("weights of edges must be finite", lambda: as_network(nx.Graph([("a", "b", {"weight": np.nan})]))),
    (
        "strengths of edges must be numbers, got weight 'strong' between 'a' and",
        lambda: as_network(nx.Graph([("a", "b", {"weight": "strong"})]), "strength"),
    ),
    ("a Network has lengths already", lambda: as_network(as_network(EDGES), "strength")),
    ("a Network has lengths already", lambda: as_network(as_network(EDGES), "x")),
    (
        "edges have 'length' and 'weight'; choose one by weight='length'",
        lambda: as_network(nx.Graph([("a", "b", {"length": 4, "weight": 2})])),
    ),
    (
        "weight='strength' needs edges with 'strength' or 'weight', but these have 'len",
        lambda: as_network(nx.Graph([("a", "b", {"length": 4})]), "strength"),
    ),
    (
        "pass wt.spaces.Graph.of(graph, weight=…)",
        lambda: wt.wasserstein_pairs(np.eye(3), nx.Graph([(0, 1, {"weight": 2}), (1, 2)]), 1.0, [(0, 2)]),
    ),
]

IMAGE: list[Row] = [
    ("give one of scale and n_segments, got 0.5 and 3", lambda: wt.segment(np.eye(9), scale=0.5, n_segments=3)),
    ("scale must lie between 0 and 1, got 1.5", lambda: wt.segment(np.eye(9), scale=1.5)),
    ("scale must be a finite number ≥ 0", lambda: wt.segment(np.eye(9), scale=-1)),
    ("n_segments must be an integer ≥ 1", lambda: wt.segment(np.eye(9), n_segments=0)),
    ("n_segments must be at most", lambda: wt.segment(np.eye(9), n_segments=10**6)),
    ("color must be True or False, got 'none'", lambda: wt.segment(np.zeros((9, 9)), color="none")),
    ("got 0 to 9; rescale them, or use color=False", lambda: wt.segment(np.eye(9)[..., None] * np.full(3, 9.0))),
    ("contours are those of a picture of two axes and channels, got shape", lambda: wt.segment(np.zeros((3, 4, 50)))),
    ("image is transparent everywhere", lambda: wt.segment(np.zeros((4, 4, 4)))),
    ("nothing.png does not exist; give a picture, or a folder", lambda: wt.segment("nothing.png")),
    ("give at least one picture, got an empty list", lambda: wt.segment([])),
    ("label must be at most 0, the last region, got 3", lambda: wt.segment(np.eye(4)).mask(3)),
    ("polygons are outlines in a plane, got a volume", lambda: by_radii(np.zeros((3, 4, 5))).polygons()),
    ("image must be finite; mask out", lambda: wt.segment(np.full((4, 4), np.nan))),
    ("image must lie within ±1e+30", lambda: wt.segment(np.full((4, 4), 1e200))),
    ("colors given as floats must lie in [0, 1]", lambda: wt.segment(np.full((4, 4, 3), 7.0))),
    ("must not be a masked array", lambda: wt.segment(np.ma.masked_array(np.eye(4), np.eye(4) > 0))),
    ("channel_axis must be the number of an axis", lambda: wt.segment(np.eye(4), channel_axis="last")),
    ("channel_axis must be the number of an axis", lambda: wt.segment(np.eye(4), channel_axis=1.5)),
    ("at least one pixel, got shape (0, 4)", lambda: by_radii(np.zeros((0, 4)))),
    ("grid of 2 or 3 axes", lambda: by_radii(np.zeros(4))),
    ("image must be numbers or the path of a file, got dtype", lambda: by_radii([["a"]])),
    ("image must be finite; mask out", lambda: by_radii(np.array([[1.0, np.nan]]))),
    ("image must be finite", lambda: by_radii(np.array([[1.0, np.inf]]))),
    ("within ±1e+100, got 1e+200 to 1e+200", lambda: by_radii(np.ones((2, 2)) * 1e200)),
    ("within ±1e+30, got", lambda: by_radii(np.full((2, 2), 1e35, np.float32))),
    ("given as signed integers must lie in [0, 255], got -1 to -1", lambda: by_radii(np.full((2, 2, 3), -1))),
    ("colors given as floats must lie in [0, 1], got 200 to 200", lambda: by_radii(np.full((2, 2, 3), 200.0))),
    ("channel_axis must be an axis of the image", lambda: by_radii(np.eye(2), channel_axis=5)),
    ("spatial_radius must be positive", lambda: by_radii(np.eye(2), spatial_radius=-1)),
    ("range_radius must be positive", lambda: by_radii(np.eye(2), range_radius=0)),
    ("lam must be", lambda: by_radii(np.eye(2), lam=-1)),
    ("color must be one of 'luv', 'lab', 'rgb', 'none', got 'hsv'", lambda: by_radii(np.eye(2), color="hsv")),
    ("linking must be one of 'adjacent', 'paper'", lambda: by_radii(np.eye(2), linking="all")),
    ("n_iter must be an integer ≥ 1", lambda: by_radii(np.eye(2), n_iter=0)),
    ("mask must have the shape of the image, (2, 2)", lambda: by_radii(np.eye(2), mask=np.ones((2, 3), bool))),
    ("mask must be True and False", lambda: by_radii(np.eye(2), mask=np.ones((2, 2)))),
    ("mask must be True for at least one pixel", lambda: by_radii(np.eye(2), mask=np.zeros((2, 2), bool))),
    (
        "needs radii of at least 5e-10 times the spread of the data",
        lambda: by_radii([[0.0, 1e12]], range_radius=1.0, linking="paper"),
    ),
    (
        "windows of …pixels, about …comparisons",
        lambda: by_radii(np.zeros((200, 200)), spatial_radius=120.0),
        UserWarning,
    ),
    (
        "range_radius=0.5 gives 1 segment: it is in the unit of the image, whose values spread over 0.1",
        lambda: by_radii(np.linspace(0, 0.1, 2000).reshape(40, 50).round(1), range_radius=0.5),
        UserWarning,
    ),
    (
        "colors reach only 4000 of 65535, which is nearly black; if the picture has fewer bits",
        lambda: wt.segment(np.full((9, 9, 3), 4000, np.uint16)),
        UserWarning,
    ),
]

CURVES: list[Row] = [
    ("dim must be an integer ≥ 0", lambda: wt.denoise(CLOUD, dim=-1)),
    (
        "dim must be at most 2, since points have 2 coordinates, got 3; 1 is for curves",
        lambda: wt.denoise(CLOUD, dim=3),
    ),
    ("eps must be positive", lambda: wt.denoise(CLOUD, eps=-1.0)),
    ("trust must be a finite number ≥ 0", lambda: wt.denoise(CLOUD, trust=-1.0)),
    ("one length for each of the 2 axes", lambda: wt.denoise(CLOUD, scale=2.0)),
    ("got shape (3,)", lambda: wt.denoise(CLOUD, scale=[1.0, 1.0, 1.0])),
    ("scale must be positive", lambda: wt.denoise(CLOUD, scale=[1.0, 0.0])),
    ("order must hold the trip of each of the 30 points", lambda: wt.denoise(CLOUD, order=[1, 2])),
    ("got a tuple of 3", lambda: wt.denoise(CLOUD, order=(1, 2, 3))),
    ("got nan at 29; drop such points", lambda: wt.denoise(CLOUD, order=np.append(np.zeros(29), np.nan))),
    ("times must hold one number per point", lambda: wt.denoise(CLOUD, order=(np.zeros(30), np.zeros(3)))),
    ("leave lam out where the order is known", lambda: wt.denoise(CLOUD, order=np.zeros(30), lam=1.0)),
    ("takes points, got a Space", lambda: wt.denoise(PLANE), TypeError),
    ("has no column bus; its columns are lon, lat", lambda: wt.denoise(PLACES, order="bus")),
    ("trip=False leaves trips out; leave one of them out", lambda: tables.tracks(PLACES, trip=False, time="lon")),
    (
        "row 1, column trip: the cell gives no trip; fill it in, drop the row, or use order=False",
        lambda: wt.denoise(PLACES[:1].assign(trip=None)),
    ),
    (
        "row 1, column lon: 0.00° E, 0.00° N lies more than 1,000 km from the middle…take one region at a time",
        lambda: wt.denoise(PLACES),
    ),
    ("a Denoised is needed, got ndarray", lambda: wt.skeleton(GOOD), TypeError),
    ("lines come from curves", lambda: wt.skeleton(wt.denoise(np.c_[CLOUD, CLOUD[:, 0]], 2))),
    ("detail must be a finite number", lambda: wt.skeleton(wt.denoise(CLOUD, 1), detail=-1)),
    ("layout must be one of 'square', 'hexagonal', 'rings', got 'oval'", lambda: wt.datasets.dumbbell(layout="oval")),
    ("eccentricity must be positive and finite, got -1", lambda: wt.datasets.dumbbell(-1)),
    ("n must be an integer ≥ 1, got 0", lambda: wt.datasets.spiral(0, n=0)),
    ("noise must be", lambda: wt.datasets.spiral(0, noise=-1)),
    ("turns must be positive", lambda: wt.datasets.spiral(0, turns=0)),
    ("turns must be at most 200", lambda: wt.datasets.spiral(0, turns=1e6)),
    ("sequence of at least one radius, got ()", lambda: wt.datasets.circles(0, radii=())),
    ("each radius must be positive", lambda: wt.datasets.circles(0, radii=(1, -1))),
    ("radii must be a sequence", lambda: wt.datasets.circles(0, radii=1.0)),
    ("n must be an integer ≥ 2, got 1", lambda: wt.datasets.grid(1)),
    ("points must be a 2-D array", lambda: wt.datasets.circles(0).curve.distance([0.0, 0.0])),
    ("within must be", lambda: wt.datasets.circles(0).curve.coverage([[0.0, 0.0]], -1)),
]


def _in_folder(out: Any) -> object:
    return wt.iterate(wt.transforms.mean_shift(1.0), SPACE, n_iter=1, out=out)


ENGINE: list[Row] = [
    ("memory must be a number of bytes, such as 4GB or 500MiB, got 'lots'", lambda: wt.Engine(memory="lots")),
    ("columns of an array must be…got [True, False]", lambda: wt.cluster(GOOD, columns=[True, False])),
    ("name must be text, got 3", lambda: wt.read(b"x,y\n1,2", name=3)),
    ("n_jobs must be a positive…got array([[0., 0.], [0., 0.]])", lambda: wt.Engine(n_jobs=np.zeros((2, 2)))),
    ("missing must be one of…got array([[0., 0.], [0., 0.]])", lambda: wt.cluster(GOOD, missing=np.zeros((2, 2)))),
    ("progress must be True, False or a function of updates, got 'bar'", lambda: wt.Engine(progress="bar")),
    ("n_jobs must be a positive number of threads, at most 10000", lambda: wt.Engine(n_jobs=10**25)),
    ("engine must be an Engine such as wt.Engine(n_jobs=2), got 3", lambda: FIVE.dense(3), TypeError),
    ("device must be 'cpu'", lambda: FIVE.dense(wt.Engine(device="abacus"))),
    (
        "changes of n_jobs, progress, memory, device, precision, executor, client; got threads",
        lambda: wt.using(threads=2).__enter__(),
        TypeError,
    ),
    ("out must be a folder, got 3", lambda: _in_folder(3), TypeError),
    ("holds other files; give an empty folder", lambda: [matrix_file(GOOD), _in_folder(".")]),
    ("there is no folder", lambda: _in_folder("no/such"), FileNotFoundError),
    ("is a file; give another name", lambda: _in_folder(matrix_file(GOOD)), NotADirectoryError),
    ("client must be a dask.distributed.Client, got 'tcp://a'", lambda: wt.Engine(client="tcp://a"), TypeError),
    (
        "30 × 30 distance matrix needs 7.0 KiB, and 1000 bytes are available; use",
        lambda: PLANE.metric.dense(wt.Engine(memory=1000)),
        MemoryError,
    ),
    ("neighbors in balls of radius", lambda: PLANE.metric.balls(10.0, wt.Engine(memory=1000)), MemoryError),
    (
        "1 iterations on 30 points",
        lambda: wt.iterate(wt.transforms.local_truncation(0.1), PLANE, n_iter=1, engine=wt.Engine(memory=1000)),
        MemoryError,
    ),
    (
        "resume is a run on 30 points, but the space has 3",
        lambda: wt.iterate(wt.transforms.mean_shift(0.7), SPACE, n_iter=3, resume=flow()),
    ),
    (
        "resume has done 3 iterations already, but n_iter=0 is the total",
        lambda: wt.iterate(wt.transforms.mean_shift(0.7), PLANE, n_iter=0, resume=flow()),
    ),
    (
        "resume must be a Trajectory, got 'run.npz'; wt.transforms.Trajectory.load reads one",
        lambda: wt.iterate(wt.transforms.mean_shift(0.7), PLANE, n_iter=3, resume="run.npz"),
        TypeError,
    ),
    (
        "hook must be a function of a Trajectory, got 3",
        lambda: wt.iterate(wt.transforms.mean_shift(0.7), PLANE, n_iter=3, hook=3),
        TypeError,
    ),
]

TABLE = io.read(b"x,y,kind,w\n1,0.5,a,1\n2,1.5,b,0\n3,2.5,a,2\n", name="points.csv")
TABLES: list[Row] = [
    (
        "points.csv has no column knid; did you mean kind? its columns are x, y, kind, w",
        lambda: columns.column(TABLE, "knid"),
    ),
    ("c10, c11, … (30 in all)", lambda: columns.column(DataFrame({f"c{k}": [0.0] for k in range(30)}), "none")),
    ("has no column zzz; its columns are", lambda: tables.coordinates(TABLE, ["zzz"])),
    ("column x is given twice", lambda: tables.coordinates(TABLE, ["x", "x"])),
    ("at least one column is needed, got none", lambda: tables.coordinates(TABLE, [])),
    (
        "points.csv has no column of numbers beside w, x, y; its columns are",
        lambda: tables.coordinates(TABLE, leave_out=["x", "y", "w"]),
    ),
    ("has no column v", lambda: tables.coordinates(TABLE, leave_out=["v"])),
    ("column kind: 'a' is not a number", lambda: columns.weights(TABLE, "kind")),
    (
        "the table, row 2, column w: a weight must not be negative, got -1",
        lambda: columns.weights(DataFrame({"w": [1, -1]}), "w"),
    ),
    ("weights must not all be 0", lambda: columns.weights(DataFrame({"w": [0.0, 0.0]}), "w")),
    (
        "column day holds dates, not numbers",
        lambda: tables.coordinates(DataFrame({"day": np.array(["2020-01-01"], "M8[s]")}), ["day"]),
    ),
    ("numbers or words are needed, got complex128", lambda: tables.coordinates(DataFrame({"x": [1j]}), ["x"])),
    ("none.csv does not exist; give the path", lambda: io.read("none.csv"), FileNotFoundError),
    ("is a folder; give one file of it", lambda: io.read(Path()), IsADirectoryError),
    ("a table is read from a path, bytes or an open file, got int", lambda: io.read(7), TypeError),
    ("kind must be one of 'csv', …, got 'excel'", lambda: io.read(b"x\n1\n", kind="excel")),
    (
        "points is asked for as NPY and holds text; ask for another kind",
        lambda: io.read(b"x\n1\n", name="points", kind="npy"),
    ),
    (
        "distances are read from csv, tsv, txt, parquet, npy, npz, not from LAS",
        lambda: io.read_matrix(b"LASF" + bytes(300), name="D.las"),
    ),
    (
        "has no suffix that gives a file format; add a suffix or kind=, one of csv, tsv",
        lambda: io.write(TABLE, "b"),
    ),
    ("kind must be one of 'csv', …, got 'xlsx'", lambda: io.write(TABLE, "b", kind="xlsx")),
    ("there is no folder", lambda: io.write(TABLE, "none/b.csv"), FileNotFoundError),
    ("a DataFrame is written, got ndarray", lambda: io.write(np.zeros((2, 2)), "b.csv"), TypeError),
    ("has no columns to write, or two of one name; rename them", lambda: io.write(DataFrame(), "b.csv")),
    ("PLY holds numbers, not text", lambda: io.write(TABLE.assign(z=1.0), "c.ply")),
    (
        "GeoJSON needs columns longitude and latitude, or x and y; there are a, b",
        lambda: io.write(DataFrame({"a": [1], "b": [2]}), "a.geojson"),
    ),
    (
        "column n: PLY has no integers beyond ±2^53; write CSV",
        lambda: io.write(DataFrame({"x": [1.0], "y": [1.0], "z": [1.0], "n": [2**53 + 1]}), "a.ply"),
    ),
]

PACKAGE: list[Row] = [
    ("has no attribute 'RegionTree'; there is wt.image.RegionTree", lambda: wt.RegionTree, AttributeError),
]

CATALOGUE = {
    "spaces": SPACES,
    "parts": PARTS,
    "transforms": TRANSFORMS,
    "hierarchy": HIERARCHY,
    "estimators": ESTIMATORS,
    "auto": AUTO,
    "plotting": PLOTTING,
    "graphs": GRAPHS,
    "image": IMAGE,
    "curves": CURVES,
    "engine": ENGINE,
    "tables": TABLES,
    "package": PACKAGE,
}


@pytest.mark.parametrize(
    "row",
    [pytest.param(row, id=f"{name}: {row[0][:50]}") for name, rows in CATALOGUE.items() for row in rows],
)
def test_a_mistake_is_told_in_these_words(row: Row, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text, call, kind = row if len(row) == 3 else (*row, ValueError)
    words = ".*".join(map(re.escape, text.split("…")))
    with warnings.catch_warnings():
        if issubclass(kind, Warning):
            warnings.simplefilter("error", kind)  # what is warned of needs not be done
        with pytest.raises(kind, match=words):
            call()
    assert not plt.get_fignums()  # refused before a figure is made
