"""Transforms of samples come near the transform of what they are drawn from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..._types import Floats
from ...engine import Engine
from ...spaces import Space
from ...transforms import Transform
from ...transport import Line, wasserstein
from ..claims import Choice, Claim
from ..parameters import Theory
from .constants import KERNELS
from .densities import on_the_line
from .sides import Sides, order

RATE = 1 / 3  # 1/(k + 2) for densities on an interval, k = 1


@dataclass(frozen=True)
class Sampling:
    """Upper bounds of Gromov–Wasserstein distances between sample and population.

    Attributes
    ----------
    sizes : array of shape (k,)
    bounds : array of shape (k, repeats)
        Distortion of the coupling that moves sample to population at least cost.
    proven : array of shape (k, repeats)
        (C₁ + 2C₂)·W1 of sample and population, the right side of the paper's proof.
    grid : int
        Points of the population.
    """

    sizes: Floats
    bounds: Floats
    proven: Floats
    grid: int
    rounding: float

    @property
    def rate(self) -> float:
        """The exponent of n in the mean bound."""
        return order(self.sizes, self.bounds.mean(axis=1))

    @property
    def rate_error(self) -> float:
        """Its standard error, by leaving out one sample of each size after the other."""
        k = self.bounds.shape[1]
        rates = [order(self.sizes, np.delete(self.bounds, j, axis=1).mean(axis=1)) for j in range(k)]
        return float(np.sqrt(k - 1) * np.std(rates))


def run_sampling(parameters: Theory, engine: Engine) -> Sampling:
    """Independent draws from a density on an interval, given by a fine grid."""
    rng = np.random.default_rng((parameters.seed, 9))
    points = np.linspace(-2.5, 2.5, parameters.grid)[:, None]
    alpha = on_the_line()(points)
    alpha /= alpha.sum()
    kernel, diameter = KERNELS[0], 5.0
    eps = parameters.bandwidth * diameter
    step = Transform(kernel.localize(eps), Line(1))
    whole = step(Space.from_points(points, alpha), engine).metric.dense(engine)
    constant = kernel.continued(eps, diameter) + 2 * kernel.localized(eps, diameter)
    shape = (len(parameters.draws), parameters.repeats)
    bounds, proven = np.empty(shape), np.empty(shape)
    for place in np.ndindex(shape):
        drawn = rng.multinomial(parameters.draws[place[0]], alpha)
        seen = np.flatnonzero(drawn)
        sample = Space.from_points(points[seen], drawn[seen])
        found = wasserstein(sample.weights, alpha, np.abs(points[seen] - points.T))
        bounds[place] = distortion(found.plan, step(sample, engine).metric.dense(engine), whole)
        proven[place] = constant * found.value
    return Sampling(np.array(parameters.draws, float), bounds, proven, parameters.grid, parameters.rounding)


def distortion(plan: Floats, one: Floats, other: Floats) -> float:
    """∬ |d(x, x') − d'(y, y')| π(dx, dy) π(dx', dy'): at least the Gromov–Wasserstein distance of order 1."""
    rows, cols = np.nonzero(plan)
    masses = plan[rows, cols]
    return float(masses @ np.abs(one[np.ix_(rows, rows)] - other[np.ix_(cols, cols)]) @ masses)


def sampling_claims(found: Sampling) -> list[Claim]:
    """Three claims."""
    means = found.bounds.mean(axis=1)
    first, last = (int(found.sizes[k]) for k in (0, -1))
    place = "subsection on WT under kernel localization, sampling convergence"
    what = (
        f"Distortion of the cheapest coupling of n draws with a population of {found.grid} points on an interval, "
        f"which is an upper bound of d_GW1, n = {first} … {last}, {found.bounds.shape[1]} samples each, gaussian "
        "kernel"
    )
    sides = Sides(found.bounds.ravel(), found.proven.ravel())
    return [
        Claim(
            "theory: transforms of samples converge",
            place + ", the theorem",
            "The transform of a sample tends to the transform of the population in the Gromov–Wasserstein distance.",
            what + "; true if its mean falls with every larger n.",
            (
                Choice(
                    "draws from a density",
                    bool((np.diff(means) < 0).all()),
                    f"mean bound {means[0]:.3g} at n = {first}, {means[-1]:.3g} at n = {last}",
                ),
            ),
            "Single samples scatter by a factor of two: over doublings of n, with six samples each, a first run's "
            "mean did not fall at every step. Sizes four times apart with more samples tell what is noise.",
        ),
        Claim(
            "theory: rate of convergence of samples",
            place + ", corollary on the rate",
            "The mean distance falls at least like n^(−1/(k + 2 + δ)); a density on an interval has k = 1.",
            what + "; true if the fitted exponent of n is ≤ −1/3.",
            (
                Choice(
                    "draws from a density", found.rate <= -RATE, f"exponent {found.rate:.3f} ± {found.rate_error:.3f}"
                ),
            ),
            "The exponent to expect is −1/2, that of W1 on a line.",
        ),
        Claim(
            "theory: transforms of samples are as near as the proof says",
            "relegated proofs, proof of the sampling theorem, its last inequality",
            "d_GW1 of the transformed sample and population is at most (C₁ + 2C₂)·W1 of sample and population, with "
            "the constants of the continuity and the stability theorem.",
            "The same upper bound against the right side, for every sample; true if left ≤ right always.",
            (sides.choice("draws from a density", found.rounding),),
            "The proof takes the factor ½ of another definition of d_GW; in the paper's own definition there is "
            "none. The bound is far from sharp, and the difference does not show.",
        ),
    ]
