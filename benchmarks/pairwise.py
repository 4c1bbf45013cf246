"""Exact W1 between all pairs of 2,000 Euclidean measures, against `wasserstein.PairwiseEMD`.

The peer is not in the extras: its last release must be built from source and needs NumPy 1. In an environment with
`numpy<2`: `CFLAGS=-fsigned-char pip install --no-build-isolation wasserstein` (the flag is for ARM).
"""

from __future__ import annotations

import importlib

import numpy as np

from .clouds import spiral
from .exact import Neighbourhoods
from .timing import Row, median_seconds


def run() -> list[Row]:
    try:
        wasserstein = importlib.import_module("wasserstein")
    except ImportError:
        return [Row("exact W1, all pairs of 2,000 points", "–", "`wasserstein.PairwiseEMD` is not installed", "–")]
    points = spiral(1600, 400)
    cloud = Neighbourhoods("spiral", points, 2.5)
    sample = np.arange(0, cloud.measures.n, 4)  # a quarter of the measures, a sixteenth of the pairs
    events = [np.column_stack([mass, points[indices]]) for mass, indices in (cloud.row(i) for i in sample)]
    solver = wasserstein.PairwiseEMD(R=1.0, beta=1.0, norm=True, num_threads=-1, verbose=0)
    peer = median_seconds(lambda: solver(events), 3) / (len(sample) * (len(sample) - 1) // 2)
    ours = median_seconds(cloud.ours(1, -1), 3) / cloud.n_pairs
    values = cloud.ours(1, -1)().matrix[np.ix_(sample, sample)]
    worst = np.abs(np.asarray(solver.emds()) - values).max()
    work = f"exact W1, all {cloud.n_pairs:,} pairs of 2,000 points, supports ≈ {cloud.size:.0f}, all cores"
    other = f"`wasserstein.PairwiseEMD`: {1e6 * peer:.1f} µs/pair (largest difference {worst:.0e})"
    return [Row(work, f"{1e6 * ours:.1f} µs/pair", other, f"{peer / ours:.1f}×")]
