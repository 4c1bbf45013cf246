"""Spectral evidence at each seam: vibration modes of the regions as masses, coupled by springs soft at contours."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import coo_array, csc_array, diags_array
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import eigsh

from .._types import Floats, Ints
from ..engine import one_blas_thread

_MODES = 8
_FEW = 200  # number of regions up to which a dense solver is used


def jumps(ends: Ints, stiffness: Floats, sizes: Floats) -> Floats:
    """Return how far the slowest vibration modes jump across each seam.

    Regions are masses and seams are springs; modes v solve Lv = μMv, where L is the Laplacian of the springs. Each of
    the eight slowest modes with μ > 0 is weighted by 1/√μ, relative to the slowest. A mode is nearly constant within
    closed contours, even if these have gaps: this is the spectral evidence of normalized cuts, on regions instead of
    pixels.

    Parameters
    ----------
    ends : array of int, shape (seams, 2)
        The two regions of each seam.
    stiffness : array of shape (seams,)
        Stiffness of the springs, positive.
    sizes : array of shape (regions,)
        Masses.

    Returns
    -------
    array of shape (seams,)
    """
    n = len(sizes)
    springs = coo_array((stiffness, (ends[:, 0], ends[:, 1])), (n, n)).tocsr()
    springs = springs + springs.T
    at_rest = connected_components(springs, directed=False)[0]
    if n == at_rest:
        return np.zeros(len(ends))
    roots = 1 / np.sqrt(sizes)
    laplacian = diags_array(np.asarray(springs.sum(axis=1)).ravel()) - springs
    scaled = csc_array(diags_array(roots) @ laplacian @ diags_array(roots))
    with one_blas_thread():
        slow, modes = _slowest(scaled, min(at_rest + _MODES, n), np.sqrt(sizes))
    slow, modes = slow[at_rest:], modes[:, at_rest:] * (roots * np.sqrt(sizes.sum()))[:, None]
    shown = modes * np.sqrt(slow[0] / slow)
    return np.asarray(np.linalg.norm(shown[ends[:, 0]] - shown[ends[:, 1]], axis=1))


def _slowest(matrix: csc_array, count: int, start: Floats) -> tuple[Floats, Floats]:
    """Return the smallest eigenvalues, shifted slightly above zero, and their vectors."""
    n, little = len(start), 1e-6 * float(matrix.diagonal().mean())
    lifted = matrix + little * csc_array(diags_array(np.ones(n)))
    if n <= max(_FEW, 2 * count):
        values, vectors = eigh(lifted.toarray(), subset_by_index=(0, count - 1))
        return values, vectors
    values, vectors = eigsh(lifted, count, sigma=0, which="LM", v0=start)
    order = np.argsort(values)
    return values[order], vectors[:, order]
