"""Labelled embeddings, made by chance from a seed: rows of length 1 in 30 to 1,536 columns, in 3 to 300 topics.

As the vectors of sentences: topics of unequal size around centers that lie near each other in groups, few directions
that hold much of the spread and many that hold little, subtopics, rows that are near no topic, and hubs.
"""

from __future__ import annotations

import numpy as np

_COLUMNS = (30, 50, 100, 256, 384, 512, 768, 1024, 1536)


def generate_embedding(seed: int, n_most: int = 4000) -> tuple[np.ndarray, np.ndarray]:
    """Rows of length 1 in float32, and labels from 1 on."""
    rng = np.random.default_rng([seed, 5])
    m = int(rng.choice(_COLUMNS))
    k = int(np.exp(rng.uniform(np.log(3), np.log(300))))
    n = int(np.clip(k * np.exp(rng.uniform(np.log(10), np.log(500))), 800, n_most))
    sizes = rng.dirichlet(np.full(k, rng.choice([0.7, 2.0, 10.0, 1000.0])))
    y = np.sort(np.concatenate([np.arange(k), rng.choice(k, max(n - k, 0), p=sizes)]))
    n = len(y)
    q = min(m, int(rng.integers(15, 120)))  # directions that hold the spread, unequally
    spread = np.arange(1, q + 1) ** -rng.uniform(0.1, 0.7)
    spread *= np.sqrt(q / (spread**2).sum())

    groups = rng.integers(0, max(2, int(k ** rng.uniform(0.3, 0.8))), k) if rng.random() < 0.7 else np.arange(k)
    apart = rng.uniform(0.5, 1.0)
    around = rng.normal(size=(int(groups.max()) + 1, q))
    centers = (np.sqrt(1 - apart**2) * around[groups] + apart * rng.normal(size=(k, q))) * spread
    within = np.exp(rng.uniform(np.log(0.35), np.log(1.1))) * np.exp(rng.normal(size=k) * rng.uniform(0.0, 0.35))
    X = centers[y] + within[y, None] * _noise(rng, y, spread)
    X += _subtopics(rng, y, spread) * rng.uniform(0.0, 1.2) * (rng.random() < 0.7)
    stray = rng.random(n) < rng.choice([0.0, 0.0, 0.05, 0.15])
    X[stray] = 0.5 * X[stray] + rng.normal(size=(int(stray.sum()), q)) * spread
    X *= np.exp(rng.normal(size=(n, 1)) * rng.uniform(0.0, 0.4))  # hubs: rows that say less are near the middle
    turned = np.linalg.qr(rng.normal(size=(m, q)))[0]
    rest = rng.uniform(0.1, 0.9) * np.sqrt(q / m) * rng.normal(size=(n, m))
    X = X @ turned.T + rest + rng.uniform(0.0, 1.5) * np.sqrt(q / m) * rng.normal(size=m)
    order = rng.permutation(n)
    X, y = X[order], y[order]
    return (X / np.linalg.norm(X, axis=1, keepdims=True)).astype(np.float32), y + 1


def _noise(rng: np.random.Generator, y: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """Within topics: some directions of each topic, and all."""
    q, share, tail = len(spread), rng.uniform(0.0, 0.8), rng.choice([4.0, 8.0, 100.0])
    few = rng.integers(2, 12)
    own = np.empty((len(y), q))
    for topic in range(int(y.max()) + 1):
        rows = y == topic
        axes = np.linalg.qr(rng.normal(size=(q, min(few, q))))[0]
        own[rows] = rng.normal(size=(int(rows.sum()), axes.shape[1])) @ axes.T * np.sqrt(q / axes.shape[1])
    heavy = np.sqrt(tail / rng.chisquare(tail, (len(y), 1)))
    return (np.sqrt(share) * own + np.sqrt(1 - share) * rng.normal(size=own.shape) * spread) * heavy


def _subtopics(rng: np.random.Generator, y: np.ndarray, spread: np.ndarray) -> np.ndarray:
    most = np.log(np.maximum(np.bincount(y) / 12, 1.5))
    counts = np.exp(rng.uniform(0, most) if rng.random() < 0.5 else most * rng.random()).astype(int)
    part = (rng.random(len(y)) * counts[y]).astype(int) + np.concatenate([[0], np.cumsum(counts)])[y]
    return np.asarray(rng.normal(size=(int(counts.sum()), len(spread)))[part] * spread)
