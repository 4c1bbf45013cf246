"""Local truncation contracts distances by Ricci curvature: spheres, flat torus, hyperbolic plane."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wasserstein_transform._types import Floats
from wasserstein_transform.engine import Engine

from ...theory import HYPERBOLIC, SPHERE, TORUS, Form, contraction, predicted, sample, sampled_contractions
from ..experiment import Choice, Claim, Table
from ..parameters import Theory

FORMS = {
    "sphere": SPHERE,
    "flat torus": TORUS,
    "hyperbolic plane": HYPERBOLIC,
    "sphere of dimension 3": Form(1, 3),
}


@dataclass(frozen=True)
class Curvature:
    """Contractions 1 − d^(ε)/d at distance d = ε, by the name of the space.

    Attributes
    ----------
    eps : array of shape (k,)
    contractions, coarse : dict of arrays of shape (k,)
        With all nodes, and with fewer: their difference shows the error of the quadrature.
    sampled : array
        Contractions of pairs of points of a Fibonacci sample of the sphere, about `sample_apart` apart, for the radius
        `sample_eps`.
    expected : float
        Contraction for the same radius and distance, by quadrature.
    sample_eps, sample_apart : float
    n : int
        Points of the sample.
    floor : float
        Largest relative error of the formula at the smallest ε.
    rounding : float
    """

    eps: Floats
    contractions: dict[str, Floats]
    coarse: dict[str, Floats]
    sampled: Floats
    expected: float
    sample_eps: float
    sample_apart: float
    n: int
    floor: float
    rounding: float

    def ratios(self, name: str) -> Floats:
        """Measured over predicted contraction, for spaces with curvature."""
        return np.asarray(self.contractions[name] / predicted(FORMS[name], self.eps))


def run_curvature(parameters: Theory, engine: Engine) -> Curvature:
    """Balls in all spaces, and a sample of the sphere."""
    eps = np.array(parameters.disc_eps)
    coarse, fine = (
        {name: np.array([contraction(form, e, e, nodes[form.dim]) for e in eps]) for name, form in FORMS.items()}
        for nodes in parameters.polar_nodes
    )
    radius, apart, n = parameters.sample_eps, parameters.sample_apart, parameters.sphere_points
    expected = contraction(SPHERE, radius, apart, parameters.polar_nodes[-1][SPHERE.dim])
    pairs = parameters.sphere_pairs, (parameters.seed, 6)
    sampled = sampled_contractions(sample(SPHERE, n), radius, apart, *pairs)
    floors = parameters.disc_floor, parameters.rounding
    return Curvature(eps, fine, coarse, sampled, expected, radius, apart, n, *floors)


def curvature_claims(result: Curvature) -> list[Claim]:
    """The claim."""
    return [
        Claim(
            "theory: truncation contracts by Ricci curvature",
            "section on LT-WT as Ricci flow, the expansion taken from Ollivier",
            "Between near points of an n-dimensional space, d^(ε) = d·(1 − ε²/(2(n + 2))·Ric(v, v)) up to higher "
            "orders: less than d on a sphere, d on a flat torus, more on a hyperbolic plane.",
            f"Contraction 1 − d^(ε)/d at d = ε = {result.eps[0]:g} … {result.eps[-1]:g}, exact transport between "
            "quadratures of the balls; true if measured/predicted gets closer to 1 with every smaller ε and ends "
            f"within {result.floor:g} of it (flat: |contraction| ≤ {result.rounding:g}). For the sample: true if its "
            "mean is within three standard errors of the value by quadrature.",
            (
                *(
                    _flat_choice(result, name) if form.curvature == 0 else _curved_choice(result, name)
                    for name, form in FORMS.items()
                ),
                _sample_choice(result),
            ),
            "Both balls use the same quadrature, moved by an isometry, so that errors of the nodes cancel to first "
            "order in the distance; fewer nodes show how much they matter. On a finite sample the boundary of a ball "
            "is ragged and single pairs scatter: their mean is compared with the value by quadrature at the same ε and "
            "d.",
        )
    ]


def _curved_choice(result: Curvature, name: str) -> Choice:
    ratios, contraction = result.ratios(name), result.contractions[name]
    off = np.abs(ratios - 1)
    change = np.abs(result.coarse[name] / contraction - 1).max()
    return Choice(
        name,
        bool((np.diff(off) < 0).all() and off[-1] <= result.floor),
        f"contraction {contraction[-1]:.3e} at ε = {result.eps[-1]:g}, measured/predicted {ratios[-1]:.4f} "
        f"({ratios[0]:.4f} at ε = {result.eps[0]:g}); fewer nodes change it by {change:.1e}",
    )


def _flat_choice(result: Curvature, name: str) -> Choice:
    largest = float(np.abs(result.contractions[name]).max())
    return Choice(name, largest <= result.rounding, f"|contraction| at most {largest:.1e}")


def _sample_choice(result: Curvature) -> Choice:
    mean = float(result.sampled.mean())
    error = float(result.sampled.std(ddof=1) / np.sqrt(len(result.sampled)))
    return Choice(
        f"Fibonacci sample of {result.n} points",
        abs(mean - result.expected) <= 3 * error,
        f"ε = {result.sample_eps:g}, d ≈ {result.sample_apart:g}: mean contraction {mean:.4f} ± {error:.4f} over "
        f"{len(result.sampled)} pairs, quadrature {result.expected:.4f}, formula "
        f"{float(predicted(SPHERE, result.sample_eps)):.4f}",
    )


def curvature_table(result: Curvature) -> Table:
    """Contractions by space and ε."""
    rows = [
        (
            name,
            f"{eps:g}",
            f"{result.contractions[name][k]:.3e}",
            f"{float(predicted(form, eps)):.3e}",
            f"{result.contractions[name][k] - result.coarse[name][k]:.1e}",
        )
        for name, form in FORMS.items()
        for k, eps in enumerate(result.eps)
    ]
    return Table(
        "Contraction 1 − d^(ε)/d at d = ε",
        ("space", "ε", "measured", "predicted", "change with more nodes"),
        tuple(rows),
    )
