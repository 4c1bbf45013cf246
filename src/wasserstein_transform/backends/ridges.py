"""Steps orthogonal to the leading axes of covariances, for arrays on the host and on a device."""

from __future__ import annotations

from typing import Any

_TIED = 1e-9  # eigenvalues closer than this, relative to the second moment about the point, count as equal


def off_leading_axes(xp: Any, steps: Any, covs: Any, dim: int) -> Any:
    """The component of each step orthogonal to the `dim` leading eigenvectors of its covariance, 0 < dim < m.

    `xp` is the array module, NumPy or a compatible one.
    """
    return _in_the_plane(xp, steps, covs) if steps.shape[1] == 2 else _by_eigenvectors(xp, steps, covs, dim)


def _by_eigenvectors(xp: Any, steps: Any, covs: Any, dim: int) -> Any:
    values, vectors = xp.linalg.eigh(covs)
    slack = _TIED * (values[:, -1] + xp.sum(steps**2, axis=1))
    leads = values[:, -dim:] - values[:, -dim - 1, None] > slack[:, None]
    axes = vectors[:, :, -dim:] * leads[:, None, :]
    along = xp.einsum("iak,ia->ik", axes, steps)
    return steps - xp.einsum("iak,ik->ia", axes, along)


def _in_the_plane(xp: Any, steps: Any, covs: Any) -> Any:
    """Σ = (tr Σ·I + gap·R)/2 with R the reflection in the leading axis, so the projection is (I − R)/2."""
    x, y = steps[:, 0], steps[:, 1]
    a, b, c = covs[:, 0, 0], covs[:, 0, 1], covs[:, 1, 1]
    gap = xp.hypot(a - c, 2 * b)
    tied = gap <= _TIED * ((a + c + gap) / 2 + (x * x + y * y))
    unit = xp.where(tied, 1.0, gap)
    cos, sin = (a - c) / unit, 2 * b / unit
    left = xp.stack([x - (cos * x + sin * y), y - (sin * x - cos * y)], axis=1) / 2
    return xp.where(tied[:, None], steps, left)
