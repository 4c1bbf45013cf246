"""A small computation of every kind; `python everyday.py FILE` writes the results, for runs in other surroundings."""

from __future__ import annotations

import sys

import networkx as nx
import numpy as np

import wasserstein_transform as wt

ALONE = wt.Engine(1)


def everyday() -> dict[str, np.ndarray]:
    """Results by name."""
    return {**_steps(), **_transport(), **_graphs(), **_images(), **_words()}


def _cloud(n: int, m: int) -> np.ndarray:
    return np.random.default_rng(m).normal(size=(n, m))


def _steps() -> dict[str, np.ndarray]:
    found = {}
    for m, n in ((1, 12), (2, 12), (3, 8), (5, 6)):
        space = wt.Space.from_points(_cloud(n, m))
        gt = wt.iterate(wt.gaussian_transform(1.5, 2.0), space, n_iter=1, engine=ALONE).last
        found |= {f"gt {m}": gt.points, f"gt metric {m}": gt.metric.dense(ALONE)}
        found[f"gt tree {m}"] = wt.hierarchy.spanning_tree(gt, ALONE).heights
        found[f"gt nearest {m}"] = gt.metric.neighbors(2, engine=ALONE).distances
    space = wt.Space.from_points(_cloud(20, 2))
    for profile in ("flat", "gaussian", "epanechnikov"):
        found[f"ms {profile}"] = wt.iterate(wt.mean_shift(1.0, profile), space, n_iter=2, engine=ALONE).last.points
    merged = wt.iterate(wt.mean_shift(1.0), space, n_iter=2, merge=0.2, engine=ALONE).last
    return {**found, "merged": merged.points}


def _transport() -> dict[str, np.ndarray]:
    space = wt.Space.from_points(_cloud(8, 2))
    measures = wt.Truncation(1.5)(space, ALONE)
    found = {}
    for p in (1, 2, 3, np.inf):
        found[f"exact {p}"] = wt.Exact(p).metric(measures, space.metric, ALONE).matrix
    found["stored"] = wt.Exact(1).metric(measures, wt.Dense(space.metric.dense(ALONE)), ALONE).matrix
    line = wt.Space.from_points(_cloud(12, 1))
    for p in (1, 2, 3, np.inf):
        found[f"line {p}"] = wt.Line(p).metric(wt.Truncation(0.5)(line, ALONE), line.metric, ALONE).matrix
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
            done = wt.image.segment(image, 2, 0.4, lam, color="none", channel_axis=axis, n_jobs=1)
            found |= {f"{name} {lam}": done.modes, f"labels of {name} {lam}": done.labels}
    found["levels"] = wt.image.segment(levels, 2, 2.0, color="none", channel_axis=None, linking="paper", n_jobs=1).modes
    found["merged regions"] = wt.image.segment(
        gray, 2, 0.4, color="none", merging=wt.image.Merging(0.3, min_size=2), n_jobs=1
    ).labels
    return found


def _words() -> dict[str, np.ndarray]:
    text = "a cat sat on a mat and a dog sat on a log while the cat saw the dog"
    words = sorted(set(text.split()))
    vectors = dict(zip(words, np.random.default_rng(1).normal(size=(len(words), 4)), strict=True))
    gt = wt.words.WordTransform(vectors, window=2, min_count=1, sample=0, n_jobs=1).fit([text])
    return {"words": np.array([gt.distance("cat", other) for other in words])}


if __name__ == "__main__":
    np.savez(sys.argv[1], **everyday())
