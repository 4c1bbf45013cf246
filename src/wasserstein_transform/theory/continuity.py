"""What kernels do to the metric itself, and to samples."""

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
    "Left is an upper bound of d_GW1. The proof takes a factor ½ of another definition of d_GW1; without it the "
    "constant that it gives is 2(C₁ + C₂)."
)


def continuity(space: Space, eps: float, kernel: SmoothKernel = BELL, engine: Engine | None = None) -> Inequality:
    """d_α(x, x') ≤ L(M + N)·diam/N² · d(x, x') for all pairs: the theorem on continuity in the old metric.

    Points without mass are allowed.

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
    """Transforms of samples beside the transform of what they are drawn from.

    Attributes
    ----------
    sizes : array of shape (k,)
        Numbers of draws.
    bounds : array of shape (k, repeats)
        Upper bounds of d_GW1 of the transformed sample and population: the distortion of the coupling that moves one to
        the other at least cost.
    proven : array of shape (k, repeats)
        (C₁ + 2C₂)·W1 of sample and population, C₁ of `continuity`, C₂ of `stability_kernel`: the paper's right side.
    constants : dict
        C1 and C2.
    """

    sizes: Floats
    bounds: Floats
    proven: Floats
    constants: dict[str, float]

    @property
    def inequality(self) -> Inequality:
        """Every sample's bound beside what is proven."""
        sides = self.bounds.ravel(), self.proven.ravel()
        rounding = ROUNDING * float(self.proven.max())
        return Inequality("d_GW1 ≤ (C₁ + 2C₂)·W1", *sides, self.constants, rounding, _HALF)

    @property
    def rate(self) -> float:
        """The exponent of n in the mean bound."""
        return order(self.sizes, self.bounds.mean(axis=1))

    @property
    def rate_error(self) -> float:
        """Its standard error, by leaving out one sample of each size after the other."""
        k = self.bounds.shape[1]
        if k < 2:
            raise ValueError("a standard error needs two samples of each size; use repeats=2 or more")
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
    """Draw samples from a space and compare their transforms with its own: the theorem on sampling convergence.

    Parameters
    ----------
    space : Space
        The population.
    sizes : sequence of int
        Numbers of independent draws.
    eps : float
    kernel : SmoothKernel
    repeats : int
        Samples of each size.
    transport : Transport, optional
        `Exact(1)` by default; `Line(1)` is faster for points with one coordinate.
    seed : int, or Generator
    engine : Engine, optional

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
        raise ValueError(f"sizes must be a list of numbers of draws, such as [25, 100], got {sizes!r}")
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
