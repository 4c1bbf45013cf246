"""Metrics for the kernels: named tuples of arrays, from which single distances are computed.

The operations on them, and the implementations for each, are in `formulas.py`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Table(NamedTuple):
    """A stored distance matrix."""

    matrix: np.ndarray


class SparseRows(NamedTuple):
    """Stored distances of near points, sorted within each row; all others count as infinite."""

    indptr: np.ndarray
    indices: np.ndarray
    distances: np.ndarray


class Cloud(NamedTuple):
    """Points with the Euclidean distance."""

    points: np.ndarray


class GaussianLine(NamedTuple):
    """Gaussians on the real line: variances and their roots."""

    points: np.ndarray
    variances: np.ndarray
    roots: np.ndarray
    lam: float


class GaussianPlane(NamedTuple):
    """Gaussians in the plane, as columns: x, y, the covariance (a, b; b, c), √det, √trace and λ·trace."""

    x: np.ndarray
    y: np.ndarray
    a: np.ndarray
    b: np.ndarray
    c: np.ndarray
    rootdets: np.ndarray
    sizes: np.ndarray
    lifts: np.ndarray
    lam: float


class GaussianSpace(NamedTuple):
    """Gaussians in 3-D: columns in pieces of `PIECE` positions (see `columns.py`), and scratch."""

    columns: np.ndarray
    lam: float
    scratch: np.ndarray


class GaussianSolid(NamedTuple):
    """Gaussians in four or more dimensions, or of sizes outside the range of the formulas, and scratch.

    Covariances, their symmetric square roots, thin factors (rows √eigenvalue · eigenvector, decreasing) with their
    ranks, and the roots of the eigenvalues. `lanes` and `who` are scratch for several pairs in SIMD lanes, empty in
    high dimensions.
    """

    points: np.ndarray
    covs: np.ndarray
    halves: np.ndarray
    factors: np.ndarray
    ranks: np.ndarray
    spectra: np.ndarray
    lam: float
    scratch: np.ndarray
    lanes: np.ndarray
    who: np.ndarray


class Bits(NamedTuple):
    """Ball membership without distances: one bit for each candidate of a position, in the runs of its cell.

    The bits of position i begin at byte `starts[i]`.
    """

    cell: np.ndarray
    runs: np.ndarray
    starts: np.ndarray
    bits: np.ndarray


class PathTable(NamedTuple):
    """Precomputed distances from the nodes of the target measures to the points of one measure.

    The distance of node y to point x is `table[row[y] · width + column[x]]`.
    """

    row: np.ndarray
    column: np.ndarray
    width: np.ndarray
    table: np.ndarray


Geometry = PathTable | Bits | Table | SparseRows | Cloud | GaussianLine | GaussianPlane | GaussianSpace | GaussianSolid


def for_thread(geometry: Geometry) -> Geometry:
    """The geometry for one thread, with its own scratch if it needs any."""
    if isinstance(geometry, GaussianSpace):
        return geometry._replace(scratch=np.empty_like(geometry.scratch))
    if isinstance(geometry, GaussianSolid):
        scratch, lanes, who = (np.empty_like(array) for array in (geometry.scratch, geometry.lanes, geometry.who))
        return geometry._replace(scratch=scratch, lanes=lanes, who=who)
    return geometry
