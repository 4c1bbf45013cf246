"""A Markov kernel given as a matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.sparse import csr_array, issparse

from .. import _check as check
from .._shown import Brief
from ..engine import Engine
from ..measures import Discrete
from ..measures.discrete import discrete
from ..spaces import Space, check_space
from .base import Intrinsic, check_mass


@dataclass(frozen=True, eq=False, repr=False)
class Given(Brief, Intrinsic):
    """A given Markov matrix: row i is the measure of point i. New points have no measure.

    Parameters
    ----------
    matrix : array or scipy sparse matrix of shape (n, n)
        Entries ≥ 0, and every row sums to 1. A row of zeros is allowed for a point of weight 0.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> space = wt.Space.from_points([[0.0], [1.0]])
    >>> lazy = wt.Transform(wt.Given(np.array([[0.9, 0.1], [0.1, 0.9]])), wt.Exact(p=1))
    >>> lazy(space).metric.dense().round(3)
    array([[0. , 0.8],
           [0.8, 0. ]])
    """

    matrix: Any

    def __post_init__(self) -> None:
        rows = self._rows()
        if rows.shape[0] != rows.shape[1]:
            raise ValueError(f"a Markov matrix must be square, got shape {rows.shape}")
        if rows.nnz and rows.data.min() < 0:
            raise ValueError(f"a Markov matrix must not have negative entries, got {rows.data.min()}")
        sums = np.asarray(rows.sum(axis=1)).ravel()
        wrong = (np.abs(sums - 1) > 1e-6) & (sums != 0)
        if wrong.any():
            worst = int(wrong.argmax())
            raise ValueError(
                f"rows of a Markov matrix must sum to 1, row {worst} sums to {sums[worst]:.6g}; "
                "divide each row by its sum, also after taking a part of a larger matrix "
                f"(here {len(sums)} × {len(sums)})"
            )

    @property
    def of_alpha(self) -> bool:
        return False

    def n_seen(self, space: Space) -> float | None:
        return float(self._rows().nnz) / space.n

    @classmethod
    def examples(cls, n: int, eps: float) -> list[Self]:
        """A lazy walk on a cycle."""
        stay = np.eye(n)
        return [cls(0.5 * stay + 0.25 * (np.roll(stay, 1, axis=0) + np.roll(stay, -1, axis=0)))]

    def __call__(self, space: Space, engine: Engine | None = None) -> Discrete:
        check_space(space)
        rows = self._rows()
        if rows.shape[0] != space.n:
            raise ValueError(
                f"the Markov matrix has {rows.shape[0]} rows, but the space has {space.n} points "
                "(merging points changes their number: use merge=None)"
            )
        measures = discrete(rows.indptr, rows.indices, rows.data, np.arange(space.n), space.n)
        check_mass(np.where(measures.massless, 0.0, 1.0), space.weights)
        return measures

    def _rows(self) -> csr_array:
        if issparse(self.matrix):
            rows = csr_array(self.matrix, dtype=np.float64, copy=True)
            check.floats(rows.data, "the Markov matrix")
        else:
            rows = csr_array(np.atleast_2d(check.floats(self.matrix, "the Markov matrix")))
        rows.sum_duplicates()
        rows.eliminate_zeros()
        return rows
