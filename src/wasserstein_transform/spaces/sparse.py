"""Distances that are known only up to a radius."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

import numpy as np
from scipy.sparse import csr_array

from .._archive import check_array, check_range, check_rows, check_type
from .._types import Floats, Ints
from ..compute import Balls, MutualReachabilityTree
from ..compute.metrics.distances import closed, rim
from ..compute.metrics.geometry_jit import SparseRows
from ..compute.trees.spanning import tree_of_known
from ..engine import Engine
from .metric import Metric, check_counts


@dataclass(frozen=True, eq=False, repr=False)
class Sparse(Metric):
    """A metric whose distances are known only up to a radius, in sorted compressed rows (CSR).

    `block` returns infinity for larger distances. Operations that need all distances, such as `dense` or a kernel
    without a cutoff, raise an error.

    Attributes
    ----------
    rows : Balls
        The closed ball of the radius around every point, with distances; each ball contains its own point.
    radius : float
        The radius, in the unit of the distances.
    triangle : bool, default True
        Whether the triangle inequality holds.
    gap : float, default 0.0
        Largest primal–dual gap of the transport problems that gave the distances.
    n_fallbacks : int, default 0
        How many of these problems needed the slow fallback solver.

    Notes
    -----
    Memory O(pairs within the radius).

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> line = wt.spaces.Euclidean(np.array([[0.0], [1.0], [5.0]]))
    >>> near = wt.spaces.Sparse(line.balls(2.0), radius=2.0)
    >>> near
    <Sparse metric of 3 points, 5 distances up to 2>
    >>> near.block([0], [1, 2])
    array([[ 1., inf]])
    """

    rows: Balls
    radius: float
    triangle: bool = True
    gap: float = 0.0
    n_fallbacks: int = 0

    def _in_words(self) -> str:
        return f", {len(self.rows.indices)} distances up to {self.radius:g}"

    @property
    def n(self) -> int:
        return len(self.rows.indptr) - 1

    @property
    def cost(self) -> float:
        return 8.0  # a search in a short row

    def _make_geometry(self, engine: Engine) -> SparseRows:
        return SparseRows(*self.rows)

    def largest(self, engine: Engine | None = None) -> float:
        return float(self.rows.distances.max())

    def spanning_tree(self, engine: Engine) -> tuple[Ints, Floats]:
        tree = tree_of_known(self.rows, np.zeros(self.n))
        return tree.edges, tree.heights

    def reach_tree(self, cores: Floats, engine: Engine) -> MutualReachabilityTree:
        return tree_of_known(self.rows, cores)

    @property
    def n_bytes(self) -> int:
        return sum(array.nbytes for array in self.rows)

    def _check_archived(self) -> None:
        check_type(self.rows, "the rows of near distances", Balls)
        indptr, indices, distances = self.rows
        check_rows(indptr, indices, len(indptr) - 1, len(indptr) - 1)
        check_array(distances, "distances", "f", len(indices))
        check_range(distances, "distances", 0.0)
        owner = np.repeat(np.arange(self.n), np.diff(indptr))
        if not self.matrix().has_canonical_format or np.count_nonzero(owner == indices) != self.n:
            raise ValueError("rows of near distances must be sorted and contain their own point")
        check_type(self.radius, "radius", float, int)
        check_range(self.radius, "radius", 0.0)
        check_counts(self.triangle, self.gap, self.n_fallbacks)

    def matrix(self) -> csr_array:
        """Return the known distances as a sparse matrix of shape (n, n); distances of 0 are stored."""
        return csr_array((self.rows.distances, self.rows.indices, self.rows.indptr), shape=(self.n, self.n))

    def take(self, rows: Ints) -> Sparse:
        taken = self.matrix()[rows][:, rows]
        taken.sort_indices()
        balls = Balls(taken.indptr.astype(np.intp), taken.indices.astype(np.intp), taken.data)
        return Sparse(balls, self.radius, self.triangle, self.gap, self.n_fallbacks)

    def movement(self, other: Metric, engine: Engine | None = None) -> float:
        """The largest change of a distance that both metrics know."""
        owner = np.repeat(np.arange(self.n), np.diff(self.rows.indptr))
        later = other.pairs(owner, self.rows.indices)
        both = np.isfinite(later)
        return float(np.abs(later - self.rows.distances)[both].max(initial=0.0))

    def balls(self, radius: float, engine: Engine | None = None) -> Balls:
        self.check_reach(radius)
        is_near = self.rows.distances * self.rows.distances <= closed(radius)
        counts = np.add.reduceat(is_near, self.rows.indptr[:-1])
        indptr = np.append(0, np.cumsum(counts))
        return Balls(indptr, self.rows.indices[is_near], self.rows.distances[is_near])

    @property
    def is_whole(self) -> bool:
        return False

    def check_joined(self, n_parts: int = 1) -> None:
        if n_parts > 1:
            raise ValueError(
                f"distances are known up to {self.radius:g} only, but the points fall into {n_parts} parts "
                "that are farther apart; ask for a larger radius"
            )

    def check_whole(self, wanted: str) -> None:
        self.refuse(wanted)

    def check_reach(self, reach: float) -> None:
        if reach > rim(self.radius):
            self.refuse(f"a reach of {reach:g}")

    def refuse(self, wanted: str) -> NoReturn:
        """Raise the error for a request that needs unknown distances."""
        raise ValueError(
            f"these distances are known up to {self.radius:g} only, but {wanted} was requested; "
            "ask for a larger radius, or transform the space as a whole"
        )
