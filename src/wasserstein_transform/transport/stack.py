"""Many transport problems of one shape, each with a cost matrix of its own."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from .. import _check as check
from .._types import Floats
from ..engine import Engine, current
from .costs import CostMatrix
from .inputs import check_totals, make_measures
from .pairs import Distances
from .plans import solve_with_plans


def wasserstein_stack(
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
        Numbers ≥ 0.
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
    >>> found = wt.transport.wasserstein_stack([[[1.0, 2.0], [4.0, 9.0]], [[0.0, 3.0], [1.0, 2.0]]])
    >>> found.values, found.plans[0].indices.tolist()
    (array([3., 1.]), [1, 0])
    """
    engine, stack = current(engine, n_jobs=n_jobs), check.floats(costs, "costs")
    if stack.ndim != 3 or stack.size == 0:
        raise ValueError(f"costs must be a stack of matrices, shape (k, n, m), got shape {stack.shape}")
    k, n, m = stack.shape
    masses_a, masses_b, problems = _masses(a, k, n, "a"), _masses(b, k, m, "b"), np.arange(k)
    check_totals(masses_b.sum(axis=1), masses_a.sum(axis=1), "a and b")
    metric, rows = CostMatrix(stack.reshape(k * n, m)), np.arange(k + 1)
    blocks = csr_array((masses_a.ravel(), np.arange(k * n), n * rows), shape=(k, metric.n), copy=True)
    columns = csr_array((masses_b.ravel(), k * n + np.tile(np.arange(m), k), m * rows), shape=(k, metric.n), copy=True)
    A = make_measures("a", blocks, n * problems, np.full(k, n))
    B = make_measures("b", columns, np.full(k, k * n), np.full(k, m))
    pairs = np.column_stack([problems, problems])
    values, report, plans = solve_with_plans(metric, 1.0, (A, B), pairs, (k,), engine)
    return Distances(values * masses_a.sum(axis=1), report, plans)


def _masses(given: ArrayLike | None, k: int, n: int, name: str) -> Floats:
    """Masses of shape (k, n)."""
    masses = np.full(n, 1.0 / n) if given is None else check.floats(given, name)
    if masses.shape not in ((n,), (k, n)) or (masses < 0).any():
        raise ValueError(
            f"{name} must hold masses ≥ 0 of shape ({n},) or ({k}, {n}), got shape {masses.shape} and {masses.min()}"
        )
    return np.broadcast_to(masses, (k, n))
