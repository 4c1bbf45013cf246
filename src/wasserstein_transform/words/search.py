"""Exact nearest-word search under the GT distance: cheap lower bounds for all words, exact distances for few.

Let F = tr(A^½BA^½)^½, so that dcov² = tr A + tr B − 2F. For every projection P and every positive definite M, with
A' = M^½AM^½ and B' = M^-½BM^-½, which have the same F (see `pinching.py`),

    F ≤ F(PA'P, PB'P) + √(tr A'(1 − P) · tr B'(1 − P)).

Bounds of increasing cost are applied, each to the words that the previous one left:

1. P = 0: only the traces of the covariances.
2. P onto u = (mean of the contexts) − (the word), along which Σ(w) is large; M = 1.
3. P onto the u of the word and the u of the query. This needs uᵀBu, uᵀBa and aᵀBa of few words, and leaves one or two
   candidates for each of the nearest words.
4. If many are left: as 3, with the M that is best for the query and the mean covariance of the words found so far.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from .._cached import cached_property
from .._types import Bools, Floats, Ints
from ..engine import Engine, one_blas_thread
from .covariances import Covariances, Factors
from .outlines import Outlines
from .pinching import SLACK, Frame, along_one, along_two, between
from .vectors import Singles

_BLOCK = 16  # exact distances at a time
_FIRST, _GROWTH = 256, 8  # words in the first batch, and growth factor of later batches
_NOISE = 4e-6  # rounding of products of unit vectors in single precision
_WORTH = (0, 0, 16, 96)  # number of remaining words above which each of the four bounds pays off
_ROWS = 1 << 16  # words at a time

Forms = Callable[[Ints, Singles, Floats, Floats, Engine], Floats]


@dataclass(frozen=True, eq=False)
class Neighbors:
    """The words nearest to a query word; iterates over pairs (word, distance).

    `WordTransform.most_similar` returns it.

    Attributes
    ----------
    words : tuple of str, length k
        The nearest words, nearest first.
    distances : array of shape (k,)
        GT distances; those of unit vectors if λ = 0.
    n_exact : int
        Number of distances that were computed; bounds excluded the other words.
    n_words : int
        Number of words in all.

    Examples
    --------
    >>> from wasserstein_transform import words
    >>> vectors = {"cat": [1.0, 0.1], "dog": [1.0, -0.1], "ran": [0.0, 1.0], "sat": [0.1, 1.0]}
    >>> near = words.adapt(vectors).most_similar("cat", 2)
    >>> near.words[0], near.n_words
    ('dog', 4)
    >>> [word for word, distance in near if distance < 1.5]
    ['dog']
    """

    words: tuple[str, ...]
    distances: Floats
    n_exact: int
    n_words: int

    @property
    def share(self) -> float:
        """Fraction of words whose distance was computed."""
        return self.n_exact / self.n_words

    def __iter__(self) -> Iterator[tuple[str, float]]:
        return zip(self.words, self.distances.tolist(), strict=True)

    def __len__(self) -> int:
        return len(self.words)

    def __repr__(self) -> str:
        found = ", ".join(f"{word} {distance:.3f}" for word, distance in self)
        return f"<Neighbors {found}; {self.n_exact} of {self.n_words} distances computed>"


@dataclass(frozen=True, eq=False)
class Search:
    """The data that bounds need of all words; kept between queries.

    Attributes
    ----------
    covariances : Covariances
        The covariances of all n words.
    centers : array of shape (n, m)
        The points between which distances are taken; they may differ from the centers of the covariances.
    factors : callable
        (rows, engine) → factors of the covariances of these words.
    forms : callable
        (rows, centers of their covariances, directions x, one direction y, engine) → xᵀΣx, xᵀΣy, yᵀΣy of each word.
    """

    covariances: Covariances
    centers: Singles
    factors: Callable[[Ints, Engine], Factors]
    forms: Forms

    @cached_property
    def outlines(self) -> Outlines:
        """Quantities of words that bounds need."""
        return Outlines(self.covariances)

    @cached_property
    def sizes(self) -> Floats:
        """Squared lengths of the points: 1, or 0 where a shift canceled the point."""
        return np.where(self.centers.any(axis=1), 1.0, 0.0)

    def outline(self, engine: Engine) -> None:
        """Compute everything that does not depend on the query."""
        self.outlines.look_up(np.arange(len(self.centers)), engine)
        _ = self.sizes

    def nearest(self, row: int, k: int, lam: float, engine: Engine) -> tuple[Ints, Floats, int]:
        """Return the k nearest words, their squared distances, and the number of distances computed."""
        with one_blas_thread():
            return _Query(self, row, k, lam, engine).run()


class _Query:
    """One search: lower bounds of all words, and the nearest words found so far."""

    def __init__(self, search: Search, row: int, k: int, lam: float, engine: Engine) -> None:
        self.search, self.row, self.k, self.lam, self.engine = search, row, k, lam, engine
        self.outlines, self.A = search.outlines, search.factors(np.array([row]), engine).matrix(0)
        self.trace = float(np.trace(self.A))
        self.squares = self._squares()
        self.bounds = self.squares.copy()
        self.seen: Bools = np.zeros(len(self.bounds), np.bool_)
        self.seen[row] = True
        self.found, self.values, self.n_exact = np.empty(0, np.intp), np.empty(0), 0

    def run(self) -> tuple[Ints, Floats, int]:
        """Process words in growing batches, nearest points first: early results exclude many later words."""
        size, pool = max(_FIRST, 4 * self.k), np.empty(0, np.intp)
        while len(part := self._next(size)):
            pool = np.append(pool, self._bounded(part))
            pool = self._compared(pool, max(_BLOCK, self.k - len(self.found)))
            size *= _GROWTH
        while len(pool):
            pool = self._compared(pool, _BLOCK)
        return self.found, self.values, self.n_exact

    def _next(self, n: int) -> Ints:
        """Return the n nearest points not yet processed whose bound is small enough."""
        rows = self._left(np.flatnonzero(~self.seen))
        if len(rows) > n:
            rows = np.sort(rows[np.argpartition(self.bounds[rows], n)[:n]])
        self.seen[rows] = True
        return rows

    def _bounded(self, rows: Ints) -> Ints:
        """Apply all bounds that pay off; return the words that are left."""
        if self.lam > 0:
            for bound, worth in zip((self._traced, self._pinched, self._crossed, self._fitted), _WORTH, strict=True):
                if len(rows) > worth and (bound != self._fitted or len(self.found) == self.k):
                    rows = self._raise(rows, bound)
        return rows

    def _compared(self, pool: Ints, n: int) -> Ints:
        """Compute the distances of the n words with the smallest bounds; return the other words that are left."""
        pool = pool[np.argsort(self.bounds[pool], kind="stable")]
        now, later = pool[:n], pool[n:]
        if len(now) == 0:
            return later
        self.n_exact += len(now)
        self.found, self.values = _least(np.append(self.found, now), np.append(self.values, self._exact(now)), self.k)
        return self._left(later)

    def _squares(self) -> Floats:
        """Return lower bounds of ‖w − q‖² for all w: the computed value minus the rounding error."""
        sizes, points = self.search.sizes, self.search.centers
        products = (points @ points[self.row]).astype(np.float64)
        return np.asarray(np.maximum(sizes + sizes[self.row] - 2.0 * products - _NOISE, 0.0))

    def _left(self, rows: Ints) -> Ints:
        """Return those of some words that may be nearer than the k-th word found."""
        return rows if len(self.found) < self.k else rows[self.bounds[rows] <= self.values[-1]]

    def _raise(self, rows: Ints, bound: Callable[[Ints], Floats]) -> Ints:
        """Improve the bounds of some words; return those that are left."""
        for start in range(0, len(rows), _ROWS):
            part = rows[start : start + _ROWS]
            self.bounds[part] = np.maximum(self.bounds[part], self.squares[part] + self.lam * bound(part))
        return self._left(rows)

    def _traced(self, rows: Ints) -> Floats:
        """Return lower bounds of dcov² from traces alone."""
        self.outlines.look_up(rows, self.engine)
        return np.asarray((np.sqrt(self.trace) - np.sqrt(self.outlines.traces[rows])) ** 2 * (1 - SLACK))

    def _pinched(self, rows: Ints) -> Floats:
        """Return lower bounds of dcov² with P onto the direction of each word."""
        U, lengths = self.outlines.directions[rows], self.outlines.lengths[rows]
        along = np.einsum("ij,ij->i", U @ self.A.astype(np.float32), U).astype(np.float64)
        return along_one(self.trace, self.outlines.traces[rows], along, self.outlines.along[rows], lengths)

    def _crossed(self, rows: Ints) -> Floats:
        """Return lower bounds of dcov² with P onto the directions of word and query."""
        own, U = self._own, self.outlines.directions[rows].astype(np.float64)
        forms = self.search.forms(rows, self.outlines.centers(rows), U, own, self.engine)
        traces = self.outlines.traces[rows]
        return along_two(Frame.plain(self.A, own), U, U, forms, traces, traces)

    def _fitted(self, rows: Ints) -> Floats:
        """Return lower bounds of dcov² as `_crossed`, with the best M for query and mean covariance of words found."""
        M, inverse = between(self.A, _mean_covariance(self.search.factors(self.found[:8], self.engine)))
        own, U, centers = self._own, self.outlines.directions[rows].astype(np.float64), self.outlines.centers(rows)
        X = U @ inverse
        forms = self.search.forms(rows, centers, X, own, self.engine)
        inner = self.search.covariances.products(inverse, rows, centers, self.outlines.means(rows))
        return along_two(Frame.of(self.A, own, M), U, X, forms, inner, self.outlines.traces[rows])

    @cached_property
    def _own(self) -> Floats:
        """The direction of the query."""
        self.outlines.look_up(np.array([self.row]), self.engine)
        return np.asarray(self.outlines.directions[self.row], np.float64)

    def _exact(self, rows: Ints) -> Floats:
        """Return the squared distances to some words."""
        off = self.search.centers[rows].astype(np.float64) - self.search.centers[self.row]
        squares = np.einsum("ij,ij->i", off, off)
        if self.lam == 0:
            return np.asarray(squares)
        factors = self.search.factors(np.append(self.row, rows), self.engine)
        ends = np.stack([np.zeros(len(rows), np.intp), np.arange(1, len(rows) + 1)], axis=1)
        return np.asarray(squares + self.lam * factors.gaps(ends, self.engine))


def _mean_covariance(factors: Factors) -> Floats:
    return np.asarray(sum(factors.matrix(k) for k in range(len(factors.ranks))) / len(factors.ranks))


def _least(rows: Ints, values: Floats, k: int) -> tuple[Ints, Floats]:
    """Return the k smallest values and their rows; ties are in the order of rows."""
    order = np.lexsort((rows, values))[:k]
    return rows[order], values[order]
