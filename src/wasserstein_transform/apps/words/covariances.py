"""Σ(w) of words, as factors: Σ = RᵀR with R an upper trapezoid of as many rows as the rank can have."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from scipy.linalg import cholesky
from threadpoolctl import threadpool_limits

from ..._types import Floats, Ints
from ...engine import Engine, Flag, Tile, cut
from ...engine.tiles import GRAIN
from ...kernels import words as kernels
from .contexts import Contexts
from .variants import About, AboutMean, AboutWord, Shrinkage
from .vectors import Singles

_ROWS = 1 << 14  # words at a time


@dataclass(frozen=True, eq=False)
class Factors:
    """Factors of some covariances, in single precision, one after the other.

    Attributes
    ----------
    packed : array
        Entries of the trapezoids, row by row.
    starts, ranks : arrays
        Where each begins, and how many rows it has.
    m : int
    """

    packed: Singles
    starts: Ints
    ranks: Ints
    m: int

    def matrix(self, k: int) -> Floats:
        """The covariance itself."""
        R = np.zeros((self.m, self.m))
        kernels.unpack(self.packed[self.starts[k] :], int(self.ranks[k]), R)
        return np.asarray(R.T @ R)

    def gaps(self, ends: Ints, engine: Engine) -> Floats:
        """dcov² of pairs, a row each."""
        out = np.empty(len(ends))
        ends = np.ascontiguousarray(ends, np.intp)
        m = self.m
        steps = np.full(len(ends), 300.0 + 50.0 * m**2 + m**3)

        def work(tile: Tile, stop: Flag) -> None:
            scratch = np.empty((5, m, m))
            kernels.bures_gaps(self.packed, self.starts, self.ranks, ends, *tile, scratch, out, stop)

        engine.run(work, cut(steps, min(GRAIN, float(steps.sum()) / 4)), "distances")  # few pairs, too, make some tiles
        return out


@dataclass(frozen=True, eq=False)
class Covariances:
    """The covariances of all words, each computed when it is asked for.

    Attributes
    ----------
    points : array of shape (n, m)
        The vectors.
    contexts : Contexts
    about : About
    shrinkage : Shrinkage, optional
    """

    points: Singles
    contexts: Contexts
    about: About
    shrinkage: Shrinkage | None = None

    @property
    def m(self) -> int:
        """The dimension."""
        return int(self.points.shape[1])

    @cached_property
    def totals(self) -> Floats:
        """The weight of all contexts of each word."""
        return self.contexts.totals()

    @cached_property
    def means(self) -> Singles:
        """The mean of the contexts of each word; 0 where there are none."""
        sums = np.asarray(self.contexts.matrix @ self.points, np.float32)
        sums *= (1.0 / np.where(self.totals > 0, self.totals, 1.0)).astype(np.float32)[:, None]
        return sums

    @cached_property
    def centers(self) -> Singles:
        """What each covariance is taken about."""
        if isinstance(self.about, AboutWord | AboutMean):
            return self.points if isinstance(self.about, AboutWord) else self.means
        pairs = zip(self.points.astype(np.float64), self.means.astype(np.float64), strict=True)
        return np.array([self.about(point, mean) for point, mean in pairs], np.float32)

    @cached_property
    def share(self) -> Floats:
        """n/(n + κ): what is left of each word's own covariance."""
        if self.shrinkage is None or self.shrinkage.strength == 0:
            return np.ones(len(self.points))
        return self.totals / (self.totals + self.shrinkage.strength)

    @cached_property
    def pooled(self) -> Floats:
        """The mean covariance over all contexts of all words; 0 where nothing is pooled."""
        if self.shrinkage is None or not self.shrinkage.pooled or self.shrinkage.strength == 0:
            return np.zeros((self.m, self.m))
        V, C = self.points.astype(np.float64), self.contexts.matrix
        columns = np.asarray(C.sum(axis=0, dtype=np.float64)).ravel()
        weighted = self.centers.T * self.totals
        mixed = weighted @ self.means.astype(np.float64)
        squares = (V.T * columns) @ V + weighted @ self.centers.astype(np.float64) - mixed - mixed.T
        return np.asarray(squares / max(self.totals.sum(), 1e-30))

    @cached_property
    def _pooled_root(self) -> Floats:
        values, vectors = np.linalg.eigh(self.pooled)
        return np.asarray((vectors * np.sqrt(np.maximum(values, 0.0))).T)

    def ranks(self, rows: Ints) -> Ints:
        """The most that each rank can be."""
        sizes = np.diff(self.contexts.matrix.indptr)[rows]
        if self.pooled.any():
            sizes = sizes + self.m
        return np.asarray(np.minimum(sizes, self.m), np.intp)

    def factors(self, rows: Ints, engine: Engine, file: Path | None = None) -> Factors:
        """Factors of some words, in memory or in a file that is mapped, which is there once it is whole."""
        m, rows = self.m, np.asarray(rows, np.intp)
        ranks = self.ranks(rows)
        starts = np.append(0, np.cumsum(ranks * m - ranks * (ranks - 1) // 2))
        half = None if file is None else file.with_name(f"{file.name}.half")
        packed = _room(int(starts[-1]), engine, len(rows), half)
        sizes = np.diff(self.contexts.matrix.indptr)[rows]

        def work(tile: Tile, stop: Flag) -> None:
            for k in range(*tile):
                if stop[0] != 0:
                    return
                R = self._factor(int(rows[k]))
                packed[starts[k] : starts[k + 1]] = R[_trapezoid(len(R), m)]

        _ = self.centers, self.share, self._pooled_root  # once, before threads ask for them
        try:
            with threadpool_limits(1, user_api="blas"):
                engine.run(work, cut((sizes + m) * float(m) ** 2 / 8 + 1e4), "covariances")
            if half is not None and file is not None:
                half.replace(file)
        finally:
            if half is not None:
                half.unlink(missing_ok=True)
        return Factors(packed, starts[:-1], ranks, m)

    def _factor(self, row: int) -> Floats:
        """R of one word: of few contexts by QR, of many from the covariance itself."""
        X = self._centered(row)
        m = self.m
        if self.pooled.any():
            X = np.concatenate([np.sqrt(self.share[row]) * X, np.sqrt(1 - self.share[row]) * self._pooled_root])
        elif self.share[row] < 1:
            X = np.sqrt(self.share[row]) * X
        if len(X) == 0:
            return np.zeros((0, m))
        if len(X) > 2 * m:
            gram = X.T @ X
            try:
                return np.asarray(cholesky(gram, check_finite=False))
            except np.linalg.LinAlgError:  # singular: its factor comes from the eigenvectors
                values, vectors = np.linalg.eigh(gram)
                X = (vectors * np.sqrt(np.maximum(values, 0.0))).T
        return np.asarray(np.linalg.qr(X, mode="r"))

    def _centered(self, row: int) -> Floats:
        """Contexts less the centre, each times the root of its share: Σ = XᵀX."""
        others, weights = self.contexts.of(row)
        X = self.points[others].astype(np.float64)
        shares = weights / max(self.totals[row], 1e-30)
        X -= self.about(self.points[row].astype(np.float64), shares @ X)
        X *= np.sqrt(shares)[:, None]
        return X

    def products(self, N: Floats, rows: Ints | None = None) -> Floats:
        """⟨Σ(w), N⟩ for all words or some, from the contexts alone: no covariance is formed. N is symmetric."""
        V, small = self.points, N.astype(np.float32)
        blocks = [V[start : start + _ROWS] for start in range(0, len(V), _ROWS)]
        squares = np.concatenate([np.einsum("ij,ij->i", X @ small, X) for X in blocks]).astype(np.float64)
        asked = np.arange(len(V)) if rows is None else rows
        parts = [asked[start : start + _ROWS] for start in range(0, len(asked), _ROWS)]
        return np.concatenate([self._products(N, part, squares) for part in parts]) if parts else np.empty(0)

    def _products(self, N: Floats, rows: Ints, squares: Floats) -> Floats:
        W, means = self.centers[rows].astype(np.float64), self.means[rows]
        totals, share = self.totals[rows], self.share[rows]
        own = (self.contexts.matrix[rows] @ squares) / np.maximum(totals, 1e-30)
        own += np.where(totals > 0, np.einsum("ij,ij->i", W @ N, W - 2.0 * means), 0.0)
        return np.asarray(share * own + (1 - share) * float(np.sum(self.pooled * N)))


def _trapezoid(rank: int, m: int) -> tuple[Ints, Ints]:
    return np.triu_indices(rank, 0, m)


def _room(n: int, engine: Engine, n_words: int, file: Path | None) -> Singles:
    if file is not None:
        return np.lib.format.open_memmap(file, "w+", np.float32, (max(n, 1),))
    engine.reserve(4.0 * n, f"covariances of {n_words} words", "give a file for them, or ask without preparing")
    return np.empty(n, np.float32)
