"""The Prokhorov distance of weightings, and the bounds of W1 by it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import pdist, squareform

from ...engine import Engine
from ...spaces import Dense
from ...theory import prokhorov
from ...transport import wasserstein
from ..claims import Claim
from ..parameters import Theory
from .sides import Sides


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
    found = np.array([_trial(parameters.small, parameters.grains, rng) for _ in range(parameters.spaces)])
    dp, w1, diameter, support = found.T
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


def prokhorov_claims(found: Prokhorov) -> list[Claim]:
    """The claim."""
    return [
        Claim(
            "theory: transport and the Prokhorov distance",
            "section on optimal transport, lemma relating Wasserstein and Prokhorov distances, and the remark after it",
            "d_P² ≤ W1 ≤ (1 + diam)·d_P; in the right inequality the diameter of the supports is enough.",
            "Both sides on random weightings of random small spaces of diameters from 0.1 to 10, d_P by maximum flows "
            f"(Strassen); true if left ≤ right up to {found.rounding:g} always.",
            (
                found.lower.choice("d_P² ≤ W1", found.rounding),
                found.upper.choice("W1 ≤ (1 + diam)·d_P", found.rounding),
                found.supports.choice("W1 ≤ (1 + diam of the supports)·d_P", found.rounding),
            ),
        )
    ]
