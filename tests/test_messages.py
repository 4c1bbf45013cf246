"""The catalogue of messages: what a mistake is told, word for word, and by which exception or warning.

One message of each function that checks; the tests of a subject have its others. What is wrong inside of a file is said
beside its format (`tests/io`, `tests/estimators/test_saving.py`).
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from pandas import DataFrame
from scipy.sparse import csr_array
from sklearn.exceptions import NotFittedError
from sklearn.svm import SVC

import wasserstein_transform as wt
from wasserstein_transform import GaussianTransform, io, plotting
from wasserstein_transform.graphs import as_network, communities, curvature
from wasserstein_transform.image import segment_by_radii as by_radii

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


def near() -> wt.Space:
    """Distances known up to 0.5, among points of which one is farther from all others."""
    return wt.transforms.iterate_locally(wt.transforms.local_truncation(0.1), from_points([[0.0], [0.2], [9.0]]), 0.5)


def lazy(step: wt.Transform = STEP) -> wt.Space:
    return wt.transforms.transform_lazily(step, SPACE)


def flow() -> wt.transforms.Trajectory:
    return wt.iterate(wt.transforms.mean_shift(0.7), PLANE, n_iter=3, keep="all")


VALUES = nx.Graph([("a", "b", {"value": 2, "id": 0}), ("b", "c", {"value": 3, "id": 1})])

CATALOGUE: list[Row] = [
    # spaces
    ("points must be a 2-D array with one row per point", lambda: from_points([1.0, 2.0])),
    ("at least one point with one coordinate", lambda: from_points(np.empty((0, 2)))),
    ("must be numbers", lambda: from_points([["a", "b"]])),
    ("points must be numbers, got None", lambda: from_points(None)),
    ("must be numbers…complex", lambda: from_points([[1 + 1j]])),
    ("must be numbers, got 'a.csv'; wt.read(path) reads a file", lambda: wt.cluster("a.csv")),
    ("must lie between 1e-150 and 1e150", lambda: from_points([[1e200], [0.0]])),
    ("coordinates that vary", lambda: from_points(np.ones((3, 1)), metric="seuclidean")),
    ("weights must not be negative, got -1.0 at 1", lambda: from_points(GOOD, [1, -1, 1])),
    ("weights must have a positive total", lambda: from_points(GOOD, [0, 0, 0])),
    ("weights must hold one number per point, shape (3,), got shape (2,)", lambda: from_points(GOOD, [1, 1])),
    ("must not be negative, got -1.0 at [0, 1]", lambda: from_distances([[0, -1], [-1, 0]])),
    (
        "must be symmetric, got 1.0 at [0, 1] and 2.0 at [1, 0]; use (D + D.T) / 2",
        lambda: from_distances([[0, 1], [2, 0]]),
    ),
    ("must be 0 on the diagonal, got 1.0 at [0, 0]", lambda: from_distances([[1, 1], [1, 0]])),
    ("must be a square matrix or SciPy's condensed vector, got shape (2, 3)", lambda: from_distances(np.zeros((2, 3)))),
    ("must have n(n-1)/2 entries, got 4", lambda: from_distances(np.ones(4))),
    ("one row per point of the 3 × 3 distances, got 2", lambda: from_distances(np.ones(3), points=[[0.0], [1.0]])),
    ("there is no folder …nowhere", lambda: SPACE.metric.dense(out="nowhere/d.npy"), FileNotFoundError),
    ("there is no file a.npy of distances", lambda: from_distances("a.npy"), FileNotFoundError),
    ("rows and cols must have the same length", lambda: SPACE.metric.pairs([0, 1], [1])),
    ("a Space is needed, got ndarray; wt.Space.from_points(X) makes one", lambda: wt.Truncation(1.0)(GOOD), TypeError),
    ("indices of points must be 0 to 2, got 5 to 5", lambda: SPACE.metric.pairs(np.array([0]), [5]), IndexError),
    ("distances are stored as float32 or float64, got dtype=int64", lambda: SPACE.metric.dense(dtype=np.int64)),
    ("need covs of shape", lambda: wt.spaces.GaussianMetric(GOOD, np.zeros((2, 2, 2)), 1.0)),
    ("fewer than 1 others at a known distance", lambda: near().metric.neighbors(1)),
    ("known up to 0.5 only, but …was requested; ask for a larger radius", lambda: near().metric.balls(0.6)),
    ("fall into 2 parts that are farther apart; ask for a larger radius", lambda: wt.hierarchy.spanning_tree(near())),
    ("numbers, got weight 'far' between 0 and 1", lambda: from_graph([(0, 1, "far")])),
    ("must hold", lambda: from_graph([(0, 1, 2, 3)])),
    ("matrix of lengths or a list of edges", lambda: from_graph(np.array([[0, 1, 2], [1, 0, 3], [2, 3, 0]]))),
    ("networkx graph, a sparse matrix", lambda: from_graph(3.0), TypeError),
    ("must be connected, got 2 pieces", lambda: STEP(from_graph(EDGES))),
    ("a square sparse array in CSR format", lambda: wt.spaces.Graph(np.eye(2))),
    # localizations and transports
    (
        "eps must be positive and finite, got 0; wt.localize.suggest_eps(X) gives a starting value",
        lambda: wt.Truncation(0),
    ),
    ("p must be a number ≥ 1 or infinity", lambda: wt.Exact(0.5)),
    ("must be one of 'flat', 'gaussian', 'epanechnikov', 'triangle', got 'box'", lambda: wt.Kernel(1.0, "box")),
    ("a profile must turn an array", lambda: wt.Kernel(1.0, lambda t: -np.ones_like(t))(SPACE)),
    ("Truncation has no parameter 'radius'; it has eps", lambda: wt.Truncation(0.5).replaced(radius=1.0)),
    ("has 2 rows, but the space has 3 points", lambda: wt.localize.Given(np.eye(2))(SPACE)),
    ("see no mass", lambda: wt.localize.Given(np.zeros((3, 3)))(SPACE)),
    ("Mean needs a base localization on the space itself", lambda: wt.Mean(wt.Mean(wt.Truncation(1.0))), TypeError),
    ("Ridge needs coordinates, but this space has only", lambda: wt.localize.Ridge(wt.Truncation(1.0))(DISTANCES)),
    ("ridge must be an integer ≥ 0, got -1", lambda: wt.transforms.gaussian_transform(1.0, ridge=-1)),
    ("ridge=1 needs centers that move: use move=True as well", lambda: wt.Gaussian(wt.Truncation(1.0), 1.0, ridge=1)),
    ("needs a space from Space.from_graph", lambda: wt.localize.Heat(1.0)(SPACE)),
    ("needs a localization", lambda: wt.localize.Heat(1.0, 0.5), TypeError),
    ("pass space.metric", lambda: wt.Exact(1).coupling(wt.Truncation(9.0)(SPACE), SPACE, 0, 1), TypeError),
    # transforms
    ("localize must be a Localization", lambda: wt.Transform(1.0, wt.Exact(1)), TypeError),
    ("a Process or a Transform is needed", lambda: wt.iterate(wt.Truncation(1.0), SPACE, n_iter=1), TypeError),
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
        "needs the triangle inequality",
        lambda: wt.transforms.iterate_locally(STEP, from_points(GOOD, metric="sqeuclidean"), 1.0),
    ),
    (
        "1 of 3 points have no mass within eps",
        lambda: wt.iterate(wt.transforms.mean_shift(1.0), from_points([[0.0], [0.5], [9.0]], [1, 1, 0]), n_iter=1),
        wt.transforms.MasslessWarning,
    ),
    # trees
    ("a Tree is needed, got ndarray", lambda: wt.hierarchy.cut_tree_each(np.zeros(3), [2]), TypeError),
    (
        "reachability must be at most 2, the number of other points, got 3",
        lambda: wt.hierarchy.spanning_tree(SPACE, reachability=3),
    ),
    ("n_clusters must be an integer ≥ 1", lambda: wt.SingleLinkage(0).fit(GOOD)),
    ("share must be between 0 and 1", lambda: wt.SingleLinkage(cut="robust", share=2).fit(GOOD)),
    ("needs a height", lambda: wt.SingleLinkage(cut="height").fit(GOOD)),
    (
        "found 1 of the 2 clusters requested…the next merges tie, and cutting all of them would make 3",
        lambda: wt.SingleLinkage(2, cut="robust").fit([[4], [5], [6], [4]]),
        wt.hierarchy.FewerClustersWarning,
    ),
    # estimators
    ("is not fitted yet", lambda: GaussianTransform(1.0).distances_, NotFittedError),
    ("a fitted transform of this library, got SVC", lambda: wt.SingleLinkage().fit(SVC()), TypeError),
    (
        "columns of different names, got 'a' twice; rename one of them",
        lambda: wt.SingleLinkage(1).fit(pd.DataFrame(GOOD, columns=["a", "a"])),
    ),
    ("WassersteinTransform needs a localization", lambda: wt.WassersteinTransform().fit(GOOD)),
    ("Space.from_distances(D, points=X)", lambda: wt.MeanShift(metric="precomputed").fit(1 - np.eye(2))),
    ("a Space carries its weights", lambda: wt.MeanShift(1.0).fit(SPACE, sample_weight=[1, 1, 1])),
    ("lam must be a finite number ≥ 0, got 'best'", lambda: GaussianTransform(lam="best").fit(GOOD)),
    (
        "eps has 3 radii, one per iteration, but n_iter=2; n_iter=3 uses all",
        lambda: GaussianTransform([0.1, 0.2, 0.3], n_iter=2).fit(GOOD),
    ),
    (
        "changes distances and does not move points: use output='distances'",
        lambda: wt.LocalTruncation(1.0, output="points").fit(GOOD),
    ),
    (
        "new points need all states of the fit, but keep='last' kept only one",
        lambda: GaussianTransform(1.0, keep="last").fit(GOOD).transform(GOOD),
    ),
    ("holds a Space, but a Trajectory is needed", lambda: wt.transforms.Trajectory.load(SPACE.save("x"))),
    # clusters and parameters
    ("missing must be one of 'drop', 'fill', 'error', got 'mean'", lambda: wt.cluster(CLOUD, missing="mean")),
    ("scale='robust' needs a table of points, got a Space or distances", lambda: wt.cluster(PLANE, scale="robust")),
    ("scale='robust' is for metric='euclidean'", lambda: wt.cluster(CLOUD, scale="robust", metric="cosine")),
    ("row 1 has only zeros, and so no direction", lambda: wt.cluster([[1.0, 2], [0, 0]], metric="cosine")),
    ("columns of an array must be numbers from 0 to 1, got ['x']", lambda: wt.cluster(CLOUD, columns=["x"])),
    (
        "a sparse matrix of 20000 × 1000; reduce it first: sklearn.decomposition.TruncatedSVD(50).fit_transform(X)",
        lambda: wt.cluster(csr_array((20000, 1000))),
    ),
    ("covariances must be numbers or names of columns", lambda: wt.cluster(CLOUD, covariances={"x": 1})),
    (
        "covariances must be positive semidefinite, matrix 0 has the eigenvalue -1",
        lambda: wt.cluster(CLOUD, covariances=np.tile([[1.0, 2.0], [2.0, 1.0]], (30, 1, 1))),
    ),
    ("X has no columns of standard errors, such as x_err", lambda: wt.cluster(CLOUD, covariances=True)),
    (
        "the fitted points have errors, so predict needs the standard errors of the new ones",
        lambda: wt.cluster(CLOUD, covariances=CLOUD**2).predict(CLOUD),
    ),
    ("covariances were not given to wt.cluster", lambda: wt.cluster(CLOUD).predict(CLOUD, covariances=CLOUD**2)),
    ("labels must have shape (30,), one for each point, got (3,)", lambda: wt.score(CLOUD, [0, 1, 2])),
    ("every point is noise (label -1)", lambda: wt.score(CLOUD, np.full(30, -1))),
    ("X must have 2 columns, as the fitted points, got 3", lambda: wt.cluster(CLOUD, 2).predict(np.zeros((1, 3)))),
    ("a Space carries its metric: leave out metric='cityblock'", lambda: wt.suggest(SPACE, metric="cityblock")),
    ("needs coordinates, and these are distances only", lambda: wt.suggest(DISTANCES, "curve")),
    (
        "at eps=1e-05 all points are alone…is eps in the unit of the data?",
        lambda: GaussianTransform(1e-5).fit(np.random.default_rng(0).normal(size=(300, 2))),
        wt.transforms.ScaleWarning,
    ),
    # pictures
    (
        "ax must be a matplotlib Axes, got Figure; plt.subplots()[1] is one",
        lambda: plotting.cloud(CLOUD, ax=plotting.panels()[0]),
        TypeError,
    ),
    ("needs 2-D Axes; leave ax out", lambda: plotting.cloud(CLOUD, ax=plotting.panels(dim=3)[1])),
    ("1, 2 or 3 coordinates can be drawn, these have 5", lambda: plotting.cloud(np.zeros((4, 5)))),
    ("has no coordinates to draw; plotting.mds", lambda: plotting.cloud(DISTANCES)),
    ("kind", lambda: plotting.cloud(pd.DataFrame({"x": [0.0, 1.0], "kind": ["a", "b"]}))),
    (
        "colors must be a mapping from label to color, or one",
        lambda: plotting.cloud(CLOUD, [0] * 30, colors="red"),
    ),
    ('all steps τ = 0 … 3, and this run has none; run it with keep="all"', lambda: plotting.walk(flow().only_last())),
    ("tree must be a Tree, got ndarray; wt.hierarchy", lambda: plotting.dendrogram(PLANE.metric.dense()), TypeError),
    ("found must be Clustering, got list; wt.cluster(X) makes one", lambda: plotting.clustering([0, 1]), TypeError),
    ("image must hold numbers, in shape (h, w)", lambda: plotting.segmentation(np.zeros(4), np.zeros(4, int))),
    ("dim must be 2 or 3, got 4", lambda: plotting.panels(dim=4)),
    ("at most 1500 nodes", lambda: plotting.graphs.layout(nx.path_graph(1501))),
    ("nothing to draw: all the mass is in one place", lambda: wt.suggest(np.zeros((5, 2))).plot()),
    # graphs
    ("between 0 and 1", lambda: wt.graphs.LazyWalk(1.5)),
    ("step must be at most 1", lambda: wt.graphs.ricci_flow(EDGES, step=2.0)),
    ("must be a LazyWalk or a localization", lambda: curvature(EDGES, 0.5), TypeError),
    ("the graph has no node 'z'", lambda: curvature(EDGES).of("z", 0), KeyError),
    ("it has no 'e'", lambda: curvature(EDGES, pairs=[(0, "e")])),
    (
        "overflow; rescale lengths",
        lambda: curvature([(0, 1, 1e120), (1, 2, 3e120)], wt.graphs.LazyWalk(0.5, 3.0), weight="length"),
    ),
    ("n_communities must be at most 5, the number of nodes, got 6", lambda: communities(EDGES, 6)),
    ("give one of n_communities and resolution", lambda: communities(EDGES, 2, resolution=1.0)),
    (
        "n_communities must be at least 2, the number of connected parts of the graph, got 1",
        lambda: wt.graphs.ricci_flow(EDGES, 2).communities(1),
    ),
    ("'value' may be a length or a strength; pass weight=('value', 'length')", lambda: as_network(VALUES, "value")),
    ("weight must be 'length', 'strength', the name of an edge attribute, a pair", lambda: as_network(EDGES, 3)),
    ("strengths of edges must be positive, got 0; leave out", lambda: as_network([(0, 1, 0.0)], "strength")),
    ("a Network has lengths already", lambda: as_network(as_network(EDGES), "strength")),
    # images
    ("nothing.png does not exist; give a picture, or a folder", lambda: wt.segment("nothing.png")),
    ("label must be at most 0, the last region, got 3", lambda: wt.segment(np.eye(4)).mask(3)),
    ("polygons are outlines in a plane, got a volume", lambda: by_radii(np.zeros((3, 4, 5))).polygons()),
    ("image must be finite; mask out", lambda: wt.segment(np.full((4, 4), np.nan))),
    ("image must be numbers or the path of a file, got dtype", lambda: by_radii([["a"]])),
    ("within ±1e+100, got 1e+200 to 1e+200", lambda: by_radii(np.ones((2, 2)) * 1e200)),
    ("given as signed integers must lie in [0, 255], got -1 to -1", lambda: by_radii(np.full((2, 2, 3), -1))),
    ("mask must have the shape of the image, (2, 2)", lambda: by_radii(np.eye(2), mask=np.ones((2, 3), bool))),
    (
        "windows of …pixels, about …comparisons",
        lambda: by_radii(np.zeros((200, 200)), spatial_radius=120.0),
        UserWarning,
    ),
    # curves, data with known answers
    ("one length for each of the 2 axes", lambda: wt.denoise(CLOUD, scale=2.0)),
    ("order must hold the trip of each of the 30 points", lambda: wt.denoise(CLOUD, order=[1, 2])),
    ("leave lam out where the order is known", lambda: wt.denoise(CLOUD, order=np.zeros(30), lam=1.0)),
    ("has no column bus; its columns are lon, lat", lambda: wt.denoise(PLACES, order="bus")),
    (
        "row 1, column trip: the cell gives no trip; fill it in, drop the row, or use order=False",
        lambda: wt.denoise(PLACES[:1].assign(trip=None)),
    ),
    ("a Denoised is needed, got ndarray", lambda: wt.skeleton(GOOD), TypeError),
    ("eccentricity must be positive and finite, got -1", lambda: wt.datasets.dumbbell(-1)),
    ("sequence of at least one radius, got ()", lambda: wt.datasets.circles(0, radii=())),
    # the engine
    ("memory must be a number of bytes, such as 4GB or 500MiB, got 'lots'", lambda: wt.Engine(memory="lots")),
    ("progress must be True, False or a function of updates, got 'bar'", lambda: wt.Engine(progress="bar")),
    ("engine must be an Engine such as wt.Engine(n_jobs=2), got 3", lambda: SPACE.metric.dense(3), TypeError),
    ("device must be 'cpu'", lambda: SPACE.metric.dense(wt.Engine(device="abacus"))),
    (
        "changes of n_jobs, progress, memory, device, precision, client; got threads",
        lambda: wt.using(threads=2).__enter__(),
        TypeError,
    ),
    (
        "holds other files; give an empty folder",
        lambda: [np.save("d.npy", GOOD), wt.iterate(STEP, SPACE, n_iter=1, out=".")],
    ),
    (
        "30 × 30 distance matrix needs 7.0 KiB, and 1000 bytes are available; use",
        lambda: PLANE.metric.dense(wt.Engine(memory=1000)),
        MemoryError,
    ),
    # tables and files
    ("a table is read from a path, bytes or an open file, got int", lambda: io.read(7), TypeError),
    ("has no suffix that gives a file format; add a suffix or kind=, one of csv, tsv", lambda: io.write(PLACES, "b")),
    (
        "column n: PLY has no integers beyond ±2^53; write CSV",
        lambda: io.write(DataFrame({"x": [1.0], "y": [1.0], "z": [1.0], "n": [2**53 + 1]}), "a.ply"),
    ),
    # the package
    ("has no attribute 'RegionTree'; there is wt.image.RegionTree", lambda: wt.RegionTree, AttributeError),
]


@pytest.mark.parametrize("row", CATALOGUE, ids=lambda row: row[0][:60])
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
