"""Exact W1 of listed pairs: short and long lists, small and large measures, against a loop and our own rectangle."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import ot

import wasserstein_transform as wt

from .clouds import spiral
from .exact import Neighbourhoods
from .timing import Row, median_seconds

_SAMPLE = 1000  # at most this many pairs of a list are timed with the loop


def run() -> list[Row]:
    small, large = Neighbourhoods("spiral", spiral(), 4.0), Neighbourhoods("spiral", spiral(), 20.0)
    rng, n = np.random.default_rng(7), small.measures.n
    return [
        *(_list(cloud, k, "drawn at random", _drawn(cloud, k, rng)) for cloud in (small, large) for k in (1, 10, 100)),
        *(_rectangle(small, rows, n_jobs) for rows in (1, 12, 100) for n_jobs in (1, -1)),
        _list(small, 9000, "drawn at random", _drawn(small, 9000, rng)),
        _list(
            small,
            9000,
            "of 30 measures, drawn again and again",
            rng.choice(rng.choice(n, 30), (9000, 2)),
        ),
    ]


def _drawn(cloud: Neighbourhoods, k: int, rng: np.random.Generator) -> np.ndarray:
    all_pairs = np.column_stack(np.triu_indices(cloud.measures.n, 1))
    return np.asarray(all_pairs[rng.choice(len(all_pairs), k, replace=False)])


def _ours(cloud: Neighbourhoods, pairs: np.ndarray, n_jobs: int = 1) -> Callable[[], np.ndarray]:
    return lambda: np.asarray(wt.wasserstein_pairs(cloud.measures, cloud.space, pairs=pairs, n_jobs=n_jobs))


def _loop(cloud: Neighbourhoods, pairs: np.ndarray) -> list[float]:
    """The usual loop over the pairs."""
    found = []
    for i, j in pairs:
        (a, x), (b, y) = cloud.row(i), cloud.row(j)
        found.append(float(ot.emd2(a, b, cloud.distances[np.ix_(x, y)])))
    return found


def _list(cloud: Neighbourhoods, k: int, kind: str, pairs: np.ndarray) -> Row:
    some = pairs[:_SAMPLE]
    ours, peer = median_seconds(_ours(cloud, pairs), 7), median_seconds(lambda: _loop(cloud, some), 3)
    peer *= len(pairs) / len(some)
    worst = np.abs(_ours(cloud, some)() - _loop(cloud, some)).max()
    work = f"{k:,} listed pairs {kind}, exact W1, one thread, supports ≈ {cloud.size:.0f} ({cloud.name})"
    other = f"a loop over `ot.emd2`: {1e3 * peer:.1f} ms (largest difference {worst:.0e})"
    return Row(work, f"{1e3 * ours:.1f} ms", other, f"{peer / ours:.1f}×")


def _rectangle(cloud: Neighbourhoods, n_rows: int, n_jobs: int) -> Row:
    n = cloud.measures.n
    rows = np.linspace(0, n - 1, n_rows + 2).astype(int)[1:-1]
    pairs = np.column_stack([np.repeat(rows, n), np.tile(np.arange(n), n_rows)])
    pairs, some = pairs[pairs[:, 0] != pairs[:, 1]], cloud.measures.take(rows)
    ours = median_seconds(_ours(cloud, pairs, n_jobs), 5)
    peer = median_seconds(lambda: wt.wasserstein_cross(some, cloud.measures, cloud.space, n_jobs=n_jobs), 5)
    threads = "one thread" if n_jobs == 1 else "all cores"
    work = f"{len(pairs):,} listed pairs of {n_rows} × {n}, exact W1, {threads} ({cloud.name})"
    other = f"`wasserstein_cross` of the same: {1e6 * peer / len(pairs):.1f} µs/pair"
    return Row(work, f"{1e3 * ours:.1f} ms, {1e6 * ours / len(pairs):.1f} µs/pair", other, f"{peer / ours:.2f}×")
