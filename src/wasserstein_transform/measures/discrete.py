"""Measures with finite support on the space itself."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from scipy.sparse import csr_array

from .._elsewhere import to_host
from .._types import Bools, Floats, Ints
from ..backends import MeansAndCovs, Moments, Rows
from ..engine import Engine
from .base import Measures

_ODD = np.uint64(0x9E3779B97F4A7C15)  # an odd multiplier that scrambles bits (a hash)
_LARGE = 2.0**200  # masses are kept between 1/_LARGE and _LARGE, so that products of sums do not overflow


@dataclass(frozen=True, eq=False, repr=False)
class Discrete(Measures):
    """Measures with finite support on the points of a space, in compressed rows (CSR).

    Measure r has the masses `masses[indptr[r]:indptr[r+1]]` on the points `indices[indptr[r]:indptr[r+1]]`. The masses
    are not divided by their total, so that counts stay whole numbers and equal sums are equal to the bit. Rows with
    very large or very small masses are scaled by a power of 2.

    Attributes
    ----------
    indptr : array of int, shape (n+1,)
        Where each measure starts in `indices` and `masses`.
    indices : array of int, shape (number of masses,)
        The points, sorted within each measure.
    masses : array of shape (number of masses,)
        The masses, all > 0.
    totals : array of shape (n,)
        The sum of the masses of each measure.
    massless : array of bool, shape (n,)
        Points with no mass within reach. Their measure is a Dirac.
    size : int
        Number of points of the space.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> measures = wt.Truncation(1.0)(wt.Space.from_points([[0.0], [1.0], [2.0]]))
    >>> measures.totals
    array([2., 3., 2.])
    >>> measures.matrix().toarray().round(3)
    array([[0.5  , 0.5  , 0.   ],
           [0.333, 0.333, 0.333],
           [0.   , 0.5  , 0.5  ]])
    """

    indptr: Ints
    indices: Ints
    masses: Floats
    totals: Floats
    massless: Bools
    size: int

    def __post_init__(self) -> None:
        masses = within_range(self.masses, self.indptr)
        if masses is not self.masses:
            object.__setattr__(self, "masses", masses)
            object.__setattr__(self, "totals", np.add.reduceat(masses, self.indptr[:-1]))

    def _in_words(self) -> str:
        return f" on {self.size} points, {len(self.masses)} masses"

    @property
    def n(self) -> int:
        return len(self.totals)

    @property
    def rows(self) -> Rows:
        """The arrays that a backend reads."""
        return Rows(self.indptr, self.indices, self.masses, self.totals)

    def matrix(self) -> csr_array:
        """Return the measures as a sparse Markov matrix of shape (n, size): row i is m(x_i)."""
        weights = self.masses / np.repeat(self.totals, np.diff(self.indptr))
        return csr_array((weights, self.indices, self.indptr), shape=(self.n, self.size))

    def means(self, points: Floats) -> Moments:
        """Compute the total mass (n,) and the mean (n, m) of `points` under each measure."""
        points = to_host(points)
        origin = points[self.indices[self.indptr[:-1]]]  # sums relative to a point of the measure round less
        means = np.empty((self.n, points.shape[1]))
        for i in range(self.n):
            part = slice(self.indptr[i], self.indptr[i + 1])
            means[i] = origin[i] + self.masses[part] @ (points[self.indices[part]] - origin[i]) / self.totals[i]
        return Moments(self._seen(), means)

    def covs(self, points: Floats) -> Moments:
        """Compute the total mass (n,) and the covariance (n, m, m) of `points` under each measure."""
        mass, _, covs = self.means_and_covs(points)
        return Moments(mass, covs)

    def means_and_covs(self, points: Floats) -> MeansAndCovs:
        """Compute the total mass, mean and covariance of `points` under each measure."""
        points = to_host(points)
        mass, means = self.means(points)
        covs = np.empty((self.n, points.shape[1], points.shape[1]))
        for i in range(self.n):
            part = slice(self.indptr[i], self.indptr[i + 1])
            steps = points[self.indices[part]] - means[i]
            covs[i] = (steps.T * self.masses[part]) @ steps / self.totals[i]
        return MeansAndCovs(mass, means, covs)

    def cached(self) -> Discrete:
        """Return the measures: they are stored already."""
        return self

    def _seen(self) -> Floats:
        return np.where(self.massless, 0.0, self.totals)

    def distinct(self) -> tuple[Discrete, Ints]:
        """Return the distinct measures, and for each measure the index of its equal among them, shape (n,)."""
        same = _alike(self.indptr, self.indices, self.masses)
        seen: dict[bytes, int] = {}
        for i in np.flatnonzero(same >= 0):
            part = slice(self.indptr[i], self.indptr[i + 1])
            digest = blake2b(self.indices[part].tobytes(), digest_size=32)  # rows as keys would double the memory
            digest.update(self.masses[part].tobytes())
            same[i] = seen.setdefault(digest.digest(), int(i))
        first = np.flatnonzero((same < 0) | (same == np.arange(self.n)))
        if len(first) == self.n:
            return self, np.arange(self.n)
        which = np.searchsorted(first, np.where(same < 0, np.arange(self.n), same))
        return self.take(first), which

    def take(self, rows: Ints) -> Discrete:
        """Return the measures at the indices `rows`."""
        lengths = np.diff(self.indptr)[rows]
        indptr = np.append(0, np.cumsum(lengths))
        picked = np.repeat(self.indptr[rows] - indptr[:-1], lengths) + np.arange(indptr[-1])
        return Discrete(
            indptr, self.indices[picked], self.masses[picked], self.totals[rows], self.massless[rows], self.size
        )


def discrete(indptr: Ints, indices: Ints, masses: Floats, alone: Ints, size: int) -> Discrete:
    """Make measures from rows that may hold zeros; a row without mass becomes the Dirac at the point `alone[r]`."""
    new, kept = np.asarray(indptr, np.intp), masses > 0
    if not kept.all():
        new = np.append(0, np.cumsum(kept))[new]
        indices, masses = indices[kept], masses[kept]
    massless = np.diff(new) == 0
    if massless.any():
        empty = np.flatnonzero(massless)
        indices, masses = np.insert(indices, new[empty], alone[empty]), np.insert(masses, new[empty], 1.0)
        new = new + np.append(0, np.cumsum(massless))
    masses = within_range(masses, new)
    totals = np.add.reduceat(masses, new[:-1])
    return Discrete(new, np.asarray(indices, np.intp), masses, totals, massless, size)


def _alike(indptr: Ints, indices: Ints, masses: Floats) -> Ints:
    """−1 for rows whose hash differs from all others, 0 for rows that may have an equal."""
    bits = (indices.astype(np.uint64) * _ODD) ^ np.ascontiguousarray(masses).view(np.uint64)
    bits *= _ODD
    bits ^= bits >> np.uint64(29)
    sums = np.add.reduceat(bits * _ODD, indptr[:-1])
    order = np.argsort(sums)
    equal = np.diff(sums[order]) == 0
    alike = np.full(len(sums), -1)
    alike[order[np.append(equal, False) | np.append(False, equal)]] = 0
    return alike


def within_range(masses: Floats, indptr: Ints) -> Floats:
    """Scale rows with extreme masses by a power of 2, so that sums and products of two totals do not overflow."""
    if masses.max(initial=1.0) < _LARGE and masses.min(initial=1.0) > 1 / _LARGE:
        return masses
    lengths = np.diff(indptr)
    owner, tops = np.repeat(np.arange(len(lengths)), lengths), np.zeros(len(lengths))
    np.maximum.at(tops, owner, masses)
    shifts = np.where((tops >= _LARGE) | (tops <= 1 / _LARGE), -np.frexp(tops)[1], 0)
    return np.asarray(np.ldexp(masses, shifts[owner])) if shifts.any() else masses


def memory_of(n_masses: int, engine: Engine) -> None:
    """Reserve the memory of measures with `n_masses` masses."""
    engine.reserve(32.0 * n_masses, f"{n_masses} masses of localized measures", "use a smaller eps or a compact kernel")
