"""The Bethe Hessian of a graph: its spectrum shows the number of communities, its eigenvectors embed the nodes.

Symmetric graphs have multiple eigenvalues, for which a library may return any basis, and nodes that are equally close
to two groups. Rounding, which differs between processors, must not decide: numbers that agree up to a tolerance count
as equal, and of equal ones the first is taken.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh, qr, svd
from scipy.sparse import csr_array, diags_array

from .._types import Floats, Ints

_DENSE = 300  # number of nodes up to which all eigenvectors are computed
_FIRST = 24  # number of eigenvectors computed at first
_COUNTED = 1e-4  # residual of eigenvectors of larger graphs that are counted, in units of the width of the spectrum
_ROUNDED = 1e-13  # residual that rounding leaves, in the same units
_USED = 1e-5  # residual of eigenvectors that groups are made of, in units of the gap above their eigenvalues
_SWEEPS = 30  # of the iteration that finds them, at most
_DEGREE = 200  # of its polynomials, at most
_GAIN = 1e5  # by which a polynomial may amplify the lowest eigenvector; others must not drown in its rounding errors
_EQUAL = 1e-8  # difference up to which eigenvalues are equal, in units of the width
_TIE = 1e-6  # relative difference up to which lengths and distances of nodes are equal
_ROUNDS = 20  # of Lloyd's iteration
_REFINEMENTS = 50  # of the colors of nodes, at most


class Spectrum:
    """Eigenvectors of H = (r² − 1)·I − r·A + D, lowest eigenvalues first; more are computed on demand.

    A has the strengths of edges, with mean 1, and D their sums at each node. r² = Σ d²/Σ d − 1 is the mean number of
    further edges at the end of an edge, but at least 1. Each community that can be told from chance gives H a negative
    eigenvalue (Saade, Krzakala and Zdeborová 2014).

    Parameters
    ----------
    strengths : scipy sparse array of shape (n, n)
        Symmetric.

    Attributes
    ----------
    n_products : int
        Number of vectors that H was multiplied by.
    """

    def __init__(self, strengths: csr_array) -> None:
        degrees = np.asarray(strengths.sum(axis=1)).ravel()
        total = float(degrees.sum())
        self.r = np.sqrt(max(float((degrees**2).sum()) / total - 1.0, 1.0)) if total > 0 else 1.0
        self._matrix = csr_array(diags_array(degrees + (self.r**2 - 1.0)) - self.r * strengths)
        self._top = float(degrees.max() * (1 + self.r) + self.r**2 - 1.0)  # no eigenvalue is larger
        self._width = self._top + float((degrees * (self.r - 1)).max())
        self.n, self.n_products = len(degrees), 0
        self._values, self._vectors = np.empty(0), np.empty((self.n, 0))

    def n_negative(self) -> int:
        """Return the number of negative eigenvalues, at least 1."""
        self._compute(_FIRST, 0.0, _COUNTED)
        while len(self._values) < self.n and self._values[-1] < -_EQUAL * self._width:
            self._compute(4 * len(self._values), 0.0, _COUNTED)
        return max(1, int(np.count_nonzero(self._values < -_EQUAL * self._width)))

    def vectors(self, k: int) -> Floats:
        """Return the k lowest eigenvectors as columns, or all if there are fewer.

        Of a multiple eigenvalue that has more vectors than are wanted, they are projections of fixed vectors.
        """
        self._compute(k, _USED, _ROUNDED)
        if k >= self.n:
            return self._vectors
        equal = np.abs(self._values - self._values[k - 1]) <= _EQUAL * self._width
        first, last = np.flatnonzero(equal)[[0, -1]]
        some = self._vectors[:, first : last + 1]
        chosen = some @ qr(some.T @ _fixed(self.n, k - first), mode="economic")[0]
        return np.hstack([self._vectors[:, :first], chosen])

    def groups(self, k: int) -> Ints:
        """Return k groups of nodes that are close in the embedding, by pivoted QR and then Lloyd's iteration."""
        places = self.vectors(k)
        return _centered(places, _in_own_directions(places))

    def _compute(self, k: int, of_gap: float, of_width: float) -> None:
        """Compute k or more eigenvectors; residuals are in units of the gap above their eigenvalues or of the width."""
        if self.n <= max(_DENSE, 2 * k) and len(self._values) < self.n:
            self._values, self._vectors = eigh(self._matrix.toarray())
        if len(self._values) < self.n:
            self._filter(k, of_gap, of_width)

    def _filter(self, k: int, of_gap: float, of_width: float) -> None:
        """Iterate on a block of vectors: a Chebyshev polynomial of H that is small on the rest of the spectrum.

        A block, unlike a single vector, finds multiple eigenvalues (Zhou, Saad, Tiago and Chelikowsky 2006).
        """
        n_known = len(self._values)
        n_block = max(k + max(8, k // 4), _FIRST, n_known)
        block = qr(np.hstack([self._vectors, _fixed(self.n, n_block)[:, n_known:]]), mode="economic")[0]
        for sweep in range(_SWEEPS + 1):
            image = self._matrix @ block
            values, turn = eigh(block.T @ image)
            block = block @ turn
            rest = np.linalg.norm(image @ turn[:, :k] - block[:, :k] * values[:k], axis=0)
            self.n_products += n_block
            gaps = values[k:] - values[k - 1]
            gap = next((gap for gap in gaps if gap > _EQUAL * self._width), 0.0)
            if sweep == _SWEEPS or rest.max() <= of_gap * gap + of_width * self._width:
                break
            middle, half = (self._top + values[-1]) / 2, (self._top - values[-1]) / 2
            degree = int(np.clip(np.arccosh(_GAIN) / np.arccosh((middle - values[0]) / half), 2, _DEGREE))
            doubled = csr_array((self._matrix - diags_array(np.full(self.n, middle))) * (2 / half))
            before, now = block, doubled @ block / 2
            for _ in range(degree - 1):
                before, now = now, doubled @ now - before
            self.n_products += n_block * degree
            block = qr(now, mode="economic")[0]
        self._values, self._vectors = values, block


def _fixed(n: int, k: int) -> Floats:
    """Return k vectors without symmetry; the first are the same for all k."""
    return np.random.default_rng(0).standard_normal((k, n)).T


def _in_own_directions(places: Floats) -> Ints:
    """Assign each node to the nearest of k orthogonal directions, those closest to the directions of k pivot nodes.

    The pivots are those of a QR factorization (Damle, Minden and Ying 2019); of equally long rows the first is taken.
    """
    k = places.shape[1]
    pivots, directions, lengths = [], np.zeros((k, k)), (places**2).sum(axis=1)
    for j in range(k):
        pivots.append(int(np.argmax(lengths >= (1 - _TIE) * lengths.max())))
        row = places[pivots[-1]]
        row = row - directions[:j].T @ (directions[:j] @ row)
        directions[j] = row / np.linalg.norm(row)
        lengths -= (places @ directions[j]) ** 2
    left, _, right = svd(places[pivots].T, full_matrices=False)
    return first_largest(np.abs(places @ (left @ right)), _TIE * np.sqrt(k / len(places)))


def _centered(places: Floats, labels: Ints) -> Ints:
    """Run Lloyd's iteration from given groups."""
    k = places.shape[1]
    for _ in range(_ROUNDS):
        members = csr_array((np.ones(len(labels)), labels, np.arange(len(labels) + 1)), shape=(len(labels), k))
        sizes = np.bincount(labels, minlength=k)
        centers = (members.T @ places) / np.maximum(sizes, 1)[:, None]
        near = 2 * places @ centers.T - (centers**2).sum(axis=1)
        near[:, sizes == 0] = -np.inf
        nearest = first_largest(near, _TIE * k / len(places))
        if np.array_equal(nearest, labels) or len(np.unique(nearest)) < len(np.unique(labels)):
            break
        labels = nearest
    return np.asarray(labels, np.intp)


def first_largest(values: Floats, tie: float) -> Ints:
    """Return, for each row, the first column whose value is within `tie` of the largest."""
    return np.asarray((values >= values.max(axis=1, keepdims=True) - tie).argmax(axis=1), np.intp)


def order_nodes(n: int, edges: Ints, strengths: Floats) -> Ints:
    """Return the nodes in an order of the graph's own; nodes that it does not tell apart keep their given order.

    Colors are refined (Weisfeiler and Leman 1968): the next color of a node is a hash of its color and of the strengths
    and colors at its edges. Hashes are integers, added modulo 2⁶⁴, so no order matters. When nothing changes
    any more, the first of the nodes that tie gets a color of its own, and the refinement goes on.
    """
    source, target = np.concatenate([edges, edges[:, ::-1]]).T
    by_source = np.argsort(source, kind="stable")
    target = target[by_source]
    starts = np.searchsorted(source[by_source], np.arange(n + 1))
    strength = _hash(np.tile(strengths, 2)[by_source].view(np.uint64))
    sums = np.zeros(len(target) + 1, np.uint64)
    colors, n_colors = np.zeros(n, np.uint64), 1
    for _ in range(_REFINEMENTS):
        np.cumsum(_hash(colors[target] + strength), out=sums[1:])
        colors = _hash(_hash(colors) + sums[starts[1:]] - sums[starts[:-1]])
        last, n_colors = n_colors, len(np.unique(colors))
        if n_colors == n:
            break
        if n_colors == last:
            order = np.argsort(colors, kind="stable")
            tied = order[:-1][colors[order[:-1]] == colors[order[1:]]]
            colors[tied[0]] += np.uint64(1)
            n_colors += 1
    return np.argsort(colors, kind="stable")


def _hash(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Mix the bits of integers (splitmix64, Steele, Lea and Flood 2014)."""
    mixed = numbers + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
