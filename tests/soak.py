"""Exact transport against rational arithmetic and POT on many drawn problems: `make soak`, `python tests/soak.py 600`.

Runs for the given number of seconds and prints, for each family, how many problems were solved (20 of each draw are
compared) and the worst error, relative to the largest cost. Stops at the first problem that breaks a promise, with the
seed that draws it again.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import ot
from reference.transport import exact_cost, of_any_total
from scipy.spatial.distance import cdist, squareform

import wasserstein_transform as wt

Rng = np.random.Generator


class Drawn(NamedTuple):
    """Measures in rows, distances between their points, whether all numbers are whole, and which pairs to check."""

    masses: np.ndarray
    distances: np.ndarray
    whole: bool = False
    triangle: bool = True


def neighbourhoods(rng: Rng) -> Drawn:
    points = rng.normal(size=(rng.integers(20, 120), rng.integers(1, 5)))
    space = wt.Space.from_points(points)
    eps = float(np.quantile(space.metric.dense(), rng.uniform(0.05, 0.4)))
    return Drawn(wt.Truncation(eps)(space).matrix().toarray(), space.metric.dense())


def grid(rng: Rng) -> Drawn:
    side = rng.integers(3, 8)
    points = np.stack(np.meshgrid(np.arange(side), np.arange(side)), axis=-1).reshape(-1, 2)
    distances = cdist(points, points, "cityblock")
    return Drawn((distances <= rng.integers(1, 4)) * 1.0, distances, whole=True)


def tied_integers(rng: Rng) -> Drawn:
    n = rng.integers(3, 25)
    upper = np.triu(rng.integers(0, 6, (n, n)), 1)
    return Drawn(_sparse(rng, 15, n) * rng.integers(1, 6, (15, n)) * 1.0, (upper + upper.T) * 1.0, True, False)


def faint_masses(rng: Rng) -> Drawn:
    points = rng.normal(size=(40, 2))
    masses = _sparse(rng, 12, 40) * 10.0 ** rng.uniform(-12, 0, (12, 40))
    return Drawn(masses, cdist(points, points))


def wild_costs(rng: Rng) -> Drawn:
    upper = np.triu(10.0 ** rng.uniform(-12, 12, (30, 30)), 1)
    return Drawn(_sparse(rng, 12, 30) * rng.random((12, 30)), upper + upper.T, triangle=False)


def large(rng: Rng) -> Drawn:
    n = int(rng.integers(200, 1500))
    points = rng.normal(size=(n, 2))
    return Drawn(_sparse(rng, 2, n) * rng.integers(1, 9, (2, n)) * 1.0, cdist(points, points))


def _sparse(rng: Rng, n: int, size: int) -> np.ndarray:
    support = rng.random((n, size)) < rng.uniform(0.1, 1.0)
    support[np.arange(n), rng.integers(0, size, n)] = True
    return support


FAMILIES: list[Callable[[Rng], Drawn]] = [neighbourhoods, grid, tied_integers, faint_masses, wild_costs, large]


def check(drawn: Drawn, p: float, rng: Rng) -> tuple[int, float]:
    """Number of pairs, and the worst error of those compared, relative to the largest cost."""
    found = wt.wasserstein_pairs(of_any_total(drawn.masses), wt.spaces.Dense(drawn.distances, drawn.triangle), p)
    assert found.gap <= 1e-12, f"gap {found.gap}"
    values = squareform(np.asarray(found))
    worst = 0.0
    pairs = np.column_stack(np.triu_indices(len(values), 1))
    for i, j in pairs[rng.permutation(len(pairs))[:20]]:
        rows, cols = np.flatnonzero(drawn.masses[i]), np.flatnonzero(drawn.masses[j])
        a, b, d = drawn.masses[i][rows], drawn.masses[j][cols], drawn.distances[np.ix_(rows, cols)]
        top = d.max() or 1.0
        if drawn.whole:
            expected = float(exact_cost(a.astype(int), b.astype(int), d.astype(int) ** int(p))) / top**p
        else:
            expected = float(ot.emd2(a / a.sum(), b / b.sum(), (d / top) ** p, numItermax=10**7))
        error = abs((values[i, j] / top) ** p - expected)
        assert error <= (1e-12 if drawn.whole else 1e-9), f"pair {i}, {j}: error {error}"
        worst = max(worst, error)
    return len(pairs), worst


def main(seconds: float) -> None:
    counts, errors = dict.fromkeys(FAMILIES, 0), dict.fromkeys(FAMILIES, 0.0)
    start, seed = time.monotonic(), 0
    while time.monotonic() - start < seconds:
        family = FAMILIES[seed % len(FAMILIES)]
        rng = np.random.default_rng(seed)
        drawn, p = family(rng), float(rng.integers(1, 4))
        try:
            n_pairs, worst = check(drawn, p, rng)
        except AssertionError as error:
            raise SystemExit(f"{family.__name__}, p = {p:g}, seed {seed}: {error}") from error
        counts[family] += n_pairs
        errors[family] = max(errors[family], worst)
        seed += 1
    for family in FAMILIES:
        print(f"{family.__name__:15s} {counts[family]:10,} problems solved, worst error {errors[family]:.1e}")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 60.0)
