"""Distances of one Gaussian in four or more dimensions to a run of consecutive positions, several in SIMD lanes."""

from __future__ import annotations

from typing import Any

import numpy as np

from .bures import equal, gap_general, is_far, procrustes, unit_of
from .compile import jit
from .lanes import fill, multiply, nuclear_norms, pack
from .pairs import gaussian_solid, solid_floor, square_apart
from .qd_lanes import LANES

_L = LANES


@jit
def squares_solid(geometry: Any, i: int, start: int, end: int, limit: float, out: Any) -> None:
    """Of Gaussians in four and more dimensions."""
    if geometry.lanes.shape[0] == 0:
        for k in range(end - start):
            out[k] = 0.0 if start + k == i else gaussian_solid(geometry, i, start + k, limit)
        return
    _load(geometry.factors[i], geometry.lanes)
    middle = min(
        max(start, i), end
    )  # before it, i is the second of a pair, which makes results symmetric to the last bit
    _squares(geometry, i, start, middle, limit, out)
    if start <= i < end:
        out[i - start] = 0.0
        middle += 1
    _squares(geometry, i, middle, end, limit, out[middle - start :])


@jit
def _load(factor: Any, lanes: Any) -> None:
    """Store a factor, padded with zeros, after the memory of two matrices in lanes."""
    m = factor.shape[0]
    wide = (m + 3) // 4 * 4
    size = wide * wide
    fill(lanes[: size * _L], 0.0)
    own = lanes[2 * size * _L :]
    fill(own[:size], 0.0)
    for k in range(m):
        for r in range(m):
            own[k * wide + r] = factor[k, r]


@jit
def _squares(geometry: Any, i: int, start: int, end: int, limit: float, out: Any) -> None:
    """Bounds decide some positions; the others fill lanes. All are on the same side of i."""
    who, count = geometry.who, 0
    for j in range(start, end):
        if limit < np.inf and solid_floor(geometry, i, j, limit) > limit * (1 + 1e-9):
            out[j - start] = np.inf
        else:
            who[count] = j
            count += 1
        if count > 0 and (count == _L or j == end - 1):
            _flush(geometry, i, count, start, out)
            count = 0


@jit
def _flush(geometry: Any, i: int, count: int, start: int, out: Any) -> None:
    """Compute the distances to the positions in lanes. Unused lanes repeat the first, to hold valid numbers."""
    who, lanes, m = geometry.who, geometry.lanes, geometry.factors.shape[1]
    wide, n = (m + 3) // 4 * 4, who.shape[0]
    size = wide * wide
    factors, G, own = lanes[: size * _L], lanes[size * _L : 2 * size * _L], lanes[2 * size * _L : (2 * _L + 1) * size]
    norms, scratch = lanes[(2 * _L + 1) * size :], lanes[(2 * _L + 1) * size + _L :]
    for w in range(count, n):
        who[w] = who[0]
    pack(geometry.factors, who, factors)
    multiply(own, factors, m, i > who[0], G, n)
    nuclear_norms(G, m, scratch, norms, n)
    for w in range(count):
        j = who[w]
        gap = _gap(geometry, min(i, j), max(i, j), norms[w])
        out[j - start] = square_apart(geometry.points, i, j) + geometry.lam * gap


@jit
def _gap(geometry: Any, p: int, q: int, nuclear: float) -> float:
    """dcov² of a pair given its nuclear norm, −1 if that is unknown."""
    A, B = geometry.covs[p], geometry.covs[q]
    factor_a, rank_a, factor_b, rank_b = geometry.factors[p], geometry.ranks[p], geometry.factors[q], geometry.ranks[q]
    traces = 0.0
    for k in range(A.shape[0]):
        traces += A[k, k] + B[k, k]
    plain = traces - 2.0 * nuclear
    if nuclear < 0.0:
        return gap_general(A, factor_a, rank_a, B, factor_b, rank_b, geometry.scratch)
    if is_far(plain, traces, 1.0):
        return plain
    if equal(A, B):
        return 0.0
    return procrustes(factor_a, rank_a, factor_b, rank_b, unit_of(traces), geometry.scratch)
