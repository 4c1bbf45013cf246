"""Many transport problems of one shape, each with a cost matrix of its own."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from .. import _check as check
from .._types import Floats
from ..engine import Engine, current
from .costs import Costs
from .pairs import Distances, make_family
from .plans import solve_with_plans


def wasserstein_batch(
    costs: ArrayLike,
    a: ArrayLike | None = None,
    b: ArrayLike | None = None,
    n_jobs: int | None = None,
    engine: Engine | None = None,
) -> Distances:
    """Compute the optimal plans between masses for many cost matrices.

    Parameters
    ----------
    costs : array of shape (k, n, m)
        Any finite numbers.
    a, b : arrays of shapes (k, n) and (k, m), or (n,) and (m,), optional
        Masses ≥ 0 with equal totals. None: uniform with total 1.
    n_jobs : int, optional
        Number of threads; −1 means all cores. None: the setting of the engine. The result does not depend on it.
    engine : Engine, optional
        Threads, device and memory limit. None: the current engine (`wt.using`).

    Returns
    -------
    Distances
        `values` of shape (k,), the costs of the optimal `plans`, `gap` and `report`.

    Notes
    -----
    One network simplex per problem. With n = m and equal masses the plans are assignments: `plans[k].indices`.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> found = wt.transport.wasserstein_batch([[[1.0, 2.0], [4.0, 9.0]], [[0.0, 3.0], [1.0, 2.0]]])
    >>> found.values, found.plans[0].indices.tolist()
    (array([3., 1.]), [1, 0])
    """
    engine, stack = current(engine, n_jobs=n_jobs), check.floats(costs, "costs")
    if stack.ndim != 3 or stack.size == 0:
        raise ValueError(f"costs must be a stack of matrices, shape (k, n, m), got shape {stack.shape}")
    k, n, m = stack.shape
    low = np.minimum(stack.min(axis=(1, 2)), 0.0)
    if low.any():
        engine.reserve(8.0 * stack.size, "costs that are not negative", "take fewer problems at a time")
        stack = stack - low[:, None, None]
    masses = [_masses(given, k, size, name) for given, size, name in ((a, n, "a"), (b, m, "b"))]
    totals = np.array([each.sum(axis=1) for each in masses])
    wrong = np.abs(totals[0] - totals[1]) > 1e-9 * totals.max(axis=0)
    if wrong.any():
        worst = int(wrong.argmax())
        raise ValueError(
            f"a and b must have equal totals, got {totals[0, worst]} and {totals[1, worst]} in problem {worst}; divide "
            "each by its sum"
        )
    source, problems = Costs(stack.reshape(k * n, m)), np.arange(k)
    rows = np.repeat(problems, n), np.repeat(problems, m)
    cols = np.arange(k * n), k * n + np.tile(np.arange(m), k)
    sides = [
        make_family(csr_array((mass.ravel(), at), shape=(k, source.n)), name, first, np.full(k, size))
        for mass, at, name, first, size in zip(
            masses, zip(rows, cols, strict=True), "ab", (n * problems, np.full(k, k * n)), (n, m), strict=True
        )
    ]
    pairs = np.column_stack([problems, problems])
    values, report, plans = solve_with_plans(source, 1.0, (sides[0], sides[1]), pairs, (k,), engine)
    starts, sizes = plans.arrays.slots[:-1], np.diff(sides[0].measures.indptr)
    of_sources = np.repeat(starts - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
    plans.arrays.amounts[of_sources, 1] += np.repeat(low, sizes)
    return Distances((values + low) * totals[0], report, plans)


def _masses(given: ArrayLike | None, k: int, n: int, name: str) -> Floats:
    """Masses of shape (k, n)."""
    if given is None:
        return np.full((k, n), 1.0 / n)
    masses = check.floats(given, name)
    if masses.shape not in ((n,), (k, n)) or (masses < 0).any():
        raise ValueError(
            f"{name} must hold masses ≥ 0 of shape ({n},) or ({k}, {n}), got shape {masses.shape} and {masses.min()}"
        )
    return np.broadcast_to(masses, (k, n))
