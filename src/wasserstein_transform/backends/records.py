"""Results of operations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeVar

from .._archive import archived
from .._shown import Tabled
from .._types import Floats, Ints

Radius = TypeVar("Radius", float, Floats)


def rim(radius: Radius) -> Radius:
    """Radius of a closed ball with a tolerance for rounding in ties. All comparisons use it, or its square."""
    return radius * (1 + 1e-12)


def closed(radius: float) -> float:
    """Squared radius of a closed ball, with a tolerance for rounding in ties."""
    return rim(radius) * rim(radius)  # gives infinity where a power would raise


@archived
class Balls(NamedTuple):
    """Closed balls as compressed rows: members of ball i are `indices[indptr[i]:indptr[i+1]]`, sorted."""

    indptr: Ints
    indices: Ints
    distances: Floats


class ReachTree(NamedTuple):
    """A minimum spanning tree of mutual reachability, with its edges in any order.

    Attributes
    ----------
    edges : array of shape (n−1, 2)
    heights : array of shape (n−1,)
        max(d, core, core) for the two ends.
    lengths : array of shape (n−1,)
        The distances d.
    """

    edges: Ints
    heights: Floats
    lengths: Floats


class Nearest(NamedTuple):
    """The k nearest points of each point, sorted by distance, then by index.

    Attributes
    ----------
    distances : array of shape (n, k)
    indices : array of shape (n, k)
    """

    distances: Floats
    indices: Ints


class Moments(NamedTuple):
    """Mass in the neighborhood of each point, and the means or covariances of that mass."""

    mass: Floats
    values: Floats


class MeansAndCovs(NamedTuple):
    """Mass in the neighborhood of each point, and the means and covariances of that mass."""

    mass: Floats
    means: Floats
    covs: Floats


class Neighborhoods(Protocol):
    """Neighborhoods in a weighted space, for means and covariances of any coordinates, without storing balls."""

    def means(self, points: Floats) -> Moments:
        """Mass and mean of `points`; without mass, the point itself."""

    def covs(self, points: Floats) -> Moments:
        """Mass and covariance of `points`, divided by the mass; 0 without mass."""

    def means_and_covs(self, points: Floats) -> MeansAndCovs:
        """Mass, mean and covariance of `points` in one pass."""

    def cached(self) -> Neighborhoods:
        """The same neighborhoods, with each pair tested once for all later passes."""


class Rows(NamedTuple):
    """Discrete measures: row r has `masses` on the points `indices[indptr[r]:indptr[r+1]]`, with sum `totals[r]`."""

    indptr: Ints
    indices: Ints
    masses: Floats
    totals: Floats


@archived
@dataclass(frozen=True)
class Report(Tabled):
    """How a batch of problems was solved.

    Attributes
    ----------
    n_problems : int
        Number of pairs that were solved.
    n_fallbacks : int
        Number of problems that failed their certificate at first and were solved again by the safe algorithm.
    gap : float
        The largest primal–dual gap, relative to the largest cost d^p of its problem.
    """

    n_problems: int = 0
    n_fallbacks: int = 0
    gap: float = 0.0

    def __add__(self, other: Report) -> Report:
        n_problems, n_fallbacks = self.n_problems + other.n_problems, self.n_fallbacks + other.n_fallbacks
        return Report(n_problems, n_fallbacks, max(self.gap, other.gap))
