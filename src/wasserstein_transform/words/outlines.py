"""What the bounds of the search need of each word: mean of its contexts, trace of its covariance; filled on demand."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .._types import Bools, Floats, Ints
from ..engine import Engine
from .arrays import word_means
from .covariances import Covariances
from .pinching import SLACK
from .vectors import Singles

_ROWS = 1 << 16  # words at a time


@dataclass(frozen=True, eq=False)
class Outlines:
    """Quantities of the words that were looked up so far; a lookup costs one vector operation per context.

    Attributes
    ----------
    covariances : Covariances
        The covariances of all n words.
    known : array of bool, shape (n,)
        Which words were looked up.
    directions : array of shape (n, m)
        u, the mean of the contexts minus the word.
    lengths, traces : arrays of shape (n,)
        ‖u‖² and tr Σ.
    along : array of shape (n,)
        A lower bound of uᵀΣu: Σ is at least the outer product of (mean − center) with itself.
    """

    covariances: Covariances
    known: Bools = field(init=False)
    directions: Singles = field(init=False)
    lengths: Floats = field(init=False)
    traces: Floats = field(init=False)
    along: Floats = field(init=False)

    def __post_init__(self) -> None:
        n = len(self.covariances.points)
        for name, part in (
            ("known", np.zeros(n, np.bool_)),
            ("directions", np.empty(self.covariances.points.shape, np.float32)),  # pages are allocated when written
            ("lengths", np.empty(n)),
            ("traces", np.empty(n)),
            ("along", np.empty(n)),
        ):
            object.__setattr__(self, name, part)

    def look_up(self, rows: Ints, engine: Engine) -> None:
        """Compute the quantities of some words, unless known."""
        new = rows[~self.known[rows]]
        for start in range(0, len(new), _ROWS):
            self._fill(new[start : start + _ROWS], engine)

    def _fill(self, rows: Ints, engine: Engine) -> None:
        c = self.covariances
        pooled = c.pooled  # computed first: with pooled shrinkage it computes all means
        means, sizes = word_means(c.contexts.rows, c.points, c.squares, rows, engine)
        centers, share, some = c.centers_of(rows, means), c.share[rows], c.totals[rows] > 0
        own = sizes + np.einsum("ij,ij->i", centers, centers - 2.0 * means, dtype=np.float64)
        u = means - c.points[rows]
        off = np.einsum("ij,ij->i", u, means - centers, dtype=np.float64)
        self.directions[rows], self.lengths[rows] = u, np.einsum("ij,ij->i", u, u, dtype=np.float64)
        self.traces[rows] = np.maximum(share * np.where(some, own, 0.0) + (1 - share) * np.trace(pooled), 0.0)
        self.along[rows] = np.where(some, share * off**2 * (1 - SLACK), 0.0)
        self.known[rows] = True

    def means(self, rows: Ints) -> Singles:
        """Return the context means of some known words."""
        return np.asarray(self.directions[rows] + self.covariances.points[rows])

    def centers(self, rows: Ints) -> Singles:
        """Return the centers of the covariances of some known words."""
        return self.covariances.centers_of(rows, self.means(rows))
