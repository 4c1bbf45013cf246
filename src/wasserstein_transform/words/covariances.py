"""Covariances Σ(w) of words as factors: Σ = RᵀR, where R is upper trapezoidal with as many rows as Σ's largest rank."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .._cached import cached_property
from .._mapped import write_mapped
from .._shown import Brief
from .._types import Floats, Ints
from ..engine import Engine, current
from .arrays import (
    Packed,
    Spreads,
    context_forms,
    covariance as word_covariance,
    factor_forms,
    word_factors,
    word_gaps,
    word_means,
)
from .contexts import Contexts
from .variants import About, AboutMean, AboutWord, Shrinkage
from .vectors import Singles

_ROWS = 1 << 14  # words at a time


@dataclass(frozen=True, eq=False, repr=False)
class Factors(Brief):
    """Factors R of covariances, Σ = RᵀR, in single precision, stored one after the other.

    Attributes
    ----------
    packed : array
        Entries of the trapezoids, row by row.
    starts, ranks : arrays
        Where each factor begins, and how many rows it has.
    m : int
        The dimension.
    """

    packed: Singles
    starts: Ints
    ranks: Ints
    m: int

    @property
    def _all(self) -> Packed:
        return Packed(self.packed, self.starts, self.ranks, self.m)

    def matrix(self, k: int) -> Floats:
        """Return the k-th covariance as a matrix of shape (m, m)."""
        return word_covariance(self._all, k)

    def take(self, rows: Ints) -> Factors:
        """Return the factors of some words."""
        return Factors(self.packed, self.starts[rows], self.ranks[rows], self.m)

    def forms(self, directions: Floats, fixed: Floats, engine: Engine) -> Floats:
        """Return xᵀΣx, xᵀΣy and yᵀΣy for each covariance, where x is its own direction and y is `fixed`."""
        return factor_forms(self._all, directions, fixed, engine)

    def gaps(self, ends: Ints, engine: Engine) -> Floats:
        """Return dcov² of pairs of covariances; `ends` has a row for each pair."""
        return word_gaps(self._all, np.ascontiguousarray(ends, np.intp), engine)


@dataclass(frozen=True, eq=False, repr=False)
class Covariances(Brief):
    """The covariances of all n words; each is computed when it is needed.

    Attributes
    ----------
    points : array of shape (n, m)
        The unit vectors.
    contexts : Contexts
        Weighted contexts of the words.
    about : About
        The center of each covariance.
    shrinkage : Shrinkage, optional
        Regularization toward a common covariance.
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
        engine, rows = current(), np.arange(len(self.points))
        return word_means(self.contexts.rows, self.points, self.squares, rows, engine)[0]

    @cached_property
    def squares(self) -> Floats:
        """Squared lengths of the vectors."""
        return np.asarray(np.einsum("ij,ij->i", self.points, self.points, dtype=np.float64))

    @cached_property
    def centers(self) -> Singles:
        """The point that each covariance is taken about."""
        return self.centers_of(np.arange(len(self.points)), self.means)

    def centers_of(self, rows: Ints, means: Singles) -> Singles:
        """Return the centers of some words, given the means of their contexts."""
        if isinstance(self.about, AboutWord | AboutMean):
            return self.points[rows] if isinstance(self.about, AboutWord) else means
        pairs = zip(self.points[rows].astype(np.float64), means.astype(np.float64), strict=True)
        return np.array([self.about(point, mean) for point, mean in pairs], np.float32).reshape(means.shape)

    @cached_property
    def share(self) -> Floats:
        """n/(n + κ): the weight of each word's own covariance."""
        if self.shrinkage is None or self.shrinkage.strength == 0:
            return np.ones(len(self.points))
        return self.totals / (self.totals + self.shrinkage.strength)

    @cached_property
    def pooled(self) -> Floats:
        """The mean covariance over all contexts of all words; 0 without pooled shrinkage."""
        if self.shrinkage is None or not self.shrinkage.pooled or self.shrinkage.strength == 0:
            return np.zeros((self.m, self.m))
        V, C = self.points.astype(np.float64), self.contexts.matrix
        columns = np.asarray(C.sum(axis=0, dtype=np.float64)).ravel()
        weighted = self.centers.T * self.totals
        mixed = weighted @ self.means.astype(np.float64)
        squares = (V.T * columns) @ V + weighted @ self.centers.astype(np.float64) - mixed - mixed.T
        return np.asarray(squares / max(self.totals.sum(), 1e-30))

    @property
    def _pooled_root(self) -> Floats:
        """A square root of `pooled`, with no rows without pooled shrinkage."""
        if not self.pooled.any():
            return np.empty((0, self.m))
        values, vectors = np.linalg.eigh(self.pooled)
        return np.asarray((vectors * np.sqrt(np.maximum(values, 0.0))).T)

    def ranks(self, rows: Ints) -> Ints:
        """Return an upper bound of the rank of each covariance."""
        sizes = np.diff(self.contexts.matrix.indptr)[rows]
        if self.pooled.any():
            sizes = sizes + self.m
        return np.asarray(np.minimum(sizes, self.m), np.intp)

    def factors(self, rows: Ints, engine: Engine, file: Path | None = None) -> Factors:
        """Return the factors of some words, in memory or in a memory-mapped file, which appears once it is complete."""
        m, rows = self.m, np.asarray(rows, np.intp)
        ranks = self.ranks(rows)
        starts = np.append(0, np.cumsum(ranks * m - ranks * (ranks - 1) // 2))
        n, what = int(starts[-1]), f"covariances of {len(rows)} words"

        def fill(packed: Singles) -> None:
            word_factors(self._spreads, rows, starts, packed, engine)

        if file is not None:
            engine.announce(4.0 * n, f"{what}, on disk")
            return Factors(write_mapped(file, np.dtype(np.float32), (max(n, 1),), fill, what), starts[:-1], ranks, m)
        engine.reserve(4.0 * n, what, "give prepare() a file for them, or query without prepare()")
        packed = np.empty(n, np.float32)
        fill(packed)
        return Factors(packed, starts[:-1], ranks, m)

    @cached_property
    def _spreads(self) -> Spreads:
        return Spreads(self.points, self.contexts.rows, self.totals, self.share, self._pooled_root, self.about)

    def forms(self, rows: Ints, centers: Singles, directions: Floats, fixed: Floats, engine: Engine) -> Floats:
        """Return xᵀΣx, xᵀΣy and yᵀΣy of some words, x the direction of each word, y `fixed`, without forming Σ."""
        share, about = self.share[rows][:, None], centers.astype(np.float64)
        offsets = np.stack([np.einsum("ij,ij->i", directions, about), about @ fixed], axis=1)
        sums = context_forms(self.contexts.rows, self.points, rows, directions, fixed, offsets, engine)
        moved = directions @ self.pooled
        pooled = np.empty((len(rows), 3))
        pooled[:, 0], pooled[:, 1] = np.einsum("ij,ij->i", moved, directions), moved @ fixed
        pooled[:, 2] = fixed @ self.pooled @ fixed
        return np.asarray(share * sums / np.maximum(self.totals[rows], 1e-30)[:, None] + (1 - share) * pooled)

    def products(self, N: Floats, rows: Ints, centers: Singles, means: Singles) -> Floats:
        """Return ⟨Σ(w), N⟩ of some words for a symmetric N, from the contexts, without forming Σ."""
        V, small, parts = self.points, N.astype(np.float32), _parts(len(self.points))
        squares = np.concatenate([np.einsum("ij,ij->i", V[part] @ small, V[part]) for part in parts]).astype(np.float64)
        totals, share, W = self.totals[rows], self.share[rows], centers.astype(np.float64)
        own = (self.contexts.matrix[rows] @ squares) / np.maximum(totals, 1e-30)
        own += np.where(totals > 0, np.einsum("ij,ij->i", W @ N, W - 2.0 * means), 0.0)
        return np.asarray(share * own + (1 - share) * float(np.sum(self.pooled * N)))


def _parts(n: int) -> list[slice]:
    return [slice(start, start + _ROWS) for start in range(0, n, _ROWS)]
