"""Positive Lipschitz kernels, the continuity of their transform, and the convergence of samples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from wasserstein_transform import _check as check
from wasserstein_transform._display import HtmlTable
from wasserstein_transform._types import Floats
from wasserstein_transform.engine import Engine, current
from wasserstein_transform.localize import Kernel
from wasserstein_transform.spaces import Space, check_space
from wasserstein_transform.transforms import Transform
from wasserstein_transform.transport import Exact, Transport, wasserstein

from .distances import distortion
from .growth import over, times
from .inequality import ROUNDING, Inequality, diameter, order

_HALF = (
    "Left is an upper bound of d_GW1. The proof uses a factor ½ from another definition of d_GW1; without this factor "
    "its constant is 2(C₁ + C₂)."
)


@dataclass(frozen=True)
class SmoothKernel:
    """A positive kernel K(x, y) = profile(d²/ε²) that decreases from 1, with its Lipschitz constants.

    `theory.BELL` is exp(−t/2) and `theory.RATIONAL` is 1/(1 + t)².

    Attributes
    ----------
    name : str
        The name of the kernel.
    profile : callable
        The profile: takes an array of t = d²/ε² and returns weights of the same shape.
    per_square : float
        Lipschitz constant of the profile.
    per_distance : float
        Lipschitz constant of d ↦ profile(d²), the kernel with ε = 1.
    per_matrix : float
        Lipschitz constant of z ↦ zzᵀ profile(‖z‖²) in the Frobenius norm. For the two kernels above it is
        √2·sup r·profile(r²), attained across z; along z the derivative 2r·profile(r²) + 2r³·profile'(r²) is smaller.

    Examples
    --------
    >>> from wt_paper import theory
    >>> bell = theory.BELL
    >>> round(bell.least(eps=1.0, diameter=2.0), 4)
    0.1353
    >>> round(bell.localized(eps=1.0, diameter=2.0), 2)  # (2L·diam + M)/N
    25.32
    """

    name: str
    profile: Callable[[Floats], Floats]
    per_square: float
    per_distance: float
    per_matrix: float

    def localize(self, eps: float) -> Kernel:
        """Make the kernel localization with bandwidth ε."""
        return Kernel(eps, self.profile)

    def least(self, eps: float, diameter: float) -> float:
        """Compute N, the smallest kernel value on a space of this diameter; 0 by underflow makes constants infinite."""
        return float(self.profile(np.array([(diameter / eps) ** 2]))[0])

    def localized(self, eps: float, diameter: float) -> float:
        """Compute (2L·diam + M)/N, an upper bound of W1(m_α(x), m_β(x))/W1(α, β); M is 1."""
        return over(2 * self.per_distance / eps * diameter + 1, self.least(eps, diameter))

    def continued(self, eps: float, diameter: float) -> float:
        """Compute L(M + N)·diam/N², an upper bound of the new metric divided by the old one; M is 1."""
        least = self.least(eps, diameter)
        return over(over(self.per_distance / eps * (1 + least) * diameter, least), least)

    def shifted(self, eps: float, diameter: float) -> float:
        """Compute (2C·D + M)/N, the same bound for means; C = 2LD/ε² with L of the profile, and M is 1."""
        steep = 2 * self.per_square * diameter / eps**2
        return over(2 * steep * diameter + 1, self.least(eps, diameter))

    def covariant(self, eps: float, diameter: float) -> float:
        """Compute the same bound for covariances: three terms as in the paper's proof, with an explicit A_K."""
        least = self.least(eps, diameter)
        moments = over(eps * self.per_matrix, least)
        totals = over(2 * self.per_square * diameter**3 / eps**2, least)
        return moments + totals + 2 * diameter * self.shifted(eps, diameter)


def _bell(t: Floats) -> Floats:
    return np.asarray(np.exp(-t / 2))


def _rational(t: Floats) -> Floats:
    return np.asarray((1 + t) ** -2)


BELL = SmoothKernel("gaussian kernel", _bell, 0.5, float(np.exp(-0.5)), float(np.sqrt(2) * np.exp(-0.5)))
"""The Gaussian kernel exp(−t/2), as a SmoothKernel."""
RATIONAL = SmoothKernel(
    "kernel 1/(1 + t)²", _rational, 2.0, float(4 * np.sqrt(0.2) / 1.2**3), float(np.sqrt(2 / 3) / (4 / 3) ** 2)
)
"""The kernel 1/(1 + t)², as a SmoothKernel."""

KERNELS = (BELL, RATIONAL)
"""The kernels with known constants: BELL and RATIONAL."""


def check_kernel(kernel: object) -> None:
    """Raise a TypeError if the argument is not a SmoothKernel."""
    if not isinstance(kernel, SmoothKernel):
        raise TypeError(
            f"a SmoothKernel is needed, got {kernel!r}; use wt_paper.theory.BELL or wt_paper.theory.RATIONAL, "
            "or SmoothKernel(name, profile, …) with your own profile and its Lipschitz constants"
        )


def continuity(space: Space, eps: float, kernel: SmoothKernel = BELL, engine: Engine | None = None) -> Inequality:
    """Evaluate the theorem on continuity in the old metric: d_α(x, x') ≤ L(M + N)·diam/N² · d(x, x') for all pairs.

    Points without mass are allowed.

    Parameters
    ----------
    space : Space
        A space with n points.
    eps : float
        The bandwidth ε of the kernel, in the unit of the distances.
    kernel : SmoothKernel, default BELL
        A positive Lipschitz kernel.
    engine : Engine, optional
        Threads, device, memory limit and store. None: the current engine.

    Returns
    -------
    Inequality
        One entry per pair, in SciPy's condensed order.

    Notes
    -----
    n(n−1)/2 transport problems with n × n costs.

    Examples
    --------
    >>> import wasserstein_transform as wt
    >>> from wt_paper import theory
    >>> space = wt.Space.from_points([[0.0], [1.0], [3.0]], weights=[1, 1, 0])
    >>> result = theory.continuity(space, eps=3.0)
    >>> result.holds, result.left.shape
    (True, (3,))
    """
    check_space(space)
    check_kernel(kernel)
    engine, eps = current(engine), check.eps(eps)
    diam = diameter(space, engine)
    new = Transform(kernel.localize(eps), Exact(1))(space, engine).metric.condensed(engine)
    constant = kernel.continued(eps, diam)
    right = np.array([times(constant, old) for old in space.metric.condensed(engine)])
    constants = {"L": kernel.per_distance / eps, "M": 1.0, "N": kernel.least(eps, diam), "diam": diam}
    return Inequality("d_α ≤ L(M + N)·diam/N² · d", new, right, constants, ROUNDING * diam)


@dataclass(frozen=True, eq=False)
class SamplingConvergence(HtmlTable):
    """Distances between transformed samples and the transformed population. `sampling_convergence` returns it.

    Attributes
    ----------
    sizes : array of shape (k,)
        Numbers of draws.
    bounds : array of shape (k, repeats)
        Upper bounds of d_GW1 between the transformed sample and population: the distortion of the coupling that
        is optimal for W1 before the transform.
    proven : array of shape (k, repeats)
        The right side of the theorem, (C₁ + 2C₂)·W1 of sample and population, with C₁ of `continuity` and C₂ of
        `stability_kernel`.
    constants : dict
        The constants C1 and C2.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> from wt_paper import theory
    >>> space = wt.Space.from_points(np.linspace(0, 1, 40)[:, None])
    >>> result = theory.sampling_convergence(space, [10, 1000], eps=0.5, repeats=4, transport=wt.transport.Line(1))
    >>> result.bounds.shape, sorted(result.constants)
    ((2, 4), ['C1', 'C2'])
    >>> result.inequality.holds, result.rate < 0
    (True, True)
    """

    sizes: Floats
    bounds: Floats
    proven: Floats
    constants: dict[str, float]

    @property
    def inequality(self) -> Inequality:
        """The theorem for every sample: bounds ≤ proven."""
        sides = self.bounds.ravel(), self.proven.ravel()
        rounding = ROUNDING * float(self.proven.max())
        return Inequality("d_GW1 ≤ (C₁ + 2C₂)·W1", *sides, self.constants, rounding, _HALF)

    @property
    def rate(self) -> float:
        """The exponent of the number of draws in the mean bound, by least squares."""
        return order(self.sizes, self.bounds.mean(axis=1))

    @property
    def rate_error(self) -> float:
        """The standard error of `rate`, by the jackknife over repeats."""
        k = self.bounds.shape[1]
        if k < 2:
            raise ValueError("a standard error needs at least two samples of each size; use repeats=2 or more")
        rates = [order(self.sizes, np.delete(self.bounds, j, axis=1).mean(axis=1)) for j in range(k)]
        return float(np.sqrt(k - 1) * np.std(rates))


def sampling_convergence(
    space: Space,
    sizes: Sequence[int],
    eps: float,
    kernel: SmoothKernel = BELL,
    repeats: int = 10,
    transport: Transport | None = None,
    seed: int | Sequence[int] | np.random.Generator = 0,
    engine: Engine | None = None,
) -> SamplingConvergence:
    """Evaluate the theorem on sampling convergence: draw samples and compare their transforms with the population's.

    Parameters
    ----------
    space : Space
        The population.
    sizes : sequence of int
        Numbers of independent draws.
    eps : float
        The bandwidth ε of the kernel, in the unit of the distances.
    kernel : SmoothKernel, default BELL
        A positive Lipschitz kernel.
    repeats : int, default 10
        Number of samples of each size.
    transport : Transport, optional
        None: `Exact(1)`. `Line(1)` is faster for points with one coordinate.
    seed : int, sequence of int or Generator, default 0
        Seed of the random draws.
    engine : Engine, optional
        Threads, device, memory limit and store. None: the current engine.

    Returns
    -------
    SamplingConvergence

    Notes
    -----
    One transform of the population, and one per sample: len(sizes)·repeats.

    Examples
    --------
    >>> import numpy as np, wasserstein_transform as wt
    >>> from wt_paper import theory
    >>> space = wt.Space.from_points(np.linspace(0, 1, 40)[:, None])
    >>> result = theory.sampling_convergence(space, [10, 1000], eps=0.5, repeats=4, transport=wt.transport.Line(1))
    >>> result.inequality.holds, result.rate < -1 / 3
    (True, True)
    """
    check_space(space)
    check_kernel(kernel)
    if not np.iterable(sizes) or not len(sizes):
        raise ValueError(f"sizes must be a nonempty list of numbers of draws, such as [25, 100], got {sizes!r}")
    sizes = [check.count(n, "sizes", 1) for n in sizes]
    shape = len(sizes), check.count(repeats, "repeats", 1)
    engine, eps, rng = current(engine), check.eps(eps), np.random.default_rng(seed)
    step = Transform(kernel.localize(eps), transport or Exact(1))
    whole, ground = step(space, engine).metric.dense(engine), space.metric.dense(engine)
    diam = float(ground.max())
    constants = {"C1": kernel.continued(eps, diam), "C2": kernel.localized(eps, diam)}
    bounds, proven = np.empty(shape), np.empty(shape)
    for place in np.ndindex(shape):
        drawn = rng.multinomial(sizes[place[0]], space.weights)
        seen = np.flatnonzero(drawn)
        taken = space.take(seen)
        sample = Space(taken.metric, check.weights(drawn[seen], len(seen)), taken.points)
        result = wasserstein(sample.weights, space.weights, ground[seen])
        bounds[place] = distortion(result.plan, step(sample, engine).metric.dense(engine), whole)
        proven[place] = times(constants["C1"] + 2 * constants["C2"], result.value)
    return SamplingConvergence(np.array(sizes, float), bounds, proven, constants)
