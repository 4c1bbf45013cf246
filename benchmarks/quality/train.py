"""Train the judge of `wt.cluster` on generated families: `python -m benchmarks.quality.train --jobs 16`.

Every set is partitioned by all recipes, with the number of clusters given and without; a boosted sum of small trees
learns the adjusted Rand index of a partition from its criteria. Nothing of any published collection is used. Some three
seconds of one core a set. The file that ships was made of the seeds below (but for three, which were cut off).
"""

from __future__ import annotations

import argparse
import json
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.metrics import adjusted_rand_score

import wasserstein_transform as wt
from wasserstein_transform.auto.clustering import criteria as judging
from wasserstein_transform.auto.clustering.candidates import grow, with_count, without_count
from wasserstein_transform.auto.clustering.criteria import NAMES, OF_DATA, Partitions, facts_of, measure
from wasserstein_transform.auto.clustering.ground import Ground, Places
from wasserstein_transform.engine import current

from .families import generate

SEEDS = 1924
ROUNDS = {"with_count": 150, "without_count": 150}
DEPTH = 4
MISCOUNT = 0.2  # that a partition into twice or half as many clusters loses
ROWS = 220_000  # partitions that are learned from, at most

Lesson = tuple[str, np.ndarray, np.ndarray]
"""Which judge it is for, criteria, and scores of the partitions of one set."""


def lessons(seed: int) -> list[Lesson]:
    """What one set teaches both judges."""
    _, X, y = generate(seed)
    with wt.using(n_jobs=1):
        engine = current()
        places = Places.of(wt.Space.from_points(X), engine)
        ground = Ground.of(places.space, engine)
        trees = list(grow(ground, engine))
        facts = facts_of(ground, trees[0][1], trees[1][1])
        found = [("without_count", without_count(ground, trees, engine), None)]
        if y.max() > 1:
            found.append(("with_count", with_count(ground, trees, int(y.max()), engine), int(y.max())))
        out = []
        for name, candidates, wanted in found:
            partitions = Partitions.of(candidates)
            criteria = judging.asked(measure(ground, facts, partitions, wanted, engine))
            scores = [_score(labels[places.place], y, wanted) for labels in partitions.labels]
            out.append((name, criteria, np.array(scores)))
        return out


def _score(labels: np.ndarray, y: np.ndarray, wanted: int | None) -> float:
    """The adjusted Rand index without noise; where the number of clusters is to be found, less for a wrong one."""
    agreement = float(adjusted_rand_score(y[y > 0], labels[y > 0]))
    if wanted is not None or y.max() == 1:
        return agreement
    return agreement - MISCOUNT * min(abs(float(np.log2((labels.max() + 1) / y.max()))), 2.0)


def learned(name: str, taught: list[Lesson]) -> dict[str, object]:
    """The judge as it is stored. Every set counts the same, however many partitions it has."""
    own = [lesson for lesson in taught if lesson[0] == name]
    X, y = np.concatenate([lesson[1] for lesson in own]), np.concatenate([lesson[2] for lesson in own])
    weights = np.concatenate([np.full(len(lesson[2]), 1 / len(lesson[2])) for lesson in own])
    kept = np.random.default_rng(0).random(len(y)) < ROWS / len(y)
    model = HistGradientBoostingRegressor(
        max_iter=ROUNDS[name], learning_rate=0.1, max_depth=DEPTH, max_leaf_nodes=2**DEPTH, l2_regularization=1.0,
        early_stopping=False,
    )  # fmt: skip
    model.fit(X[kept], y[kept], weights[kept])
    trees = [_complete(predictor.nodes) for (predictor,) in model._predictors]
    return {"start": float(f"{np.ravel(model._baseline_prediction)[0]:.6g}"), "trees": trees}


def _complete(nodes: np.ndarray) -> list[list[float]]:
    """A tree as features, thresholds and values, level by level; a leaf above the last level is repeated below."""
    features, thresholds, values = [0] * (2**DEPTH - 1), [1e300] * (2**DEPTH - 1), [0.0] * 2**DEPTH
    open_ = [(0, 0)]
    while open_:
        node, at = open_.pop()
        if at >= len(features):
            values[at - len(features)] = float(f"{nodes[node]['value']:.5g}")
        elif nodes[node]["is_leaf"]:
            open_ += [(node, 2 * at + 1), (node, 2 * at + 2)]
        else:
            features[at] = int(nodes[node]["feature_idx"])
            thresholds[at] = float(f"{nodes[node]['num_threshold']:.5g}")
            open_ += [(int(nodes[node]["left"]), 2 * at + 1), (int(nodes[node]["right"]), 2 * at + 2)]
    return [features, thresholds, values]


def written(models: dict[str, dict[str, object]]) -> str:
    """The file, a line for each tree."""
    parts = [f'{{"criteria": {json.dumps([*NAMES, *OF_DATA])}']
    for name, model in models.items():
        rows = ",\n".join(f"   {json.dumps(tree)}" for tree in model["trees"])  # type: ignore[attr-defined]
        parts.append(f'"{name}": {{"start": {model["start"]}, "trees": [\n{rows}]}}')
    return ",\n".join(parts) + "}\n"


def main() -> None:
    parser = argparse.ArgumentParser(description="Train the judge of wt.cluster on generated sets.")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="sets, from seed 0 on")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path(judging.__file__).with_name("judge.json"))
    asked = parser.parse_args()
    start, taught = time.perf_counter(), list[Lesson]()
    with ProcessPoolExecutor(asked.jobs) as pool:
        for found in pool.map(lessons, range(asked.seeds), chunksize=4):
            taught += found
    print(f"{asked.seeds} sets in {time.perf_counter() - start:.0f} s")
    asked.out.write_text(written({name: learned(name, taught) for name in ROUNDS}), "utf-8")


if __name__ == "__main__":
    main()
