"""Exact transport where it is hardest: ties, false promises, scales far apart, faint masses, rounding of the totals."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import mpmath
import numpy as np
import ot
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray
from reference.bottleneck import w_infinity
from reference.transport import exact_cost
from scipy.spatial.distance import cdist, squareform

import wasserstein_transform as wt

Floats = NDArray[np.float64]
ORDERS = [1.0, 1.5, 2.0, 3.0, 10.0, 50.0, 200.0]


def truth(a: Floats, b: Floats, distances: Floats, p: float) -> float:
    """W_p of rational numbers: every float is taken for what it is, the root alone is rounded."""
    rows, cols = np.flatnonzero(a), np.flatnonzero(b)
    block = distances[np.ix_(rows, cols)]
    if p == np.inf:
        return w_infinity(a[rows], b[cols], block)
    powers = np.array([[Fraction(d) ** int(p) for d in row] for row in block.tolist()], dtype=object)
    return root(exact_cost(a[rows], b[cols], powers), p)


def root(cost: Fraction, p: float) -> float:
    with mpmath.workdps(40):
        return float((mpmath.mpf(cost.numerator) / cost.denominator) ** (1 / mpmath.mpf(p)))


def monotone(x: Floats, y: Floats, masses: Floats, p: float) -> float:
    """W_p on the line between equal masses at x and at y, both rising."""
    with mpmath.workdps(40):
        moves = [m * mpmath.mpf(abs(Fraction(s) - Fraction(t))) ** p for m, s, t in zip(masses, x, y, strict=True)]
        return float((sum(moves) / mpmath.mpf(masses.sum())) ** (1 / mpmath.mpf(p)))


def two(masses: Floats, others: Floats) -> Floats:
    """Two measures, on the first points and on the others."""
    both = np.zeros((2, len(masses) + len(others)))
    both[0, : len(masses)] = masses
    both[1, len(masses) :] = others
    return both


def couple(measures: Floats, metric: wt.Metric, p: float) -> wt.Coupling:
    space = wt.Space(metric, np.full(metric.n, 1 / metric.n), None)
    return wt.Exact(p).coupling(wt.Given(measures)(space), metric, 0, 1)
