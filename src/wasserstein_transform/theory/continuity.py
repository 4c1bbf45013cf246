"""Continuity of kernel transforms in the old metric, and convergence of samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .. import _check as check
from .._shown import Tabled
from .._types import Floats
from ..engine import Engine, current
from ..spaces import Space, check_space
from ..transforms import Transform
from ..transport import Exact, Transport, wasserstein
from .functions import times
from .gromov import distortion
from .inequality import Inequality, order
from .smooth import BELL, SmoothKernel, check_kernel
from .weightings import ROUNDING, diameter

_HALF = (
    "Left is an upper bound of d_GW1. The proof uses a factor ½ from another definition of d_GW1; without this factor "
    "its constant is 2(C₁ + C₂)."
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
    >>> space = wt.Space.from_points([[0.0], [1.0], [3.0]], weights=[1, 1, 0])
    >>> found = wt.theory.continuity(space, eps=3.0)
    >>> found.holds, found.left.shape
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
class SamplingConvergence(Tabled):
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
    >>> space = wt.Space.from_points(np.linspace(0, 1, 40)[:, None])
    >>> found = wt.theory.sampling_convergence(space, [10, 1000], eps=0.5, repeats=4, transport=wt.Line(1))
    >>> found.bounds.shape, sorted(found.constants)
    ((2, 4), ['C1', 'C2'])
    >>> found.inequality.holds, found.rate < 0
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
    >>> space = wt.Space.from_points(np.linspace(0, 1, 40)[:, None])
    >>> found = wt.theory.sampling_convergence(space, [10, 1000], eps=0.5, repeats=4, transport=wt.Line(1))
    >>> found.inequality.holds, found.rate < -1 / 3
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
        found = wasserstein(sample.weights, space.weights, ground[seen])
        bounds[place] = distortion(found.plan, step(sample, engine).metric.dense(engine), whole)
        proven[place] = times(constants["C1"] + 2 * constants["C2"], found.value)
    return SamplingConvergence(np.array(sizes, float), bounds, proven, constants)
