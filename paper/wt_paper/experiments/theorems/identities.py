"""Statements that hold exactly: mean shift and GT as transforms, bounds by Gaussians, closed forms of truncation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.spatial.distance import pdist, squareform

from wasserstein_transform._types import Floats, Ints
from wasserstein_transform.engine import Engine
from wasserstein_transform.localize import Gaussian, Kernel, Truncation
from wasserstein_transform.spaces import GaussianMetric, Space
from wasserstein_transform.transforms import Transform, gaussian_transform, iterate, mean_shift
from wasserstein_transform.transport import Bures, Exact, wasserstein_pairs

from ...theory import closed_quotient
from ..experiment import Claim
from ..parameters import Theory
from .trials import Cloud, Sides, agreement, clouds, gather


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


def bounds_claims(result: Bounds) -> list[Claim]:
    """The three claims."""
    tolerance = f"{result.rounding:g} of the diameter"
    return [
        Claim(
            "theory: mean shift is a transform",
            "section on mean shift, the proposition that mean shift is a Wasserstein Transform",
            "Distances of mean shift's points after one iteration are the W1 distances of Diracs at the local means.",
            "Largest |‖x¹ − x'¹‖ − W1(δ, δ')| over all pairs of random clouds, W1 by the simplex between unit masses "
            f"at means from the localization's matrix; true if ≤ {tolerance}.",
            tuple(agreement(name, errors, result.rounding) for name, errors in result.shifted.items()),
            "The paper states it for equal weights; it holds for any weights.",
        ),
        Claim(
            "theory: GT without covariance is mean shift",
            "section on the Gaussian Transform, remark on the effect of λ; iterative algorithms for MS and GT",
            "With λ = 0 the GT distance is the Euclidean one, and iterated GT is iterated mean shift.",
            f"Largest difference of distances on random clouds; true if ≤ {tolerance}.",
            (
                agreement("distance before any step", result.still, result.rounding),
                agreement("distance after some steps", result.walking, result.rounding),
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
                result.means_w1.choice("means ≤ W1", result.rounding),
                result.means_gaussians.choice("means ≤ W2 of Gaussians", result.rounding),
                result.gaussians_w2.choice("W2 of Gaussians ≤ W2", result.rounding),
            ),
            _unmoved(result),
        ),
    ]


def _unmoved(result: Bounds) -> str:
    above = result.unmoved.left > result.unmoved.right + result.rounding
    gt, lt = result.pair
    return (
        "The GT distance keeps its centers at the points, and does not satisfy the upper bound: it is above W2 for "
        f"{above.mean():.0%} of the pairs, by up to {result.unmoved.excess:.2g} diameters. The smallest example is two "
        f"points at distance 1 with ε = 1: they have the same neighborhood, so LT-WT2 gives {lt:g}, and GT with λ = 1 "
        f"gives {gt:g}."
    )


@dataclass(frozen=True)
class Quotients:
    """Largest differences, per space, in units of the largest distance.

    Attributes
    ----------
    between, at : arrays
        LT-WT1 compared with the closed quotient, for ε between heights of the dendrogram and for ε equal to a height.
    segments : array
        GT (λ = 1) compared with LT-WT2, between points whose balls are centered segments.
    angles : array
        Angles between the two segments, in degrees.
    """

    between: Floats
    at: Floats
    segments: Floats
    angles: Floats
    rounding: float


def run_quotients(parameters: Theory, engine: Engine) -> Quotients:
    """Run all comparisons."""
    rng = np.random.default_rng((parameters.seed, 2))
    ultrametric = np.array([_ultrametric_errors(parameters, rng, engine) for _ in range(parameters.spaces)])
    angles = np.append([0.0, 90.0], rng.uniform(0, 180, parameters.spaces - 2))
    segments = [_segments_error(float(angle), parameters.half_ball, rng, engine) for angle in angles]
    return Quotients(ultrametric[:, 0], ultrametric[:, 1], np.array(segments), angles, parameters.rounding)


def _ultrametric_errors(parameters: Theory, rng: np.random.Generator, engine: Engine) -> tuple[float, float]:
    """Errors for an ε between two heights of a random dendrogram, and for one equal to a height."""
    n = int(rng.integers(*parameters.sizes, endpoint=True))
    rule = str(rng.choice(["average", "complete", "single"]))
    heights = cophenet(linkage(rng.normal(size=(n, 3)), rule))
    levels = np.unique(heights)
    k = int(rng.integers(len(levels) - 1))
    weights = rng.dirichlet(np.ones(n))
    between, at = ((levels[k] + levels[k + 1]) / 2, levels[k])
    D = squareform(heights)
    return _quotient_error(D, weights, float(between), engine), _quotient_error(D, weights, float(at), engine)


def _quotient_error(D: Floats, weights: Floats, eps: float, engine: Engine) -> float:
    space = Space.from_distances(D, weights, triangle=True)
    result = Transform(Truncation(eps), Exact(1))(space, engine).metric.dense(engine)
    expected = closed_quotient(space, eps, engine).expand().metric.dense(engine)
    return float(np.abs(result - expected).max() / D.max())


def _segments_error(angle: float, half_ball: int, rng: np.random.Generator, engine: Engine) -> float:
    """Error for two equally sampled segments at an angle, so far apart that no ball contains points of both."""
    steps = np.arange(-3 * half_ball, 3 * half_ball + 1.0) / half_ball
    turn = np.radians(angle)
    first = steps[:, None] * [1.0, 0.0]
    second = steps[:, None] * [np.cos(turn), np.sin(turn)] + [8.0, rng.uniform(-1, 1)]
    space = Space.from_points(np.concatenate([first, second]))
    inner = _inner(len(steps), half_ball)
    eps = 1.0 + 0.5 / half_ball  # ends between two points of the sample
    gt = Transform(Gaussian(Truncation(eps), 1.0), Bures())(space, engine).metric.block(inner, inner)
    measures = Truncation(eps)(space, engine).take(inner)
    lt = Exact(2).metric(measures, space.metric, engine).dense(engine)
    return float(np.abs(gt - lt).max() / lt.max())


def _inner(n: int, half_ball: int) -> Ints:
    """Some points of both segments, at least ε away from the ends."""
    places = np.arange(half_ball, n - half_ball, half_ball // 2)
    return np.concatenate([places, n + places])


def quotients_claims(result: Quotients) -> list[Claim]:
    """The two claims."""
    tolerance = f"{result.rounding:g} of the largest distance"
    return [
        Claim(
            "theory: on ultrametric spaces truncation is the closed quotient",
            "section on LT-WT on ultrametric spaces, its proposition",
            "LT-WT1 of an ultrametric space identifies points within ε of each other and keeps all other distances, "
            "whatever the weights.",
            "Largest difference to the quotient's distances, over random dendrograms and weights; true if ≤ "
            f"{tolerance}.",
            (
                agreement("ε between two heights", result.between, result.rounding),
                agreement("ε one of the heights", result.at, result.rounding),
            ),
        ),
        Claim(
            "theory: on segments GT is LT-WT2",
            "section on GT as an approximation of LT-WT2, its proposition and lemma",
            "GT with λ = 1 and LT-WT2 agree between points whose ε-balls are segments centered at them.",
            "Largest difference between points inside two segments, sampled alike at angles of "
            f"0°, 90° and {len(result.angles) - 2} random ones; true if ≤ {tolerance}.",
            (agreement("equally spaced samples", result.segments, result.rounding),),
        ),
    ]
