"""Computations of every kind, to compare the results of two versions or of two surroundings bit by bit.

`python tests/everyday.py FILE` writes the small ones (`everyday`, quick even without a compiler); `--all` adds those at
sizes where tiles and fast paths are used (`at_size`). `--compare` says what differs from an earlier FILE.
"""

from __future__ import annotations

import argparse
import sys
import warnings

import networkx as nx
import numpy as np

import wasserstein_transform as wt

ALONE = wt.Engine(1)


def everyday() -> dict[str, np.ndarray]:
    """Results by name."""
    return {**_steps(), **_transport(), **_graphs(), **_images()}


def _cloud(n: int, m: int) -> np.ndarray:
    return np.random.default_rng(m).normal(size=(n, m))


def _steps() -> dict[str, np.ndarray]:
    found = {}
    for m, n in ((1, 12), (2, 12), (3, 8), (5, 6)):
        space = wt.Space.from_points(_cloud(n, m))
        gt = wt.iterate(wt.transforms.gaussian_transform(1.5, 2.0), space, n_iter=1, engine=ALONE).last
        found |= {f"gt {m}": gt.points, f"gt metric {m}": gt.metric.dense(ALONE)}
        found[f"gt tree {m}"] = wt.hierarchy.spanning_tree(gt, ALONE).heights
        found[f"gt nearest {m}"] = gt.metric.neighbors(2, engine=ALONE).distances
    space = wt.Space.from_points(_cloud(20, 2))
    for profile in ("flat", "gaussian", "epanechnikov"):
        found[f"ms {profile}"] = wt.iterate(
            wt.transforms.mean_shift(1.0, profile), space, n_iter=2, engine=ALONE
        ).last.points
    merged = wt.iterate(wt.transforms.mean_shift(1.0), space, n_iter=2, merge=0.2, engine=ALONE).last
    return {**found, "merged": merged.points}


def _transport() -> dict[str, np.ndarray]:
    space = wt.Space.from_points(_cloud(8, 2))
    measures = wt.Truncation(1.5)(space, ALONE)
    found = {}
    for p in (1, 2, 3, np.inf):
        found[f"exact {p}"] = wt.Exact(p).metric(measures, space.metric, ALONE).matrix
    found["stored"] = wt.Exact(1).metric(measures, wt.spaces.Dense(space.metric.dense(ALONE)), ALONE).matrix
    line = wt.Space.from_points(_cloud(12, 1))
    for p in (1, 2, 3, np.inf):
        found[f"line {p}"] = wt.transport.Line(p).metric(wt.Truncation(0.5)(line, ALONE), line.metric, ALONE).matrix
    return found


def _graphs() -> dict[str, np.ndarray]:
    graph = nx.cycle_graph(7)
    graph.add_edge(0, 3)
    even = wt.graphs.curvature(graph, n_jobs=1).values
    for a, b in graph.edges:
        graph[a][b]["weight"] = 1 + (a + b) % 3 / 4
    return {"curvature": even, "curvature by lengths": wt.graphs.curvature(graph, n_jobs=1, weight="length").values}


def _images() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    gray, volume = rng.random((6, 7)), rng.random((3, 4, 4))
    color = np.round(2 * rng.random((5, 6, 3))) / 2  # of random ones some never rest
    levels = (gray * 8).astype(np.uint8)
    found = {}
    for lam in (0.0, 1.0):
        for name, image, axis in (("gray", gray, None), ("color", color, -1), ("volume", volume, None)):
            done = wt.image.segment_by_radii(image, 2, 0.4, lam, color="none", channel_axis=axis, n_jobs=1)
            found |= {f"{name} {lam}": done.modes, f"labels of {name} {lam}": done.labels}
    found["levels"] = wt.image.segment_by_radii(
        levels, 2, 2.0, color="none", channel_axis=None, linking="paper", n_jobs=1
    ).modes
    return found


def at_size(n_jobs: int = 1) -> dict[str, np.ndarray]:
    """Results by name, at sizes where tiles, sorted cells, trees and warm starts are used."""
    engine = wt.Engine(n_jobs)
    with warnings.catch_warnings(), wt.using(n_jobs=n_jobs):
        warnings.simplefilter("ignore")
        parts = (_flows, _weights, _metrics, _problems, _answers, _estimators, _networks, _pictures)
        return {name: value for part in parts for name, value in part(engine).items()}


def _arms(n: int, m: int) -> np.ndarray:
    """Points along bent arms in R^m, with noise; some of them twice."""
    rng = np.random.default_rng(n + m)
    t, arm = rng.random(n), rng.integers(3, size=n)
    axes = [np.cos(2 * arm + t), np.sin(2 * arm + t), t * (arm - 1), *(0.1 * rng.normal(size=(max(m - 3, 0), n)))]
    points = 3 * np.stack(axes[:m], axis=1) * (0.3 + t[:, None]) + rng.normal(scale=0.05, size=(n, m))
    points[n - n // 20 :] = points[: n // 20]
    return points


def _masses(n: int) -> np.ndarray:
    return np.random.default_rng(n).integers(1, 4, size=n).astype(float)


def _flows(engine: wt.Engine) -> dict[str, np.ndarray]:
    found = {}
    for m, n, eps in ((1, 3000, 0.05), (2, 4000, 0.2), (3, 2000, 0.4), (5, 400, 0.6), (30, 100, 3.0)):
        space = wt.Space.from_points(_arms(n, m))
        gt = wt.iterate(wt.transforms.gaussian_transform(eps, 1.5), space, n_iter=3, engine=engine).last
        found |= {f"gt points {m}": gt.points, f"gt tree {m}": wt.hierarchy.spanning_tree(gt, engine).heights}
        found[f"gt block {m}"] = gt.metric.block(np.arange(0, n, 7), np.arange(n), engine)
        found[f"gt nearest {m}"] = gt.metric.neighbors(5, engine=engine).distances
        for name in ("balls", "nearest"):
            metric = space.metric if name == "balls" else gt.metric
            rows = metric.balls(eps, engine)
            found |= {f"{name} {m}": rows.indices, f"distances in {name} {m}": rows.distances}
        for profile in ("flat", "gaussian", "epanechnikov"):
            flow = wt.iterate(
                wt.transforms.mean_shift(eps, profile), space, n_iter=8, tol=1e-6, merge=eps / 50, engine=engine
            )
            found |= {f"ms {profile} {m}": flow.last.points, f"ms movements {profile} {m}": np.array(flow.movements)}
    return found


def _weights(engine: wt.Engine) -> dict[str, np.ndarray]:
    found, n = {}, 1500
    space = wt.Space.from_points(_arms(n, 2), _masses(n))
    for process in (
        wt.transforms.gaussian_transform(0.3, 1.0),
        wt.transforms.mean_shift(0.3),
        wt.transforms.kernel_transform(0.2),
    ):
        last = wt.iterate(process, wt.Space.from_points(_arms(300, 2), _masses(300)), n_iter=2, engine=engine).last
        found[f"weighted {process}"[:60]] = last.metric.dense(engine)
    found["weighted gt"] = wt.iterate(
        wt.transforms.gaussian_transform(0.3, 1.0), space, n_iter=2, engine=engine
    ).last.points
    found["weighted clusters"] = wt.cluster(_arms(n, 2), sample_weight=_masses(n)).labels
    return found


def _metrics(engine: wt.Engine) -> dict[str, np.ndarray]:
    points = _arms(700, 2)
    whole = wt.Space.from_points(points)
    spaces = {
        "dense": wt.Space.from_distances(whole.metric.dense(engine)),
        "sparse": wt.Space(wt.spaces.Sparse(whole.metric.balls(0.6, engine), 0.6), whole.weights, None),
        "graph": wt.Space.from_graph(nx.random_geometric_graph(400, 0.1, seed=3), weight=None),
    }
    found = {}
    for name, space in spaces.items():
        eps = 0.3 if name != "graph" else 2.0
        found[f"balls of {name}"] = space.metric.balls(eps, engine).indices
        measures = wt.Truncation(eps)(space, engine)
        found[f"means of {name}"] = measures.means(np.arange(float(space.n))[:, None]).values
        if name != "sparse":
            found[f"nearest of {name}"] = space.metric.neighbors(4, engine=engine).distances
            found[f"tree of {name}"] = wt.hierarchy.spanning_tree(space, engine).heights
    return found


def _problems(engine: wt.Engine) -> dict[str, np.ndarray]:
    found = {}
    for m, n, eps in ((2, 300, 0.6), (3, 150, 0.8), (1, 200, 0.2)):
        space = wt.Space.from_points(_arms(n, m))
        measures = wt.Truncation(eps)(space, engine)
        for p in (1, 2, np.inf):
            found[f"exact {p} in {m}"] = wt.Exact(p).metric(measures, space.metric, engine).matrix
        dense = wt.spaces.Dense(space.metric.dense(engine))
        found[f"exact on stored {m}"] = wt.Exact(1).metric(measures, dense, engine).matrix
    line = wt.Space.from_points(_arms(300, 1))
    for p in (1, 2, np.inf):
        found[f"on a line {p}"] = (
            wt.transport.Line(p).metric(wt.Truncation(0.3)(line, engine), line.metric, engine).matrix
        )
    rng = np.random.default_rng(5)
    A, B, ground = rng.dirichlet(np.ones(200), 20), rng.dirichlet(np.ones(200), 15), rng.random((200, 3))
    found["cross"] = wt.wasserstein_cross(A, B, ground).values
    found["pairs"] = wt.wasserstein_pairs(A, ground, p=2).values
    found["one large"] = wt.wasserstein(np.ones(400) / 400, np.ones(1000) / 1000, rng.random((400, 1000))).plan
    covs = np.einsum("nij,nkj->nik", *[rng.normal(size=(60, 6, 6))] * 2)
    found["bures"] = wt.bures_pairs(covs)
    return found


def _answers(engine: wt.Engine) -> dict[str, np.ndarray]:
    found = {}
    for m, n in ((2, 1200), (3, 600), (6, 300)):
        points = _arms(n, m)
        result = wt.cluster(points)
        found |= {f"clusters {m}": result.labels, f"three clusters {m}": wt.cluster(points, n_clusters=3).labels}
        found[f"suggested {m}"] = np.array(wt.suggest(points).eps)
    found["denoised"] = wt.denoise(_arms(3000, 2)).points
    found["denoised in space"] = wt.denoise(_arms(2000, 3)).points
    net = wt.skeleton(wt.denoise(_arms(3000, 2), dim=1))
    found["skeleton"] = np.concatenate([np.asarray(line) for line in net.lines])
    return found


def _estimators(engine: wt.Engine) -> dict[str, np.ndarray]:
    X, new = _arms(800, 2), _arms(60, 2) + 0.01
    found = {}
    for name, made in (
        ("gt", wt.GaussianTransform(0.3, 1.0, n_iter=2, keep="all")),
        ("ms", wt.MeanShift(0.3)),
        ("lt", wt.LocalTruncation(0.5, n_iter=1, keep="all")),
    ):
        rows = X if name != "lt" else X[:200]
        fitted = made.fit(rows)
        found |= {f"fit {name}": np.asarray(fitted.distances_), f"new in {name}": fitted.transform(new)}
    found["predict ms"] = wt.MeanShift(0.3).fit(X).predict(new)
    found["linkage"] = wt.hierarchy.linkage(wt.Space.from_points(X), engine=engine)
    found["single linkage"] = wt.SingleLinkage(n_clusters=4, cut="robust").fit_predict(X)
    return found


def _networks(engine: wt.Engine) -> dict[str, np.ndarray]:
    graph = nx.planted_partition_graph(4, 60, 0.25, 0.02, seed=1)
    found = {"communities": wt.graphs.communities(graph).labels, "curvatures": wt.graphs.curvature(graph).values}
    for a, b in graph.edges:
        graph[a][b]["weight"] = 1 + (a * b) % 5 / 4
    found["curvatures by lengths"] = wt.graphs.curvature(graph, weight="length").values
    flow = wt.graphs.ricci_flow(graph, n_iter=4, weight="length")
    return {**found, "flow": flow.lengths}


def _pictures(engine: wt.Engine) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(2)
    y, x = np.mgrid[:90, :120]
    color = np.stack([np.hypot(y - 40, x - 60) < 30, x > 70, (x + y) % 40 < 20], axis=-1) * 0.6
    color = np.clip(color + rng.normal(scale=0.05, size=color.shape) + 0.2, 0, 1)
    found = {
        "contours": wt.image.segment(color).labels,
        "twelve regions": wt.image.segment(color, n_segments=12).labels,
    }
    for lam in (0.0, 1.0):
        found[f"moved pixels {lam}"] = wt.image.segment_by_radii(color, 4, 0.2, lam).labels
    levels = np.round(color[..., 0] * 60).astype(np.uint8)
    found["levels at size"] = wt.image.segment_by_radii(
        levels, 4, 8.0, color="none", channel_axis=None, linking="paper"
    ).modes
    return found


def main() -> None:
    """Write the results, or compare with those in a file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file")
    parser.add_argument("--all", action="store_true", help="also at sizes where fast paths are used")
    parser.add_argument("--compare", action="store_true", help="say what differs from the file")
    chosen = parser.parse_args()
    results = {**everyday(), **(at_size() if chosen.all else {})}
    if not chosen.compare:
        np.savez(chosen.file, **results)
        return
    before = np.load(chosen.file)
    different = sorted(set(before.files) ^ set(results))
    different += [
        name for name in sorted(set(before.files) & set(results)) if not _same_bits(before[name], results[name])
    ]
    for name in different:
        print(f"differs: {name}")
    sys.exit(bool(different) and f"{len(different)} of {len(results)} results differ")


def _same_bits(before: np.ndarray, after: np.ndarray) -> bool:
    return before.shape == np.shape(after) and before.tobytes() == np.ascontiguousarray(after, before.dtype).tobytes()


if __name__ == "__main__":
    main()
