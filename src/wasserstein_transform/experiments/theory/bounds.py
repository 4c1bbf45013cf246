"""Mean shift as a Wasserstein Transform, and bounds of transport by means and Gaussians."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import pdist

from ..._types import Floats
from ...engine import Engine
from ...localize import Gaussian, Kernel, Truncation
from ...spaces import GaussianMetric, Space
from ...transforms import Transform, gaussian_transform, iterate, mean_shift
from ...transport import Bures, Exact, wasserstein_pairs
from ..claims import Claim
from ..parameters import Theory
from .clouds import Cloud, clouds
from .sides import Sides, agreement, gather


@dataclass(frozen=True)
class Bounds:
    """Results on random clouds.

    Attributes
    ----------
    shifted : dict of arrays
        By profile and weighting: largest difference, per space, between distances of moved points and W1 of the Diracs.
    still, walking : arrays
        Largest difference, per space, between GT with λ = 0 and mean shift, after 0 iterations and after some.
    means_w1, means_gaussians, gaussians_w2 : Sides
        The three inequalities, over all pairs of points.
    unmoved : Sides
        The last one with the unmoved centers of GT instead of the means: not a statement of the paper, and false.
    pair : tuple of float
        GT distance and W2 of two points within ε of each other.
    """

    shifted: dict[str, Floats]
    still: Floats
    walking: Floats
    means_w1: Sides
    means_gaussians: Sides
    gaussians_w2: Sides
    unmoved: Sides
    pair: tuple[float, float]
    rounding: float


def run_bounds(parameters: Theory, engine: Engine) -> Bounds:
    """Run all comparisons."""
    shifted: dict[str, list[float]] = {}
    without: list[tuple[float, float]] = []
    sides: list[list[Sides]] = []
    for cloud in clouds(parameters, 1):
        for weighting, weights in (("equal", None), ("random", cloud.alpha)):
            for profile in ("flat", "gaussian"):
                error = _mean_shift_error(cloud.space(weights), cloud.eps, profile, engine) / cloud.diameter
                shifted.setdefault(f"{profile} profile, {weighting} weights", []).append(error)
        without.append(_without_covariance(cloud, parameters.steps, engine))
        sides.append(_inequalities(cloud, engine))
    still, walking = np.array(without).T
    means_w1, means_gaussians, gaussians_w2, unmoved = (gather(list(parts)) for parts in zip(*sides, strict=True))
    errors = {name: np.array(values) for name, values in shifted.items()}
    pair = _two_points()
    return Bounds(errors, still, walking, means_w1, means_gaussians, gaussians_w2, unmoved, pair, parameters.rounding)


def _base(eps: float, profile: str) -> Kernel:
    return Truncation(eps) if profile == "flat" else Kernel(eps, profile)


def _mean_shift_error(space: Space, eps: float, profile: str, engine: Engine) -> float:
    """Distances of the points of mean shift, compared with transport of unit masses between the local means."""
    assert space.points is not None
    moved = iterate(mean_shift(eps, profile), space, n_iter=1, engine=engine).last
    assert moved.points is not None
    means = _base(eps, profile)(space, engine).matrix() @ space.points
    diracs = wasserstein_pairs(np.eye(space.n), means, 1, engine=engine)
    return float(np.abs(pdist(moved.points) - diracs.values).max())


def _without_covariance(cloud: Cloud, steps: int, engine: Engine) -> tuple[float, float]:
    """GT with λ = 0 compared with Euclidean distances after 0 iterations, and with mean shift after some."""
    gt = gaussian_transform(cloud.eps, 0.0)
    space = cloud.space(cloud.alpha)
    start = iterate(gt, space, n_iter=0, engine=engine).last.metric.condensed(engine)
    ends = [iterate(process, space, n_iter=steps, engine=engine).last for process in (gt, mean_shift(cloud.eps))]
    one, other = (end.metric.condensed(engine) for end in ends)
    still, walking = np.abs(start - pdist(cloud.points)).max(), np.abs(one - other).max()
    return float(still / cloud.diameter), float(walking / cloud.diameter)


def _inequalities(cloud: Cloud, engine: Engine) -> list[Sides]:
    """‖means‖ ≤ W1, ‖means‖ ≤ W2 of Gaussians ≤ W2, and the last with unmoved centers."""
    space = cloud.space(cloud.alpha)
    measures = Truncation(cloud.eps)(space, engine)
    _, means, covs = measures.means_and_covs(cloud.points)
    gaussians = GaussianMetric(means, covs, 1.0).condensed(engine)
    w1, w2 = (Exact(p).metric(measures, space.metric, engine).condensed(engine) for p in (1, 2))
    unmoved = Transform(Gaussian(Truncation(cloud.eps), 1.0), Bures())(space, engine).metric.condensed(engine)
    pairs = ((pdist(means), w1), (pdist(means), gaussians), (gaussians, w2), (unmoved, w2))
    return [Sides(left / cloud.diameter, right / cloud.diameter) for left, right in pairs]


def _two_points() -> tuple[float, float]:
    """GT (λ = 1) and LT-WT2 of two points at distance 1 = ε."""
    space = Space.from_points([[0.0], [1.0]])
    gt = Transform(Gaussian(Truncation(1.0), 1.0), Bures())(space).metric.condensed()
    lt = Transform(Truncation(1.0), Exact(2))(space).metric.condensed()
    return float(gt[0]), float(lt[0])


def bounds_claims(found: Bounds) -> list[Claim]:
    """The three claims."""
    tolerance = f"{found.rounding:g} of the diameter"
    return [
        Claim(
            "theory: mean shift is a transform",
            "section on mean shift, the proposition that mean shift is a Wasserstein Transform",
            "Distances of mean shift's points after one iteration are the W1 distances of Diracs at the local means.",
            "Largest |‖x¹ − x'¹‖ − W1(δ, δ')| over all pairs of random clouds, W1 by the simplex between unit masses "
            f"at means from the localization's matrix; true if ≤ {tolerance}.",
            tuple(agreement(name, errors, found.rounding) for name, errors in found.shifted.items()),
            "The paper states it for equal weights; it holds for any weights.",
        ),
        Claim(
            "theory: GT without covariance is mean shift",
            "section on the Gaussian Transform, remark on the effect of λ; iterative algorithms for MS and GT",
            "With λ = 0 the GT distance is the Euclidean one, and iterated GT is iterated mean shift.",
            f"Largest difference of distances on random clouds; true if ≤ {tolerance}.",
            (
                agreement("distance before any step", found.still, found.rounding),
                agreement("distance after some steps", found.walking, found.rounding),
            ),
        ),
        Claim(
            "theory: means and Gaussians bound transport",
            "section on optimal transport, lemma on lower and upper bounds in Euclidean spaces",
            "The distance of the means is at most W1, and at most W2 of the Gaussians with the same means and "
            "covariances, which is at most W2.",
            f"Left and right sides over all pairs of points of random clouds, local truncation; true if left ≤ right "
            f"up to {tolerance}.",
            (
                found.means_w1.choice("means ≤ W1", found.rounding),
                found.means_gaussians.choice("means ≤ W2 of Gaussians", found.rounding),
                found.gaussians_w2.choice("W2 of Gaussians ≤ W2", found.rounding),
            ),
            _unmoved(found),
        ),
    ]


def _unmoved(found: Bounds) -> str:
    above = found.unmoved.left > found.unmoved.right + found.rounding
    gt, lt = found.pair
    return (
        "The GT distance keeps its centers at the points, and does not satisfy the upper bound: it is above W2 for "
        f"{above.mean():.0%} of the pairs, by up to {found.unmoved.excess:.2g} diameters. The smallest example is two "
        f"points at distance 1 with ε = 1: they have the same neighborhood, so LT-WT2 gives {lt:g}, and GT with λ = 1 "
        f"gives {gt:g}."
    )
