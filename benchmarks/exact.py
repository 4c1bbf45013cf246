"""Exact W_p between all pairs of neighborhoods, against POT in the same run."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import ot
from ot.lp.emd_wrap import emd_c

import wasserstein_transform as wt
from wasserstein_transform.compute.exact.problems import visit_order

from .clouds import circles, spiral
from .timing import Row, median_seconds

_SAMPLE = 3000  # random pairs on which peers are timed: all pairs would take minutes


class Neighbourhoods:
    """The measures of a cloud's ε-balls, and pairs of them prepared for peers."""

    def __init__(self, name: str, points: np.ndarray, eps: float) -> None:
        self.name = f"{name}, ε={eps:g}"
        self.space = wt.Space.from_points(points)
        self.measures = wt.Truncation(eps)(self.space)
        self.distances = self.space.metric.dense()
        self.n_pairs = self.measures.n * (self.measures.n - 1) // 2
        self.size = np.diff(self.measures.indptr).mean()
        rng = np.random.default_rng(1)
        pairs = rng.integers(0, self.measures.n, (_SAMPLE, 2))
        self.pairs = pairs[pairs[:, 0] != pairs[:, 1]]

    def row(self, i: int) -> tuple[np.ndarray, np.ndarray]:
        """Masses and points of measure i."""
        part = slice(self.measures.indptr[i], self.measures.indptr[i + 1])
        return self.measures.masses[part] / self.measures.totals[i], self.measures.indices[part]

    def problems(self, p: float) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Masses and costs of the sampled pairs."""
        rows = [(self.row(i), self.row(j)) for i, j in self.pairs]
        return [(a, b, np.ascontiguousarray(self.distances[np.ix_(x, y)] ** p)) for (a, x), (b, y) in rows]

    def ours(self, p: float, n_jobs: int) -> Callable[[], wt.spaces.Dense]:
        """All pairs by this library."""
        return lambda: wt.Exact(p).metric(self.measures, self.space.metric, wt.Engine(n_jobs))


def run() -> list[Row]:
    clouds = Neighbourhoods("spiral", spiral(), 4.0), Neighbourhoods("circles", circles(), 0.7)
    rows = [_against_core(cloud, p) for cloud in clouds for p in (1, 2)]
    rows += [_against_warm(cloud, 2) for cloud in clouds]
    return [*rows, _iteration(clouds[0]), _threads(clouds[0])]


def _against_core(cloud: Neighbourhoods, p: int) -> Row:
    """One thread. The time to prepare the costs counts for this library, but not for the peer."""
    ours = median_seconds(cloud.ours(p, 1), 3) / cloud.n_pairs
    problems = cloud.problems(p)
    peer = median_seconds(lambda: [emd_c(a, b, cost, 1_000_000, 1) for a, b, cost in problems], 3) / len(problems)
    found = np.array([emd_c(a, b, cost, 1_000_000, 1)[1] for a, b, cost in problems]) ** (1 / p)
    values = cloud.ours(p, 1)().matrix
    worst = np.abs(found - values[cloud.pairs[:, 0], cloud.pairs[:, 1]]).max()
    work = f"exact W{p}, one thread, {cloud.n_pairs:,} pairs, supports ≈ {cloud.size:.0f} ({cloud.name})"
    core = f"POT's C++ core `emd_c` alone: {1e6 * peer:.0f} µs/pair (largest difference {worst:.0e})"
    return Row(work, f"{1e6 * ours:.1f} µs/pair", core, f"{peer / ours:.1f}×")


def _against_warm(cloud: Neighbourhoods, p: int) -> Row:
    """POT's own warm start (`potentials_init`) from the same earlier problem as ours; its preparation is not timed."""
    order, parent = visit_order(cloud.measures.rows, cloud.space.metric, wt.Engine(1))
    tasks = []
    for i in order[:: len(order) // 4][:4]:
        (a, x), known = cloud.row(i), []
        for j, guide in zip(order, parent, strict=True):
            b, y = cloud.row(j)
            cost = np.ascontiguousarray(cloud.distances[np.ix_(x, y)] ** p)
            u = known[guide] if guide >= 0 else np.zeros(len(a))
            tasks.append((a, b, cost, u, (cost - u[:, None]).min(axis=0)))
            known.append(np.ascontiguousarray(emd_c(a, b, cost, 1_000_000, 1)[2]))
    warm = median_seconds(lambda: [emd_c(a, b, c, 1_000_000, 1, u, v) for a, b, c, u, v in tasks], 3) / len(tasks)
    cold = median_seconds(lambda: [emd_c(a, b, c, 1_000_000, 1) for a, b, c, _, _ in tasks], 3) / len(tasks)
    ours = median_seconds(cloud.ours(p, 1), 3) / cloud.n_pairs
    work = f"exact W{p}, one thread, supports ≈ {cloud.size:.0f} ({cloud.name})"
    peer = f"`emd_c` warm-started along our tour: {1e6 * warm:.0f} µs/pair (cold {1e6 * cold:.0f})"
    return Row(work, f"{1e6 * ours:.1f} µs/pair", peer, f"{warm / ours:.1f}×")


def _iteration(cloud: Neighbourhoods) -> Row:
    """One whole LT-WT1 iteration with its localization, on all cores, against the usual loop over pairs."""
    step = wt.Transform(wt.Truncation(4.0), wt.Exact(1))
    ours = median_seconds(lambda: step(cloud.space), 3)

    def loop() -> None:
        for i, j in cloud.pairs:
            (a, x), (b, y) = cloud.row(i), cloud.row(j)
            ot.emd2(a, b, cloud.distances[np.ix_(x, y)])

    peer = median_seconds(loop, 3) / len(cloud.pairs) * cloud.n_pairs
    work = f"one LT-WT1 iteration of the spiral, {cloud.n_pairs:,} pairs, all cores"
    return Row(work, f"{ours:.2f} s", f"a loop over `ot.emd2`: {peer:.0f} s", f"{peer / ours:.0f}×")


def _threads(cloud: Neighbourhoods) -> Row:
    one, two = (median_seconds(cloud.ours(1, k), 5) for k in (1, 2))
    return Row("exact W1 of the spiral, two threads", f"{two:.2f} s", f"one thread: {one:.2f} s", f"{one / two:.2f}×")
