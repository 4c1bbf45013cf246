"""Bures distances of all pairs of 1,000 covariance matrices, against POT and pyRiemann in the same run.

Each peer is timed with every method it offers, with one BLAS thread and with all, on as many pairs as take about a
second. The fastest time counts.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable

import numpy as np
import ot
from threadpoolctl import threadpool_limits

import wasserstein_transform as wt

from .timing import Row, median_seconds

_N = 1000
_SIDE = {2: 200, 3: 200, 4: 100, 10: 50, 20: 30, 50: 15}  # dimension: peers are timed on this many × this many pairs
_REPEAT = {2: 5, 3: 5, 4: 3, 10: 3, 20: 1, 50: 1}

Way = tuple[str, Callable[[], np.ndarray], np.ndarray]  # name, function to time, indices of its pairs among ours


def run() -> list[Row]:
    return [row for m in _SIDE for row in _rows(m)]


def _rows(m: int) -> list[Row]:
    factors = np.random.default_rng(m).normal(size=(_N, m, 2 * m))
    covs = factors @ factors.transpose(0, 2, 1) / (2 * m)
    n_pairs = _N * (_N - 1) // 2
    ours = median_seconds(lambda: wt.bures_pairs(covs), _REPEAT[m]) / n_pairs
    values = wt.bures_pairs(covs[: 2 * _SIDE[m]])
    rows = []
    for name, ways in (("POT", _pot(covs, m)), ("pyRiemann", _pyriemann(covs, m))):
        if not ways:
            rows.append(Row(_work(m, n_pairs), f"{1e6 * ours:.3g} µs/pair", f"{name} is not installed", "–"))
            continue
        times = {way: _seconds(work) / len(pairs) for way, work, pairs in ways}
        worst = max(np.abs(work() - values[pairs]).max() for _, work, pairs in ways)
        best = min(times, key=lambda way: times[way])
        peer = f"{name}, {best}: {1e6 * times[best]:.3g} µs/pair (largest difference {worst:.0e})"
        rows.append(Row(_work(m, n_pairs), f"{1e6 * ours:.3g} µs/pair", peer, f"{times[best] / ours:.0f}×"))
    return rows


def _seconds(work: Callable[[], np.ndarray]) -> float:
    """Time with one BLAS thread and with all, and return the faster: on small matrices threads wait for each other."""
    with threadpool_limits(1, user_api="blas"):
        one = median_seconds(work, 3)
    return min(one, median_seconds(work, 3))


def _work(m: int, n_pairs: int) -> str:
    return f"pairwise Bures, 1,000 matrices, m = {m}, all {n_pairs:,} pairs, all cores"


def _numbers(side: int, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    """Indices of the pairs i < j in the condensed distances of 2·side matrices."""
    n = 2 * side
    return i * n - i * (i + 1) // 2 + j - i - 1


def _pot(covs: np.ndarray, m: int) -> list[Way]:
    side = _SIDE[m]
    A, B = covs[:side], covs[side : 2 * side]
    i, j = (part.ravel() for part in np.meshgrid(np.arange(side), side + np.arange(side), indexing="ij"))
    few = np.random.default_rng(0).permutation(len(i))[:300]

    def loop() -> np.ndarray:
        return np.array([ot.gaussian.bures_distance(covs[a], covs[b]) for a, b in zip(i[few], j[few], strict=True)])

    return [
        ("a loop over `bures_distance`", loop, _numbers(side, i[few], j[few])),
        ("`bures_distance` of stacks", lambda: ot.gaussian.bures_distance(A, B).ravel(), _numbers(side, i, j)),
        (
            "`bures_distance` of paired stacks",
            lambda: ot.gaussian.bures_distance(covs[i[few]], covs[j[few]], paired=True),
            _numbers(side, i[few], j[few]),
        ),
    ]


def _pyriemann(covs: np.ndarray, m: int) -> list[Way]:
    try:
        distance = importlib.import_module("pyriemann.geometry.distance")
    except ImportError:
        return []
    side = _SIDE[m]
    n = min(2 * side, 40)
    i, j = np.triu_indices(n, 1)

    def pairwise() -> np.ndarray:
        return distance.pairwise_distance(covs[:n], metric="wasserstein")[i, j]

    return [
        ("`pairwise_distance`", pairwise, _numbers(side, i, j)),
        (
            "`distance_wasserstein` of stacks",
            lambda: distance.distance_wasserstein(covs[i], covs[j]),
            _numbers(side, i, j),
        ),
    ]
