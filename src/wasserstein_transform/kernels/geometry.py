"""Metrics as compiled loops see them: named tuples of arrays, from which single distances can be read.

What can be asked of them, and the record of answers that each of them has, is in `formulas.py`.
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
    """Points under the Euclidean distance."""

    points: np.ndarray


class GaussianLine(NamedTuple):
    """Gaussians on the real line: variances and their roots."""

    points: np.ndarray
    variances: np.ndarray
    roots: np.ndarray
    lam: float


class GaussianPlane(NamedTuple):
    """Gaussians in the plane, a column for each number: x, y, the covariance (a, b; b, c), √det, √trace and λ·trace."""

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
    """Gaussians in space: columns, `PIECE` positions at a time (see `columns.py`), and scratch."""

    columns: np.ndarray
    lam: float
    scratch: np.ndarray


class GaussianSolid(NamedTuple):
    """Gaussians in four or more dimensions, or of sizes that formulas cannot hold, and scratch.

    Covariances, their symmetric square roots, thin factors (√eigenvalue · eigenvector in rows, falling) with their
    ranks, and the roots of the eigenvalues.
    """

    points: np.ndarray
    covs: np.ndarray
    halves: np.ndarray
    factors: np.ndarray
    ranks: np.ndarray
    spectra: np.ndarray
    lam: float
    scratch: np.ndarray


class Bits(NamedTuple):
    """Who is in whose ball, and no distances: one bit for each candidate of a position, in the runs of its cell.

    The bits of position i begin at byte `starts[i]`.
    """

    cell: np.ndarray
    runs: np.ndarray
    starts: np.ndarray
    bits: np.ndarray


class PathTable(NamedTuple):
    """Distances from nodes that the measures of a row have to the points of one measure, found before they are read.

    That of node y to point x is `table[row[y] · width + column[x]]`.
    """

    row: np.ndarray
    column: np.ndarray
    width: np.ndarray
    table: np.ndarray


Geometry = PathTable | Bits | Table | SparseRows | Cloud | GaussianLine | GaussianPlane | GaussianSpace | GaussianSolid


def for_thread(geometry: Geometry) -> Geometry:
    """The geometry for one thread: with scratch of its own where it needs any."""
    if isinstance(geometry, GaussianSolid | GaussianSpace):
        return geometry._replace(scratch=np.empty_like(geometry.scratch))
    return geometry
