"""The nearest of many measures: lower bounds rule out most, and only the others are solved."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._types import Floats, Ints
from ..compute.exact.batches import exact_listed
from ..compute.exact.problems import Report
from ..cuda import on
from ..engine import Engine
from ..measures import Discrete
from .costs import MetricWithDummy

_FIRST_ROUND = 2  # candidates for each of the k nearest
_MACHINE_EPS = float(np.finfo(np.float64).eps)


def solve_nearest(
    metric: Any, p: float, A: Discrete, B: Discrete, k: int, engine: Engine
) -> tuple[Floats, Ints, Report]:
    """Distances (A.n, k), sorted, and indices of the nearest measures of B; equal distances by index.

    Candidates are solved by rising bound, in rounds, until the next bound exceeds the k-th distance so far.
    """
    bounds = lower_bounds(metric, p, A, B, engine)
    engine.reserve(32.0 * bounds.size, f"bounds of {A.n} × {B.n} distances", "take A in parts")
    order = np.argsort(bounds, axis=1, kind="stable")
    bounds = np.take_along_axis(bounds, order, 1)
    values, report, first = np.full(bounds.shape, np.inf), Report(), np.zeros(A.n, np.intp)
    size = min(_FIRST_ROUND * k, B.n)
    while True:
        limits = np.sort(values, axis=1)[:, k - 1]
        ends = (bounds <= limits[:, None]).sum(axis=1)
        ends = np.minimum(np.maximum(ends, first), first + size)
        counts = ends - first
        if not counts.any():
            break
        rows = np.repeat(np.arange(A.n), counts)
        cols = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts - first, counts)
        indptr, targets = np.append(0, np.cumsum(counts)), order[rows, cols]
        values[rows, cols], more = on(engine, exact_listed)(metric, p, A.rows, B.rows, indptr, targets, engine)
        report, first, size = report + more, ends, 2 * size
    best = np.lexsort((order, values), axis=1)[:, :k]
    return np.take_along_axis(values, best, 1), np.take_along_axis(order, best, 1), report


def lower_bounds(metric: Any, p: float, A: Discrete, B: Discrete, engine: Engine) -> Floats:
    """Lower bounds of W_p from each measure of A to each one of B: all mass of B goes to the nearest point of A."""
    bounds, points = np.empty((A.n, B.n)), np.unique(B.indices)
    engine.reserve(8.0 * (bounds.size + len(points) * int(np.diff(A.indptr).max())), "bounds", "take A in parts")
    number = np.empty(metric.n, np.intp)
    number[points] = np.arange(len(points))
    columns, totals = number[B.indices], B.totals
    rounding = 1.0 - _MACHINE_EPS * (16.0 + float(np.diff(B.indptr).max()))
    with engine.progress_scope() as scope:
        for i in range(A.n):
            scope.check()
            scope.report("lower bounds", i, A.n)
            sources = A.indices[A.indptr[i] : A.indptr[i + 1]]
            lengths = metric.block(sources, points, engine.silent()).min(axis=0)
            if p == np.inf:
                bounds[i] = np.maximum.reduceat(lengths[columns], B.indptr[:-1])
                continue
            top = float(lengths.max()) or 1.0
            with np.errstate(under="ignore"):
                means = np.add.reduceat(B.masses * ((lengths / top) ** p)[columns], B.indptr[:-1])
                bounds[i] = top * (means if isinstance(metric, MetricWithDummy) else means / totals) ** (1 / p)
    return bounds * rounding
