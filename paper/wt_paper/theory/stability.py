"""The stability theorems: if two weightings are close, their transforms are close.

All functions take a space with weights α and another weighting β of its points.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from wasserstein_transform import _check as check
from wasserstein_transform.engine import Engine
from wasserstein_transform.localize import Truncation
from wasserstein_transform.spaces import Space

from .continuity import BELL, SmoothKernel, check_kernel
from .growth import BishopGromov, Lambda, Phi, Psi, bishop_gromov, psi, times
from .inequality import SINGULAR, Inequality, Weightings, coordinates

_FINITE = (
    "No finite space satisfies the Bishop–Gromov condition at all radii. The proof uses it only at (ε, ε + η) and "
    "(ε, D) with η = √W{}; Λ is the smallest exponent for these radii, so that the theorem holds for finite spaces too."
)
_VOLUME = (
    "Ψ has a term with α ≤ c·volume, which no finite space satisfies, and a constant A that the paper does not give. "
    "Without this term the right side is smaller than in the theorem, and only the ratio is informative."
)


def stability_kernel(
    space: Space, beta: ArrayLike, eps: float, kernel: SmoothKernel = BELL, engine: Engine | None = None
) -> Inequality:
    """Evaluate the theorem on the stability of kernel localization, for a positive Lipschitz kernel.

    W1(m_α(x), m_β(x)) ≤ (2L·diam + M)/N · W1(α, β) at every point x. The field `corollary` states that no distance
    changes by more than twice the right side.

    Parameters
    ----------
    space : Space
        A space with n points and the weights α.
    beta : array of shape (n,)
        The other weighting; it is divided by its total.
    eps : float
        The bandwidth ε of the kernel, in the unit of the distances.
    kernel : SmoothKernel, default BELL
        A positive Lipschitz kernel.
    engine : Engine, optional
        Threads, device, memory limit and store. None: the current engine.

    Returns
    -------
    Inequality
        The paper states that constants M and N exist. Here they are the largest and the smallest value of the kernel,
        as in its proof.

    Notes
    -----
    n(n−1) + n transport problems with n × n costs.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> from wt_paper import theory
    >>> space = wt.Space.from_points([[0.0], [1.0], [3.0]])
    >>> result = theory.stability_kernel(space, [1, 1, 2], eps=2.0)
    >>> result.holds, result.corollary.holds
    (True, True)
    >>> round(result.constants["W1"], 4), round(result.slack, 3)
    (0.4167, 3.232)
    """
    check_kernel(kernel)
    both, eps = Weightings.of(space, beta, engine), check.eps(eps)
    rows, constants = both.localized(kernel.localize(eps)), _of_kernel(both, kernel, eps)
    right = times(kernel.localized(eps, both.diameter), constants["W1"])
    new = both.stated("|d_α − d_β| ≤ (4L·diam + 2M)/N · W1(α, β)", both.metrics(rows), 2 * right, constants)
    statement = "W1(m_α(x), m_β(x)) ≤ (2L·diam + M)/N · W1(α, β)"
    return both.stated(statement, both.measures(rows), right, constants, corollary=new)


def stability_truncation(
    space: Space,
    beta: ArrayLike,
    eps: float,
    D: float | None = None,
    single: bool = True,
    engine: Engine | None = None,
) -> Inequality:
    """Evaluate the theorem on the stability of local truncation.

    W1(m_α(x), m_β(x)) ≤ (1 + 2ε)·Φ(√W1(α, β)) at every point x. The field `corollary` is the theorem on LT-WT1, with
    twice the right side. Both depend on the unit of length.

    Parameters
    ----------
    space : Space
        A space with n points and the weights α, none of them 0.
    beta : array of shape (n,)
        The other weighting, no weight 0; it is divided by its total.
    eps : float
        The radius ε, in the unit of the distances.
    D : float, optional
        A number above the diameter. None: 1.01 diameters.
    single : bool, default True
        Whether to use one Λ for both pairs of radii, as in the theorem, which can make the right side very large.
        False: one Λ per pair, as the proof allows.
    engine : Engine, optional
        Threads, device, memory limit and store. None: the current engine.

    Returns
    -------
    Inequality

    Notes
    -----
    n(n−1) + n transport problems between ε-balls.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> from wt_paper import theory
    >>> space = wt.Space.from_points([[0.0], [1.0], [3.0]])
    >>> result = theory.stability_truncation(space, [1, 1, 2], eps=1.5, single=False)
    >>> result.holds, result.corollary.holds
    (True, True)
    >>> round(result.ratio, 4), round(result.constants["Phi"], 3)
    (0.0, 2.936)
    """
    both, eps = Weightings.of(space, beta, engine), check.eps(eps)
    right, constants = _of_balls(both, eps, D, single)
    rows, note = both.localized(Truncation(eps)), _FINITE.format("1")
    new = both.stated("|d_α − d_β| ≤ 2(1 + 2ε)·Φ(√W1)", both.metrics(rows), 2 * right, constants, note)
    return both.stated(
        "W1(m_α(x), m_β(x)) ≤ (1 + 2ε)·Φ(√W1)", both.measures(rows), right, constants, note, corollary=new
    )


def stability_mean_shift(
    space: Space,
    beta: ArrayLike,
    eps: float,
    kernel: SmoothKernel | None = None,
    D: float | None = None,
    single: bool = True,
    engine: Engine | None = None,
) -> Inequality:
    """Evaluate the theorems on the stability of mean shift, for a Lipschitz kernel or for local truncation.

    With a kernel: ‖mean m_α(x) − mean m_β(x)‖ ≤ (2CD + M)/N · W1(α, β), where C = 2LD/ε², L is the Lipschitz constant
    of the profile and D the diameter. Without a kernel: ≤ (1 + 2ε)·Φ(√W1(α, β)).

    Parameters
    ----------
    space : Space
        A space of n points in R^m with the Euclidean distance and the weights α.
    beta : array of shape (n,)
        The other weighting; it is divided by its total.
    eps : float
        The radius or bandwidth ε, in the unit of the points.
    kernel : SmoothKernel, optional
        A positive Lipschitz kernel. None: local truncation.
    D : float, optional
        As in `stability_truncation`.
    single : bool, default True
        As in `stability_truncation`.
    engine : Engine, optional
        Threads, device, memory limit and store. None: the current engine.

    Returns
    -------
    Inequality

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> from wt_paper import theory
    >>> space = wt.Space.from_points([[0.0], [1.0], [3.0]])
    >>> theory.stability_mean_shift(space, [1, 1, 2], eps=2.0, kernel=theory.BELL)
    <‖mean m_α(x) − mean m_β(x)‖ ≤ (2CD + M)/N · W1: holds, left/right at most 0.0547>
    >>> theory.stability_mean_shift(space, [1, 1, 2], eps=2.0).holds
    True
    """
    both, eps = Weightings.of(space, beta, engine), check.eps(eps)
    coordinates(space)
    if kernel is None:
        right, constants = _of_balls(both, eps, D, single)
        means = both.means(both.localized(Truncation(eps)))
        statement = "‖mean m_α(x) − mean m_β(x)‖ ≤ (1 + 2ε)·Φ(√W1)"
        return both.stated(statement, means, right, constants, _FINITE.format("1"))
    check_kernel(kernel)
    constants = _of_kernel(both, kernel, eps)
    constants |= {"L": kernel.per_square, "C": 2 * kernel.per_square * both.diameter / eps**2}
    right = times(kernel.shifted(eps, both.diameter), constants["W1"])
    means = both.means(both.localized(kernel.localize(eps)))
    return both.stated("‖mean m_α(x) − mean m_β(x)‖ ≤ (2CD + M)/N · W1", means, right, constants)


def stability_gaussian(
    space: Space,
    beta: ArrayLike,
    eps: float,
    lam: float = 1.0,
    D: float | None = None,
    single: bool = True,
    c: float = 0.0,
    A: float = 0.0,
    engine: Engine | None = None,
) -> Inequality:
    """Evaluate the theorem on the stability of GT, as far as the paper gives the right side.

    |d_α(x, x') − d_β(x, x')| ≤ 2√(mλ·Ψ(W∞(α, β))) for GT distances. Ψ has a term with two constants that the paper does
    not make explicit: c with α ≤ c·volume, and A. By default the term is left out, and only `ratio` is informative.

    Parameters
    ----------
    space : Space
        A space of n points in R^m with the Euclidean distance and the weights α, none of them 0.
    beta : array of shape (n,)
        The other weighting, no weight 0; it is divided by its total.
    eps : float
        The radius ε, in the unit of the points.
    lam : float, default 1.0
        The weight λ ≥ 0 of the covariances.
    D : float, optional
        As in `stability_truncation`.
    single : bool, default True
        As in `stability_truncation`.
    c, A : float, default 0.0
        The constants of Ψ.
    engine : Engine, optional
        Threads, device, memory limit and store. None: the current engine.

    Returns
    -------
    Inequality

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> from wt_paper import theory
    >>> space = wt.Space.from_points([[0.0], [1.0], [3.0]])
    >>> result = theory.stability_gaussian(space, [1, 1, 2], eps=1.5)
    >>> result.holds, result.constants["m"], result.constants["A"]
    (True, 1.0, 0.0)
    """
    both, eps, lam = Weightings.of(space, beta, engine), check.eps(eps), check.tolerance(lam, "lam")
    m, apart = coordinates(space).shape[1], both.apart(np.inf)
    balls = bishop_gromov(space, eps, float(np.sqrt(apart)), beta, D, both.engine)
    exponent = _reading(balls, single)
    value = Psi(apart, exponent, balls.D, eps, c, A, m)
    constants = {
        **_of_growth(balls, exponent), "Psi": value, "W∞": apart, "m": float(m), "lam": lam, "c": c, "A": A,
    }  # fmt: skip
    left, right = both.gaussians(Truncation(eps), lam), 2 * float(np.sqrt(m * lam * value))
    note = _FINITE.format("∞") + " " + _VOLUME
    return both.stated("|d_α − d_β| ≤ 2√(mλ·Ψ(W∞))", left, right, constants, note, rounding=_rounding(lam))


def stability_gaussian_smooth(
    space: Space,
    beta: ArrayLike,
    eps: float,
    lam: float = 1.0,
    kernel: SmoothKernel = BELL,
    engine: Engine | None = None,
) -> Inequality:
    """Evaluate the theorem on the stability of GT for smooth kernels.

    |d_α(x, x') − d_β(x, x')| ≤ 2√(mλC·W1(α, β)) for GT distances. The paper does not give C. Its proof gives one if A_K
    is known, which is the Lipschitz constant of zzᵀK(‖z‖²/ε²). The constant "bare ratio" is left/right for C = 1.

    Parameters
    ----------
    space : Space
        A space of n points in R^m with the Euclidean distance and the weights α.
    beta : array of shape (n,)
        The other weighting; it is divided by its total.
    eps : float
        The bandwidth ε of the kernel, in the unit of the points.
    lam : float, default 1.0
        The weight λ ≥ 0 of the covariances.
    kernel : SmoothKernel, default BELL
        A positive Lipschitz kernel.
    engine : Engine, optional
        Threads, device, memory limit and store. None: the current engine.

    Returns
    -------
    Inequality

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> from wt_paper import theory
    >>> space = wt.Space.from_points([[0.0], [1.0], [3.0]])
    >>> result = theory.stability_gaussian_smooth(space, [1, 1, 2], eps=2.0)
    >>> result.holds, round(result.constants["C"], 1), round(result.constants["bare ratio"], 3)
    (True, 127.7, 0.005)
    """
    check_kernel(kernel)
    both, eps, lam = Weightings.of(space, beta, engine), check.eps(eps), check.tolerance(lam, "lam")
    m, C = coordinates(space).shape[1], kernel.covariant(eps, both.diameter)
    left, constants = both.gaussians(kernel.localize(eps), lam), _of_kernel(both, kernel, eps)
    bare = 2 * float(np.sqrt(m * lam * constants["W1"]))
    largest = float(left.max(initial=0.0))
    constants |= {
        "L": kernel.per_square, "A_K": eps * kernel.per_matrix, "C": C, "m": float(m), "lam": lam,
        "bare ratio": largest / bare if bare > 0 else 0.0,
    }  # fmt: skip
    note = "The paper does not give C; here it is the constant of the proof, with an explicit A_K."
    right = times(float(np.sqrt(C)), bare)
    return both.stated("|d_α − d_β| ≤ 2√(mλC·W1)", left, right, constants, note, rounding=_rounding(lam))


def _rounding(lam: float) -> float:
    return SINGULAR * (1 + float(np.sqrt(lam)))


def _of_kernel(both: Weightings, kernel: SmoothKernel, eps: float) -> dict[str, float]:
    """The constants of the theorems on kernels."""
    diam = both.diameter
    return {
        "L": kernel.per_distance / eps, "M": 1.0, "N": kernel.least(eps, diam), "diam": diam, "W1": both.apart(1),
    }  # fmt: skip


def _of_balls(both: Weightings, eps: float, D: float | None, single: bool) -> tuple[float, dict[str, float]]:
    """The right side of the theorem on local truncations, and its constants."""
    apart = both.apart(1)
    root = float(np.sqrt(apart))
    space, other = both.spaces
    balls = bishop_gromov(space, eps, root, other.weights, D, both.engine)
    exponent = _reading(balls, single)
    value = Phi(root, exponent, balls.D, eps)
    return (1 + 2 * eps) * value, {**_of_growth(balls, exponent), "Phi": value, "W1": apart}


def _reading(balls: BishopGromov, single: bool) -> Lambda:
    return balls.Lambda if single else balls.exponents


def _of_growth(balls: BishopGromov, exponent: Lambda) -> dict[str, float]:
    near, far = balls.exponents
    return {
        "Lambda": balls.Lambda, "near": near, "far": far, "D": balls.D, "eta": balls.eta,
        "psi": psi(balls.eps, exponent, balls.D),
    }  # fmt: skip
