"""What bounds know of words: means of contexts, traces of covariances. Looked up for few words, until all are asked."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .._types import Bools, Floats, Ints
from ..backends import backend_of
from ..engine import Engine
from .covariances import Covariances
from .pinching import SLACK
from .vectors import Singles

_ROWS = 1 << 16  # words at a time


@dataclass(frozen=True, eq=False)
class Outlines:
    """Of words that somebody asked for: a product with a vector for each of their contexts.

    Attributes
    ----------
    covariances : Covariances
    known : array of bool
    directions : array of shape (n, m)
        u, the mean of the contexts less the word.
    lengths, traces : arrays
        ‖u‖² and tr Σ.
    along : array
        What uᵀΣu is at least: Σ holds the product of (mean − center) with itself.
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
            ("directions", np.empty(self.covariances.points.shape, np.float32)),  # takes memory as it is filled
            ("lengths", np.empty(n)),
            ("traces", np.empty(n)),
            ("along", np.empty(n)),
        ):
            object.__setattr__(self, name, part)

    def look_up(self, rows: Ints, engine: Engine) -> None:
        """Make some words known."""
        new = rows[~self.known[rows]]
        for start in range(0, len(new), _ROWS):
            self._fill(new[start : start + _ROWS], engine)

    def _fill(self, rows: Ints, engine: Engine) -> None:
        c = self.covariances
        pooled = c.pooled  # which asks for all means, so that these are there
        means, sizes = backend_of(engine).word_means(c.contexts.rows, c.points, c.squares, rows, engine)
        centers, share, some = c.centers_of(rows, means), c.share[rows], c.totals[rows] > 0
        own = sizes + np.einsum("ij,ij->i", centers, centers - 2.0 * means, dtype=np.float64)
        u = means - c.points[rows]
        off = np.einsum("ij,ij->i", u, means - centers, dtype=np.float64)
        self.directions[rows], self.lengths[rows] = u, np.einsum("ij,ij->i", u, u, dtype=np.float64)
        self.traces[rows] = np.maximum(share * np.where(some, own, 0.0) + (1 - share) * np.trace(pooled), 0.0)
        self.along[rows] = np.where(some, share * off**2 * (1 - SLACK), 0.0)
        self.known[rows] = True

    def means(self, rows: Ints) -> Singles:
        """Of the contexts of some words that are known."""
        return np.asarray(self.directions[rows] + self.covariances.points[rows])

    def centers(self, rows: Ints) -> Singles:
        """What the covariances of some words that are known are taken about."""
        return self.covariances.centers_of(rows, self.means(rows))
