"""Markov kernels: a given matrix, and the heat kernel, the distribution of a random walk after a given time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse, vstack

from .. import _check as check
from .._display import ShortRepr
from .._types import Floats
from ..engine import Engine, current
from ..measures import Discrete, check_mass, make_discrete
from ..spaces import Graph, Space, check_space
from .kernel import divide_by_largest
from .localization import Intrinsic

_BLOCK_ENTRIES = 2.0**22  # entries of the rows that are computed together
_MAX_TIME = 1e6  # steps; each is a product with P
_MAX_TAIL = 1e-16  # share of the mass below which the rest of the series is dropped


@dataclass(frozen=True, eq=False, repr=False)
class Given(ShortRepr, Intrinsic):
    """A given Markov matrix: row i is the measure of point i. New points have no measure.

    Parameters
    ----------
    matrix : array or scipy sparse matrix of shape (n, n)
        Entries ≥ 0, and every row sums to 1. A row of zeros is allowed for a point of weight 0.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> space = wt.Space.from_points([[0.0], [1.0]])
    >>> lazy = wt.Transform(wt.localize.Given(np.array([[0.9, 0.1], [0.1, 0.9]])), wt.Exact(p=1))
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
                f"rows of a Markov matrix must sum to 1, row {worst} sums to {sums[worst]:.6g}; divide each by its sum"
            )

    @property
    def of_alpha(self) -> bool:
        return False

    def n_seen(self, space: Space) -> float | None:
        return float(self._rows().nnz) / space.n

    def __call__(self, space: Space, engine: Engine | None = None) -> Discrete:
        check_space(space)
        rows = self._rows()
        if rows.shape[0] != space.n:
            raise ValueError(
                f"the Markov matrix has {rows.shape[0]} rows, but the space has {space.n} points "
                "(merging points changes their number: use merge=None)"
            )
        measures = make_discrete(rows.indptr, rows.indices, rows.data, np.arange(space.n), space.n)
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


@dataclass(frozen=True, eq=False)
class Heat(Intrinsic):
    """Heat kernel m(x) = δ_x exp(−time·L), L = I − P: a random walk from x that makes `time` steps of P on average.

    The steps of P come at the times of a Poisson process of rate 1. By default P goes from x to its neighbors y with
    probability ∝ α(y). Masses that are small compared to α are dropped, and the rest is normalized. New points have no
    measure.

    Parameters
    ----------
    time : float
        The time, in steps, > 0 and at most 1e6.
    base : Intrinsic localization, optional
        The steps: P(x, ·) is its measure of x, so Truncation(eps) walks on the ε-graph, Nearest(k) on the graph of
        nearest neighbors, and Given(P) on any graph. None: along the edges of the graph of the space.
    cut : float, default 1e-6
        Masses m(x)(y) < cut·α(y) are dropped. The rule is relative to α, so that weight k acts like k copies.

    Notes
    -----
    Sums the series Σ_k exp(−t) t^k/k! δ_x P^k, whose terms are all ≥ 0, until the rest is below rounding: about
    t + 9√t products with P for large t, each O(n · entries of P). SciPy's `expm_multiply` gives the same result up to
    rounding; it is not used because it draws random vectors to estimate norms.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> path = wt.Space.from_graph([(0, 1), (1, 2)])
    >>> wt.localize.Heat(1.0)(path).matrix().toarray().round(3)
    array([[0.468, 0.432, 0.1  ],
           [0.216, 0.568, 0.216],
           [0.1  , 0.432, 0.468]])
    """

    time: float
    base: Intrinsic | None = None
    cut: float = 1e-6

    def __post_init__(self) -> None:
        if check.positive(self.time, "time") > _MAX_TIME:
            raise ValueError(f"time must be at most {_MAX_TIME:g} steps, got {self.time:g}: every step is computed")
        if not 0 <= check.tolerance(self.cut, "cut") < 1:
            raise ValueError(f"cut must be a share below 1 and at least 0, got {check.shown(self.cut)}")
        if not isinstance(self.base, Intrinsic | None):
            raise TypeError(
                "Heat needs a localization on the space itself such as Truncation(eps), Nearest(k) or Given(P), "
                f"got {type(self.base).__name__}"
            )

    @property
    def of_alpha(self) -> bool:
        return self.base is None or self.base.of_alpha

    def __call__(self, space: Space, engine: Engine | None = None) -> Discrete:
        check_space(space)
        engine = current(engine)
        steps = self._steps(space, engine)
        n, rows = space.n, max(1, int(_BLOCK_ENTRIES / space.n))
        engine.reserve(5 * 8 * _BLOCK_ENTRIES, f"heat of {n} points", "use fewer points")
        min_masses = self.cut * space.weights
        parts: list[csr_array] = []
        for start in range(0, n, rows):
            parts.append(self._heat_rows(steps, min_masses, start, min(start + rows, n)))
            n_masses = sum(part.nnz for part in parts)
            engine.reserve(48.0 * n_masses, f"{n_masses} masses of heat", "use a larger cut or a smaller time")
        matrix = csr_array(vstack(parts))
        matrix.sort_indices()
        return make_discrete(matrix.indptr, matrix.indices, matrix.data, np.arange(n), n)

    def _heat_rows(self, steps: csr_array, min_masses: Floats, start: int, end: int) -> csr_array:
        """Rows start…end of the heat kernel, without small masses."""
        term = np.zeros((steps.shape[0], end - start))  # one column per row of the kernel: products are with Pᵀ
        term[np.arange(start, end), np.arange(end - start)] = 1.0
        total = np.zeros_like(term)
        for share in _poisson(float(self.time)):
            total += share * term
            term = steps.T @ term
        total[total < min_masses[:, None]] = 0.0
        return csr_array(total.T)

    def _steps(self, space: Space, engine: Engine) -> csr_array:
        """P: the measures of the base, or steps along the edges of a graph, to y with probability ∝ α(y)."""
        if self.base is not None:
            return self.base(space, engine).matrix()
        if not isinstance(space.metric, Graph) or space.metric.size is not None:
            raise ValueError(
                "Heat without a base needs a space from Space.from_graph; "
                "for other spaces use Heat(time, Truncation(eps)), a walk on the ε-graph"
            )
        edges = space.metric.lengths
        masses = divide_by_largest(space.weights)[edges.indices]
        sums = np.bincount(np.repeat(np.arange(space.n), np.diff(edges.indptr)), masses, space.n)
        alone = sums == 0  # no neighbor with mass: the walk stays
        stay = csr_array((np.ones(alone.sum()), (np.flatnonzero(alone),) * 2), shape=edges.shape)
        share = np.repeat(1.0 / np.where(alone, 1.0, sums), np.diff(edges.indptr))
        return csr_array((masses * share, edges.indices, edges.indptr), edges.shape) + stay


def _poisson(time: float) -> Floats:
    """Probabilities of 0, 1, 2, … jumps, up to a tail below rounding; before that cut they add up to 1."""
    n_terms = int(time + 12 * np.sqrt(time) + 40)
    jumps = np.arange(n_terms + 1)
    logs = jumps * np.log(time) - np.append(0.0, np.cumsum(np.log(jumps[1:])))
    chances = np.exp(logs - logs.max())
    chances /= chances.sum()
    last = np.flatnonzero(np.cumsum(chances[::-1])[::-1] > _MAX_TAIL)[-1]
    return np.asarray(chances[: last + 1])
