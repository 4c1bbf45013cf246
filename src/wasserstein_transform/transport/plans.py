"""Optimal plans and potentials of many pairs of measures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from .._types import Floats, Ints
from ..compute.exact.batches import exact_listed
from ..compute.exact.problems import Report
from ..compute.exact.transport_jit import PlanArrays
from ..engine import Engine
from .costs import MetricWithDummy
from .duration import warn_of_problems
from .inputs import InputMeasures


@dataclass(frozen=True, eq=False)
class Plans:
    """Optimal plans of pairs of measures: `plans[k]` is that of pair k, a sparse array.

    `wasserstein_pairs` and `wasserstein_cross` give it with `plans=True`. Rows and columns are the points of both
    clouds, or all points of a shared metric; entries are masses, at most one less than the points of both measures.
    With `spare=`, mass that a row lacks stays unmatched. Of a rectangle, `plans[i, j]` is that of A[i] and B[j].

    Attributes
    ----------
    shape : tuple of int
        The shape of the distances.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> clouds = [np.array([[0.0], [4.0]]), np.array([[5.0], [1.0]])]
    >>> plans = wt.wasserstein_pairs(clouds, plans=True).plans
    >>> plans[0].toarray()
    array([[0. , 0.5],
           [0.5, 0. ]])
    >>> plans[0].indices.tolist()  # of equal masses: which point each one goes to
    [1, 0]
    >>> u, v = plans.potentials(0)
    >>> (u.sum() + v.sum()) / 2
    np.float64(1.0)
    """

    arrays: PlanArrays
    positions: Ints  # of each pair among the problems
    pairs: Ints
    sides: tuple[InputMeasures, InputMeasures]
    metric: Any
    p: float
    shape: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.positions)

    def __iter__(self) -> Iterator[csr_array]:
        return (self[k] for k in range(len(self)))

    def __getitem__(self, key: int | tuple[int, int]) -> csr_array:
        k = int(np.arange(len(self)).reshape(self.shape)[key])
        rows, (i, j) = self._rows(k), self.pairs[k]
        moves, amounts = self.arrays.moves[rows], self.arrays.amounts[rows, 0]
        (x, n_a), (y, n_b) = self._points(0, i), self._points(1, j)
        is_move = moves[:, 0] >= 0
        x, y, amounts = x[moves[is_move, 0]], y[moves[is_move, 1]], amounts[is_move] * self.sides[0].units[i]
        if isinstance(self.metric, MetricWithDummy):  # way over spare mass: both ends stay unmatched
            matched = (x < n_a) & (y < n_b)
            x, y, amounts = x[matched], y[matched], amounts[matched]
            metric, starts = self.metric, (self.sides[0].starts[i], self.sides[1].starts[j])
            ends = x + starts[0], y + starts[1]
            near = metric.base.pairs(*ends) <= np.linalg.norm(metric.spare[np.stack(ends)], self.p, axis=0)
            x, y, amounts = x[near], y[near], amounts[near]
        return csr_array((amounts, (x, y)), shape=(n_a, n_b))

    def potentials(self, key: int | tuple[int, int]) -> tuple[Floats, Floats]:
        """Dual variables (u, v) with u[x] + v[y] ≤ d(x, y)^p; NaN for points without mass.

        Their sum, weighted by the masses, is W_p^p. So u is the derivative of W_p^p by the masses of the first measure,
        up to a constant. With `spare=`, u ≤ spare^p and v ≤ spare^p, and the constant is determined.
        """
        k = int(np.arange(len(self)).reshape(self.shape)[key])
        i, j = self.pairs[k]
        prices, out = self.arrays.amounts[self._rows(k), 1], []
        n_first = len(self._points(0, i)[0])
        sides = [prices[:n_first], prices[n_first:]]
        if isinstance(self.metric, MetricWithDummy):
            sides = self._below_spare(i, j, *sides)
        for side, of, potentials in zip((0, 1), (i, j), sides, strict=True):
            points, n = self._points(side, of)
            values = np.full(n, np.nan)
            values[points[points < n]] = potentials[points < n]
            out.append(values)
        return out[0], out[1]

    def _below_spare(self, i: int, j: int, u: Floats, v: Floats) -> list[Floats]:
        """Potentials with such a constant that spare mass has the potential 0."""
        spare = self.metric.spare**self.p
        x, y = (side.measures.take(np.array([k])).indices for side, k in zip(self.sides, (i, j), strict=True))
        if len(x) == 1 or len(y) == 1:  # one side has spare mass only
            return [spare[x], spare[y]]
        return [u + v[-1], np.minimum(v - v[-1], spare[y])]  # less only if no mass is matched

    def _rows(self, k: int) -> slice:
        position = self.positions[k]
        return slice(self.arrays.starts[position], self.arrays.starts[position + 1])

    def _points(self, side: int, k: int) -> tuple[Ints, int]:
        """The points of a measure, counted from its first one, and how many there are; spare mass is beyond them."""
        family = self.sides[side]
        part = slice(family.measures.indptr[k], family.measures.indptr[k + 1])
        return family.measures.indices[part] - family.starts[k], int(family.sizes[k])


def solve_with_plans(
    metric: Any,
    p: float,
    sides: tuple[InputMeasures, InputMeasures],
    pairs: Ints,
    shape: tuple[int, ...],
    engine: Engine,
) -> tuple[Floats, Report, Plans]:  # fmt: skip
    """Distances, report and plans of pairs of measures of both sides, each solved as it is listed."""
    A, B = (side.measures for side in sides)
    order = np.argsort(pairs[:, 0], kind="stable")
    firsts, seconds = pairs[order].T
    n_sources, n_sinks = np.diff(A.indptr)[firsts], np.diff(B.indptr)[seconds]
    warn_of_problems(len(pairs), float(n_sources @ n_sinks), engine)
    slots = np.append(0, np.cumsum(n_sources + n_sinks))
    n = int(slots[-1])
    engine.reserve(64.0 * n, f"plans of {len(pairs)} pairs", "list fewer pairs at a time")
    arrays = PlanArrays(np.empty((n, 2), np.intp), np.empty((n, 2)), slots)
    indptr = np.searchsorted(firsts, np.arange(A.n + 1))
    targets = np.ascontiguousarray(seconds)
    values, report = exact_listed(metric, p, A.rows, B.rows, indptr, targets, engine, plans=arrays)
    positions = np.empty(len(order), np.intp)
    positions[order] = np.arange(len(order))
    return values[positions].reshape(shape), report, Plans(arrays, positions, pairs, sides, metric, p, shape)
