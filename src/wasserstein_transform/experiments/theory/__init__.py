"""What the paper proves, computed."""

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
    """What came out, part by part."""

    bounds: Bounds
    quotients: Quotients
    expansion: Expansion
    ellipsoid: Ellipsoid
    curvature: Curvature
    stability: Stability
    sampling: Sampling
    prokhorov: Prokhorov


def run(parameters: Theory, engine: Engine) -> TheoryResult:
    """All parts."""
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
    """In the order of the paper, but for the last."""
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
    """What converges to what, and how much room the inequalities leave."""
    return [
        Picture(
            "theory-quotient",
            "LT-WT1 of an ultrametric space: points within ε of each other fall together, all other distances stay.",
            draw.quotient,
        ),
        Picture(
            "theory-expansion",
            "Local truncation on a line: error of the expansion to second order, against ε.",
            lambda: draw.expansion(found.expansion),
        ),
        Picture(
            "theory-ellipsoid",
            "GT balls with λ = ε⁻⁶. Left: half-widths on a line beside the limits with the right and the printed "
            "constant. Right: a ball of the plane, rescaled, and the ellipse it tends to.",
            lambda: draw.ellipsoid(found.ellipsoid),
        ),
        Picture(
            "theory-curvature",
            "Contraction of distances by local truncation, beside ε²/(2(n + 2))·Ric: in four spaces, and on a sample "
            "of the sphere.",
            lambda: draw.curvature(found.curvature),
        ),
        Picture(
            "theory-stability",
            "Both sides of the stability theorems on random clouds; above the diagonal would be a counterexample.",
            lambda: draw.stability(found.stability),
        ),
        Picture(
            "theory-sampling",
            "Upper bound of the Gromov–Wasserstein distance between transformed sample and population, against n.",
            lambda: draw.sampling(found.sampling.samples),
        ),
        Picture(
            "theory-prokhorov",
            "W1 of random weightings between its bounds by the Prokhorov distance.",
            lambda: draw.prokhorov(found.prokhorov),
        ),
    ]


def tables(found: TheoryResult) -> Sequence[Table]:
    """The figures behind the pictures."""
    return [ellipsoid_table(found.ellipsoid), curvature_table(found.curvature), stability_table(found.stability)]


EXPERIMENT = Experiment(
    name="theory",
    title="What the paper proves, computed",
    about=(
        "Every statement that can be computed is computed, by exact transport and quadrature: identities on random "
        "spaces, expansions and limits by their order in ε, inequalities by both of their sides. Where a constant is "
        "not given in the paper it is derived, or left out so that the right side gets smaller. A statement counts "
        "as true by a rule that is named beside it."
    ),
    run=run,
    claims=claims,
    pictures=pictures,
    tables=tables,
)
