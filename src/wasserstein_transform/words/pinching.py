"""Lower bounds of dcov² by pinching: fidelity does not decrease when covariances are cut into blocks.

F(A, B) = tr(A^½BA^½)^½ is at most F(PAP, PBP) + F(QAQ, QBQ) for projections P + Q = 1, and the second term is at most
√(tr QA · tr QB). A and B may be replaced by M^½AM^½ and M^-½BM^-½ for any positive definite M: F is the same. Traces
and quadratic forms are known only up to rounding errors. F is monotone in both matrices, so adding the possible error
to their diagonals keeps the bounds valid.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from .._types import Floats

SLACK = 1e-5  # relative to the traces: factors are in single precision
_NOISE = 4e-6  # relative to the traces: rounding of quadratic forms in single precision
_FLAT = 1e-3  # squared sine below which two directions count as the same


class Frame(NamedTuple):
    """The query's share of the bound, for its covariance A and direction a.

    Attributes
    ----------
    trace, inner : float
        tr A and tr AM.
    matrix : array of shape (m, m)
        A.
    fixed, image : arrays of shape (m,)
        a and AMa.
    length, form : float
        aᵀMa and aᵀMAMa.
    """

    trace: float
    inner: float
    matrix: Floats
    fixed: Floats
    image: Floats
    length: float
    form: float

    @classmethod
    def of(cls, A: Floats, a: Floats, M: Floats) -> Self:
        moved = M @ a
        image = A @ moved
        return cls(float(np.trace(A)), float(np.sum(A * M)), A, a, image, float(a @ moved), float(moved @ image))

    @classmethod
    def plain(cls, A: Floats, a: Floats) -> Self:
        """Return the frame for M = 1."""
        trace, image = float(np.trace(A)), A @ a
        return cls(trace, trace, A, a, image, float(a @ a), float(a @ image))


def along_one(trace: float, traces: Floats, alpha: Floats, beta: Floats, kappa: Floats) -> Floats:
    """Bound dcov² with P onto one direction u for each B, and M = 1.

    α = uᵀAu, κ = uᵀu, and β is a lower bound of uᵀBu. The bound of F increases with uᵀBu until A and B have the same
    share along u, then decreases: values of β below that point are raised to it.
    """
    kappa = np.maximum(kappa, 1e-30)
    beta = np.maximum(beta, traces * alpha / max(trace, 1e-300))
    x = np.maximum(trace - alpha / kappa, 0.0) + _NOISE * trace
    y = np.maximum(traces - beta / kappa, 0.0) + _NOISE * traces
    overlap = np.sqrt(x * y) + np.sqrt(np.maximum(alpha * beta, 0.0)) / kappa
    return np.maximum(trace + traces - 2 * overlap - SLACK * (trace + traces), 0.0)


def along_two(query: Frame, U: Floats, X: Floats, forms: Floats, inner: Floats, traces: Floats) -> Floats:
    """Bound dcov² with P onto M^-½u and M^½a, u the direction of each B, a that of A; 0 where both nearly coincide.

    Parameters
    ----------
    U, X : arrays of shape (n, m)
        u and M⁻¹u.
    forms : array of shape (n, 3)
        xᵀBx, xᵀBa, aᵀBa.
    inner, traces : arrays of shape (n,)
        tr BM⁻¹ and tr B.
    """
    first, mixed = np.maximum(np.einsum("ij,ij->i", X, U), 1e-30), U @ query.fixed
    tilt = mixed / first  # M^½a − tilt · M^-½u is orthogonal to M^-½u
    height = query.length - tilt * mixed
    clear = height > _FLAT * query.length
    height = np.where(clear, height, 1.0)
    doubt = np.where(clear, _NOISE * query.length / height, 0.0)
    a = _block(np.einsum("ij,ij->i", U @ query.matrix, U), U @ query.image, query.form, first, tilt, height)
    b = _block(forms[:, 0], forms[:, 1], forms[:, 2], first, tilt, height)
    more_a, more_b = doubt * query.inner, doubt * inner
    overlap = _fidelity(a, b, more_a, more_b)
    rest_a = np.maximum(query.inner - a[0] - a[2], 0.0) + 2 * more_a
    rest_b = np.maximum(inner - b[0] - b[2], 0.0) + 2 * more_b
    total = query.trace + traces
    return np.where(clear, np.maximum(total - 2 * (overlap + np.sqrt(rest_a * rest_b)) - SLACK * total, 0.0), 0.0)


def _block(
    one: Floats, both: Floats, other: Floats | float, first: Floats, tilt: Floats, height: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return the entries of a matrix in the orthonormal frame, from its quadratic forms in the two directions."""
    across = (both - tilt * one) / np.sqrt(first * height)
    return one / first, across, (other - 2 * tilt * both + tilt * tilt * one) / height


def _fidelity(
    a: tuple[Floats, Floats, Floats], b: tuple[Floats, Floats, Floats], more_a: Floats, more_b: Floats
) -> Floats:
    """Return F of 2×2 matrices after adding `more_a` and `more_b` to their diagonals."""
    p, q, r = a[0] + more_a, a[1], a[2] + more_a
    s, t, u = b[0] + more_b, b[1], b[2] + more_b
    dets = np.maximum(p * r - q * q, 0.0) * np.maximum(s * u - t * t, 0.0)
    return np.asarray(np.sqrt(np.maximum(p * s + 2 * q * t + r * u, 0.0) + 2 * np.sqrt(dets)))


def between(A: Floats, B: Floats) -> tuple[Floats, Floats]:
    """Return M, the geometric mean of A⁻¹ and B, and M⁻¹: the best M for A and B, which are regularized first."""
    lift = 1e-3 * np.trace(A + B) / len(A) * np.eye(len(A))
    values, vectors = np.linalg.eigh(A + lift)
    root, over = (vectors * np.sqrt(values)) @ vectors.T, (vectors / np.sqrt(values)) @ vectors.T
    values, vectors = np.linalg.eigh(root @ (B + lift) @ root)
    middle = np.sqrt(np.maximum(values, 1e-12 * values[-1]))
    half, other = over @ vectors, root @ vectors
    return (half * middle) @ half.T, (other / middle) @ other.T
