"""Transforms of samples converge to the transform of the population."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wasserstein_transform.engine import Engine
from wasserstein_transform.spaces import Space
from wasserstein_transform.transport import Line

from ...theory import BELL, SamplingConvergence, sampling_convergence
from ..experiment import Choice, Claim
from ..parameters import Theory
from .trials import Sides, on_the_line

RATE = 1 / 3  # 1/(k + 2) for densities on an interval, k = 1


@dataclass(frozen=True)
class Sampling:
    """Samples of a population, which is a grid of `grid` points."""

    samples: SamplingConvergence
    grid: int
    rounding: float


def run_sampling(parameters: Theory, engine: Engine) -> Sampling:
    """Independent draws from a density on an interval, discretized by a fine grid."""
    points = np.linspace(-2.5, 2.5, parameters.grid)[:, None]
    population = Space.from_points(points, on_the_line()(points))
    eps, seed = parameters.bandwidth * 5.0, (parameters.seed, 9)
    samples = sampling_convergence(population, parameters.draws, eps, BELL, parameters.repeats, Line(1), seed, engine)
    return Sampling(samples, parameters.grid, parameters.rounding)


def sampling_claims(result: Sampling) -> list[Claim]:
    """The three claims."""
    samples = result.samples
    means = samples.bounds.mean(axis=1)
    first, last = (int(samples.sizes[k]) for k in (0, -1))
    place = "subsection on WT under kernel localization, sampling convergence"
    what = (
        f"Distortion of the cheapest coupling of n draws with a population of {result.grid} points on an interval, "
        f"which is an upper bound of d_GW1, n = {first} … {last}, {samples.bounds.shape[1]} samples each, gaussian "
        "kernel"
    )
    sides = Sides(samples.bounds.ravel(), samples.proven.ravel())
    return [
        Claim(
            "theory: transforms of samples converge",
            place + ", the theorem",
            "The transform of a sample tends to the transform of the population in the Gromov–Wasserstein distance.",
            what + "; true if its mean decreases with every larger n.",
            (
                Choice(
                    "draws from a density",
                    bool((np.diff(means) < 0).all()),
                    f"mean bound {means[0]:.3g} at n = {first}, {means[-1]:.3g} at n = {last}",
                ),
            ),
            "Single samples scatter by a factor of two: in a first run, with n doubled at each step and six samples "
            "each, the mean did not decrease at every step. Sizes that differ by a factor of four, with more samples, "
            "reduce the noise.",
        ),
        Claim(
            "theory: rate of convergence of samples",
            place + ", corollary on the rate",
            "The mean distance decreases at least like n^(−1/(k + 2 + δ)); a density on an interval has k = 1.",
            what + "; true if the fitted exponent of n is ≤ −1/3.",
            (
                Choice(
                    "draws from a density",
                    samples.rate <= -RATE,
                    f"exponent {samples.rate:.3f} ± {samples.rate_error:.3f}",
                ),
            ),
            "The expected exponent is −1/2, that of W1 on a line.",
        ),
        Claim(
            "theory: transforms of samples within the proven bound",
            "relegated proofs, proof of the sampling theorem, its last inequality",
            "d_GW1 of the transformed sample and population is at most (C₁ + 2C₂)·W1 of sample and population, with "
            "the constants of the continuity and the stability theorem.",
            "The same upper bound against the right side, for every sample; true if left ≤ right always.",
            (sides.choice("draws from a density", result.rounding),),
            "The proof uses the factor ½ of another definition of d_GW, which the paper's own definition does not "
            "have. The bound is far from sharp, so this makes no difference.",
        ),
    ]
