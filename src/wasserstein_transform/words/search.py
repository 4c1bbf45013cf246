"""Nearest words under the GT distance, exactly: cheap bounds for all, the distance itself for few.

For every positive definite M, tr(A^½BA^½)^½ ≤ ½(⟨A, M⟩ + ⟨B, M⁻¹⟩). With M changed along one direction u of each word
by the best amount, and scaled by the best factor,

    tr(A^½BA^½)^½ ≤ √((⟨A, M⟩ − α/κ)(⟨B, M⁻¹⟩ − β/κ)) + √(αβ)/κ,   α = uᵀMAMu, β = uᵀBu, κ = uᵀMu.

Along u = (mean of the contexts) − (the word) Σ(w) is large, and u is another one for each word. All words are bounded
by the traces of their covariances, (√tr A − √tr B)² ≤ dcov²; those that are left once some distances are known, by
M = I; and if there are still many, with the M that is best for the query and the mean covariance of the words found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._cached import cached_property
from .._types import Floats, Ints
from ..backends import backend_of
from ..engine import Engine, one_blas_thread
from .covariances import Covariances, Factors
from .vectors import Singles

_BLOCK = 16  # distances at a time
_SLACK = 1e-5  # of the traces: factors are in single precision
_NOISE = 4e-6  # of what is subtracted from: rounding of products in single precision
_WORTH = (32, 128)  # words from which on each further bound is worth its price


@dataclass(frozen=True, eq=False)
class Neighbors:
    """The words nearest to one, and what it took to find them; goes through pairs (word, distance).

    Attributes
    ----------
    words : tuple of str
        Nearest first.
    distances : array
    n_exact : int
        Distances that were computed; bounds decided the others.
    n_words : int
        Words there are.
    """

    words: tuple[str, ...]
    distances: Floats
    n_exact: int
    n_words: int

    @property
    def share(self) -> float:
        """The share of exact distances."""
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
    """What the bounds need of all words, once.

    Attributes
    ----------
    covariances : Covariances
    centers : array of shape (n, m)
        The points whose distances count, which need not be those the covariances are taken about.
    factors : callable
        (rows, engine) → factors of their covariances.
    """

    covariances: Covariances
    centers: Singles
    factors: Callable[[Ints, Engine], Factors]
    _kept: dict[str, Floats] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def _directions(self) -> Singles:
        return self.covariances.means - self.covariances.points

    @cached_property
    def _lengths(self) -> Floats:
        return np.asarray(
            np.maximum(np.einsum("ij,ij->i", self._directions, self._directions, dtype=np.float64), 1e-30)
        )

    @cached_property
    def _traces(self) -> Floats:
        return np.maximum(self.covariances.products(np.eye(self.covariances.m)), 0.0)

    @cached_property
    def _roots(self) -> Floats:
        return np.asarray(np.sqrt(self._traces))

    @property
    def _along(self) -> Floats:
        """β = uᵀΣu of each word."""
        return self._kept["along"]

    def _spread_along(self, engine: Engine) -> Floats:
        c, U = self.covariances, self._directions
        offsets = np.einsum("ij,ij->i", c.centers, U, dtype=np.float64)
        own = backend_of(engine).word_spreads(c.contexts.rows, c.points, U, offsets, engine)
        pooled = np.einsum("ij,ij->i", U @ c.pooled, U)
        return np.asarray(c.share * own / np.maximum(c.totals, 1e-30) + (1 - c.share) * pooled)

    def warm_up(self, engine: Engine) -> None:
        """Compute all that does not depend on the query."""
        _ = self._roots, self._lengths
        if "along" not in self._kept:
            self._kept["along"] = self._spread_along(engine)

    def nearest(self, row: int, k: int, lam: float, engine: Engine) -> tuple[Ints, Floats, int]:
        """The k nearest words, their squared distances, and how many of these were computed."""
        self.warm_up(engine)
        with one_blas_thread():
            return self._nearest(row, k, lam, engine)

    def _nearest(self, row: int, k: int, lam: float, engine: Engine) -> tuple[Ints, Floats, int]:
        A = self.factors(np.array([row]), engine).matrix(0)
        squares = self._squares(row)
        bounds = squares + lam * (np.sqrt(np.trace(A)) - self._roots) ** 2 * (1 - _SLACK)
        bounds[row] = np.inf  # itself
        left = np.argsort(bounds)[:-1]
        found, values = np.empty(0, np.intp), np.empty(0)
        stages = list(zip((self._pinched, self._fitted), _WORTH, strict=True)) if lam > 0 else []
        n_exact = 0
        while len(left) and (len(found) < k or bounds[left[0]] <= values[k - 1]):
            size = _BLOCK if stages else 3 * _BLOCK
            rows, left = left[:size], left[size:]
            n_exact += len(rows)
            found, values = _least(np.append(found, rows), np.append(values, self._exact(row, rows, lam, engine)), k)
            if len(found) < k:
                continue
            left = left[bounds[left] <= values[k - 1]]
            if stages and len(left) > stages[0][1]:
                gaps = stages.pop(0)[0](A, left, found, engine)
                bounds[left] = np.maximum(bounds[left], squares[left] + lam * gaps)
                left = left[np.argsort(bounds[left])]
        return found, values, n_exact

    def _squares(self, row: int) -> Floats:
        """‖w − q‖² for all w, a little less for rounding: points have length 1, or 0 where they moved to nothing."""
        sizes = np.where(self.centers.any(axis=1), 1.0, 0.0)
        return np.asarray(
            np.maximum(sizes + sizes[row] - 2.0 * (self.centers @ self.centers[row]).astype(np.float64) - _NOISE, 0.0)
        )

    def _pinched(self, A: Floats, left: Ints, *_: Any) -> Floats:
        """Lower bounds of dcov² with M = I."""
        U, traces = self._directions[left], self._traces[left]
        alpha = np.einsum("ij,ij->i", U @ A.astype(np.float32), U).astype(np.float64)
        return _bound(np.trace(A), traces, np.trace(A), traces, alpha, self._along[left], self._lengths[left])

    def _fitted(self, A: Floats, left: Ints, found: Ints, engine: Engine) -> Floats:
        """Lower bounds of dcov² with the M that is best for the query and the mean covariance of the words found."""
        M, inverse = _between(A, _mean_covariance(self.factors(found[:8], engine)))
        U, traces = self._directions[left].astype(np.float64), self._traces[left]
        UM = U @ M
        alpha = np.einsum("ij,ij->i", UM @ A, UM)
        kappa = np.maximum(np.einsum("ij,ij->i", UM, U), 1e-30)
        b = self.covariances.products(inverse, left)
        return _bound(np.trace(A), traces, float(np.sum(A * M)), b, alpha, self._along[left], kappa)

    def _exact(self, row: int, rows: Ints, lam: float, engine: Engine) -> Floats:
        """Squared distances to some words."""
        off = self.centers[rows].astype(np.float64) - self.centers[row]
        squares = np.einsum("ij,ij->i", off, off)
        if lam == 0:
            return np.asarray(squares)
        factors = self.factors(np.append(row, rows), engine)
        ends = np.stack([np.zeros(len(rows), np.intp), np.arange(1, len(rows) + 1)], axis=1)
        return np.asarray(squares + lam * factors.gaps(ends, engine))


def _bound(trace: float, traces: Floats, a: float, b: Floats, alpha: Floats, beta: Floats, kappa: Floats) -> Floats:
    """Lower bounds of dcov² from the formula above, a = ⟨A, M⟩ and b = ⟨B, M⁻¹⟩; a little less for rounding."""
    x, y = np.maximum(a - alpha / kappa, 0.0) + _NOISE * a, np.maximum(b - beta / kappa, 0.0) + _NOISE * b
    rest = np.sqrt(x * np.maximum(y, 0.0))
    overlap = rest + np.sqrt(np.maximum(alpha * beta, 0.0)) / kappa
    return np.maximum(trace + traces - 2 * overlap - _SLACK * (trace + traces), 0.0)


def _between(A: Floats, B: Floats) -> tuple[Floats, Floats]:
    """M, the geometric mean of A⁻¹ and B, and its inverse: the best M for the two; what is singular is lifted."""
    lift = 1e-3 * np.trace(A + B) / len(A) * np.eye(len(A))
    values, vectors = np.linalg.eigh(A + lift)
    root, over = (vectors * np.sqrt(values)) @ vectors.T, (vectors / np.sqrt(values)) @ vectors.T
    values, vectors = np.linalg.eigh(root @ (B + lift) @ root)
    middle = np.sqrt(np.maximum(values, 1e-12 * values[-1]))
    half, other = over @ vectors, root @ vectors
    return (half * middle) @ half.T, (other / middle) @ other.T


def _mean_covariance(factors: Factors) -> Floats:
    return np.asarray(sum(factors.matrix(k) for k in range(len(factors.ranks))) / len(factors.ranks))


def _least(rows: Ints, values: Floats, k: int) -> tuple[Ints, Floats]:
    """The k least; equal ones in the order of their words."""
    order = np.lexsort((rows, values))[:k]
    return rows[order], values[order]
