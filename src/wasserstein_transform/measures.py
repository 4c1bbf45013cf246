"""Families of probability measures, one per point: discrete on the space, Diracs and Gaussians in R^m."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from scipy.sparse import csr_array

from ._types import Bools, Floats, Ints
from .compute.neighbors.moments_jit import mean_rows
from .compute.records import CsrMeasures, MeansAndCovs, Moments
from .engine import Engine, on_host, stored_array, to_host
from .spaces import Euclidean, GaussianMetric, Metric

__all__ = ["Diracs", "Discrete", "Gaussians", "Measures"]
_HASH_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # an odd multiplier that scrambles bits (a hash)
_ROWS = 1 << 14  # whose means are computed at a time
_MAX_MASS = 2.0**200  # masses are kept between 1/_MAX_MASS and _MAX_MASS, so that products of sums do not overflow


class Measures(ABC):
    """Base class of families of n probability measures, one per point; localizations return them.

    Attributes
    ----------
    massless : array of bool, shape (n,)
        Points with no mass within reach. They do not move.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> space = wt.Space.from_points([[0.0], [1.0], [5.0]])
    >>> measures = wt.Mean(wt.Truncation(1.0))(space)
    >>> measures
    <Diracs: 3 measures in R^1>
    >>> measures.centers.ravel()
    array([0.5, 0.5, 5. ])
    >>> measures.metric().block([0], [1, 2])
    array([[0. , 4.5]])
    """

    massless: Bools

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.n} measures{self._in_words()}>"

    def _in_words(self) -> str:
        """The end of the repr."""
        return "" if self.centers is None else f" in R^{self.centers.shape[1]}"

    @property
    @abstractmethod
    def n(self) -> int:
        """Number of measures."""

    @property
    def moved(self) -> Floats | None:
        """The same as `centers`, but left on the GPU if they are there."""
        return None

    @property
    def centers(self) -> Floats | None:
        """Means of the measures in R^m, the new points, shape (n, m). None if the measures are on the space itself."""
        centers: Floats | None = to_host(self.moved)
        return centers

    def metric(self) -> Metric | None:
        """The Wasserstein distance as a metric if a formula gives it; None if transport problems must be solved."""
        return None


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
        masses = scale_into_range(self.masses, self.indptr)
        if masses is not self.masses:
            object.__setattr__(self, "masses", masses)
            object.__setattr__(self, "totals", np.add.reduceat(masses, self.indptr[:-1]))

    def _in_words(self) -> str:
        return f" on {self.size} points, {len(self.masses)} masses"

    @property
    def n(self) -> int:
        return len(self.totals)

    @property
    def rows(self) -> CsrMeasures:
        """The arrays that a backend reads."""
        return CsrMeasures(self.indptr, self.indices, self.masses, self.totals)

    def matrix(self) -> csr_array:
        """Return the measures as a sparse Markov matrix of shape (n, size): row i is m(x_i)."""
        weights = self.masses / np.repeat(self.totals, np.diff(self.indptr))
        return csr_array((weights, self.indices, self.indptr), shape=(self.n, self.size))

    def means(self, points: Floats) -> Moments:
        """Compute the total mass (n,) and the mean (n, m) of `points` under each measure."""
        points = to_host(points)
        points, means = np.ascontiguousarray(points, np.float64), np.empty((self.n, points.shape[1]))
        for start in range(0, self.n, _ROWS):  # Ctrl-C is seen between them
            part = slice(start, start + _ROWS)
            indptr = self.indptr[start : start + _ROWS + 1]
            mean_rows(points, indptr, self.indices, self.masses, self.totals[part], means[part])
        return Moments(np.where(self.massless, 0.0, self.totals), means)

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

    def distinct(self) -> tuple[Discrete, Ints]:
        """Return the distinct measures, and for each measure the index of its equal among them, shape (n,)."""
        first_with: dict[bytes, int] = {}
        same = np.arange(self.n)
        for i in self._find_equal_sums():
            part = slice(self.indptr[i], self.indptr[i + 1])
            digest = blake2b(self.indices[part].tobytes(), digest_size=32)  # rows as keys would double the memory
            digest.update(self.masses[part].tobytes())
            same[i] = first_with.setdefault(digest.digest(), int(i))
        first, which = np.unique(same, return_inverse=True)
        return (self, which) if len(first) == self.n else (self.take(first), which)

    def _find_equal_sums(self) -> Ints:
        """The rows that have the same sum of scrambled entries as another row; equal rows are among them."""
        bits = (self.indices.astype(np.uint64) * _HASH_MULTIPLIER) ^ np.ascontiguousarray(self.masses).view(np.uint64)
        bits *= _HASH_MULTIPLIER
        bits ^= bits >> np.uint64(29)
        sums = np.add.reduceat(bits * _HASH_MULTIPLIER, self.indptr[:-1])
        _, number, counts = np.unique(sums, return_inverse=True, return_counts=True)
        return np.flatnonzero(counts[number] > 1)

    def take(self, rows: Ints) -> Discrete:
        """Return the measures at the indices `rows`."""
        return Discrete(*self.rows.take(rows), massless=self.massless[rows], size=self.size)


def make_discrete(indptr: Ints, indices: Ints, masses: Floats, alone: Ints, size: int) -> Discrete:
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
    masses = scale_into_range(masses, new)
    totals, indices = np.add.reduceat(masses, new[:-1]), np.asarray(indices, np.intp)
    return Discrete(indptr=new, indices=indices, masses=masses, totals=totals, massless=massless, size=size)


def scale_into_range(masses: Floats, indptr: Ints) -> Floats:
    """Scale rows with extreme masses by a power of 2, so that sums and products of two totals do not overflow."""
    if masses.max(initial=1.0) < _MAX_MASS and masses.min(initial=1.0) > 1 / _MAX_MASS:
        return masses
    lengths = np.diff(indptr)
    owner, tops = np.repeat(np.arange(len(lengths)), lengths), np.zeros(len(lengths))
    np.maximum.at(tops, owner, masses)
    shifts = np.where((tops >= _MAX_MASS) | (tops <= 1 / _MAX_MASS), -np.frexp(tops)[1], 0)
    return np.asarray(np.ldexp(masses, shifts[owner])) if shifts.any() else masses


def reserve_masses(n_masses: int, engine: Engine) -> None:
    """Reserve the memory of measures with `n_masses` masses."""
    engine.reserve(32.0 * n_masses, f"{n_masses} masses of localized measures", "use a smaller eps or a compact kernel")


@on_host("points")
@dataclass(frozen=True, eq=False, repr=False)
class Diracs(Measures):
    """Point masses in R^m, one per point. `Mean` and `Ridge` return them.

    Attributes
    ----------
    points : array of shape (n, m)
        The position of each Dirac, in the unit of the coordinates.
    massless : array of bool, shape (n,)
        Points with no mass within reach. They do not move.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> space = wt.Space.from_points([[0.0], [1.0], [5.0]])
    >>> moved = wt.Mean(wt.Truncation(1.0))(space)
    >>> moved.points.ravel(), moved.massless
    (array([0.5, 0.5, 5. ]), array([False, False, False]))
    """

    points: Floats
    massless: Bools

    @property
    def n(self) -> int:
        return len(self.moved)

    @property
    def moved(self) -> Floats:
        points: Floats = stored_array(self, "points")
        return points

    def metric(self) -> Euclidean:
        """The Euclidean distance of the points, which is W_p of Diracs for every p."""
        return Euclidean(self.moved)


@on_host("means", "covs")
@dataclass(frozen=True, eq=False, repr=False)
class Gaussians(Measures):
    """Normal distributions N(mean, λ·cov) in R^m, one per point. `Gaussian` returns them.

    Attributes
    ----------
    means : array of shape (n, m)
        The centers, in the unit of the coordinates.
    covs : array of shape (n, m, m)
        The covariances before multiplication by λ, in the squared unit of the coordinates.
    lam : float
        The weight λ ≥ 0 of the covariances.
    massless : array of bool, shape (n,)
        Points with no mass within reach.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> space = wt.Space.from_points([[0.0], [1.0], [5.0]])
    >>> normal = wt.Gaussian(wt.Truncation(1.0), lam=4.0)(space)
    >>> normal.means.ravel(), normal.covs.ravel()
    (array([0., 1., 5.]), array([0.25, 0.25, 0.  ]))
    >>> normal.metric().block([1], [2]).round(3)
    array([[4.123]])
    """

    means: Floats
    covs: Floats
    lam: float
    massless: Bools

    def _in_words(self) -> str:
        return f" in R^{self.moved.shape[1]}, lam={self.lam:g}"

    @property
    def n(self) -> int:
        return len(self.moved)

    @property
    def moved(self) -> Floats:
        means: Floats = stored_array(self, "means")
        return means

    def metric(self) -> GaussianMetric:
        """W2 between the Gaussians, by the Bures formula."""
        return GaussianMetric(self.moved, stored_array(self, "covs"), self.lam)


def check_mass(mass: Floats, weights: Floats) -> Bools:
    """Mark the points that see no mass; raise an error if one of them has positive weight."""
    if mass.min(initial=np.inf) > 0:
        return np.zeros(len(mass), bool)
    massless = mass == 0
    wrong = massless & (weights > 0)
    if wrong.any():
        raise ValueError(
            f"{wrong.sum()} points with positive weight see no mass, the first is point {int(wrong.argmax())}; "
            "the kernel must be positive at distance 0 or at a neighbor: use a larger eps or another profile"
        )
    return np.asarray(massless)
