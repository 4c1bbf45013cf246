"""The Bethe Hessian of a graph: its spectrum shows the number of communities, its eigenvectors embed the nodes."""

from __future__ import annotations

import inspect

import numpy as np
from scipy.linalg import qr, svd
from scipy.sparse import csr_array, diags_array
from scipy.sparse.linalg import ArpackNoConvergence, eigsh

from .._types import Floats, Ints

_DENSE = 300  # number of nodes up to which all eigenvectors are computed
_FIRST = 24  # number of eigenvectors computed at first
_TOL = 1e-3  # tolerance of eigenvalues; enough for starting groups of belief propagation
_ROUNDS = 20  # of Lloyd's iteration
_FIXED = {"rng": 0} if "rng" in inspect.signature(eigsh).parameters else {}  # makes restarts reproducible


class Spectrum:
    """Eigenvectors of H = (r² − 1)·I − r·A + D, lowest eigenvalues first; more are computed on demand.

    A has the strengths of edges, with mean 1, and D their sums at each node. r² = Σ d²/Σ d − 1 is the mean number of
    further edges at the end of an edge. Each community that can be told from chance gives H a negative eigenvalue
    (Saade, Krzakala and Zdeborová 2014).

    Parameters
    ----------
    strengths : scipy sparse array of shape (n, n)
        Symmetric.
    """

    def __init__(self, strengths: csr_array) -> None:
        degrees = np.asarray(strengths.sum(axis=1)).ravel()
        total = float(degrees.sum())
        r = np.sqrt(max(float((degrees**2).sum()) / total - 1.0, 1.0)) if total > 0 else 1.0
        self._matrix = csr_array(diags_array(degrees + (r * r - 1.0)) - r * strengths)
        self.n = len(degrees)
        self._values, self._vectors = self._lowest(min(_FIRST, self.n))

    def n_negative(self) -> int:
        """Return the number of negative eigenvalues, at least 1."""
        while len(self._values) < self.n and self._values[-1] < 0:
            self.vectors(2 * len(self._values))
        return max(1, int(np.count_nonzero(self._values < 0)))

    def vectors(self, k: int) -> Floats:
        """Return the k lowest eigenvectors as columns, or all if there are fewer."""
        k = min(k, self.n)
        if k > len(self._values):
            self._values, self._vectors = self._lowest(k)
        return self._vectors[:, :k]

    def groups(self, k: int) -> Ints:
        """Return k groups of nodes that are close in the embedding, by pivoted QR and then Lloyd's iteration."""
        places = self.vectors(k)
        return _centered(places, _in_own_directions(places))

    def _lowest(self, k: int) -> tuple[Floats, Floats]:
        if self.n <= _DENSE or k > self.n - 2:
            values, vectors = np.linalg.eigh(self._matrix.toarray())
            return values, vectors
        start = np.cos(np.arange(self.n) ** 2 * 0.7) + 1.5
        n_basis = min(self.n - 1, max(2 * k + 1, 40))
        try:
            values, vectors = eigsh(self._matrix, k, which="SA", v0=start, ncv=n_basis, tol=_TOL, **_FIXED)
        except ArpackNoConvergence:
            values, vectors = eigsh(self._matrix, k, which="SA", v0=start, ncv=n_basis, tol=100 * _TOL, **_FIXED)
        order = np.argsort(values, kind="stable")
        return values[order], vectors[:, order]


def _in_own_directions(places: Floats) -> Ints:
    """Assign each node to the nearest of k orthogonal directions, those closest to the directions of k pivot nodes.

    The pivots are those of a QR factorization (Damle, Minden and Ying 2019), so nothing is random.
    """
    k = places.shape[1]
    pivots = qr(places.T, mode="economic", pivoting=True)[2][:k]
    left, _, right = svd(places[pivots].T, full_matrices=False)
    return np.asarray(np.abs(places @ (left @ right)).argmax(axis=1), np.intp)


def _centered(places: Floats, labels: Ints) -> Ints:
    """Run Lloyd's iteration from given groups."""
    k = places.shape[1]
    for _ in range(_ROUNDS):
        members = csr_array((np.ones(len(labels)), labels, np.arange(len(labels) + 1)), shape=(len(labels), k))
        sizes = np.bincount(labels, minlength=k)
        centers = (members.T @ places) / np.maximum(sizes, 1)[:, None]
        apart = (centers**2).sum(axis=1) - 2 * places @ centers.T
        apart[:, sizes == 0] = np.inf
        nearest = apart.argmin(axis=1)
        if np.array_equal(nearest, labels) or len(np.unique(nearest)) < len(np.unique(labels)):
            break
        labels = nearest
    return np.asarray(labels, np.intp)
