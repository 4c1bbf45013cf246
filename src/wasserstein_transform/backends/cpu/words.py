"""Operations on words: counting contexts, factoring covariances, distances of Gaussians."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import cholesky

from ..._types import Floats, Ints
from ...engine import GRAIN, Engine, Flag, Ragged, Record, Rows, Task, Tile, cut, evenly, one_blas_thread
from ...kernels import words as kernels
from ..words import ContextRows, Numbers, Packed, Singles, Spreads, Stretch


class _Places(NamedTuple):
    kept: Numbers
    begins: Ints
    places: Ints
    weights: Floats


class _Filling(NamedTuple):
    where: _Places
    starts: Ints


def count_contexts(text: Stretch, weights: Floats, n: int, engine: Engine) -> ContextRows:
    """Count the contexts in a part of a text, word by word, from the positions of each word."""
    where = _places(text, weights, n)
    tiles = cut(np.diff(where.begins) * 2.0 * len(weights) + 10.0)
    sizes = np.empty(n, np.int64)
    engine.run(Task("contexts, sizes", _count, where, tiles, Rows()), (sizes,))
    starts = np.append(0, np.cumsum(sizes))
    size = int(starts[-1])
    engine.reserve(8.0 * size, f"{size} pairs of words", "use a smaller window or fewer words")
    found = np.empty(size, np.int32), np.empty(size, np.float32)
    engine.run(Task("contexts", _fill, _Filling(where, starts), tiles, Ragged(starts)), found)
    return ContextRows(starts, *found)


def _places(text: Stretch, weights: Floats, n: int) -> _Places:
    """The positions of each word, word by word."""
    begins = np.zeros(n + 1, np.int64)
    kernels.count_places(*text, begins)
    begins = np.cumsum(begins)
    places = np.empty(begins[-1], np.int64)
    kernels.list_places(*text, begins[:-1].copy(), places)
    return _Places(text.kept, begins, places, weights)


def _count(where: _Places, tile: Tile, stop: Flag, record: Record) -> None:
    kept, begins, places, weights = where
    kernels.count_contexts(kept, begins, places, *tile, weights, *_scratch(begins), record[0], stop)


def _fill(filling: _Filling, tile: Tile, stop: Flag, record: Record) -> None:
    (kept, begins, places, weights), (indices, values) = filling.where, record
    totals, seen = _scratch(begins)
    kernels.fill_contexts(
        kept, begins, places, *tile, weights, totals, seen, filling.starts, indices, values, stop
    )  # fmt: skip


def _scratch(begins: Ints) -> tuple[Floats, Numbers]:
    n = len(begins) - 1
    return np.zeros(n), np.empty(n, np.int32)


class _Factoring(NamedTuple):
    spreads: Spreads
    rows: Ints
    starts: Ints


def word_factors(spreads: Spreads, rows: Ints, starts: Ints, out: Singles, engine: Engine) -> None:
    """Packed factors of the covariances of the words `rows`, at `starts`; with our threads, not those of BLAS."""
    m, sizes = spreads.points.shape[1], np.diff(spreads.contexts.indptr)[rows]
    tiles = cut((sizes + m) * float(m) ** 2 / 8 + 1e4)
    with one_blas_thread():
        engine.run(
            Task("covariances", _factor, _Factoring(spreads, rows, starts), tiles, Ragged(starts), heavy=True), (out,)
        )


def _factor(asked: _Factoring, tile: Tile, stop: Flag, record: Record) -> None:
    m, starts = asked.spreads.points.shape[1], asked.starts - asked.starts[tile.start]
    for k in range(*tile):
        if stop[0] != 0:
            return
        R = _root(asked.spreads, int(asked.rows[k]))
        record[0][starts[k] : starts[k + 1]] = R[np.triu_indices(len(R), 0, m)]


def _root(spreads: Spreads, row: int) -> Floats:
    """The factor R of one word: by QR for few contexts, by Cholesky of the covariance for many."""
    X, m, share = _centered(spreads, row), spreads.points.shape[1], spreads.shares[row]
    if len(spreads.root):
        X = np.concatenate([np.sqrt(share) * X, np.sqrt(1 - share) * spreads.root])
    elif share < 1:
        X = np.sqrt(share) * X
    if len(X) == 0:
        return np.zeros((0, m))
    if len(X) > 2 * m:
        gram = X.T @ X
        try:
            return np.asarray(cholesky(gram, check_finite=False))
        except np.linalg.LinAlgError:  # singular: use the eigenvectors
            values, vectors = np.linalg.eigh(gram)
            X = (vectors * np.sqrt(np.maximum(values, 0.0))).T
    return np.asarray(np.linalg.qr(X, mode="r"))


def _centered(spreads: Spreads, row: int) -> Floats:
    """Contexts minus the center, each times the square root of its share: Σ = XᵀX."""
    indptr, indices, weights = spreads.contexts
    part = slice(indptr[row], indptr[row + 1])
    X = spreads.points[indices[part]].astype(np.float64)
    shares = weights[part] / max(spreads.totals[row], 1e-30)
    X -= spreads.about(spreads.points[row].astype(np.float64), shares @ X)
    X *= np.sqrt(shares)[:, None]
    return X


class _Gaps(NamedTuple):
    factors: Packed
    ends: Ints


def word_gaps(factors: Packed, ends: Ints, engine: Engine) -> Floats:
    """dcov² of pairs of covariances, one for each row of `ends`."""
    out, m = np.empty(len(ends)), factors.m
    steps = np.full(len(ends), 300.0 + 50.0 * m**2 + m**3)
    tiles = cut(steps, min(GRAIN, float(steps.sum()) / 4))  # several tiles even for few pairs
    engine.run(Task("distances", _compare, _Gaps(factors, ends), tiles, Rows()), (out,))
    return out


def _compare(asked: _Gaps, tile: Tile, stop: Flag, record: Record) -> None:
    entries, starts, ranks, m = asked.factors
    kernels.bures_gaps(entries, starts, ranks, asked.ends, *tile, np.empty((5, m, m)), record[0], stop)


def covariance(factors: Packed, k: int) -> Floats:
    """The k-th covariance."""
    R = np.zeros((factors.m, factors.m))
    kernels.unpack(factors.entries[factors.starts[k] :], int(factors.ranks[k]), R)
    return np.asarray(R.T @ R)


class _Means(NamedTuple):
    contexts: ContextRows
    points: Singles
    squares: Floats
    rows: Ints


def word_means(
    contexts: ContextRows, points: Singles, squares: Floats, rows: Ints, engine: Engine
) -> tuple[Singles, Floats]:
    """The means of the contexts of some words, and the means of `squares` over them."""
    sizes = np.diff(contexts.indptr)[rows].astype(np.float64)
    tiles = cut(sizes * points.shape[1] + 100.0, GRAIN / 4)  # small tiles, because memory access is random
    out = np.empty((len(rows), points.shape[1]), np.float32), np.empty(len(rows))
    engine.run(Task("means of contexts", _mean, _Means(contexts, points, squares, rows), tiles, Rows()), out)
    return out


def _mean(asked: _Means, tile: Tile, stop: Flag, record: Record) -> None:
    sums = np.empty(asked.points.shape[1])
    kernels.means(*asked.contexts, asked.points, asked.squares, asked.rows, *tile, sums, record[0], record[1], stop)


class _FactorForms(NamedTuple):
    factors: Packed
    directions: Floats
    fixed: Floats


def factor_forms(factors: Packed, directions: Floats, fixed: Floats, engine: Engine) -> Floats:
    """xᵀΣx, xᵀΣy and yᵀΣy of each covariance; x is its own direction, y the fixed one."""
    out, m = np.empty((len(directions), 3)), factors.m
    tiles = evenly(len(out), 100.0 + m * m, GRAIN / 16)
    engine.run(Task("bounds", _of_factors, _FactorForms(factors, directions, fixed), tiles, Rows()), (out,))
    return out


def _of_factors(asked: _FactorForms, tile: Tile, stop: Flag, record: Record) -> None:
    entries, starts, ranks, _ = asked.factors
    kernels.factor_forms(entries, starts, ranks, asked.directions, asked.fixed, *tile, record[0], stop)


class _ContextForms(NamedTuple):
    contexts: ContextRows
    points: Singles
    rows: Ints
    directions: Floats
    along: Floats
    offsets: Floats


def context_forms(
    contexts: ContextRows, points: Singles, rows: Ints, directions: Floats, fixed: Floats, offsets: Floats,
    engine: Engine,
) -> Floats:  # fmt: skip
    """Σ weight·(x·(v − c))², …, over the contexts v of the words `rows`; offsets are x·c and y·c."""
    out, along = np.empty((len(rows), 3)), (points @ fixed.astype(np.float32)).astype(np.float64)
    asked = _ContextForms(contexts, points, rows, directions, along, offsets)
    tiles = cut(np.diff(contexts.indptr)[rows] * float(points.shape[1]) + 100.0, GRAIN / 4)
    engine.run(Task("bounds", _of_contexts, asked, tiles, Rows()), (out,))
    return out


def _of_contexts(asked: _ContextForms, tile: Tile, stop: Flag, record: Record) -> None:
    kernels.context_forms(*asked.contexts, *asked[1:], *tile, record[0], stop)
