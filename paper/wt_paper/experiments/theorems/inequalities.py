"""Both sides of the stability theorems, and of the bounds by the Prokhorov distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.distance import pdist, squareform

from wasserstein_transform.engine import Engine
from wasserstein_transform.spaces import Dense
from wasserstein_transform.transport import wasserstein

from ...theory import (
    KERNELS,
    Inequality,
    SmoothKernel,
    continuity,
    prokhorov,
    stability_gaussian,
    stability_gaussian_smooth,
    stability_kernel,
    stability_mean_shift,
    stability_truncation,
)
from ..experiment import Claim, Table
from ..parameters import Theory
from .trials import Cloud, Sides, clouds, gather

PLACES = {
    "measures, kernel": "subsection on WT under kernel localization, theorem on the stability of kernel localization",
    "metric, kernel": "subsection on WT under kernel localization, corollary on the stability of the new metric",
    "measures, truncation": "subsection on WT under kernel localization, theorem on the stability of local truncations",
    "metric, truncation": "subsection on WT under kernel localization, corollary for the metric of local truncation",
    "mean shift, kernel": "subsection on stability of mean shift, theorem for Lipschitz kernels",
    "mean shift, truncation": "subsection on stability of mean shift, theorem for local truncations",
    "GT, truncation": "subsection on stability of the Gaussian Transform, first theorem",
    "GT, kernel": "subsection on stability of the Gaussian Transform, theorem for smooth kernels",
    "continuity, kernel": "subsection on WT under kernel localization, theorem on continuity in the old metric",
}
STATEMENTS = {
    "measures, kernel": "At every point, W1 of the measures localized by a positive Lipschitz kernel is at most "
    "(2L·diam + M)/N times W1 of the weightings.",
    "metric, kernel": "No distance of the transform by such a kernel changes by more than (4L·diam + 2M)/N·W1.",
    "measures, truncation": "At every point, W1 of the truncated measures is at most (1 + 2ε)Φ(√W1), W1 that of the "
    "weightings.",
    "metric, truncation": "No distance of LT-WT1 changes by more than 2(1 + 2ε)Φ(√W1).",
    "mean shift, kernel": "No mean of a Lipschitz kernel moves by more than (2CD + M)/N·W1, C = 2LD/ε².",
    "mean shift, truncation": "No mean of a truncated measure moves by more than (1 + 2ε)Φ(√W1).",
    "GT, truncation": "No GT distance changes by more than 2√(mλΨ(W∞)).",
    "GT, kernel": "No GT distance of a smooth kernel changes by more than 2√(mλC·W1).",
    "continuity, kernel": "The new metric of a kernel is at most L(M + N)·diam/N² times the old one, for any weights.",
}
ONE, TWO = "one Λ", "Λ for each pair of radii"
_FINITE = (
    "No finite space satisfies the Bishop–Gromov condition at all radii. The proof uses it only at (ε, ε + η) and "
    "(ε, D); Λ is the least exponent for these, with η = √W{} and D a little larger than the diameter. With one Λ for "
    "both, the right side can be extremely large; the proof also works with an exponent for each: the second reading. "
)
NOTES = {
    "measures, truncation": _FINITE.format("1") + "In this reading it is a theorem on finite spaces as well.",
    "metric, truncation": "Λ as for the measures.",
    "mean shift, truncation": "Λ as for the measures.",
    "GT, truncation": _FINITE.format("∞")
    + "Ψ has a further term c·A·W∞ with a constant A that the paper does not give, and c with α ≤ c·volume, which does "
    "not exist on a finite space. Without this term the right side is smaller and nothing is proven on finite spaces; "
    "the inequality held nevertheless.",
    "GT, kernel": "The paper does not give C. Its proof gives C from A_K, which is the Lipschitz constant of "
    "zzᵀK(‖z‖²/ε²): √2·ε·sup rK(r²). With C = 1 the ratio is at most {:.2g}.",
    "continuity, kernel": "Half of the points have weight 0, which the theorem allows.",
}


@dataclass(frozen=True)
class Stability:
    """Both sides of each statement, by its name and by the kernel or the reading of Λ."""

    sides: dict[str, dict[str, Sides]]
    bare: Sides
    """GT with smooth kernels and C = 1."""
    rounding: float


def run_stability(parameters: Theory, engine: Engine) -> Stability:
    """Random clouds with two weightings each."""
    result: dict[str, dict[str, list[Sides]]] = {}
    bare: list[Sides] = []
    for cloud in clouds(parameters, 7):
        for kernel in KERNELS:
            sides, without = _under_kernel(cloud, kernel, parameters, engine)
            _collect(result, kernel.name, sides)
            bare.append(without)
        for reading in (ONE, TWO):
            _collect(result, reading, _under_truncation(cloud, reading == ONE, parameters, engine))
    gathered = {name: {by: gather(parts) for by, parts in some.items()} for name, some in result.items()}
    return Stability(gathered, gather(bare), parameters.rounding)


def _collect(result: dict[str, dict[str, list[Sides]]], by: str, sides: dict[str, Sides]) -> None:
    for name, some in sides.items():
        result.setdefault(name, {}).setdefault(by, []).append(some)


def _one(result: Inequality | None, share: float = 1.0) -> Sides:
    """One trial: the suprema of both sides, with the right side times `share`."""
    assert result is not None
    return Sides(result.left.max(keepdims=True), share * result.right.max(keepdims=True))


def _under_kernel(
    cloud: Cloud, kernel: SmoothKernel, parameters: Theory, engine: Engine
) -> tuple[dict[str, Sides], Sides]:
    """All statements on kernels, and the one on GT with C = 1."""
    space, eps = cloud.space(cloud.alpha), parameters.bandwidth * cloud.diameter
    local = stability_kernel(space, cloud.beta, eps, kernel, engine)
    means = stability_mean_shift(space, cloud.beta, eps, kernel, engine=engine)
    gaussian = stability_gaussian_smooth(space, cloud.beta, eps, parameters.lam, kernel, engine)
    half = cloud.space(np.where(np.arange(space.n) % 2 == 0, cloud.alpha, 0.0))
    kept = continuity(half, eps, kernel, engine)
    sides = {
        "measures, kernel": _one(local),
        "metric, kernel": _one(local.corollary),
        "mean shift, kernel": _one(means),
        "GT, kernel": _one(gaussian),
        "continuity, kernel": Sides(kept.left, kept.right),
    }
    return sides, _one(gaussian, gaussian.constants["C"] ** -0.5)


def _under_truncation(cloud: Cloud, single: bool, parameters: Theory, engine: Engine) -> dict[str, Sides]:
    """All statements on local truncation."""
    given = cloud.space(cloud.alpha), cloud.beta, cloud.eps
    reading: dict[str, Any] = {"D": parameters.outer * cloud.diameter, "single": single, "engine": engine}
    local = stability_truncation(*given, **reading)
    return {
        "measures, truncation": _one(local),
        "metric, truncation": _one(local.corollary),
        "mean shift, truncation": _one(stability_mean_shift(*given, **reading)),
        "GT, truncation": _one(stability_gaussian(*given, parameters.lam, **reading)),
    }


def stability_claims(result: Stability) -> list[Claim]:
    """One claim for each statement."""
    notes = {**NOTES, "GT, kernel": NOTES["GT, kernel"].format(result.bare.worst)}
    return [
        Claim(
            f"theory: stability of {name}" if not name.startswith("continuity") else "theory: continuity of kernels",
            PLACES[name],
            STATEMENTS[name],
            f"Both sides on random clouds with two random weightings; true if left ≤ right up to {result.rounding:g} "
            "always.",
            tuple(some.choice(by, result.rounding) for by, some in result.sides[name].items()),
            notes.get(name, ""),
        )
        for name in PLACES
    ]


def stability_table(result: Stability) -> Table:
    """Ratios of both sides for each theorem."""
    rows = [
        (name, by, str(len(some.left)), f"{some.worst:.3g}", f"{some.typical:.2g}")
        for name in PLACES
        for by, some in result.sides[name].items()
    ]
    return Table(
        "Left over right side of the stability theorems",
        ("statement", "localization", "trials", "largest", "median"),
        tuple(rows),
        "1 would be sharp; a ratio above 1 would be a counterexample.",
    )


@dataclass(frozen=True)
class Prokhorov:
    """Both sides of the inequalities d_P² ≤ W1 ≤ (1 + diam)·d_P; the last also with the diameter of the supports."""

    lower: Sides
    upper: Sides
    supports: Sides
    rounding: float


def run_prokhorov(parameters: Theory, engine: Engine) -> Prokhorov:
    """Small random spaces of different sizes, with some points without mass."""
    rng = np.random.default_rng((parameters.seed, 10))
    result = np.array([_trial(parameters.small, parameters.grains, rng) for _ in range(parameters.spaces)])
    dp, w1, diameter, support = result.T
    return Prokhorov(
        Sides(dp**2, w1), Sides(w1, (1 + diameter) * dp), Sides(w1, (1 + support) * dp), parameters.rounding
    )


def _trial(largest: int, grains: int, rng: np.random.Generator) -> tuple[float, float, float, float]:
    """d_P, W1, and the diameters of the space and of the supports."""
    n = int(rng.integers(3, largest, endpoint=True))
    D = squareform(pdist(rng.normal(size=(n, 2)) * 10 ** rng.uniform(-1.5, 0.5)))
    one, other = (rng.multinomial(grains, rng.dirichlet(np.full(n, 0.5))) for _ in range(2))
    seen = np.flatnonzero(one + other)
    w1 = wasserstein(one / grains, other / grains, D).value
    return prokhorov(one, other, Dense(D, triangle=True)), w1, float(D.max()), float(D[np.ix_(seen, seen)].max())


def prokhorov_claims(result: Prokhorov) -> list[Claim]:
    """The claim."""
    return [
        Claim(
            "theory: transport and the Prokhorov distance",
            "section on optimal transport, lemma relating Wasserstein and Prokhorov distances, and the remark after it",
            "d_P² ≤ W1 ≤ (1 + diam)·d_P; in the right inequality the diameter of the supports is enough.",
            "Both sides on random weightings of random small spaces of diameters from 0.1 to 10, d_P by maximum flows "
            f"(Strassen); true if left ≤ right up to {result.rounding:g} always.",
            (
                result.lower.choice("d_P² ≤ W1", result.rounding),
                result.upper.choice("W1 ≤ (1 + diam)·d_P", result.rounding),
                result.supports.choice("W1 ≤ (1 + diam of the supports)·d_P", result.rounding),
            ),
        )
    ]
