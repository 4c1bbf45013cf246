"""Words as arrays: texts as integers, contexts as compressed rows, covariances as packed factors."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky

from .._types import Floats, Ints
from ..engine import GRAIN, Engine, Flag, Record, Rows, Task, Tile, cut_by_cost, cut_evenly, one_blas_thread
from ..kernels import words as kernels

Singles: TypeAlias = NDArray[np.float32]
Numbers: TypeAlias = NDArray[np.int32]


class Stretch(NamedTuple):
    """A part of a text as indices of words, with marks for words without an index and for borders of documents.

    Attributes
    ----------
    kept : array of int32
    first, last : int
        The range of positions whose contexts are counted; the rest is only context.
    """

    kept: Numbers
    first: int
    last: int


class ContextRows(NamedTuple):
    """Contexts of word i: the words `indices[indptr[i]:indptr[i+1]]`, with `weights` at the same positions."""

    indptr: Ints
    indices: Numbers
    weights: Singles


class Spreads(NamedTuple):
    """The data for the covariances of words.

    Σ(w) = share·(weighted mean of (v − c)(v − c)ᵀ over the contexts v of w) + (1 − share)·(pooled covariance).

    Attributes
    ----------
    points : array of shape (n, m)
        Vectors, in single precision.
    contexts : ContextRows
    totals, shares : arrays of shape (n,)
        The total weight of the contexts of each word, and the share of its own covariance.
    root : array of shape (m, m) or (0, m)
        A root of the pooled covariance; no rows if nothing is pooled.
    about : callable
        Function (word, mean of its contexts) → c. It must be picklable.
    """

    points: Singles
    contexts: ContextRows
    totals: Floats
    shares: Floats
    root: Floats
    about: Callable[[Floats, Floats], Floats]


class Packed(NamedTuple):
    """Factors R of covariances RᵀR: upper trapezoids with `ranks` rows, stored row by row from `starts` on."""

    entries: Singles
    starts: Ints
    ranks: Ints
    m: int


class _Places(NamedTuple):
    kept: Numbers
    begins: Ints
    places: Ints
    weights: Floats


def count_contexts(text: Stretch, weights: Floats, n: int, engine: Engine) -> ContextRows:
    """Count the contexts in a part of a text, word by word, from the positions of each word.

    Pairs of words within len(weights) positions of each other count weights[distance − 1]. Windows do not cross borders
    between documents. There are n words.
    """
    where = _places(text, weights, n)
    tiles = cut_by_cost(np.diff(where.begins) * 2.0 * len(weights) + 10.0)
    sizes = np.empty(n, np.int64)
    kept, begins, places, _ = where

    def count(tile: Tile, stop: Flag) -> None:
        scratch = np.zeros(n), np.empty(n, np.int32)
        kernels.count_contexts(kept, begins, places, *tile, weights, *scratch, sizes[slice(*tile)], stop)

    engine.loop("contexts, sizes", tiles, count)
    starts = np.append(0, np.cumsum(sizes))
    size = int(starts[-1])
    engine.reserve(8.0 * size, f"{size} pairs of words", "use a smaller window or fewer words")
    indices, values = np.empty(size, np.int32), np.empty(size, np.float32)

    def fill(tile: Tile, stop: Flag) -> None:
        part, scratch = slice(starts[tile.start], starts[tile.stop]), (np.zeros(n), np.empty(n, np.int32))
        kernels.fill_contexts(
            kept, begins, places, *tile, weights, *scratch, starts, indices[part], values[part], stop
        )  # fmt: skip

    engine.loop("contexts", tiles, fill)
    return ContextRows(starts, indices, values)


def _places(text: Stretch, weights: Floats, n: int) -> _Places:
    """The positions of each word, word by word."""
    begins = np.zeros(n + 1, np.int64)
    kernels.count_places(*text, begins)
    begins = np.cumsum(begins)
    places = np.empty(begins[-1], np.int64)
    kernels.list_places(*text, begins[:-1].copy(), places)
    return _Places(text.kept, begins, places, weights)


class _Factoring(NamedTuple):
    spreads: Spreads
    rows: Ints
    starts: Ints


def word_factors(spreads: Spreads, rows: Ints, starts: Ints, out: Singles, engine: Engine) -> None:
    """Packed factors of the covariances of the words `rows`, at `starts`; with our threads, not those of BLAS."""
    m, sizes = spreads.points.shape[1], np.diff(spreads.contexts.indptr)[rows]
    tiles = cut_by_cost((sizes + m) * float(m) ** 2 / 8 + 1e4)
    with one_blas_thread():
        task = Task("covariances", _factor, _Factoring(spreads, rows, starts), tiles, Rows((starts,)))
        engine.run(task, (out,))


def _factor(inputs: _Factoring, tile: Tile, stop: Flag, record: Record) -> None:
    m, starts = inputs.spreads.points.shape[1], inputs.starts - inputs.starts[tile.start]
    for k in range(*tile):
        if stop[0] != 0:
            return
        R = _root(inputs.spreads, int(inputs.rows[k]))
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


def word_gaps(factors: Packed, ends: Ints, engine: Engine) -> Floats:
    """dcov² of pairs of covariances, one for each row of `ends`."""
    out, m = np.empty(len(ends)), factors.m
    steps = np.full(len(ends), 300.0 + 50.0 * m**2 + m**3)
    tiles = cut_by_cost(steps, min(GRAIN, float(steps.sum()) / 4))  # several tiles even for few pairs

    def compare(tile: Tile, stop: Flag) -> None:
        scratch = np.empty((5, m, m))
        kernels.bures_gaps(
            factors.entries, factors.starts, factors.ranks, ends, *tile, scratch, out[slice(*tile)], stop
        )  # fmt: skip

    engine.loop("distances", tiles, compare)
    return out


def covariance(factors: Packed, k: int) -> Floats:
    """The k-th covariance."""
    R = np.zeros((factors.m, factors.m))
    kernels.unpack(factors.entries[factors.starts[k] :], int(factors.ranks[k]), R)
    return np.asarray(R.T @ R)


def word_means(
    contexts: ContextRows, points: Singles, squares: Floats, rows: Ints, engine: Engine
) -> tuple[Singles, Floats]:
    """The means of the contexts of some words, and the means of `squares` over them."""
    sizes = np.diff(contexts.indptr)[rows].astype(np.float64)
    tiles = cut_by_cost(sizes * points.shape[1] + 100.0, GRAIN / 4)  # small tiles, because memory access is random
    means, sizes = np.empty((len(rows), points.shape[1]), np.float32), np.empty(len(rows))

    def average(tile: Tile, stop: Flag) -> None:
        part, sums = slice(*tile), np.empty(points.shape[1])
        kernels.means(*contexts, points, squares, rows, *tile, sums, means[part], sizes[part], stop)

    engine.loop("means of contexts", tiles, average)
    return means, sizes


def factor_forms(factors: Packed, directions: Floats, fixed: Floats, engine: Engine) -> Floats:
    """xᵀΣx, xᵀΣy and yᵀΣy of each covariance; x is its own direction, y the fixed one."""
    out, m = np.empty((len(directions), 3)), factors.m
    tiles = cut_evenly(len(out), 100.0 + m * m, GRAIN / 16)

    def fill(tile: Tile, stop: Flag) -> None:
        packed = factors.entries, factors.starts, factors.ranks
        kernels.factor_forms(*packed, directions, fixed, *tile, out[slice(*tile)], stop)

    engine.loop("bounds", tiles, fill)
    return out


def context_forms(
    contexts: ContextRows, points: Singles, rows: Ints, directions: Floats, fixed: Floats, offsets: Floats,
    engine: Engine,
) -> Floats:  # fmt: skip
    """Σ weight·(x·(v − c))², …, over the contexts v of the words `rows`; offsets are x·c and y·c."""
    out, along = np.empty((len(rows), 3)), (points @ fixed.astype(np.float32)).astype(np.float64)
    tiles = cut_by_cost(np.diff(contexts.indptr)[rows] * float(points.shape[1]) + 100.0, GRAIN / 4)

    def fill(tile: Tile, stop: Flag) -> None:
        kernels.context_forms(*contexts, points, rows, directions, along, offsets, *tile, out[slice(*tile)], stop)

    engine.loop("bounds", tiles, fill)
    return out
