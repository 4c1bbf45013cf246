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

_ODD = np.uint64(0x9E3779B97F4A7C15)  # whose products scramble bits
_LARGE = 2.0**200  # of masses, and one over it: beyond, products of sums might leave the range of floats


@dataclass(frozen=True, eq=False, repr=False)
class Discrete(Measures):
    """Measures as compressed rows: row r has `masses` on the points `indices[indptr[r]:indptr[r+1]]`, sorted.

    Masses are not divided by their `totals`: counted masses stay whole numbers, and their ties exact. All masses are
    positive; those of a row of extreme ones are scaled by a power of 2.
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
        """The arrays a backend reads."""
        return Rows(self.indptr, self.indices, self.masses, self.totals)

    def matrix(self) -> csr_array:
        """The measures as a sparse Markov matrix: row i is m(x_i)."""
        weights = self.masses / np.repeat(self.totals, np.diff(self.indptr))
        return csr_array((weights, self.indices, self.indptr), shape=(self.n, self.size))

    def means(self, points: Floats) -> Moments:
        """Total mass and mean of `points` under each measure, summed relative to a point of the measure."""
        points = to_host(points)
        origin = points[self.indices[self.indptr[:-1]]]
        means = np.empty((self.n, points.shape[1]))
        for i in range(self.n):
            part = slice(self.indptr[i], self.indptr[i + 1])
            means[i] = origin[i] + self.masses[part] @ (points[self.indices[part]] - origin[i]) / self.totals[i]
        return Moments(self._seen(), means)

    def covs(self, points: Floats) -> Moments:
        """Total mass and covariance of `points` under each measure."""
        mass, _, covs = self.means_and_covs(points)
        return Moments(mass, covs)

    def means_and_covs(self, points: Floats) -> MeansAndCovs:
        """Total mass, mean and covariance of `points` under each measure."""
        points = to_host(points)
        mass, means = self.means(points)
        covs = np.empty((self.n, points.shape[1], points.shape[1]))
        for i in range(self.n):
            part = slice(self.indptr[i], self.indptr[i + 1])
            steps = points[self.indices[part]] - means[i]
            covs[i] = (steps.T * self.masses[part]) @ steps / self.totals[i]
        return MeansAndCovs(mass, means, covs)

    def cached(self) -> Discrete:
        """Measures that are stored are tested no more."""
        return self

    def _seen(self) -> Floats:
        return np.where(self.massless, 0.0, self.totals)

    def distinct(self) -> tuple[Discrete, Ints]:
        """Equal measures once, and for each measure the one it equals."""
        same = _alike(self.indptr, self.indices, self.masses)
        seen: dict[bytes, int] = {}
        for i in np.flatnonzero(same >= 0):
            part = slice(self.indptr[i], self.indptr[i + 1])
            digest = blake2b(self.indices[part].tobytes(), digest_size=32)  # the rows themselves would be kept twice
            digest.update(self.masses[part].tobytes())
            same[i] = seen.setdefault(digest.digest(), int(i))
        first = np.flatnonzero((same < 0) | (same == np.arange(self.n)))
        if len(first) == self.n:
            return self, np.arange(self.n)
        which = np.searchsorted(first, np.where(same < 0, np.arange(self.n), same))
        return self.take(first), which

    def take(self, rows: Ints) -> Discrete:
        """The listed measures."""
        lengths = np.diff(self.indptr)[rows]
        indptr = np.append(0, np.cumsum(lengths))
        picked = np.repeat(self.indptr[rows] - indptr[:-1], lengths) + np.arange(indptr[-1])
        return Discrete(
            indptr, self.indices[picked], self.masses[picked], self.totals[rows], self.massless[rows], self.size
        )


def discrete(indptr: Ints, indices: Ints, masses: Floats, alone: Ints, size: int) -> Discrete:
    """Measures from rows that may hold zero masses; a row without mass becomes the Dirac at its `alone` point."""
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
    """−1 for rows that equal no other by a sum of their scrambled bits, ≥ 0 for those that may."""
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
    """Rows of extreme masses brought near 1, by powers of 2: they are summed, and totals of two measures multiplied."""
    if masses.max(initial=1.0) < _LARGE and masses.min(initial=1.0) > 1 / _LARGE:
        return masses
    lengths = np.diff(indptr)
    owner, tops = np.repeat(np.arange(len(lengths)), lengths), np.zeros(len(lengths))
    np.maximum.at(tops, owner, masses)
    shifts = np.where((tops >= _LARGE) | (tops <= 1 / _LARGE), -np.frexp(tops)[1], 0)
    return np.asarray(np.ldexp(masses, shifts[owner])) if shifts.any() else masses


def memory_of(n_masses: int, engine: Engine) -> None:
    """Announce the memory of measures with so many masses."""
    engine.reserve(32.0 * n_masses, f"{n_masses} masses of localized measures", "use a smaller eps or a compact kernel")
