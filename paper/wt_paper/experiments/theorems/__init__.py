"""Numerical checks of the paper's theorems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wasserstein_transform.engine import Engine

from ..experiment import Claim, Experiment, Picture, Table
from ..parameters import Theory
from . import drawing as draw
from .identities import Bounds, Quotients, bounds_claims, quotients_claims, run_bounds, run_quotients
from .inequalities import (
    Prokhorov,
    Stability,
    prokhorov_claims,
    run_prokhorov,
    run_stability,
    stability_claims,
    stability_table,
)
from .limits import (
    Ellipsoid,
    Expansion,
    ellipsoid_claims,
    ellipsoid_table,
    expansion_claims,
    run_ellipsoid,
    run_expansion,
)
from .ricci import Curvature, curvature_claims, curvature_table, run_curvature
from .sampling import Sampling, run_sampling, sampling_claims


@dataclass(frozen=True)
class TheoryResult:
    """The results of all parts."""

    bounds: Bounds
    quotients: Quotients
    expansion: Expansion
    ellipsoid: Ellipsoid
    curvature: Curvature
    stability: Stability
    sampling: Sampling
    prokhorov: Prokhorov


def run(parameters: Theory, engine: Engine) -> TheoryResult:
    """Run all parts."""
    return TheoryResult(
        run_bounds(parameters, engine),
        run_quotients(parameters, engine),
        run_expansion(parameters, engine),
        run_ellipsoid(parameters, engine),
        run_curvature(parameters, engine),
        run_stability(parameters, engine),
        run_sampling(parameters, engine),
        run_prokhorov(parameters, engine),
    )


def claims(result: TheoryResult) -> Sequence[Claim]:
    """All claims, in the order of the paper except for the last."""
    return [
        *bounds_claims(result.bounds),
        *quotients_claims(result.quotients),
        *expansion_claims(result.expansion),
        *ellipsoid_claims(result.ellipsoid),
        *curvature_claims(result.curvature),
        *stability_claims(result.stability),
        *sampling_claims(result.sampling),
        *prokhorov_claims(result.prokhorov),
    ]


def pictures(result: TheoryResult) -> Sequence[Picture]:
    """Figures of the limits and of both sides of the inequalities."""
    return [
        Picture(
            "theory-quotient",
            "LT-WT1 of an ultrametric space: points within ε of each other are identified, all other distances stay.",
            draw.quotient,
        ),
        Picture(
            "theory-expansion",
            "Local truncation on a line: error of the expansion to second order, against ε.",
            lambda: draw.expansion(result.expansion),
        ),
        Picture(
            "theory-ellipsoid",
            "GT balls with λ = ε⁻⁶. Left: half-widths on a line, and the limits with the correct and the printed "
            "constant. Right: a rescaled ball in the plane, and the ellipse it tends to.",
            lambda: draw.ellipsoid(result.ellipsoid),
        ),
        Picture(
            "theory-curvature",
            "Contraction of distances by local truncation, compared with ε²/(2(n + 2))·Ric: in four spaces, and on a "
            "sample of the sphere.",
            lambda: draw.curvature(result.curvature),
        ),
        Picture(
            "theory-stability",
            "Both sides of the stability theorems on random clouds; a point above the diagonal would be a "
            "counterexample.",
            lambda: draw.stability(result.stability),
        ),
        Picture(
            "theory-sampling",
            "Upper bound of the Gromov–Wasserstein distance between transformed sample and population, against n.",
            lambda: draw.sampling(result.sampling.samples),
        ),
        Picture(
            "theory-prokhorov",
            "W1 of random weightings, and its bounds by the Prokhorov distance.",
            lambda: draw.prokhorov(result.prokhorov),
        ),
    ]


def tables(result: TheoryResult) -> Sequence[Table]:
    """The numbers behind the figures."""
    return [ellipsoid_table(result.ellipsoid), curvature_table(result.curvature), stability_table(result.stability)]


EXPERIMENT = Experiment(
    name="theory",
    title="The theorems of the paper, computed",
    about=(
        "Every statement that can be computed is computed, by exact transport and quadrature: identities on random "
        "spaces, expansions and limits by their order in ε, inequalities by both sides. If the paper does not give a "
        "constant, it is derived, or left out, which makes the right side smaller. Each claim states the rule by which "
        "it counts as true."
    ),
    run=run,
    claims=claims,
    pictures=pictures,
    tables=tables,
)
