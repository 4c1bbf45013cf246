"""Local truncation in cases with a closed form: ultrametric spaces, and points on segments."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.spatial.distance import squareform

from ..._types import Floats, Ints
from ...engine import Engine
from ...localize import Gaussian, Truncation
from ...spaces import Space
from ...theory import closed_quotient
from ...transforms import Transform
from ...transport import Bures, Exact
from ..claims import Claim
from ..parameters import Theory
from .sides import agreement


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
    found = Transform(Truncation(eps), Exact(1))(space, engine).metric.dense(engine)
    expected = closed_quotient(space, eps, engine).expand().metric.dense(engine)
    return float(np.abs(found - expected).max() / D.max())


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


def quotients_claims(found: Quotients) -> list[Claim]:
    """The two claims."""
    tolerance = f"{found.rounding:g} of the largest distance"
    return [
        Claim(
            "theory: on ultrametric spaces truncation is the closed quotient",
            "section on LT-WT on ultrametric spaces, its proposition",
            "LT-WT1 of an ultrametric space identifies points within ε of each other and keeps all other distances, "
            "whatever the weights.",
            "Largest difference to the quotient's distances, over random dendrograms and weights; true if ≤ "
            f"{tolerance}.",
            (
                agreement("ε between two heights", found.between, found.rounding),
                agreement("ε one of the heights", found.at, found.rounding),
            ),
        ),
        Claim(
            "theory: on segments GT is LT-WT2",
            "section on GT as an approximation of LT-WT2, its proposition and lemma",
            "GT with λ = 1 and LT-WT2 agree between points whose ε-balls are segments centered at them.",
            "Largest difference between points inside two segments, sampled alike at angles of "
            f"0°, 90° and {len(found.angles) - 2} random ones; true if ≤ {tolerance}.",
            (agreement("equally spaced samples", found.segments, found.rounding),),
        ),
    ]
