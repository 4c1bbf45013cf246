"""Numerical checks of the paper's theorems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...engine import Engine
from ..claims import Claim
from ..experiment import Experiment, Picture, Table
from ..parameters import Theory
from . import pictures as draw
from .bounds import Bounds, bounds_claims, run_bounds
from .curvature import Curvature, curvature_claims, run_curvature
from .ellipsoid import Ellipsoid, ellipsoid_claims, run_ellipsoid
from .expansions import Expansion, expansion_claims, run_expansion
from .prokhorov import Prokhorov, prokhorov_claims, run_prokhorov
from .quotients import Quotients, quotients_claims, run_quotients
from .sampling import Sampling, run_sampling, sampling_claims
from .stability import Stability, run_stability, stability_claims, stability_table
from .tables import curvature_table, ellipsoid_table


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


def claims(found: TheoryResult) -> Sequence[Claim]:
    """All claims, in the order of the paper except for the last."""
    return [
        *bounds_claims(found.bounds),
        *quotients_claims(found.quotients),
        *expansion_claims(found.expansion),
        *ellipsoid_claims(found.ellipsoid),
        *curvature_claims(found.curvature),
        *stability_claims(found.stability),
        *sampling_claims(found.sampling),
        *prokhorov_claims(found.prokhorov),
    ]


def pictures(found: TheoryResult) -> Sequence[Picture]:
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
            lambda: draw.expansion(found.expansion),
        ),
        Picture(
            "theory-ellipsoid",
            "GT balls with λ = ε⁻⁶. Left: half-widths on a line, and the limits with the correct and the printed "
            "constant. Right: a rescaled ball in the plane, and the ellipse it tends to.",
            lambda: draw.ellipsoid(found.ellipsoid),
        ),
        Picture(
            "theory-curvature",
            "Contraction of distances by local truncation, compared with ε²/(2(n + 2))·Ric: in four spaces, and on a "
            "sample of the sphere.",
            lambda: draw.curvature(found.curvature),
        ),
        Picture(
            "theory-stability",
            "Both sides of the stability theorems on random clouds; a point above the diagonal would be a "
            "counterexample.",
            lambda: draw.stability(found.stability),
        ),
        Picture(
            "theory-sampling",
            "Upper bound of the Gromov–Wasserstein distance between transformed sample and population, against n.",
            lambda: draw.sampling(found.sampling.samples),
        ),
        Picture(
            "theory-prokhorov",
            "W1 of random weightings, and its bounds by the Prokhorov distance.",
            lambda: draw.prokhorov(found.prokhorov),
        ),
    ]


def tables(found: TheoryResult) -> Sequence[Table]:
    """The numbers behind the figures."""
    return [ellipsoid_table(found.ellipsoid), curvature_table(found.curvature), stability_table(found.stability)]


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
