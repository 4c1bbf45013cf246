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
_EQUAL = 1e-7  # relative difference of eigenvalues that rounding may cause
_STEPS = 2.0**20  # of a unit of jumps, which are rounded: rounding errors of the solver are far below


def jumps(ends: Ints, stiffness: Floats, sizes: Floats) -> Floats:
    """Return how far the slowest vibration modes jump across each seam.

    Regions are masses and seams are springs; modes v solve Lv = μMv, where L is the Laplacian of the springs. Each of
    the eight slowest modes with μ > 0, and of modes with the same μ as the eighth, is weighted by 1/√μ, relative to the
    slowest. A mode is nearly constant within
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
        slow, modes = _slowest(scaled, min(at_rest + _MODES, n))
    slow, modes = slow[at_rest:], modes[:, at_rest:] * (roots * np.sqrt(sizes.sum()))[:, None]
    shown = modes * np.sqrt(slow[0] / slow)
    found = np.linalg.norm(shown[ends[:, 0]] - shown[ends[:, 1]], axis=1)
    return np.asarray(np.rint(found * _STEPS) / _STEPS)


def _slowest(matrix: csc_array, count: int) -> tuple[Floats, Floats]:
    """Return the smallest eigenvalues, shifted slightly above zero, and their vectors; all that equal the last as well.

    The vectors of equal eigenvalues are any basis of their space, so either all of them count or none.
    """
    n, little = matrix.shape[0], 1e-6 * float(matrix.diagonal().mean())
    lifted, asked = matrix + little * csc_array(diags_array(np.ones(n))), count + 2
    while True:
        if n <= max(_FEW, 2 * asked):
            asked, (values, vectors) = n, eigh(lifted.toarray())
        else:
            values, vectors = eigsh(lifted, asked, sigma=0, which="LM", v0=np.random.default_rng(0).normal(size=n))
            order = np.argsort(values)
            values, vectors = values[order], vectors[:, order]
        end = int(np.searchsorted(values, values[count - 1] * (1 + _EQUAL), side="right"))
        if end < asked or asked == n:
            return values[:end], vectors[:, :end]
        asked *= 2
